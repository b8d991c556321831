"""Old names of modules."""

import subprocess
import sys
from importlib import import_module

import pytest

from blockfeat._lazy import MOVED


def test_an_old_name_gives_the_same_module_and_a_warning() -> None:
    code = """
import sys, warnings
from importlib import import_module
for old, new in zip(sys.argv[1::2], sys.argv[2::2]):
    warnings.simplefilter("error", DeprecationWarning)
    try:
        import_module(f"blockfeat.{old}")
    except DeprecationWarning as warning:
        print(warning)
    warnings.simplefilter("ignore")
    module = import_module(f"blockfeat.{old}")
    print(module is import_module(f"blockfeat.{new}"), module.__spec__.name)
"""
    names = {old: new for old, new in MOVED.items() if old != "spark"}
    lines = _output("-c", code, *(name for pair in names.items() for name in pair)).splitlines()
    assert lines[::2] == [f"blockfeat.{old} has moved to blockfeat.{new}" for old, new in names.items()]
    assert lines[1::2] == [f"True blockfeat.{new}" for new in names.values()]


@pytest.mark.parametrize(
    ("old", "new"), [("papers.crunch.read_settings", "papers.crunch.settings"), ("io.inputs.warc", "io.inputs.records")]
)
@pytest.mark.filterwarnings("ignore:blockfeat.(mentions|sources) has moved")
def test_what_is_in_a_package_that_moved_is_found(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"blockfeat\.{old} has moved to blockfeat\.{new}"):
        found = import_module(f"blockfeat.{old}")
    assert found is import_module(f"blockfeat.{new}")


def test_there_is_no_module_that_never_was() -> None:
    for name in ("blockfeat.nothing", "blockfeat.io.nothing"):
        with pytest.raises(ModuleNotFoundError, match="nothing"):
            import_module(name)


def _output(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True).stdout
