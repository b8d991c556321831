"""Counts of labelled pages by fold, so that every page is scored by what was trained without its site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from blockfeat.data.corpus import LabelledPage
from blockfeat.page.page import Page
from blockfeat.papers.mss.classifier import FeatureCounts, NaiveBayes
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.trainer import PAPER_TAGS, TokenCounter, common_tags, gold_run
from blockfeat.papers.mss.vocabulary import Vocabulary
from experiments.corpora import fold_numbers

__all__ = ["FOLDS", "LEAST_PAGES", "Counts", "FoldedCounts", "Trained", "count_pages", "folds_and_sites"]

FOLDS = 3
LEAST_PAGES = 20
"""Pages of a site from which on it has a row of its own; these sites are a fold of their own."""
Trained = tuple[Vocabulary, NaiveBayes]
Folds = Mapping[tuple[str, str], int]


@dataclass
class FoldedCounts:
    """Counts of labelled pages by fold.

    Attributes
    ----------
    tags : tuple of str
        Names of the common tags.
    size : int
        Tokens in a gram.
    """

    tags: tuple[str, ...]
    size: int = 3
    _counters: dict[int, TokenCounter] = field(default_factory=dict, repr=False)
    _parts: dict[int, Trained] = field(default_factory=dict, repr=False)
    _pages: Counter[int] = field(default_factory=Counter, repr=False)

    def add(self, fold: int, page: LabelledPage, tokens: PageTokens, run: tuple[int, int]) -> None:
        """Count a page whose article text is a run of its tokens."""
        counter = self._counters.setdefault(fold, TokenCounter(self.tags, self.size))
        counter.add(tokens, run, source=page.host, lang=page.lang)
        self._parts.pop(fold, None)
        self._pages[fold] += 1

    def pages(self, left_out: int | None = None) -> int:
        """Return the number of pages of all folds but one."""
        return sum(count for fold, count in self._pages.items() if fold != left_out)

    def trained(self, left_out: int | None = None) -> Trained:
        """Return vocabulary and counts of all folds but one; grams of a single site are in it too."""
        for fold, counter in self._counters.items():
            if fold not in self._parts:
                self._parts[fold] = counter.finish(least_sources=1)
        parts = [part for fold, part in self._parts.items() if fold != left_out]
        return added([vocabulary for vocabulary, _ in parts]), summed([bayes for _, bayes in parts])


def added(parts: Sequence[Vocabulary]) -> Vocabulary:
    """Return the first vocabulary with the stems of the others added; its own stems and tags stay."""
    stems: dict[int, int] = {}
    for part in reversed(parts):
        stems.update(zip(part.form.tolist(), part.stem.tolist(), strict=True))
    return Vocabulary.of(parts[0].tags, stems)


def summed(parts: Sequence[NaiveBayes]) -> NaiveBayes:
    """Return the first classifier with the counts of the others, which are of other sites, added."""
    return replace(
        parts[0],
        grams=FeatureCounts.sum([part.grams for part in parts]),
        unclosed=FeatureCounts.sum([part.unclosed for part in parts]),
        around=FeatureCounts.sum([part.around for part in parts]),
        inside=sum(part.inside for part in parts),
        outside=sum(part.outside for part in parts),
    )


@dataclass(frozen=True)
class Counts:
    """What the systems are trained on.

    Attributes
    ----------
    paper : FoldedCounts
        Trigrams of the pages that pass the filter of 5.1: at most a fifth of the labelled run are tags.
    unigrams : FoldedCounts
        Unigrams of the same pages, for CleanEval (7.7).
    bundled : FoldedCounts
        Trigrams of all pages with a labelled run.
    labelled, filtered : int
        Pages with a labelled run; those among them that the filter leaves out.
    """

    paper: FoldedCounts
    unigrams: FoldedCounts
    bundled: FoldedCounts
    labelled: int
    filtered: int


def folds_and_sites(pages: Sequence[LabelledPage]) -> tuple[dict[tuple[str, str], int], dict[str, list[LabelledPage]]]:
    """Return the fold of each page, and the sites with at least `LEAST_PAGES` pages, which are the last fold."""
    known = Counter(page.host for page in pages if page.host != page.id)
    large = [host for host, count in known.most_common() if count >= LEAST_PAGES]
    sites = {host: [page for page in pages if page.host == host] for host in large}
    folds = fold_numbers((page for page in pages if page.host not in sites), FOLDS)
    folds |= {(page.corpus, page.id): FOLDS for found in sites.values() for page in found}
    return folds, sites


def count_pages(pages: Iterable[LabelledPage], folds: Folds) -> Counts:
    """Label and count pages."""
    listed = list(pages)
    tags = ((page.host, Page.parse(page.html).tags) for page in listed)
    names = common_tags((host, found) for host, found in tags if found is not None)
    paper, unigrams, bundled = FoldedCounts(names), FoldedCounts(names, size=1), FoldedCounts(names)
    labelled = filtered = 0
    for page in listed:
        tokens = PageTokens.of(Page.parse(page.html).tags)
        run = gold_run(tokens, page.text or "")
        if run is None:
            continue
        labelled += 1
        fold = folds[page.corpus, page.id]
        bundled.add(fold, page, tokens, run)
        if tokens.is_tag[run[0] : run[1]].mean() > PAPER_TAGS:
            filtered += 1
            continue
        paper.add(fold, page, tokens, run)
        unigrams.add(fold, page, tokens, run)
    return Counts(paper, unigrams, bundled, labelled, filtered)
