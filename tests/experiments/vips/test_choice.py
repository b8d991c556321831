"""The oracle and the rules of thumb."""

from __future__ import annotations

from experiments.vips.choice import HEURISTICS, Candidates, oracle
from experiments.vips.layout import RenderedPage
from experiments.vips.structure import segment
from laid_out import Box, page, paragraph

ARTICLE = "the article has many words of its own and says a lot about one thing that happened"


def candidates() -> Candidates:
    links = [Box("a", (0, 20 * n, 90, 20), [paragraph((0, 20 * n, 90, 20), f"link{n}")]) for n in range(8)]
    body = [
        Box("div", (0, 0, 100, 160), links),
        Box("div", (300, 0, 600, 400), [paragraph((300, 0, 600, 400), ARTICLE)]),
    ]
    rendered = page(Box("body", (0, 0, 900, 400), body))
    return Candidates.of(rendered, segment(rendered))


def test_the_oracle_and_the_heuristics_take_the_article() -> None:
    found = candidates()
    best = oracle(found, ARTICLE)
    assert best.scores.f1 == 1.0
    for place in (best.place, *(choose(found) for choose in HEURISTICS.values())):
        assert " ".join(found.words[place]) == ARTICLE
    assert found.tags[0] == 18  # a div, eight times a and p, a p
    points = [len(words) - 2 * tags for words, tags in zip(found.words, found.tags, strict=True)]
    assert HEURISTICS["words less twice the tags"](found) == points.index(max(points))


def test_the_oracle_is_never_below_the_whole_page() -> None:
    found = candidates()
    assert oracle(found, " ".join(found.words[0])).place == 0
    assert oracle(found, "link3 " + ARTICLE).scores.f1 >= 2 * 18 / (18 + 25)


def test_a_page_without_blocks() -> None:
    found = Candidates.of(RenderedPage("test", "empty", "digest"), None)
    assert oracle(found, "words").scores.f1 == 0
    assert [choose(found) for choose in HEURISTICS.values()] == [None] * len(HEURISTICS)
