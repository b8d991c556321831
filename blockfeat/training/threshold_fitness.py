"""The fitness of many threshold particles at once: prepared pages as arrays, in chunks."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import TrainingError
from blockfeat.models.decoding import best_run_masks
from blockfeat.models.threshold import Margins, block_scores
from blockfeat.pso.fitness import Chunk
from blockfeat.pso.space import SearchSpace
from blockfeat.training.chunks import Gold, chunk_of, grouped_scores, pages_in_groups
from blockfeat.training.evaluation.strategies import GroupedScores

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class PreparedPage:
    """What training needs of a page: features, words, and its gold as terms or snippets.

    Attributes
    ----------
    matrix : float array, n × k
        The features of its blocks.
    words : int array, n
        Words of its blocks.
    gold : Gold
        Terms where it has gold text, else snippets.
    lang : str or None
        Language of the page.
    """

    matrix: Array
    words: NDArray[np.integer[Any]]
    gold: Gold
    lang: str | None


@dataclass(frozen=True)
class _Part:
    """Pages whose blocks stand one after the other: oriented features, words, first block of each page."""

    values: Floats
    words: Floats
    starts: list[int]
    chunk: Chunk

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.starts) - 1

    def masks(self, thresholds: Floats, margins: Sequence[Margins] | None) -> Floats:
        """Return the label of each block for each particle: blocks × particles; without margins the conjunction."""
        smallest = np.full((self.values.shape[0], thresholds.shape[0]), np.inf, dtype=np.float32)
        for column in range(thresholds.shape[1]):
            np.minimum(smallest, self.values[:, column, None] - thresholds[:, column], out=smallest)
        if margins is None:
            return (smallest >= 0).astype(np.float32)
        softness = np.array([margin.softness for margin in margins], dtype=np.float32)
        penalty = np.array([margin.penalty for margin in margins], dtype=np.float32)
        scores = block_scores(smallest, self.words[:, None], softness, penalty)
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
        groups = pages_in_groups(pages)
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
        return float(self._mean(self._nothing(), None, 1)[0])

    def grouped(self, metric: str, position: Array, *, decoder: str) -> GroupedScores:
        """Return fitness and that of all blocks, pages with gold text and pages with snippets apart."""
        margins = [self.space.margins_of(position)] if decoder == "mss" else None
        found = self._values(self.space.oriented_thresholds(position[None]), margins, 1)[:, 0]
        everything = self._values(self._nothing(), None, 1)[:, 0]
        return grouped_scores(metric, ((part.chunk, part.pages) for part in self.parts), found, everything)

    def _nothing(self) -> Floats:
        """Return thresholds of which none binds, of one particle."""
        return np.full((1, len(self.space.features)), -np.inf, dtype=np.float32)

    def _mean(self, thresholds: Floats, margins: Sequence[Margins] | None, jobs: int) -> Array:
        return np.asarray(self._values(thresholds, margins, jobs).mean(axis=0))

    def _values(self, thresholds: Floats, margins: Sequence[Margins] | None, jobs: int) -> Array:
        """Return the fitness of each page for each particle."""

        def one(part: _Part) -> Array:
            return part.chunk.fitness(part.masks(thresholds, margins))

        if jobs <= 1:
            found = [one(part) for part in self.parts]
        else:
            with ThreadPoolExecutor(jobs) as threads:
                found = list(threads.map(one, self.parts))
        return np.concatenate(found)


def _part(pages: Sequence[PreparedPage], space: SearchSpace, metric: str) -> _Part:
    sizes = [page.words.size for page in pages]
    return _Part(
        values=space.oriented(np.concatenate([page.matrix for page in pages])),
        words=np.concatenate([page.words for page in pages]).astype(np.float32),
        starts=[0, *np.cumsum(sizes).tolist()],
        chunk=chunk_of(pages, metric),
    )
