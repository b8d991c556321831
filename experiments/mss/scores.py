"""Scores of the systems on every page, and their means over groups of pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from blockfeat.data.corpus import LabelledPage
from blockfeat.page.page import Page
from blockfeat.papers.mss.model import TokenModel
from experiments.mss.extractions import PossibleExtractions
from experiments.mss.systems import predicted_words

__all__ = ["Mean", "PageScore", "means", "score_pages"]


@dataclass(frozen=True, slots=True)
class PageScore:
    """Scores of a system on a page: precision, recall and F1 against the main text alone, and the best F1 (4.1)."""

    page: LabelledPage
    system: str
    precision: float
    recall: float
    short: float
    best: float


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean scores over some pages."""

    pages: int
    precision: float
    recall: float
    short: float
    best: float

    def cells(self) -> list[str]:
        """Return the numbers as text."""
        values = (self.precision, self.recall, self.short, self.best)
        return [str(self.pages), *(f"{value:.3f}" for value in values)]


def score_pages(
    pages: Iterable[LabelledPage], systems_of: Callable[[LabelledPage], Mapping[str, TokenModel]]
) -> Iterator[PageScore]:
    """Score pages by the systems that were trained without their sites.

    Parameters
    ----------
    pages : iterable of LabelledPage
        With gold text.
    systems_of : callable
        Returns the systems for a page, by name.
    """
    for page in pages:
        tags = Page.parse(page.html).tags
        gold = PossibleExtractions.of_gold(page.text or "", title=page.title, author=page.author)
        for name, model in systems_of(page).items():
            words = predicted_words(model, tags)
            short = gold.short(words)
            yield PageScore(page, name, short.precision, short.recall, short.f1, gold.best(words).f1)


def means(scores: Iterable[PageScore], group: Callable[[PageScore], str | None]) -> dict[str, dict[str, Mean]]:
    """Return the mean scores by group and system; pages without a group are left out."""
    groups: dict[str, dict[str, list[PageScore]]] = defaultdict(lambda: defaultdict(list))
    for score in scores:
        name = group(score)
        if name is not None:
            groups[name][score.system].append(score)
    return {name: {system: _mean(found) for system, found in by.items()} for name, by in groups.items()}


def _mean(found: list[PageScore]) -> Mean:
    return Mean(
        len(found),
        fmean(score.precision for score in found),
        fmean(score.recall for score in found),
        fmean(score.short for score in found),
        fmean(score.best for score in found),
    )
