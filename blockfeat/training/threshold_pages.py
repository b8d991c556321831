"""Training pages as arrays, and the fitness of many particles over them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.decode.runs import best_run_masks
from blockfeat.errors import TrainingError
from blockfeat.models.threshold.model import Margins
from blockfeat.pso.fitness import Chunk, PageSnippets, SnippetChunk, TextChunk
from blockfeat.pso.space import SearchSpace
from blockfeat.pso.terms import PageTerms

__all__ = ["PreparedPage", "TrainingSet"]

Array = NDArray[np.float64]
_BLOCKS_IN_CHUNK = 8_000


@dataclass(frozen=True)
class PreparedPage:
    """What training needs of a page: features, words, and its gold as terms or snippets.

    Attributes
    ----------
    matrix : float array, n × k
        The features of its blocks.
    words : int array, n
        Words of its blocks.
    gold : PageTerms or PageSnippets
        Terms where it has gold text, else snippets.
    lang : str or None
        Language of the page.
    """

    matrix: Array
    words: NDArray[np.integer[Any]]
    gold: PageTerms | PageSnippets
    lang: str | None


@dataclass(frozen=True)
class _Part:
    """Pages whose blocks stand one after the other: oriented features, words, first block of each page."""

    values: NDArray[np.float32]
    words: NDArray[np.float32]
    starts: list[int]
    chunk: Chunk

    def masks(self, thresholds: NDArray[np.float32], margins: Sequence[Margins] | None) -> NDArray[np.float32]:
        """Return the label of each block for each particle: blocks × particles."""
        if margins is None:
            kept = np.ones((self.values.shape[0], thresholds.shape[0]), dtype=bool)
            for column in range(thresholds.shape[1]):
                kept &= self.values[:, column, None] >= thresholds[:, column]
            return kept.astype(np.float32)
        smallest = np.full((self.values.shape[0], thresholds.shape[0]), np.inf, dtype=np.float32)
        for column in range(thresholds.shape[1]):
            np.minimum(smallest, self.values[:, column, None] - thresholds[:, column], out=smallest)
        softness = np.array([margin.softness for margin in margins], dtype=np.float32)
        penalty = np.array([margin.penalty for margin in margins], dtype=np.float32)
        scores = np.clip(smallest / softness, -penalty, np.float32(1.0)) * self.words[:, None]
        labels = np.empty(scores.shape, dtype=np.float32)
        for first, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            labels[first:end] = best_run_masks(scores[first:end])
        return labels


@dataclass(frozen=True)
class TrainingSet:
    """Prepared pages in chunks; evaluates particles by array arithmetic, over threads.

    Chunks do not depend on the number of threads, so neither do the results.
    """

    space: SearchSpace
    parts: tuple[_Part, ...]
    pages: int

    @classmethod
    def build(cls, pages: Sequence[PreparedPage], space: SearchSpace, metric: str) -> TrainingSet:
        """Put pages together; pages with gold text and pages with snippets go into chunks of their own."""
        if not pages:
            raise TrainingError("there are no pages to train on")
        with_text = [page for page in pages if isinstance(page.gold, PageTerms)]
        with_snippets = [page for page in pages if isinstance(page.gold, PageSnippets)]
        groups = [*_grouped(with_text), *_grouped(with_snippets)]
        return cls(space, tuple(_part(group, space, metric) for group in groups), len(pages))

    def fitness(self, positions: Array, *, decoder: str, jobs: int = 1) -> Array:
        """Return the mean fitness over the pages of each particle.

        Parameters
        ----------
        positions : float array, particles × dimensions
            Positions in the search space.
        decoder : str
            ``"conjunction"`` or ``"mss"``.
        jobs : int
            Number of threads.
        """
        margins = [self.space.margins_of(position) for position in positions] if decoder == "mss" else None
        return self._mean(self.space.oriented_thresholds(positions), margins, jobs)

    def single_feature_fitness(self, column: int, thresholds: Array) -> Array:
        """Return the mean fitness of one feature alone at several thresholds, in its own unit."""
        feature = self.space.features[column]
        oriented = np.full((thresholds.size, len(self.space.features)), -np.inf, dtype=np.float32)
        oriented[:, column] = feature.sign * (thresholds - feature.low) / (feature.high - feature.low)
        return self._mean(oriented, None, 1)

    def keep_all_fitness(self) -> float:
        """Return the mean fitness where every block is kept (the paper's strategy PR)."""
        nothing = np.full((1, len(self.space.features)), -np.inf, dtype=np.float32)
        return float(self._mean(nothing, None, 1)[0])

    def _mean(self, thresholds: NDArray[np.float32], margins: Sequence[Margins] | None, jobs: int) -> Array:
        def one(part: _Part) -> Array:
            return part.chunk.fitness(part.masks(thresholds, margins))

        if jobs <= 1:
            found = [one(part) for part in self.parts]
        else:
            with ThreadPoolExecutor(jobs) as threads:
                found = list(threads.map(one, self.parts))
        return np.asarray(np.concatenate(found).mean(axis=0))


def _grouped(pages: Sequence[PreparedPage]) -> list[list[PreparedPage]]:
    """Cut a list of pages into groups of about the same number of blocks."""
    groups: list[list[PreparedPage]] = []
    size = _BLOCKS_IN_CHUNK
    for page in pages:
        if size >= _BLOCKS_IN_CHUNK:
            groups.append([])
            size = 0
        groups[-1].append(page)
        size += page.words.size
    return groups


def _part(pages: Sequence[PreparedPage], space: SearchSpace, metric: str) -> _Part:
    sizes = [page.words.size for page in pages]
    terms = [page.gold for page in pages if isinstance(page.gold, PageTerms)]
    snippets = [page.gold for page in pages if isinstance(page.gold, PageSnippets)]
    chunk: Chunk = TextChunk.build(terms, sizes, metric) if terms else SnippetChunk.build(snippets, sizes)
    return _Part(
        values=space.oriented(np.concatenate([page.matrix for page in pages])),
        words=np.maximum(np.concatenate([page.words for page in pages]), 1).astype(np.float32),
        starts=[0, *np.cumsum(sizes).tolist()],
        chunk=chunk,
    )
