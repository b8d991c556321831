"""Old names of modules."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from blockfeat._moved import MOVED


@pytest.mark.parametrize("old", sorted(MOVED.keys() - {"spark"}))
def test_an_old_name_gives_the_same_module_and_a_warning(old: str) -> None:
    code = f"""
        import sys, warnings
        warnings.simplefilter("error", DeprecationWarning)
        try:
            import blockfeat.{old}
        except DeprecationWarning as warning:
            print(warning)
        warnings.simplefilter("ignore")
        import blockfeat.{old}
        import blockfeat.{MOVED[old]}
        print(sys.modules["blockfeat.{old}"] is sys.modules["blockfeat.{MOVED[old]}"], blockfeat.{old}.__spec__.name)
    """
    lines = _output("-c", "\n".join(line[8:] for line in code.splitlines())).splitlines()
    assert lines == [f"blockfeat.{old} has moved to blockfeat.{MOVED[old]}", f"True blockfeat.{MOVED[old]}"]


def test_what_is_in_a_package_moves_with_it() -> None:
    with pytest.warns(DeprecationWarning, match=r"blockfeat\.mentions\.matcher has moved to blockfeat\.monitor"):
        old = import_module("blockfeat.mentions.matcher")
    assert old is import_module("blockfeat.monitor.mentions.matcher")


def test_there_is_no_module_that_never_was() -> None:
    for name in ("blockfeat.nothing", "blockfeat.output.nothing"):
        with pytest.raises(ModuleNotFoundError, match="nothing"):
            import_module(name)


def test_the_package_is_a_command() -> None:
    assert "extract" in _output("-m", "blockfeat", "--help")


def test_the_job_of_spark_runs_by_its_old_name() -> None:
    assert "--reader" in _output("-m", "blockfeat.spark", "--help")


def _output(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True).stdout
