# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The containers of a page that hold text, and sums over their blocks: link density, width, block length (compiled)."""

from __future__ import annotations

from dataclasses import dataclass

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.errors import TableError
from blockfeat.features.columns import Columns

__all__ = ["CONTAINER_SUMS", "LEVELS", "Containers", "add_container_sums", "running_total", "sums_of_containers"]

Floats = NDArray[np.float64]
Places = NDArray[np.int32]

CONTAINER_SUMS = ("link_density_1", "link_density_2", "link_density_3", "width_1", "block_length_1")
"""Columns that `add_container_sums` fills."""

LEVELS = 3
"""Number of containers around a block that columns are about, each with more blocks than the one before."""

_LEVELS = cython.declare(cython.Py_ssize_t, LEVELS)


@dataclass(frozen=True, eq=False)
class Containers:
    """The boundary elements that hold at least one block, in document order, c of them; n blocks.

    Attributes
    ----------
    element : int array, c
        The element of each, as `blockfeat.page.tags.Tags` numbers them.
    parent : int32 array, c
        The container around each, which comes before it; -1 for the outermost.
    depth : int32 array, c
        Number of containers around each, itself included.
    first, end : int32 array, c
        The blocks inside each are those from first (inclusive) to end (exclusive).
    inner : int32 array, n
        Innermost container around each block.
    levels : int32 array, 3 × n
        For each block the smallest container with more than one block, the next larger one, the next larger again.
    """

    element: NDArray[np.int64]
    parent: Places
    depth: Places
    first: Places
    end: Places
    inner: Places
    levels: Places

    @classmethod
    def of(cls, blocks: Blocks) -> Containers:
        """Arrange the containers of a page's blocks; linear in their number.

        Raises
        ------
        TableError
            A block lies in no container, for the tag table has boundaries that do not hold it.
        """
        found = blocks.containers
        kept = (found.end_block > found.first_block).nonzero()[0]
        # One entry more: the number -1 of what lies in no container stays -1.
        number = np.full(found.element.size + 1, -1, dtype=np.int32)
        number[kept] = np.arange(kept.size, dtype=np.int32)
        inner = number[blocks.container]
        if inner.size and inner.min() < 0:
            raise TableError(f"tag table {blocks.table!r} leaves text outside of all containers; make body a boundary")
        parent = number[found.parent[kept]]
        first, end = found.first_block[kept].astype(np.int32), found.end_block[kept].astype(np.int32)
        depth = np.empty(kept.size, dtype=np.int32)
        levels = np.empty((LEVELS, inner.size), dtype=np.int32)
        _nest(parent, end - first, inner, depth, levels)
        return cls(found.element[kept], parent, depth, first, end, inner, levels)


def _nest(parents: Places, sizes: Places, inner: Places, depths: Places, levels: Places) -> None:
    """Fill in the depth of each container and the levels of each block, given the number of blocks in each container."""
    parent: cython.int[::1] = parents
    size: cython.int[::1] = sizes
    innermost: cython.int[::1] = inner
    depth: cython.int[::1] = depths
    level: cython.int[:, ::1] = levels
    # The innermost container around each that holds more blocks; itself where none does.
    larger: cython.int[::1] = np.empty(parents.size, dtype=np.int32)
    container: cython.Py_ssize_t
    block: cython.Py_ssize_t
    rank: cython.Py_ssize_t
    up: cython.int
    with cython.nogil:
        for container in range(parent.shape[0]):
            up = parent[container]
            depth[container] = depth[up] + 1 if up >= 0 else 1
            if up < 0:
                larger[container] = container
            elif size[up] > size[container]:
                larger[container] = up
            else:
                larger[container] = larger[up] if larger[up] != up else container
        for block in range(innermost.shape[0]):
            up = innermost[block]
            level[0, block] = larger[up] if size[up] == 1 else up
            for rank in range(1, _LEVELS):
                level[rank, block] = larger[level[rank - 1, block]]


def running_total(values: NDArray[np.int64] | Floats) -> Floats:
    """Return the sums of all values before each place, and of all: one entry more than there are values."""
    total = np.zeros(values.size + 1)
    values.cumsum(out=total[1:])
    return total


def sums_of_containers(containers: Containers, total: Floats) -> Floats:
    """Return the sum over the blocks of each container, given a running total over the blocks: c."""
    sums = np.empty(containers.first.size)
    upto: cython.double[::1] = total
    first: cython.int[::1] = containers.first
    end: cython.int[::1] = containers.end
    inside: cython.double[::1] = sums
    container: cython.Py_ssize_t
    with cython.nogil:
        for container in range(inside.shape[0]):
            inside[container] = upto[end[container]] - upto[first[container]]
    return sums


def add_container_sums(
    columns: Columns, containers: Containers, words: Floats, anchor_words: Floats, page_words: float
) -> None:
    """Fill the columns about links, size and block length of the containers around each block.

    Parameters
    ----------
    columns : Columns
        What is filled.
    containers : Containers
        The page's containers, c of them.
    words, anchor_words : float array, c
        Words, and words inside anchors, of each.
    page_words : float
        Words of the page, at least 1.
    """
    rows: cython.float[:, ::1] = columns.values
    width: cython.float[::1] = rows[columns.place["width_1"]]
    block_length: cython.float[::1] = rows[columns.place["block_length_1"]]
    inside: cython.double[::1] = words
    linked: cython.double[::1] = anchor_words
    first: cython.int[::1] = containers.first
    end: cython.int[::1] = containers.end
    level: cython.int[:, ::1] = containers.levels
    all_words: cython.double = page_words
    block: cython.Py_ssize_t
    rank: cython.Py_ssize_t
    container: cython.int
    with cython.nogil:
        for block in range(level.shape[1]):
            container = level[0, block]
            width[block] = inside[container] / all_words
            block_length[block] = log1p(inside[container] / (end[container] - first[container]))
    link_density: cython.float[::1]
    for rank in range(_LEVELS):
        link_density = rows[columns.place[f"link_density_{rank + 1}"]]
        with cython.nogil:
            for block in range(level.shape[1]):
                container = level[rank, block]
                link_density[block] = linked[container] / max(inside[container], 1.0)
