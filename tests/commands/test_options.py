"""Names that the shell completes, and slips: what was meant is named."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from blockfeat.commands.options import model_names
from blockfeat.models.store import bundled_models, load_model, save_model
from cases import CASES
from command_line import Called
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.joinpath("page.html").write_text(article_page(), encoding="utf-8")
    return tmp_path


def _with_settings(folder: Path, text: str, *words: str, **variables: str) -> Called:
    """Call in a folder whose settings file has options of ``extract``, and with variables."""
    home = {"XDG_CONFIG_HOME": str(folder / "home")}
    folder.joinpath("blockfeat.toml").write_text(f"[extract]\n{text}\n", encoding="utf-8")
    return blockfeat(*words, folder=folder, environment=home | variables)


def test_a_word_counts_before_a_variable_and_that_before_the_settings(folder: Path) -> None:
    words, text, variable = ("extract", "page.html"), 'format = "json"\nevidence = true', "BLOCKFEAT_EXTRACT_FORMAT"
    told = [_with_settings(folder, text, *words, **one).stdout for one in ({}, {"BLOCKFEAT_EXTRACT_EVIDENCE": "0"})]
    assert ["blocks" in json.loads(one) for one in told] == [True, False]
    assert _with_settings(folder, text, *words, **{variable: "html"}).stdout.startswith("<!")
    plain = blockfeat("extract", folder / "page.html").stdout
    assert _with_settings(folder, text, *words, "-f", "text", **{variable: "html"}).stdout == plain
    assert _with_settings(folder, text, *words, **{variable: ""}).stdout[0] == "{"


def test_explain_has_the_settings_of_extract_but_no_output_of_it(folder: Path) -> None:
    asked = blockfeat("explain", "page.html", "--headline", folder=folder).stdout
    told = _with_settings(
        folder, "headline = true\nlinks = true", "explain", "page.html", BLOCKFEAT_EXTRACT_OUTPUT="out.txt"
    )
    assert (told.stdout, told.stderr) == (asked, "")
    assert not folder.joinpath("out.txt").exists()


def test_a_model_of_the_settings_stands_beside_them_and_no_settings_cost_nothing(folder: Path) -> None:
    home = folder / "home" / "blockfeat"
    home.mkdir(parents=True)
    save_model(load_model("thresholds"), home / "own.json")
    home.joinpath("blockfeat.toml").write_text('[extract]\nmodel = "own.json"\nformat = "json"', encoding="utf-8")
    done = _with_settings(folder, "", "extract", "page.html")
    assert json.loads(done.stdout)["model"].startswith("thresholds")


@pytest.mark.parametrize(("text", "variables", "said"), CASES["wrong_settings"])
def test_wrong_settings_are_named(folder: Path, text: str, variables: dict[str, str], said: str) -> None:
    done = _with_settings(folder, text, "extract", "page.html", **variables)
    assert (done.returncode, said in done.said) == (2, True), done.said


def test_a_variable_of_no_option_is_told_and_passed_over(folder: Path) -> None:
    done = _with_settings(folder, "", "extract", "page.html", BLOCKFEAT_EXTRACT_JOB="4", BLOCKFEAT_OTHER="5")
    assert done.said == "blockfeat: BLOCKFEAT_EXTRACT_JOB: extract has no option 'job'; did you mean 'jobs'?"
    assert done.stdout == blockfeat("extract", folder / "page.html").stdout


def test_an_unusual_suffix_is_written_with_a_format(folder: Path) -> None:
    assert blockfeat("extract", "page.html", "-o", "out.docx", "-f", "text", folder=folder).returncode == 0
