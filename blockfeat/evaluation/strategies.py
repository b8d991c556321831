"""The paper's comparison (Ziegler & Skubacz 2007, Table 1): FE, PR, TB and HL on the same pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from blockfeat.data.corpus import LabelledPage
from blockfeat.evaluation.metrics import cosine_length_ratio, snippet_scores, word_scores
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.page import Page

__all__ = ["StrategyScores", "compare_strategies"]


@dataclass(frozen=True)
class StrategyScores:
    """Mean fitness of each strategy over the same pages.

    Attributes
    ----------
    metric : str
        ``"cosine"`` or ``"f1"`` for pages with gold text; snippet F1 for the others.
    pages : int
        Pages scored.
    extraction : float
        FE: the model.
    all_blocks : float
        PR: pruning and removing, all blocks kept.
    all_text : float
        TB: all text nodes of the page.
    labellers : float or None
        HL: the second labeller against the first, on pages with two.
    """

    metric: str
    pages: int
    extraction: float
    all_blocks: float
    all_text: float
    labellers: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def compare_strategies(extractor: Extractor, pages: Sequence[LabelledPage], metric: str) -> StrategyScores:
    """Score the model and the paper's two lower bounds on labelled pages."""
    found: list[tuple[float, float, float]] = []
    for page in pages:
        extraction = extractor.extract(page.html, lang=page.lang)
        everything = "\n\n".join(block.text for block in extraction.blocks)
        raw = Page.parse(page.html, keep_raw_text=True).all_text()
        found.append(
            (
                page_fitness(extraction.text, page, metric),
                page_fitness(everything, page, metric),
                page_fitness(raw, page, metric),
            )
        )
    doubly = [page_fitness(page.text2, page, metric) for page in pages if page.text and page.text2]
    return StrategyScores(
        metric=metric,
        pages=len(found),
        extraction=fmean(row[0] for row in found),
        all_blocks=fmean(row[1] for row in found),
        all_text=fmean(row[2] for row in found),
        labellers=fmean(doubly) if doubly else None,
    )


def page_fitness(text: str, page: LabelledPage, metric: str) -> float:
    """Score an extracted text against the gold of its page, or against its snippets."""
    if not page.text:
        return snippet_scores(text, page.present, page.absent).f1
    if metric == "f1":
        return word_scores(text, page.text).f1
    return cosine_length_ratio(text, page.text)
