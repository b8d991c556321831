"""The containers of a page that hold text, as arrays: ranges of blocks, hints, paths of names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.hints import ElementHints, bundled_hints

__all__ = ["Layout", "running_total"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
_PATH_LEVELS = 5
_PATH_BASE = np.uint64(1_000_003)


def running_total(values: Floats) -> Floats:
    """Return the sums of all values before each place, and of all: one entry more than there are values."""
    total = np.zeros(values.size + 1)
    np.cumsum(values, out=total[1:])
    return total


@dataclass(frozen=True)
class Layout:
    """The boundary elements that hold at least one block, in document order, c of them; n blocks.

    Attributes
    ----------
    elements : list of lxml elements
        The elements.
    parent : int array, c
        The container around each; -1 for the outermost.
    first, end : int array, c
        The blocks inside each are those from first (inclusive) to end (exclusive).
    larger : int array, c
        The innermost container around each that holds more blocks; -1 for none.
    hints : ElementHints
        What tags and attributes say.
    inner : int array, n
        Innermost container of each block.
    path : int array, n
        Number of the path of tags and classes (five levels) of each block.
    levels : tuple of int array, n
        For each block the innermost container with more than one block, the next larger, the next larger again.
    """

    elements: list[etree._Element]
    parent: Indices
    first: Indices
    end: Indices
    larger: Indices
    hints: ElementHints
    inner: Indices
    path: Indices
    levels: tuple[Indices, Indices, Indices]

    @classmethod
    def of(cls, blocks: Blocks) -> Layout:
        """Arrange the containers of a page's blocks; linear in their number."""
        containers = blocks.containers
        kept = np.flatnonzero(containers.end_block > containers.first_block)
        number = np.full(len(containers.elements) + 1, -1, dtype=np.int64)
        number[kept] = np.arange(kept.size)
        elements = [containers.elements[place] for place in kept.tolist()]
        parent = number[containers.parent[kept]]
        first, end = containers.first_block[kept], containers.end_block[kept]
        larger = _larger(parent, end - first)
        hints = bundled_hints().of_elements(elements)
        inner = number[blocks.container]
        path = _paths(hints.names, parent)[inner]
        levels = _levels(inner, end - first, larger)
        return cls(elements, parent, first, end, larger, hints, inner, np.unique(path, return_inverse=True)[1], levels)

    def sums(self, total: Floats) -> Floats:
        """Return the sum over each container of what `running_total` added up over the blocks."""
        return np.asarray(total[self.end] - total[self.first])

    def around(self, columns: Floats) -> Floats:
        """Sum columns of the containers (c × m) over the containers around each block: n × m."""
        places = np.arange(self.inner.size)
        opened = np.vstack((np.zeros(columns.shape[1]), np.cumsum(columns, axis=0)))
        order = np.argsort(self.end, kind="stable")
        closed = np.vstack((np.zeros(columns.shape[1]), np.cumsum(columns[order], axis=0)))
        return np.asarray(
            opened[np.searchsorted(self.first, places, side="right")]
            - closed[np.searchsorted(self.end[order], places, side="right")]
        )

    def depths(self) -> list[int]:
        """Return the number of containers around each."""
        depths: list[int] = []
        for parent in self.parent.tolist():
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return depths


def _larger(parent: Indices, size: Indices) -> Indices:
    """Return for each container the innermost around it that holds more blocks."""
    larger = parent.copy()
    while True:
        same = (larger >= 0) & (size[larger] == size)
        if not same.any():
            return larger
        # Pointer jumping: chains of wrappers of one range halve at every turn.
        larger[same] = larger[larger[same]]


def _paths(names: Indices, parent: Indices) -> NDArray[np.uint64]:
    """Return a number for the names of each container and of those around it."""
    padded = np.append(names.astype(np.uint64) + np.uint64(1), np.uint64(0))
    above = np.append(parent, -1)
    at = np.arange(names.size)
    code = np.zeros(names.size, dtype=np.uint64)
    for _ in range(_PATH_LEVELS):
        code = code * _PATH_BASE + padded[at]
        at = above[at]
    return code


def _levels(inner: Indices, size: Indices, larger: Indices) -> tuple[Indices, Indices, Indices]:
    """Return three containers around each block, each holding more blocks than the one before."""
    up = np.where(larger >= 0, larger, np.arange(larger.size))
    nearest = np.where(size[inner] == 1, up[inner], inner)
    return nearest, up[nearest], up[up[nearest]]
