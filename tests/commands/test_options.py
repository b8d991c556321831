"""Names that the shell completes, and slips: what was meant is named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from blockfeat.commands.options import model_names
from blockfeat.models.store import bundled_models
from command_line import call as blockfeat
from pages import article_page

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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["exract", "x"], "Did you mean 'extract'?"),
        (["page.html"], "blockfeat extract page.html"),
        (["www.example.org", "-f", "text"], "blockfeat extract www.example.org"),
        (["extract", "www.example.org/a"], "the address is https://www.example.org/a"),
        (["extract", "PAGE", "--model", "defalt"], "did you mean default?"),
        (["extract", "PAGE", "-o", "out.jsnl"], "did you mean .jsonl?"),
        (["extract", "PAGE", "-o", "out.docx"], "no format has the suffix .docx"),
        (["explain", "PAGE", "--lang-ui", "xx"], "'xx' is not one of"),
        (["monitor", "rprot", "x.toml"], "Did you mean 'report'?"),
    ],
)
def test_slips_are_told(tmp_path: Path, words: list[str], said: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(article_page(), encoding="utf-8")
    done = blockfeat(*[str(page) if word == "PAGE" else word for word in words])
    assert (done.returncode != 0, said in done.said) == (True, True)


def test_an_unusual_suffix_is_written_with_a_format(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(article_page(), encoding="utf-8")
    assert blockfeat("extract", page, "-o", tmp_path / "out.docx", "-f", "text").returncode == 0
