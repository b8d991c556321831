"""The benchmark: systems over pages in processes, those that fail, hang or die, and what is shown of their scores."""

import math
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pandas
import pytest

from blockfeat import Extractor, InputError, OutputError
from blockfeat.data import LabelledPage
from blockfeat.training.evaluation import bench
from blockfeat.training.evaluation.peers import peers_named

GOLD = "one two three four five six"
PAGES = [
    LabelledPage("1", "one two three four five", "one two three four five", corpus="a", lang="en"),
    LabelledPage("2", "one two three four", "one two", corpus="a", present=("one",), absent=("four",)),
    LabelledPage("3", "drei", None, corpus="b", present=("drei",)),
]


@dataclass(frozen=True)
class Same:
    """Loads what it was made of; it goes to other processes, however they start."""

    extract: object

    def __call__(self) -> object:
        return self.extract


def system(name: str, extract: object) -> bench.BenchSystem:
    return bench.BenchSystem(name, "1.0", Same(extract))  # type: ignore[arg-type]


def copies(page: LabelledPage) -> str:
    return page.html


def test_all_metrics_of_all_pages() -> None:
    result = bench.run_bench([system("copy", copies)], PAGES)
    (scores,) = result.systems
    first, second, third = scores.pages
    assert [page.score.id for page in scores.pages] == ["1", "2", "3"]
    assert (first.score.f1, first.text_only, first.shingles) == (1.0, 1.0, 1.0)
    assert (second.score.f1, second.text_only, second.shingles) == pytest.approx((2 / 3, 2 / 3, 0.0))
    assert (third.score.f1, third.text_only, third.shingles) == (None, None, None)
    assert third.score.snippets is not None
    assert all(page.seconds >= 0 for page in scores.pages)


def fails(page: LabelledPage) -> str:
    raise RecursionError("too deep")


def hangs(page: LabelledPage) -> str:
    if page.id == "2":
        time.sleep(60)
    return page.html


def dies(page: LabelledPage) -> str:
    if page.id == "2":
        os._exit(3)
    return page.html


def finds_nothing(page: LabelledPage) -> None:
    return None


def test_systems_that_fail_hang_or_die_count_as_empty() -> None:
    chosen = [system(f.__name__, f) for f in (fails, hangs, dies, finds_nothing)]
    failing, hanging, dying, nothing = bench.run_bench(chosen, PAGES, deadline=3.0).systems
    assert failing.summary()["failed"] == 3
    assert (failing.pages[0].score.error, failing.summary()["f1"]) == ("RecursionError: too deep", 0.0)
    assert "longer than 3 s" in (hanging.pages[1].score.error or "")
    assert math.isnan(hanging.pages[1].seconds)
    assert "died" in (dying.pages[1].score.error or "")
    assert [system.summary()["failed"] for system in (hanging, dying, nothing)] == [1, 1, 0]
    assert hanging.pages[2].score.f1 is None
    assert nothing.summary()["f1"] == 0.0


def test_models_and_peers_run_in_parallel_and_in_order() -> None:
    text = "It was a long way to the sea, and they were tired when they came to it. " * 8
    html = f"<html><body><p>{text}</p></body></html>"
    pages = [LabelledPage(str(number), html, text, corpus="c", lang="en") for number in range(12)]
    ticks: list[tuple[str, int, int]] = []
    systems = bench.bench_systems([Extractor.load("thresholds")], peers_named(["resiliparse"]))
    result = bench.run_bench(systems, pages, jobs=2, on_page=lambda *told: ticks.append(told))
    assert [found.name for found in result.systems] == ["blockfeat thresholds", "resiliparse"]
    assert all([page.score.id for page in found.pages] == [page.id for page in pages] for found in result.systems)
    assert (ticks[-1], result.systems[0].summary()["f1"]) == (("resiliparse", 12, 12), 1.0)


@pytest.mark.parametrize(
    ("systems", "pages", "said"),
    [(["copy"], [], "needs pages"), ([], PAGES, "needs systems"), (["copy", "copy"], PAGES, "names of their own")],
)
def test_pages_systems_and_names_are_needed(systems: list[str], pages: list[LabelledPage], said: str) -> None:
    with pytest.raises(InputError, match=said):
        bench.run_bench([system(name, copies) for name in systems], pages)


def page(
    number: int, corpus: str, predicted: str, *, gold: str | None = GOLD, error: str | None = None
) -> bench.BenchPage:
    labelled = LabelledPage(str(number), "<p>x", gold, corpus=corpus, present=("one two",) if corpus == "s" else ())
    seconds = math.nan if error else 0.01 * (number + 1)
    return bench.bench_page(
        predicted, labelled, error=error, seconds=seconds, memory=None if error else 2 * 1024 * 1024
    )


def result() -> bench.BenchResult:
    good = (page(0, "a", GOLD), page(1, "a", GOLD), page(2, "b", GOLD), page(3, "s", GOLD, gold=None))
    bad = (page(0, "a", "one"), page(1, "a", "", error="it died"), page(2, "b", GOLD), page(3, "s", "no", gold=None))
    systems = (bench.SystemScores("blockfeat x", "1", good), bench.SystemScores("peer | y", "2", bad))
    return bench.BenchResult(systems, ("goose3",))


def test_means_by_corpus() -> None:
    ours, theirs = result().systems
    assert ours.summary("a")["f1"] == 1.0
    expected = {"f1": pytest.approx((2 / 7) / 2), "failed": 1, "milliseconds": pytest.approx(10)}
    assert {name: theirs.summary("a")[name] for name in expected} == expected
    assert theirs.summary()["memory"] == pytest.approx(2)
    assert math.isnan(ours.summary("s")["f1"])
    assert (ours.summary("s")["snippet_f1"], theirs.summary("s")["snippet_f1"]) == (1.0, 0.0)
    assert result().corpora == ("a", "b", "s")


def test_differences_are_paired() -> None:
    found = result().difference("peer | y")
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
    assert "Not installed and left out: goose3 (pip install" in text


def test_frames_and_files(tmp_path: Path) -> None:
    frame = result().to_frame()
    assert len(frame) == 2 * 4
    assert (set(frame["corpus"]), len(result().pages_frame())) == ({"a", "b", "s", "all"}, 8)
    paths = result().write(tmp_path / "out")
    assert [path.name for path in paths] == ["bench.md", "bench.csv", "bench-pages.csv"]
    assert len(pandas.read_csv(paths[1])) == len(frame)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"):
        result().write(tmp_path / "file")
