"""Load the source of a compiled module as plain Python, to compare both."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from blockfeat.compiled import COMPILED_MODULES, uncompiled_modules


def load_uncompiled(name: str) -> ModuleType:
    """Return a module run from its source; skip the test where there is no extension to compare it with."""
    if name in uncompiled_modules():
        pytest.skip(f"{name} is not compiled here, so there is nothing to compare")
    return _run_source(name, f"{name}_uncompiled")


def load_uncompiled_chain(package: str, names: Sequence[str]) -> ModuleType:
    """Return the last of some modules of a package, each run from its source on top of those before it."""
    full_names = [f"{package}.{name}" for name in names]
    if set(COMPILED_MODULES) & set(uncompiled_modules()):
        pytest.skip("the modules are not compiled here, so there is nothing to compare")
    for name in full_names:
        importlib.import_module(name)
    with patch.dict(sys.modules):
        return [_run_source(name, name) for name in full_names][-1]


def _run_source(name: str, called: str) -> ModuleType:
    package, _, module_name = name.rpartition(".")
    path = Path(importlib.import_module(package).__path__[0]) / f"{module_name}.py"
    spec = importlib.util.spec_from_file_location(called, path)
    assert spec is not None
    assert spec.loader is not None
    # Dataclasses look their module up.
    sys.modules[called] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
