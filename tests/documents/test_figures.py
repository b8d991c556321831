"""The figures of documents: rendered from one file, which names the models that were measured."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases import CASES
from documented.fences import ROOT, documents, fences_of
from tools.figures.__main__ import main
from tools.figures.experiments import experiments
from tools.figures.measure import READERS, measured, models_of
from tools.figures.prose import with_prose
from tools.figures.render import rendered
from tools.figures.results import Results, Run, Table, digest_of
from tools.figures.unsourced import given_pieces, unsourced

_BUNDLED = "blockfeat/models/bundled"
_TABLE: Table = {
    "default 0.2": {"system": "default 0.2", "f1": 0.86996, "time": "0.09 (0.08 to 0.09)"},
    "margin 0.2": {"system": "margin 0.2", "f1": 0.5, "time": "1"},
}
_README = """# Title

Some <!--=demo/default/f1:100*.1f-->87.0<!--/--> points.

<!-- figures
| system | F1 |
|---|---:|
| default | {demo/default/f1:.3f} |
-->

| system | F1 |
|---|---:|
| default | 0.870 |

<!-- end -->
"""
_needs_sources = pytest.mark.skipif(not (ROOT / "blockfeat").is_dir(), reason="the sources of the package are not here")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with one document, one run and the two models that it read."""
    for folder in ("docs", _BUNDLED):
        (tmp_path / folder).mkdir(parents=True)
    models = [f"{_BUNDLED}/default.npz", f"{_BUNDLED}/margin.json"]
    for model in models:
        (tmp_path / model).write_text(model, encoding="utf-8")
    (tmp_path / "README.md").write_text(_README, encoding="utf-8")
    (tmp_path / "CONTRIBUTING.md").touch()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    digests = {model: digest_of(tmp_path / model) for model in models}
    Results(tmp_path, {"demo": Run(["blockfeat bench"], "bench", digests, "2026-11-24", "", [_TABLE])}).write()
    return tmp_path


def test_a_wrong_figure_fails_until_it_is_written(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["--check"], checkout), Results.read(checkout).tables) == (0, {"demo": _TABLE})
    readme = checkout / "README.md"
    for right, wrong in (("87.0", "87.1"), ("| default | 0.870 |\n\n", "| default | 0.880 |\n\n")):
        readme.write_text(_README.replace(right, wrong), encoding="utf-8")
        assert main(["--check"], checkout) == 1
        assert "README.md has figures that are not those" in capsys.readouterr().err
        assert (main([], checkout), readme.read_text(encoding="utf-8")) == (0, _README)


def test_a_changed_model_fails_until_it_is_measured(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / _BUNDLED / "margin.json").write_text("trained anew", encoding="utf-8")
    assert main(["--check"], checkout) == 1
    assert "run python -m tools.figures measure demo" in capsys.readouterr().err
    assert Results.read(checkout).outdated() == ["demo"]


def test_a_bundled_model_without_a_figure_fails(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / _BUNDLED / "other.json").write_text("new", encoding="utf-8")
    assert main(["--check"], checkout) == 1
    assert "no run measures the bundled model other.json" in capsys.readouterr().err


@pytest.mark.parametrize(("slot", "written"), CASES["figures_are_written_as_they_are_asked_for"])
def test_figures_are_written_as_they_are_asked_for(slot: str, written: str) -> None:
    text = f"It is <!--={slot}-->?<!--/--> so."
    assert rendered(text, {"demo": _TABLE}, "a.md") == text.replace("?", written)


def test_documents_take_the_tables_of_experiments(tmp_path: Path) -> None:
    (results := tmp_path / "experiments" / "results").mkdir(parents=True)
    page = "| a | b |\n|---|---|\n| 1 | 2 |\n\nText\n\n| c |\n|---|\n| 3 |\n"
    (results / "a.md").write_text(page, encoding="utf-8")
    text = "It is <!--=a.md/1/b-->2<!--/--> and <!--=a.md 2/3/c-->3<!--/-->."
    assert rendered(re.sub(r">\d<", ">?<", text), experiments(tmp_path), "a.md") == text


@pytest.mark.parametrize(("piece", "text", "written"), CASES["a_sentence_has_the_figures_of_a_table"])
def test_a_sentence_has_the_figures_of_a_table(piece: str, text: str, written: str) -> None:
    try:
        found = with_prose(text, [piece], {"demo": _TABLE}, "a.md")
    except SystemExit as error:
        found = str(error)
    assert found.startswith(written)


@pytest.mark.parametrize(("sentence", "found"), CASES["a_figure_needs_a_source"])
def test_a_figure_needs_a_source(sentence: str, found: list[str], tmp_path: Path) -> None:
    assert list(unsourced(f"# Title\n\n{sentence}\n", "docs/a.md", tmp_path)) == found


@_needs_sources
def test_what_has_no_source_only_gets_less() -> None:
    assert sum(map(len, given_pieces(ROOT).values())) <= 58


def test_a_whole_table_is_written_as_a_benchmark_prints_it() -> None:
    found = rendered("<!-- figures\n{demo}\n-->\n<!-- end -->\n", {"demo": _TABLE}, "a.md")
    assert "\n\n| system | f1 | time |\n| --- | ---: | ---: |\n| default 0.2 | 0.86996 | 0.09 (0.08" in found


@pytest.mark.parametrize(("text", "said"), CASES["a_figure_that_cannot_be_written_is_named"])
def test_a_figure_that_cannot_be_written_is_named(text: str, said: str) -> None:
    with pytest.raises(SystemExit, match=rf"a\.md: .*{said}"):
        rendered(text, {"demo": _TABLE}, "a.md")


@_needs_sources
def test_a_run_is_measured_with_the_digests_of_its_models() -> None:
    command = "blockfeat bench --corpus demo --sample 2 --model thresholds --peers none --quiet"
    run = measured(Run([command], "bench"), ROOT)
    assert run.models == {f"{_BUNDLED}/thresholds.json": digest_of(ROOT / _BUNDLED / "thresholds.json")}
    assert run.tables[0]["thresholds"]["pages"] == 2
    assert 0 < float(run.tables[0]["thresholds"]["f1"]) <= 1
    with pytest.raises(SystemExit, match="ended with 2"):
        measured(Run(["blockfeat bench --corpus demo --peers gone"], "bench"), ROOT)


def test_printed_tables_are_read(tmp_path: Path) -> None:
    printed = "| a | b |\n| --- | ---: |\n| x | 1 |\n| y | 2 (1 to 3) |\n\n| n | k |\n|--|--|\n| 1 | c |\n| 1 | d |\n"
    assert list(READERS["markdown"](tmp_path, printed)) == [
        {"x": {"a": "x", "b": "1"}, "y": {"a": "y", "b": "2 (1 to 3)"}},
        {"1 c": {"n": "1", "k": "c"}, "1 d": {"n": "1", "k": "d"}},
    ]


@_needs_sources
def test_models_are_those_that_a_command_names() -> None:
    found = list(models_of("blockfeat bench -m margin --model tools/left_out/gone.npz --saved tools/left_out", ROOT))
    assert found[0] == f"{_BUNDLED}/margin.json"
    assert found[1:] == [f"tools/left_out/{path.name}" for path in sorted((ROOT / "tools" / "left_out").iterdir())]


@_needs_sources
def test_the_documents_have_the_figures_of_the_file() -> None:
    assert main(["--check"]) == 0


def test_every_command_that_was_measured_stands_in_a_document() -> None:
    commands = set(_documented_commands())
    measured_commands = {command for run in Results.read(ROOT).runs.values() for command in run.commands}
    assert sorted(measured_commands - commands) == []


def _documented_commands() -> Iterator[str]:
    """Yield the lines of the blocks of commands, with variables that they set filled in, and code spans."""
    for path in documents():
        for fence in fences_of(path):
            values: dict[str, str] = {}
            for line in fence.text.replace("\\\n", " ").splitlines():
                values |= {name: value.strip('"') for name, value in re.findall(r'\b([A-Z])=("[^"]*"|\S+)', line)}
                filled = re.sub(r"\$([A-Z])\b", lambda found: values.get(found[1], found[0]), line)  # noqa: B023
                yield " ".join(filled.partition(" #")[0].split())
        yield from re.findall(r"`([^`\n]+)`", path.read_text(encoding="utf-8"))
