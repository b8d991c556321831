"""Load the source of a compiled module as plain Python, to compare both."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from blockfeat.compiled import uncompiled_modules


def load_uncompiled(name: str) -> ModuleType:
    """Return a module run from its source; skip the test where there is no extension to compare it with."""
    if name in uncompiled_modules():
        pytest.skip(f"{name} is not compiled here, so there is nothing to compare")
    package, _, module_name = name.rpartition(".")
    path = Path(importlib.import_module(package).__path__[0]) / f"{module_name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_uncompiled", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
