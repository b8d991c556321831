# mypy: disable-error-code="untyped-decorator"
"""Blocks on the same path: alike in tags and classes of the containers around them, five levels up (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.features.columns import Columns
from blockfeat.features.containers import Containers

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

PATH_LENGTHS = ("path_blocks", "previous_path", "next_path")
"""Columns that `add_path_lengths` fills."""
PATH_SUMS = ("path_share", "path_density")
"""Columns that `add_path_sums` fills."""

_TINY = cython.declare(cython.double, 1e-9)
_KEY_MASK = (1 << 64) - 1
_LEVELS = cython.declare(cython.int, 5)
_BASE = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


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
            for _ in range(_LEVELS):
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
