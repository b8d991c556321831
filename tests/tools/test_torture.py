"""Calls of the C library that fail, in every command, or that are counted: in their short forms, no finding."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.torture.injector import is_possible


@pytest.mark.slow
@pytest.mark.skipif(not is_possible(), reason="needs Linux and a C compiler")
@pytest.mark.parametrize("tool", ["torture --short", "moved_bytes --shapes article raised anchors links"])
def test_no_failure_loses_anything_and_no_view_copies_more_than_linearly(tool: str) -> None:
    command = [sys.executable, "-m", *f"tools.{tool}".split()]
    found = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, ""), found.stdout
