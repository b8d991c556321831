"""Failure injection over every command, in its short form: no finding. `make torture` is the long one."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.torture.injector import is_possible


@pytest.mark.slow
@pytest.mark.skipif(not is_possible(), reason="needs Linux and a C compiler")
def test_no_failure_loses_anything() -> None:
    command = [sys.executable, "-m", "tools.torture", "--short"]
    found = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, ""), found.stdout
