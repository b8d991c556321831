"""The paper's comparison (Ziegler & Skubacz 2007, Table 1): FE, PR, TB and HL on the same pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from blockfeat.data.corpus import LabelledPage
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.page import Page
from blockfeat.training.evaluation.metrics import cosine_length_ratio, snippet_scores, word_scores

METRICS: Mapping[str, str] = {"cosine": "cosine × length ratio", "f1": "word F1", "snippets": "snippet F1"}
"""The measures of fitness by name, as people call them."""


@dataclass(frozen=True)
class StrategyScores:
    """Mean fitness of each strategy over the same pages, by one measure.

    Attributes
    ----------
    metric : str
        A name of `METRICS`.
    pages : int
        Pages scored.
    extraction : float
        FE: the model.
    all_blocks : float
        PR: pruning and removing, all blocks kept.
    all_text : float or None
        TB: all text nodes of the page; None where it was not computed.
    labellers : float or None
        HL: the second labeller's text against the first's, on the pages that have both.
    doubly_labelled : int
        Number of those pages.
    """

    metric: str
    pages: int
    extraction: float
    all_blocks: float
    all_text: float | None = None
    labellers: float | None = None
    doubly_labelled: int = 0


@dataclass(frozen=True)
class GroupedScores:
    """Scores of pages with gold text and of pages with snippets only: different measures, never averaged.

    Attributes
    ----------
    text : StrategyScores or None
        The pages with gold text; None where there is none.
    snippets : StrategyScores or None
        The pages with snippets only, by snippet F1.
    """

    text: StrategyScores | None = None
    snippets: StrategyScores | None = None

    @property
    def groups(self) -> tuple[StrategyScores, ...]:
        """The groups that have pages; those with gold text first."""
        return tuple(group for group in (self.text, self.snippets) if group is not None)

    @property
    def pages(self) -> int:
        """Pages of both groups."""
        return sum(group.pages for group in self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, the groups that have pages by name."""
        groups = {"text": self.text, "snippets": self.snippets}
        return {name: asdict(group) for name, group in groups.items() if group is not None}


def compare_strategies(
    extractor: Extractor,
    pages: Sequence[LabelledPage],
    metric: str,
    *,
    on_page: Callable[[int], None] | None = None,
) -> GroupedScores:
    """Score the model and the paper's two lower bounds on labelled pages.

    Parameters
    ----------
    extractor : Extractor
        With the model.
    pages : sequence of LabelledPage
        Pages with gold text are scored by ``metric``, those with snippets only by snippet F1.
    metric : str
        ``"cosine"`` or ``"f1"``.
    on_page : callable, optional
        Called with the number of pages done.
    """
    found: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
    for number, page in enumerate(pages, start=1):
        extraction = extractor.extract(page.html, lang=page.lang)
        everything = "\n\n".join(block.text for block in extraction.blocks)
        raw = Page.parse(page.html, keep_raw_text=True).all_text()
        texts = (extraction.text, everything, raw)
        fe, pr, tb = (page_fitness(text, page, metric) for text in texts)
        found[bool(page.text)].append((fe, pr, tb))
        if on_page is not None:
            on_page(number)
    doubly = [page_fitness(page.text2, page, metric) for page in pages if page.text and page.text2]
    return GroupedScores(_mean(found[True], metric, doubly), _mean(found[False], "snippets", []))


def _mean(rows: Sequence[tuple[float, float, float]], metric: str, doubly: Sequence[float]) -> StrategyScores | None:
    if not rows:
        return None
    extraction, all_blocks, all_text = (fmean(column) for column in zip(*rows, strict=True))
    labellers = fmean(doubly) if doubly else None
    return StrategyScores(metric, len(rows), extraction, all_blocks, all_text, labellers, len(doubly))


def page_fitness(text: str, page: LabelledPage, metric: str) -> float:
    """Score an extracted text against the gold of its page, or against its snippets where it has no gold text."""
    if not page.text:
        return snippet_scores(text, page.present, page.absent).f1
    if metric == "f1":
        return word_scores(text, page.text).f1
    return cosine_length_ratio(text, page.text)
