"""The benchmark of mentions: what is scored, by whom, and how it is counted."""

import time
from dataclasses import dataclass

import pytest

from benchmarks.mention_scores import MentionBench, MentionCounts
from benchmarks.mentions import WHOLE_PAGE, mention_systems, run_mentions
from blockfeat.data import LabelledPage
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.bench import BenchSystem

GOLD = "The shop opens.\nToday the chain Norvik opened a shop, and Brelan was there to see it all happen.\nphotos Ulbo"
AROUND = "read more on Tisza and on Norvik"
PAGES = [
    LabelledPage("1", f"{GOLD}\n{AROUND}", GOLD, lang="en", corpus="a", title="the shop of Kolber"),
    LabelledPage("2", "the town of Tisza. And of Kolber here.", "the town of Tisza. And of Kolber here.", lang="en"),
    LabelledPage("3", "x", None, lang="en", present=("x",)),
]


@dataclass(frozen=True)
class Same:
    """Loads what it was made of; it goes to other processes, however they start."""

    text: object

    def __call__(self) -> object:
        return self.text


def system(name: str, text: object) -> BenchSystem:
    return BenchSystem(name, "1", Same(text))  # type: ignore[arg-type]


def whole_page(page: LabelledPage) -> str:
    return page.html


def hangs(page: LabelledPage) -> str:
    if page.id == "1":
        time.sleep(60)
    return page.html


def run(*systems: BenchSystem, **options: object) -> MentionBench:
    whole = system(WHOLE_PAGE, whole_page)
    return run_mentions([whole, *systems], PAGES, deadline=None, **options)  # type: ignore[arg-type]


def test_counts() -> None:
    texts = {"gold": lambda page: page.text, "empty": lambda page: "", "fails": lambda page: 1 / 0}
    result = run(*(system(name, text) for name, text in texts.items()))
    whole, gold, empty, fails = (found.counts["others"] for found in result.systems)
    # Ulbo stands in a credit, Kolber of page 1 in a headline that the gold text leaves out: neither is scored.
    assert (whole, gold) == (MentionCounts(right=4, wrong=1, missed=0), MentionCounts(right=4, wrong=0, missed=0))
    assert empty == fails == MentionCounts(missed=4)
    assert (result.names, result.pages) == ({"others": (3, 1, 1)}, {"others": 2})


def test_few_names_of_a_page_always_the_same() -> None:
    first, second = (run(names_a_page=1) for _ in range(2))
    assert (first, sum(first.names["others"])) == (second, 2)


def test_languages_with_many_pages_have_rows_of_their_own() -> None:
    assert run(least_pages=2).languages == ["en"]


def test_tables(tmp_path: object) -> None:
    result = run(system("gold", lambda page: page.text))
    assert "| precision, % | mean | others |" in result.to_markdown()
    assert "| whole page 1 | 80.0 | 80.0 |" in result.to_markdown()
    table, frame = result.write(tmp_path)  # type: ignore[arg-type]
    assert table.read_text(encoding="utf-8") == result.to_markdown()
    assert len(frame.read_text(encoding="utf-8").splitlines()) == 3


def test_a_system_that_hangs_has_an_empty_text() -> None:
    systems = [system(WHOLE_PAGE, whole_page), system("hangs", hangs)]
    result = run_mentions(systems, PAGES, deadline=4.0, jobs=2)
    assert result.systems[1].counts["others"].missed == 2


def test_mean_over_languages() -> None:
    result = run(system("empty", lambda page: ""))
    assert result.systems[0].mean() == (0.8, 1.0)
    precision, recall = result.systems[1].mean()
    assert (precision != precision, recall) == (True, 0.0)


def test_systems_of_a_model() -> None:
    systems = mention_systems([Extractor.load("ziegler2007")], [])
    ours = [f"blockfeat ziegler2007{parts}" for parts in ("", ", headline and text", ", headline and sure text")]
    assert [found.name for found in systems] == [WHOLE_PAGE, *ours]
    page = LabelledPage("1", "<title>One of it</title><h1>One of it</h1><p>Two words, and some more of them.</p>", "")
    assert "Two words" in systems[0].load()(page)
    assert all(isinstance(found.load()(page), str) for found in systems)


def test_no_names() -> None:
    with pytest.raises(InputError, match="needs gold texts with names"):
        run_mentions([system(WHOLE_PAGE, whole_page)], PAGES[2:])
