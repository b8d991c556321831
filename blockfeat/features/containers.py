"""The containers of a page that hold text, sums over their blocks, and the paths of blocks (compiled).

Blocks are on one path if the containers around them, five levels up, are alike in tags and classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.errors import TableError
from blockfeat.features.schema import Columns

Floats = NDArray[np.float64]
Places = NDArray[np.int32]

CONTAINER_SUMS = ("link_density_1", "link_density_2", "link_density_3", "width_1", "block_length_1")
"""Columns that `add_container_sums` fills."""

LEVELS = 3
"""Number of containers around a block that columns are about, each with more blocks than the one before."""

_LEVELS = cython.declare(cython.Py_ssize_t, LEVELS)

Numbers = NDArray[np.int32]
PATH_LENGTHS = ("path_blocks", "previous_path", "next_path")
"""Columns that `add_path_lengths` fills."""
PATH_SUMS = ("path_share", "path_density")
"""Columns that `add_path_sums` fills."""
_TINY = cython.declare(cython.double, 1e-9)
_KEY_MASK = (1 << 64) - 1
_PATH_LEVELS = cython.declare(cython.int, 5)
_BASE = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Containers:
    """The boundary elements that hold at least one block, in document order, c of them; n blocks.

    Attributes
    ----------
    element : int32 array, c
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

    element: Places
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
        kept = np.empty(found.element.size, dtype=np.int32)
        number = np.empty(found.element.size, dtype=np.int32)
        first, end = found.first_block, found.end_block
        count = _number_kept(first, end, kept, number)
        kept = kept[:count]
        parent, depth = np.empty((2, count), dtype=np.int32)
        inner = np.empty(len(blocks), dtype=np.int32)
        levels = np.empty((LEVELS, inner.size), dtype=np.int32)
        containers = cls(found.element[kept], parent, depth, first[kept], end[kept], inner, levels)
        if not _number_inner(blocks.container, number, inner):
            raise TableError(f"tag table {blocks.table!r} leaves text outside of all containers; make body a boundary")
        _nest(found.parent, kept, number, containers)
        return containers


def _number_kept(first_block: Places, end_block: Places, kept_containers: Places, numbers: Places) -> int:
    """Fill in the numbers of the containers that hold blocks, -1 for the others; return how many there are."""
    first: cython.int[::1] = first_block
    end: cython.int[::1] = end_block
    kept: cython.int[::1] = kept_containers
    number: cython.int[::1] = numbers
    count: cython.int = 0
    container: cython.Py_ssize_t
    with cython.nogil:
        for container in range(first.shape[0]):
            number[container] = -1
            if end[container] > first[container]:
                kept[count] = container
                number[container] = count
                count += 1
    return int(count)


def _number_inner(innermost: Places, numbers: Places, inner_containers: Places) -> bool:
    """Fill in the number of the innermost container around each block; False where a block has none."""
    container: cython.int[::1] = innermost
    number: cython.int[::1] = numbers
    inner: cython.int[::1] = inner_containers
    are_inside: cython.bint = True
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(container.shape[0]):
            inner[block] = number[container[block]] if container[block] >= 0 else -1
            if inner[block] < 0:
                are_inside = False
    return bool(are_inside)


def _nest(parent_before: Places, kept_containers: Places, numbers: Places, containers: Containers) -> None:
    """Fill in parent and depth of each container and the levels of each block."""
    before: cython.int[::1] = parent_before
    kept: cython.int[::1] = kept_containers
    number: cython.int[::1] = numbers
    parent: cython.int[::1] = containers.parent
    depth: cython.int[::1] = containers.depth
    first: cython.int[::1] = containers.first
    end: cython.int[::1] = containers.end
    inner: cython.int[::1] = containers.inner
    level: cython.int[:, ::1] = containers.levels
    # The innermost container around each that holds more blocks; itself where none does.
    larger: cython.int[::1] = np.empty(kept_containers.size, dtype=np.int32)
    container: cython.Py_ssize_t
    block: cython.Py_ssize_t
    rank: cython.Py_ssize_t
    up: cython.int
    with cython.nogil:
        for container in range(parent.shape[0]):
            up = before[kept[container]]
            up = number[up] if up >= 0 else -1
            parent[container] = up
            depth[container] = depth[up] + 1 if up >= 0 else 1
            larger[container] = container
            if up >= 0:
                if end[up] - first[up] > end[container] - first[container]:
                    larger[container] = up
                elif larger[up] != up:
                    larger[container] = larger[up]
        for block in range(inner.shape[0]):
            up = inner[block]
            level[0, block] = larger[up] if end[up] - first[up] == 1 else up
            for rank in range(1, _LEVELS):
                level[rank, block] = larger[level[rank - 1, block]]


def running_total(counts: Places) -> Floats:
    """Return the sums of all counts before each place, and of all: one entry more than there are counts."""
    total = np.empty(counts.size + 1)
    count: cython.int[::1] = counts
    upto: cython.double[::1] = total
    place: cython.Py_ssize_t
    upto[0] = 0.0
    with cython.nogil:
        for place in range(count.shape[0]):
            upto[place + 1] = upto[place] + count[place]
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


# mypy: disable-error-code="untyped-decorator"


def numbered(codes: NDArray[np.uint64]) -> Numbers:
    """Return for each code its rank among the different ones."""
    numbers = np.empty(codes.size, dtype=np.int32)
    code: cython.ulonglong[::1] = codes
    order: cython.Py_ssize_t[::1] = codes.argsort()
    number: cython.int[::1] = numbers
    rank: cython.int = -1
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(order.shape[0]):
            if place == 0 or code[order[place]] != code[order[place - 1]]:
                rank += 1
            number[order[place]] = rank
    return numbers


def paths_of(containers: Containers, names: NDArray[np.uint64]) -> Numbers:
    """Return the number of the path of each block, given a number for tag and class of each container."""
    codes = np.empty(containers.inner.size, dtype=np.uint64)
    parent: cython.int[::1] = containers.parent
    inner: cython.int[::1] = containers.inner
    name: cython.ulonglong[::1] = names
    code: cython.ulonglong[::1] = codes
    block: cython.Py_ssize_t
    container: cython.int
    _: cython.int
    path: cython.ulonglong
    with cython.nogil:
        for block in range(inner.shape[0]):
            container = inner[block]
            path = 0
            for _ in range(_PATH_LEVELS):
                path = _extended(path, name[container] | 1 if container >= 0 else 0)
                if container >= 0:
                    container = parent[container]
            code[block] = path
    return numbered(codes)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _extended(path: cython.ulonglong, name: cython.ulonglong) -> cython.ulonglong:
    """Return the number of a path with one more name."""
    if cython.compiled:
        return path * _BASE + name
    return (int(path) * _BASE + int(name)) & _KEY_MASK


def add_path_lengths(columns: Columns, path: Numbers) -> None:
    """Fill the columns about how many blocks are on the path of each block, and whether its neighbours are.

    Parameters
    ----------
    columns : Columns
        What is filled.
    path : int32 array, n
        Number of the path of each block.
    """
    rows: cython.float[:, ::1] = columns.values
    path_blocks: cython.float[::1] = rows[columns.place["path_blocks"]]
    previous_path: cython.float[::1] = rows[columns.place["previous_path"]]
    next_path: cython.float[::1] = rows[columns.place["next_path"]]
    number: cython.int[::1] = path
    count: cython.int[::1] = np.zeros(path.size, dtype=np.int32)
    last: cython.Py_ssize_t = path.size - 1
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(last + 1):
            count[number[block]] += 1
        for block in range(last + 1):
            path_blocks[block] = log1p(count[number[block]])
            previous_path[block] = 1.0 if block > 0 and number[block - 1] == number[block] else 0.0
            next_path[block] = 1.0 if block < last and number[block + 1] == number[block] else 0.0


def add_path_sums(columns: Columns, path: Numbers, good: Floats, words: NDArray[np.int32]) -> None:
    """Fill the columns about good words on the path of each block.

    Parameters
    ----------
    columns : Columns
        What is filled.
    path : int32 array, n
        Number of the path of each block.
    good : float array, n
        Good words of each block.
    words : int32 array, n
        Words of each block.
    """
    rows: cython.float[:, ::1] = columns.values
    path_share: cython.float[::1] = rows[columns.place["path_share"]]
    path_density: cython.float[::1] = rows[columns.place["path_density"]]
    number: cython.int[::1] = path
    good_words: cython.double[::1] = good
    count: cython.int[::1] = words
    good_of_path: cython.double[::1] = np.zeros(path.size)
    words_of_path: cython.double[::1] = np.zeros(path.size)
    total: cython.double = _TINY
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(number.shape[0]):
            total += good_words[block]
            good_of_path[number[block]] += good_words[block]
            words_of_path[number[block]] += count[block]
        for block in range(number.shape[0]):
            path_share[block] = good_of_path[number[block]] / total
            path_density[block] = good_of_path[number[block]] / (words_of_path[number[block]] + 1.0)
