"""Names that the shell completes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from blockfeat.commands.options import model_names
from blockfeat.models.store import bundled_models

_CALL = [sys.executable, "-c", "import sys; sys.argv[0] = 'blockfeat'; from blockfeat.cli import main; main()"]


def test_names_are_those_of_models() -> None:
    assert tuple(model_names("")) == bundled_models()
    assert model_names("mss-s") == ["mss-simple", "mss-supervised", "mss-supervised-hr"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("extract --model thr", "thresholds"),
        ("extract --format mark", "markdown"),
        ("extract --input-format wa", "warc"),
        ("explain --favour pre", "precision"),
        ("expl", "explain"),
    ],
)
def test_a_shell_gets_completions(words: str, expected: str) -> None:
    line = f"blockfeat {words}"
    asked = {"_BLOCKFEAT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    done = subprocess.run(_CALL, env={**os.environ, **asked}, capture_output=True, timeout=600, check=False)
    assert done.stdout.decode().split() == [expected]
