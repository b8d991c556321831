from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from blockfeat.compiled import COMPILED_MODULES, uncompiled_modules
from blockfeat.data import demo_pages
from blockfeat.features.measuring import context_columns
from random_pages import measured_of

# Modules that rest on the compiled ones, in the order in which they import each other.
_ORDER = ("keys", "cue_scan", "cues", "nesting", "block_kernel", "context_kernel", "measuring")


def _load_source(name: str) -> ModuleType:
    """Load the source of a module, whether or not an extension stands beside it."""
    path = Path(sys.modules["blockfeat.features"].__path__[0]) / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"blockfeat.features.{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def uncompiled() -> ModuleType:
    """The module of the context features, with all that it rests on as plain Python."""
    if set(uncompiled_modules()) & set(COMPILED_MODULES):
        pytest.skip("the modules are not compiled here, so there is nothing to compare")
    names = [f"blockfeat.features.{name}" for name in _ORDER]
    compiled = {name: importlib.import_module(name) for name in names}
    loaded = [_load_source(name) for name in _ORDER]
    sys.modules.update(compiled)
    return loaded[-1]


def test_compiled_and_uncompiled_give_the_same_columns(uncompiled: ModuleType):
    for page in demo_pages():
        measured = measured_of(page.html)
        assert (context_columns(measured) == uncompiled.context_columns(measured)).all(), page.id
