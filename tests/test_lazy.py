"""Names of a package that are imported at their first use."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import blockfeat
from blockfeat._lazy import RENAMED, names_of_stub

_ROOT = Path(blockfeat.__file__).parent
_STUBS = sorted(_ROOT.rglob("__init__.pyi"))
_PACKAGES = [".".join(("blockfeat", *stub.parent.relative_to(_ROOT).parts)) for stub in _STUBS]


@pytest.mark.parametrize(("package", "stub"), list(zip(_PACKAGES, _STUBS, strict=True)))
def test_each_name_of_a_stub_is_that_of_its_module(package: str, stub: Path) -> None:
    module = import_module(package)
    names = names_of_stub(stub)
    assert sorted(module.__all__) == sorted(dir(module)) == sorted(names)
    assert len(names) == stub.read_text(encoding="utf-8").count(" as ")
    for name, home in names.items():
        assert getattr(module, name) is getattr(import_module(home), name)


@pytest.mark.parametrize("package", _PACKAGES)
def test_a_package_imports_none_of_its_modules_by_itself(package: str) -> None:
    code = f"import sys, blockfeat; before = set(sys.modules); import {package}; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # A function that has the name of its module has to be there before somebody imports the module.
    allowed = package in ("blockfeat", "blockfeat.data", "blockfeat.lang", "blockfeat.training.evaluation")
    assert allowed or [name for name in done.stdout.split() if name.startswith(f"{package}.")] == []


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"module 'blockfeat\.models' has no attribute 'nothing'"):
        _ = import_module("blockfeat.models").nothing


@pytest.mark.parametrize(
    ("package", "old", "new"), [(p, *names) for p, all in RENAMED.items() for names in all.items()]
)
def test_an_old_name_gives_the_same_and_a_warning(package: str, old: str, new: str) -> None:
    module = import_module(package)
    with pytest.warns(DeprecationWarning, match=rf"{package}\.{old} is called {new} now"):
        found = getattr(module, old)
    assert found is getattr(module, new)


def test_modules_of_a_package_can_be_imported_by_name() -> None:
    from blockfeat.models import store

    assert store.__name__ == "blockfeat.models.store"
