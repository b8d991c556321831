"""The containers of a page that hold text, as arrays: ranges of blocks, cues, paths of names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.cues import ElementCues, bundled_cues

__all__ = ["Layout", "numbered", "running_total"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
_PATH_LEVELS = 5
_NONE = np.full(1, -1, dtype=np.int64)
_PATH_BASE = np.uint64(0x9E3779B97F4A7C15)


def running_total(values: Floats) -> Floats:
    """Return the sums of all values before each place, and of all: one entry more than there are values."""
    total = np.zeros(values.size + 1)
    values.cumsum(out=total[1:])
    return total


@dataclass(frozen=True)
class Layout:
    """The boundary elements that hold at least one block, in document order, c of them; n blocks.

    Attributes
    ----------
    parent : int array, c
        The container around each; -1 for the outermost.
    depth : int array, c
        Number of boundary elements around each, itself included.
    first, end : int array, c
        The blocks inside each are those from first (inclusive) to end (exclusive).
    cues : ElementCues
        What tags and attributes say.
    inner : int array, n
        Innermost container of each block.
    path : int array, n
        Number of the path of tags and classes (five levels) of each block.
    levels : int array, 3 × n
        For each block the innermost container with more than one block, the next larger, the next larger again.
    """

    parent: Indices
    depth: Indices
    first: Indices
    end: Indices
    cues: ElementCues
    inner: Indices
    path: Indices
    levels: Indices

    @classmethod
    def of(cls, blocks: Blocks) -> Layout:
        """Arrange the containers of a page's blocks; linear in their number, but for their depth's logarithm."""
        containers = blocks.containers
        holds = containers.end_block > containers.first_block
        kept = holds.nonzero()[0]
        number = np.full(holds.size + 1, -1, dtype=np.int64)
        number[kept] = np.arange(kept.size)
        parent = number[containers.parent[kept]]
        first, end = containers.first_block[kept], containers.end_block[kept]
        element = containers.element[kept]
        closed = blocks.tags.closed[element]
        closed.sort()
        depth = np.arange(1, kept.size + 1) - closed.searchsorted(blocks.tags.opened[element])
        cues = bundled_cues().of_elements(blocks.tags, element)
        inner = number[blocks.container]
        path = numbered(_paths(cues.names, parent, inner))
        return cls(parent, depth, first, end, cues, inner, path, _levels(inner, parent, end - first))

    def sums(self, total: Floats) -> Floats:
        """Return the sum over each container of what `running_total` added up over the blocks."""
        return np.asarray(total[self.end] - total[self.first])

    def gather(
        self, values: NDArray[np.int64], highest: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Add up, and take the highest of, values of all containers around each block.

        Parameters
        ----------
        values, highest : int array, p × c and q × c

        Returns
        -------
        values, highest : int array, p × n and q × n
            Sums, and the highest values.
        """
        count, split = self.parent.size, len(values)
        above = np.full(count + 1, count, dtype=np.int64)
        above[:-1] = self.parent
        above[above < 0] = count
        rows = np.zeros((split + len(highest), count + 1), dtype=np.int64)
        rows[:split, :-1], rows[split:, :-1] = values, highest
        # Pointer doubling: after k turns each holds what 2**k levels say.
        for _ in range(int(self.depth.max()).bit_length()):
            upper = rows.take(above, axis=1)
            rows[:split] += upper[:split]
            np.maximum(rows[split:], upper[split:], out=rows[split:])
            above = above[above]
        found = rows.take(self.inner, axis=1)
        return found[:split], found[split:]


def _paths(names: NDArray[np.uint64], parent: Indices, inner: Indices) -> NDArray[np.uint64]:
    """Return a number for the names of the container of each block and of those around it."""
    padded = np.concatenate((names | np.uint64(1), np.zeros(1, dtype=np.uint64)))
    above = np.concatenate((parent, _NONE))
    at, code = inner, padded[inner]
    for _ in range(_PATH_LEVELS - 1):
        at = above[at]
        code = code * _PATH_BASE + padded[at]
    return code


def numbered(codes: NDArray[np.uint64]) -> Indices:
    """Return for each code its place among the different ones."""
    order = codes.argsort()
    ascending = codes[order]
    numbers = np.zeros(codes.size, dtype=np.int64)
    numbers[order[1:]] = (ascending[1:] != ascending[:-1]).cumsum()
    return numbers


def _levels(inner: Indices, parent: Indices, size: Indices) -> Indices:
    """Return three containers around each block, each holding more blocks than the one before."""
    larger = parent.copy()
    same = (size[larger] == size).nonzero()[0]
    same = same[larger[same] >= 0]
    while same.size:
        # Pointer jumping: chains of wrappers of one range halve at every turn.
        larger[same] = larger[larger[same]]
        same = same[larger[same] >= 0]
        same = same[size[larger[same]] == size[same]]
    up = np.where(larger >= 0, larger, np.arange(larger.size))
    levels = np.empty((3, inner.size), dtype=np.int64)
    levels[0] = np.where(size[inner] == 1, up[inner], inner)
    levels[1] = up[levels[0]]
    levels[2] = up[levels[1]]
    return levels
