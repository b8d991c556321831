"""The comparison of the paper (Ziegler & Skubacz 2007, Table 1): FE, PR, TB and HL; how two labellers agree.

Labellers are scored as in the row HL: one's text against the other's. Their labels are scored by Cohen's kappa (Cohen
1960), which is 1 for full agreement and 0 where they agree as often as chance would.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.align import align
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.labels import ROLES
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.page import Page
from blockfeat.training.evaluation import metrics

METRICS: Mapping[str, str] = {"cosine": "cosine × length ratio", "f1": "word F1", "snippets": "snippet F1"}
"""Fitness measures: names in configurations, and what reports call them."""


_TABLE = "html5"
_CONTENT, _REST = "content", "rest"


@dataclass(frozen=True)
class StrategyScores:
    """Mean fitness of each strategy over the same pages, by one measure.

    Attributes
    ----------
    metric : str
        A key of `METRICS`.
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
    extractor: Extractor, pages: Sequence[LabelledPage], metric: str, *, on_page: Callable[[int], None] | None = None
) -> GroupedScores:
    """Score the model and the paper's two lower bounds on labelled pages.

    Parameters
    ----------
    extractor : Extractor
        Extractor with the model.
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
        texts = (extraction.text, everything, Page.parse(page.html, keep_raw_text=True).all_text())
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
        return metrics.snippet_scores(text, page.present, page.absent).f1
    return metrics.word_scores(text, page.text).f1 if metric == "f1" else metrics.cosine_length_ratio(text, page.text)


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two sequences of labels: (p - e) / (1 - e).

    p is the share of positions with the same label, e the share expected by chance, from how often each
    labeller gives each label.

    Parameters
    ----------
    first, second : sequences of the same length
        The labels of each labeller.

    Returns
    -------
    float or None
        At most 1; None if there are no positions, or if both give the same single label throughout: kappa is
        undefined where e = 1.
    """
    count = len(first)
    if not count:
        return None
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / count
    by_first, by_second = Counter(first), Counter(second)
    expected = sum(number * by_second[label] for label, number in by_first.items()) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


@dataclass(frozen=True, slots=True)
class PageAgreement:
    """How two labellers agree on one page.

    Attributes
    ----------
    id : str
        The page.
    cosine, f1 : float
        Cosine × length ratio and word F1 of the second labeller's text against the first's.
    blocks, differing : int
        Blocks that both labelled, and those of them that one calls content and the other does not.
    kappa : float or None
        Cohen's kappa over the blocks, content against the rest; None as in `cohens_kappa`.
    """

    id: str
    cosine: float
    f1: float
    blocks: int
    differing: int
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """How two labellers agree.

    Attributes
    ----------
    pages : tuple of PageAgreement
        The pages that both labelled, in the order of the first.
    only_first, only_second : int
        Pages that one labeller alone has.
    kappa : float or None
        Over the blocks of all pages, content against the rest.
    role_kappa : float or None
        Over the blocks to which both gave a role, with all roles as labels; None where there are none.
    kappa_by_role : mapping of str to float or None
        Over the same blocks, each role against the rest.
    counts_by_role : mapping of str to pair of int
        How often each labeller gave each role on those blocks.
    role_blocks : int
        Number of those blocks.
    """

    pages: tuple[PageAgreement, ...]
    only_first: int
    only_second: int
    kappa: float | None
    role_kappa: float | None
    kappa_by_role: Mapping[str, float | None]
    counts_by_role: Mapping[str, tuple[int, int]]
    role_blocks: int

    @property
    def cosine(self) -> float:
        """Mean cosine × length ratio: the row HL."""
        return fmean(page.cosine for page in self.pages)

    @property
    def f1(self) -> float:
        """Mean word F1."""
        return fmean(page.f1 for page in self.pages)

    def interval(self, metric: str) -> metrics.Interval:
        """Return the mean of ``"cosine"`` or ``"f1"`` over the pages with its 95 % bootstrap interval."""
        return metrics.confidence_interval([getattr(page, metric) for page in self.pages])

    def worst(self, count: int) -> list[PageAgreement]:
        """Return the pages with the lowest word F1, the lowest first; pages in full agreement are left out."""
        differing = [page for page in self.pages if page.f1 < 1 or page.differing]
        return sorted(differing, key=lambda page: (page.f1, page.cosine))[:count]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {**asdict(self), "cosine": self.cosine, "f1": self.f1}


def agreement(first: Sequence[LabelledPage], second: Sequence[LabelledPage]) -> Agreement:
    """Compare two labellers on the pages that both have, by id.

    Blocks are those of the tag table ``html5``, or the one that the labels name. A block is content by its role if
    the labels have roles for these blocks, else if at least half of its words are in the labeller's text.

    Parameters
    ----------
    first, second : sequence of LabelledPage
        The labels of each; pages without a gold text are skipped.

    Raises
    ------
    InputError
        They have no page in common.
    """
    mine = {page.id: page for page in first if page.text is not None}
    theirs = {page.id: page for page in second if page.text is not None}
    common = [id for id in mine if id in theirs]
    if not common:
        raise InputError("the two labellers have no page in common: pages are matched by their id")
    comparison = _Comparison()
    pages = tuple(comparison.page(mine[id], theirs[id]) for id in common)
    given, taken = comparison.first_roles, comparison.second_roles
    return Agreement(
        pages=pages,
        only_first=len(mine) - len(common),
        only_second=len(theirs) - len(common),
        kappa=cohens_kappa(comparison.first, comparison.second),
        role_kappa=cohens_kappa(given, taken),
        kappa_by_role={role: cohens_kappa([a == role for a in given], [b == role for b in taken]) for role in ROLES},
        counts_by_role={role: (given.count(role), taken.count(role)) for role in ROLES},
        role_blocks=len(given),
    )


class _Comparison:
    """Collects the labels of blocks over pages."""

    def __init__(self) -> None:
        self.first: list[str] = []
        self.second: list[str] = []
        self.first_roles: list[str] = []
        self.second_roles: list[str] = []
        self._cutters: dict[str, Blockifier] = {}

    def page(self, mine: LabelledPage, theirs: LabelledPage) -> PageAgreement:
        """Compare one page, and keep the labels of its blocks."""
        own, other = self._labels(mine, theirs)
        known = [place for place, pair in enumerate(zip(own, other, strict=True)) if None not in pair]
        given, taken = [own[place] or "" for place in known], [other[place] or "" for place in known]
        if mine.roles is not None and theirs.roles is not None and mine.roles.cut == theirs.roles.cut:
            self.first_roles += given
            self.second_roles += taken
        first, second = ([_CONTENT if role == _CONTENT else _REST for role in roles] for roles in (given, taken))
        self.first += first
        self.second += second
        return PageAgreement(
            id=mine.id,
            cosine=metrics.cosine_length_ratio(theirs.text or "", mine.text or ""),
            f1=metrics.word_scores(theirs.text or "", mine.text or "").f1,
            blocks=len(known),
            differing=sum(a != b for a, b in zip(first, second, strict=True)),
            kappa=cohens_kappa(first, second),
        )

    def _labels(self, mine: LabelledPage, theirs: LabelledPage) -> tuple[list[str | None], list[str | None]]:
        """Return the label of each block by each labeller."""
        table = next((page.roles.table for page in (mine, theirs) if page.roles is not None), _TABLE)
        cutter = self._cutters.setdefault(table, Blockifier.of(load_table(table)))
        blocks = cutter.cut(Page.parse(mine.html, url=mine.url, keep_drawings=cutter.table.reads_drawings))
        found: list[list[str | None]] = []
        for page in (mine, theirs):
            if page.roles is not None and page.roles.fits(blocks):
                found.append(list(page.roles.blocks))
            else:
                share = align(blocks, page.text or "").share
                found.append([_CONTENT if part >= 0.5 else _REST for part in share.tolist()])
        return found[0], found[1]
