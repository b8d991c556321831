"""Training examples: pages with features, labels and weights of their blocks, measured in parallel processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._pool import in_order
from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.align import align
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.labels import BlockLabels, Marks, label_blocks, role_labels, snippet_labels
from blockfeat.errors import BlockfeatError, TrainingError
from blockfeat.features.measuring import FeatureExtractor, PageFeatures, context_features, context_places
from blockfeat.lang.identify import Identifier
from blockfeat.page.page import Page
from blockfeat.training.config import OnProgress, Progress, no_progress

Floats = NDArray[np.float32]
Measured = TypeVar("Measured")

_TITLE_SHARE, _TITLE_COVER = 0.75, 0.35
_ECHO = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPage:
    """One page as a training example.

    Attributes
    ----------
    matrix : float32 array, n × k
        Context features of its n blocks.
    label, weight : float32 arrays, n
        Labels: 1 for content, 0 for other blocks, in between for soft labels. Weights of the blocks in the loss: 0
        where the label is unknown.
    words : float32 array, n
        Number of words of each block.
    share : float32 array, n
        Share of those words that occur in the gold; 0 where it contradicts the label.
    importance : float
        Weight of the page in the mean fitness.
    is_emptied : bool
        Whether its content was removed, to train on pages without content.
    texts : tuple of str
        Texts of the blocks.
    source : LabelledPage, optional
        The labelled page from which the example was made.
    """

    matrix: Floats
    label: Floats
    weight: Floats
    words: Floats
    share: Floats
    importance: float = 1.0
    is_emptied: bool = False
    texts: tuple[str, ...] = ()
    source: LabelledPage | None = None


@dataclass(frozen=True)
class LabelOptions:
    """How gold texts become labels and weights of blocks.

    Attributes
    ----------
    least_found : float
        A page is left out if less than this share of its gold's words is found on it.
    other_types : float
        Weight of a page that is not an article by its page_type; articles and pages without a page_type have 1.
    least_weight : float
        A page counts less in proportion if the square roots of its blocks' word counts sum to less than this.
    """

    least_found: float = 0.5
    other_types: float = 0.5
    least_weight: float = 60.0

    def importance(self, page: LabelledPage) -> float:
        """Return the weight of a page, by its type."""
        return 1.0 if page.page_type in (None, "article") else self.other_types


def context_measurer(table: str, languages: tuple[str, ...] = ()) -> FeatureExtractor:
    """Return a feature extractor that splits pages into blocks by a tag table and computes all context features."""
    identifier = Identifier.build()
    return FeatureExtractor(Blockifier.of(load_table(table)), context_features(), identifier, languages=languages)


def convention_marks(matrix: Floats, echo: NDArray[np.float64]) -> Marks:
    """Mark the headlines, bylines and captions of a page by context features, and blocks whose text is in the gold."""
    places = context_places()

    def column(name: str) -> Floats:
        return np.asarray(matrix[:, places[name]])

    titled = (column("title_share") >= _TITLE_SHARE) & (column("title_cover") >= _TITLE_COVER)
    byline = (column("around_byline") > 0) & (column("terminal") == 0)
    return Marks((column("around_h1") > 0) | titled, byline, column("around_figure") > 0, echo >= _ECHO)


@dataclass(frozen=True)
class PageLabeller:
    """Measures and labels pages; can be sent to other processes.

    Attributes
    ----------
    measurer : FeatureExtractor
        As returned by `context_measurer`.
    options : LabelOptions
        How labels and weights are made.
    emptied_weight : float
        Weight of the copy of a page without its content.
    emptied : frozenset of (str, str)
        Corpus and id of the pages to copy without their content, if they have a gold text.
    """

    measurer: FeatureExtractor
    options: LabelOptions
    emptied_weight: float = 0.0
    emptied: frozenset[tuple[str, str]] = frozenset()

    def __call__(self, page: LabelledPage) -> list[TrainingPage]:
        """Return the training page, and its copy without content if it is one of ``emptied``."""
        found, blocks, share = self.label(page)
        is_content = (share >= 0.3) | (found.label > 0)
        wants_emptied = bool(page.text) and (page.corpus, page.id) in self.emptied
        emptied = self._emptied(page, blocks, is_content) if wants_emptied else None
        return [found] if emptied is None else [found, emptied]

    def label(self, page: LabelledPage) -> tuple[TrainingPage, Blocks, NDArray[np.float64]]:
        """Measure and label one page; return it, its blocks, and the share of each block that is in the gold.

        Raises
        ------
        TrainingError
            The page has no blocks, or too little of its gold is found on it.
        """
        measured = self.measurer.measure(Page.parse(page.html, url=page.url))
        blocks = measured.blocks
        if not len(blocks):
            raise TrainingError("the page has no text")
        texts = tuple(blocks.texts())
        roles = page.roles.blocks if page.roles is not None and page.roles.fits(blocks) else None
        if page.text is None or roles is not None:
            labels = snippet_labels(texts, page.present, page.absent) if roles is None else role_labels(roles)
            return self._page(page, measured, labels, labels.labels, texts), blocks, labels.labels
        alignment = align(blocks, page.text)
        if not page.text.strip() or alignment.found < self.options.least_found:
            raise TrainingError(f"only {alignment.found:.0%} of its gold text is found on it")
        labels = label_blocks(alignment.share, alignment.words, convention_marks(measured.matrix, alignment.echo))
        # The fitness follows the labels: headlines and bylines are not content, even if they are in the gold.
        agrees = (alignment.share >= 0.5) == (labels.labels > 0)
        share = np.where(agrees, alignment.share, 0.0)
        return self._page(page, measured, labels, share, texts), blocks, alignment.share

    def _page(
        self,
        page: LabelledPage,
        measured: PageFeatures,
        labels: BlockLabels,
        share: NDArray[np.float64],
        texts: tuple[str, ...],
    ) -> TrainingPage:
        """Return a page with block weights: roots of word counts, scaled to a sum of at most the page's importance."""
        words = measured.blocks.measures.words.astype(np.float32)
        importance = self.options.importance(page)
        weight = labels.weights * np.sqrt(np.maximum(words, 1))
        weight *= importance / max(float(weight.sum()), self.options.least_weight)
        columns = (measured.matrix, labels.labels, weight, words, share)
        matrix, label, weights, words, shares = (column.astype(np.float32, copy=False) for column in columns)
        return TrainingPage(matrix, label, weights, words, shares, importance, texts=texts)

    def _emptied(self, page: LabelledPage, blocks: Blocks, is_content: NDArray[np.bool_]) -> TrainingPage | None:
        """Return the page without its content; None if no blocks are left."""
        source, position, kept = blocks.tags.source, 0, []
        for block in np.flatnonzero(is_content).tolist():
            kept.append(source[position : int(blocks.first_byte[block])])
            position = int(blocks.end_byte[block])
        html = b"".join((*kept, source[position:])).decode("utf-8", "replace")
        measured = self.measurer.measure(Page.parse(html, url=page.url))
        left = measured.blocks
        if not len(left):
            return None
        # Blocks whose text is still in the gold have an unknown label.
        known = np.where(align(left, page.text or "").share >= 0.5, 0.0, 1.0)
        nothing = np.zeros(len(left))
        found = self._page(page, measured, BlockLabels(nothing, known), nothing, ())
        weight = (found.weight * self.emptied_weight).astype(np.float32)
        return replace(found, weight=weight, is_emptied=True)


def label_pages(
    pages: Sequence[LabelledPage],
    labeller: PageLabeller,
    *,
    emptied_every: int = 0,
    jobs: int = 1,
    on_progress: OnProgress = no_progress,
) -> tuple[list[TrainingPage], tuple[str, ...]]:
    """Measure and label pages; return them, and the reasons why others cannot be used.

    Parameters
    ----------
    pages : sequence of LabelledPage
        Labelled pages.
    labeller : PageLabeller
        Measures and labels one page.
    emptied_every : int
        Every n-th page, if it has a gold text, is added a second time without its content; 0 for none.
    jobs : int
        Number of processes.
    on_progress : callable
        Called after each page.

    Raises
    ------
    TrainingError
        No page can be used.
    """
    chosen = pages[emptied_every - 1 :: emptied_every] if emptied_every else ()
    work = replace(labeller, emptied=frozenset((page.corpus, page.id) for page in chosen))
    measured, skipped = measured_pages(work, pages, jobs=jobs, on_progress=on_progress)
    return [replace(one, source=page) for page, found in measured for one in found], skipped


def measured_pages(
    work: Callable[[LabelledPage], Measured], pages: Sequence[LabelledPage], *, jobs: int, on_progress: OnProgress
) -> tuple[list[tuple[LabelledPage, Measured]], tuple[str, ...]]:
    """Measure pages in parallel; return the results by page, and the reasons why others cannot be used.

    Parameters
    ----------
    work : callable
        Measures one page; raises `BlockfeatError` for a page that cannot be used.
    pages : sequence of LabelledPage
        The pages.
    jobs : int
        Number of processes.
    on_progress : callable
        Called after each page.

    Raises
    ------
    TrainingError
        No page can be used.
    """
    found: list[tuple[LabelledPage, Measured]] = []
    skipped: list[str] = []
    done = in_order(partial(_guarded, work), pages, jobs=jobs, failure=_skipped)
    for number, (page, result) in enumerate(done, start=1):
        if isinstance(result, str):
            skipped.append(result)
        else:
            found.append((page, result))
        on_progress(Progress("measuring", number, len(pages), "pages measured"))
    check_any(found, len(pages), skipped)
    return found, tuple(skipped)


def check_any(found: Sequence[object], pages: int, skipped: Sequence[str]) -> None:
    """Raise TrainingError, with the first reason, if no page can be used."""
    if not found:
        why = f" (the first: {skipped[0]})" if skipped else ""
        raise TrainingError(f"none of {pages} pages can be trained on{why}")


def _skipped(page: LabelledPage, reason: object) -> str:
    return f"{page.corpus} {page.id}: {reason}"


def _guarded(work: Callable[[LabelledPage], Measured], page: LabelledPage) -> Measured | str:
    """Measure a page, or return the reason why it cannot be used."""
    try:
        return work(page)
    except BlockfeatError as error:
        return _skipped(page, error)
