"""What the fit of the margin model works on: its parameters as arrays, and pages packed side by side for the swarm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blockfeat.errors import TrainingError
from blockfeat.models.margin import SoftThreshold, Transitions, soft_values
from blockfeat.training.pages import TrainingPage

Floats = NDArray[np.float32]
Array = NDArray[np.float64]

_BLOCKS_AT_ONCE = 8_192


@dataclass(frozen=True, eq=False)
class Parameters:
    """The model as arrays: columns of the features, then thresholds, softnesses and weights, bias and costs."""

    columns: NDArray[np.int64]
    thresholds: Array
    softnesses: Array
    weights: Array
    bias: float = 0.0
    enter: float = 0.0
    leave: float = 0.0

    def soft(self, values: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return how far values (n × k, of the chosen columns) are past their thresholds, -1 to 1."""
        return soft_values(values, self.thresholds.astype(values.dtype), self.softnesses.astype(values.dtype))

    def terms(self, names: Sequence[str]) -> tuple[SoftThreshold, ...]:
        """Return the soft thresholds, strongest first, as numbers that a person can read."""
        order = np.argsort(-np.abs(self.weights), kind="stable").tolist()
        return tuple(
            SoftThreshold(
                names[int(self.columns[place])],
                _readable(self.thresholds[place]),
                _readable(self.softnesses[place]),
                _readable(self.weights[place]),
            )
            for place in order
        )

    @property
    def transitions(self) -> Transitions:
        """The costs."""
        return Transitions(_readable(self.enter), _readable(self.leave))


def _counted_words(page: TrainingPage) -> Floats:
    """Return the words of each block that count for the fitness."""
    return np.asarray(np.where(page.weight > 0, page.words, 0), dtype=np.float32)


def _readable(value: float) -> float:
    """Round to four digits."""
    return float(f"{float(value):.4g}")


@dataclass(frozen=True, eq=False)
class PackedPages:
    """Pages side by side, longest first: the first blocks of all, then the second of those that have one, and so on.

    Attributes
    ----------
    values : float32 array, k × n
        The chosen features of all blocks.
    heights : tuple of int
        How many pages have a first block, a second, …
    last : int array, pages
        Where the last block of each page stands.
    sums : sparse matrix, 2·pages × n
        Words of the blocks of each page, then words that the gold has.
    gold : float64 array, pages
        Words of content of each page.
    importance : float64 array, pages
        What each page weighs; the sum is 1.
    """

    values: Floats
    heights: tuple[int, ...]
    last: NDArray[np.int64]
    sums: sparse.csr_array
    gold: Array
    importance: Array

    @classmethod
    def build(cls, pages: Sequence[TrainingPage], columns: NDArray[np.int64]) -> PackedPages:
        """Put pages side by side; pages without a block or without content are left out.

        The words of a block without a known label (weight 0) do not count.
        """
        pages = [page for page in pages if float(_counted_words(page) @ page.share) > 0]
        if not pages:
            raise TrainingError("no training page has content")
        pages.sort(key=lambda page: -page.words.size)
        sizes = np.array([page.words.size for page in pages])
        owner = np.repeat(np.arange(sizes.size), sizes)
        within = np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        order = np.lexsort((owner, within))
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        words = np.concatenate([_counted_words(page) for page in pages])
        found = words * np.concatenate([page.share for page in pages])
        rows = np.concatenate((owner, owner + sizes.size))
        entries = (np.concatenate((words, found)), (rows, np.concatenate((place, place))))
        weight = np.array([page.importance for page in pages], dtype=np.float64)
        return cls(
            values=np.ascontiguousarray(np.concatenate([page.matrix[:, columns] for page in pages])[order].T),
            heights=tuple(np.bincount(within).tolist()),
            last=place[np.cumsum(sizes) - 1],
            sums=sparse.csr_array(entries, shape=(2 * sizes.size, owner.size)),
            gold=np.bincount(owner, weights=found).astype(np.float64),
            importance=weight / weight.sum(),
        )

    def scores(self, thresholds: Array, softnesses: Array, weights: Array, bias: Array) -> Floats:
        """Return the score of each block for each particle: particles × n; all arguments are particles × k."""
        found = np.empty((weights.shape[0], self.values.shape[1]), dtype=np.float32)
        inverse, offset = (1 / softnesses).astype(np.float32), (thresholds / softnesses).astype(np.float32)
        light, lifted = weights.astype(np.float32), bias.astype(np.float32)
        are_same = bool((inverse == inverse[0]).all() and (offset == offset[0]).all())
        for first in range(0, found.shape[1], _BLOCKS_AT_ONCE):
            part = self.values[:, first : first + _BLOCKS_AT_ONCE]
            into = found[:, first : first + _BLOCKS_AT_ONCE]
            soft = np.empty_like(part)
            for particle in range(weights.shape[0]):
                if particle == 0 or not are_same:
                    np.multiply(part, inverse[particle][:, None], out=soft)
                    soft -= offset[particle][:, None]
                    np.minimum(np.maximum(soft, -1, out=soft), 1, out=soft)
                if are_same:
                    np.matmul(light, soft, out=into)
                    break
                np.matmul(light[particle], soft, out=into[particle])
        found += lifted[:, None]
        return found

    def labels(self, scores: Floats, enter: Array, leave: Array) -> NDArray[np.bool_]:
        """Return the labels with the highest sum of scores less costs of all pages, particles × n (Viterbi).

        All that has to be known at a block is by how much the best labels that end in content lead the others: the
        score of the block plus the lead before it, no less than -enter and no more than leave.
        """
        low, high = (-enter).astype(np.float32)[:, None], leave.astype(np.float32)[:, None]
        lead = scores.copy()
        starts = np.cumsum((0, *self.heights[:-1])).tolist()
        steps = list(zip(starts[:-1], starts[1:], self.heights[1:], strict=True))
        for before, at, height in steps:
            bounded = np.maximum(lead[:, before : before + height], low)
            np.minimum(bounded, high, out=bounded)
            lead[:, at : at + height] += bounded
        kept, may_be = lead > high, lead > low
        kept[:, self.last] = lead[:, self.last] > 0
        for at, behind, height in reversed(steps):
            follows = may_be[:, at : at + height] & kept[:, behind : behind + height]
            kept[:, at : at + height] |= follows
        return kept

    def fitness(self, kept: NDArray[np.bool_]) -> Array:
        """Return the mean word F1 of the pages for each row of labels."""
        found = np.empty(kept.shape[0])
        for particle, labels in enumerate(kept.astype(np.float32)):
            words, right = (self.sums @ labels).astype(np.float64).reshape(2, -1)
            found[particle] = (2 * right / (words + self.gold)) @ self.importance
        return found

    def evaluate(self, parameters: Parameters) -> float:
        """Return the mean word F1 of one set of parameters."""
        own = [values[None] for values in (parameters.thresholds, parameters.softnesses, parameters.weights)]
        scores = self.scores(own[0], own[1], own[2], np.array([parameters.bias]))
        return float(self.fitness(self.labels(scores, np.array([parameters.enter]), np.array([parameters.leave])))[0])
