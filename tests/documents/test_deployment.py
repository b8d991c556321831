"""The files of `deploy/`: their commands are known, and systemd takes the units."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from documented.command_lines import problem_of
from documented.fences import ROOT

_UNITS = sorted((ROOT / "deploy").glob("*.service"))
_STARTED = [line.removeprefix("ExecStart=") for unit in _UNITS for line in unit.read_text().splitlines()]


def test_the_commands_are_known() -> None:
    lines = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8").splitlines()
    entry, started = (json.loads(line.partition(" ")[2]) for line in lines if line.startswith(("ENTRYPOINT", "CMD")))
    health = next(shlex.split(line.partition("CMD ")[2].partition("|")[0]) for line in lines if "    CMD" in line)
    units = [shlex.split(line) for line in _STARTED if line.startswith("/opt/")]
    assert [problem_of(words) for words in (entry + started, health, *units)] == [None] * 4
    # The log of a service is JSON alone.
    assert [words for words in (started, *units) if "--log" in words and "--quiet" not in words] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for unit in _UNITS:
        text = unit.read_text(encoding="utf-8").replace("/opt/blockfeat/bin/blockfeat", "/bin/true")
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    words = ["systemd-analyze", "verify", *(str(tmp_path / unit.name) for unit in _UNITS)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
