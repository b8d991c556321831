"""The benchmark run: systems over pages in processes, those that fail, hang or die."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass

import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.bench import BenchSystem, bench_systems, run_bench
from blockfeat.training.evaluation.peers import peers_named

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


def system(name: str, extract: object) -> BenchSystem:
    return BenchSystem(name, "1.0", "peer", Same(extract))  # type: ignore[arg-type]


def copies(page: LabelledPage) -> str:
    return page.html


def test_all_metrics_of_all_pages() -> None:
    result = run_bench([], [], PAGES, systems=[system("copy", copies)])
    (scores,) = result.systems
    first, second, third = scores.pages
    assert [page.score.id for page in scores.pages] == ["1", "2", "3"]
    assert (first.score.f1, first.text_only, first.shingles) == (1.0, 1.0, 1.0)
    assert second.score.f1 == pytest.approx(2 / 3)
    assert second.text_only == pytest.approx(2 / 3)
    assert second.shingles == 0.0
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
    failing, hanging, dying, nothing = run_bench([], [], PAGES, deadline=3.0, systems=chosen).systems
    assert failing.summary()["failed"] == 3
    assert failing.pages[0].score.error == "RecursionError: too deep"
    assert failing.summary()["f1"] == 0.0
    assert "longer than 3 s" in (hanging.pages[1].score.error or "")
    assert math.isnan(hanging.pages[1].seconds)
    assert "died" in (dying.pages[1].score.error or "")
    assert [system.summary()["failed"] for system in (hanging, dying, nothing)] == [1, 1, 0]
    assert hanging.pages[2].score.f1 is None
    assert nothing.summary()["f1"] == 0.0


def test_models_and_peers_run_in_parallel_and_in_order() -> None:
    text = "It was a long way to the sea, and they were tired when they came to it. " * 8
    pages = [
        LabelledPage(str(number), f"<html><body><p>{text}</p></body></html>", text, corpus="c", lang="en")
        for number in range(12)
    ]
    ticks: list[tuple[str, int, int]] = []
    result = run_bench(
        [Extractor.load("thresholds")],
        peers_named(["resiliparse"]),
        pages,
        jobs=2,
        on_page=lambda name, done, all: ticks.append((name, done, all)),
    )
    assert [found.name for found in result.systems] == ["blockfeat thresholds", "resiliparse"]
    assert [found.kind for found in result.systems] == ["blockfeat", "peer"]
    assert all([page.score.id for page in found.pages] == [page.id for page in pages] for found in result.systems)
    assert ticks[-1] == ("resiliparse", 12, 12)
    assert result.first.summary()["f1"] == 1.0


def test_pages_systems_and_names_are_needed() -> None:
    with pytest.raises(InputError):
        run_bench([], [], [], systems=[system("copy", copies)])
    with pytest.raises(InputError):
        run_bench([], [], PAGES)
    with pytest.raises(InputError, match="names of their own"):
        run_bench([], [], PAGES, systems=[system("copy", copies), system("copy", copies)])


def test_models_come_first() -> None:
    model = Extractor.load("thresholds")
    assert [found.kind for found in bench_systems([model], peers_named(["resiliparse"]))] == ["blockfeat", "peer"]
