"""What a benchmark shows: means, comparisons in pairs, tables, files and the picture."""

from __future__ import annotations

import math
from pathlib import Path

import pandas
import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import InputError, OutputError
from blockfeat.training.evaluation.bench import bench_page
from blockfeat.training.evaluation.bench_result import BenchPage, BenchResult, SystemScores

GOLD = "one two three four five six"


def page(number: int, corpus: str, predicted: str, *, gold: str | None = GOLD, error: str | None = None) -> BenchPage:
    labelled = LabelledPage(str(number), "<p>x", gold, corpus=corpus, present=("one two",) if corpus == "s" else ())
    seconds = math.nan if error else 0.01 * (number + 1)
    return bench_page(predicted, labelled, error=error, seconds=seconds, memory=None if error else 2 * 1024 * 1024)


def result() -> BenchResult:
    good = (page(0, "a", GOLD), page(1, "a", GOLD), page(2, "b", GOLD), page(3, "s", GOLD, gold=None))
    bad = (page(0, "a", "one"), page(1, "a", "", error="it died"), page(2, "b", GOLD), page(3, "s", "no", gold=None))
    systems = (SystemScores("blockfeat x", "1", "blockfeat", good), SystemScores("peer | y", "2", "peer", bad))
    return BenchResult(systems, ("goose3",))


def test_means_by_corpus() -> None:
    ours, theirs = result().systems
    assert ours.summary("a")["f1"] == 1.0
    assert theirs.summary("a")["f1"] == pytest.approx((2 / 7) / 2)
    assert theirs.summary("a")["failed"] == 1
    assert theirs.summary("a")["milliseconds"] == pytest.approx(10)
    assert theirs.summary()["memory"] == pytest.approx(2)
    assert math.isnan(ours.summary("s")["f1"])
    assert (ours.summary("s")["snippet_f1"], theirs.summary("s")["snippet_f1"]) == (1.0, 0.0)
    assert result().corpora == ("a", "b", "s")


def test_differences_are_paired() -> None:
    found = result().difference("peer | y")
    assert found is not None
    assert found.mean == pytest.approx((5 / 7 + 1 + 0) / 3)
    assert found.low <= found.mean <= found.high
    assert result().difference("peer | y", "s") is None
    with pytest.raises(InputError, match="nobody"):
        result().difference("nobody")


def test_markdown_has_a_table_for_each_corpus_and_all() -> None:
    text = result().to_markdown()
    for heading in ("## Word F1 by corpus", "## a", "## b", "## s", "## All pages"):
        assert heading in text
    assert "| system | a | b | mean of corpora |" in text
    assert "| blockfeat x | 100.0 | 100.0 | 100.0 |" in text
    assert "peer \\| y" in text
    assert "Not installed and left out: goose3." in text


def test_frames_and_files(tmp_path: Path) -> None:
    frame = result().to_frame()
    assert len(frame) == 2 * 4
    assert set(frame["corpus"]) == {"a", "b", "s", "all"}
    assert len(result().pages_frame()) == 8
    paths = result().write(tmp_path / "out")
    assert [path.name for path in paths] == ["bench.md", "bench.csv", "bench-pages.csv", "bench.png"]
    assert len(pandas.read_csv(paths[1])) == len(frame)
    assert paths[3].stat().st_size > 1000


def test_picture_falls_back_on_snippets(tmp_path: Path) -> None:
    pages = (page(0, "s", GOLD, gold=None),)
    BenchResult((SystemScores("x", "1", "peer", pages),)).plot(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"):
        result().write(tmp_path / "file")
