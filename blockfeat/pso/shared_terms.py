"""Sums over the terms shared by several blocks of a page, for many label masks in one pass (compiled by Cython).

Where the module is not compiled, array operations give the same results.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float32]

_AT_ONCE = cython.declare(cython.Py_ssize_t, 64)


def overlaps(counts: sparse.csr_array, starts: NDArray[np.int64], gold: Floats, masks: Floats) -> Floats:
    """Return how many terms, with repeats, the marked blocks of each page share with its gold: pages × masks.

    Parameters
    ----------
    counts : sparse matrix, terms × blocks
        Term counts of several pages, one page after the other.
    starts : int array, pages
        Index of the first term of each page; every page has at least one.
    gold : float32 array, terms
        Counts of the terms in the gold.
    masks : float32 array, blocks × masks
        1 for a marked block, else 0.
    """
    if cython.compiled:
        return _sums(counts, starts, gold, masks)
    return np.asarray(np.add.reduceat(np.minimum(counts @ masks, gold[:, None]), starts, axis=0))


def squares(counts: sparse.csr_array, starts: NDArray[np.int64], masks: Floats) -> Floats:
    """Return the sum of the squared term counts of the marked blocks of each page: pages × masks."""
    if cython.compiled:
        return _sums(counts, starts, np.zeros(0, dtype=np.float32), masks)
    found = counts @ masks
    return np.asarray(np.add.reduceat(found * found, starts, axis=0))


def _sums(counts: sparse.csr_array, starts: NDArray[np.int64], gold: Floats, masks: Floats) -> Floats:
    """Return the overlaps, or the squares if ``gold`` is empty."""
    ends = np.append(starts, counts.shape[0]).astype(np.int32)
    found = np.zeros((starts.size, masks.shape[1]), dtype=np.float32)
    rows, blocks = (places.astype(np.int32, copy=False) for places in (counts.indptr, counts.indices))
    _add_up(found, ends, rows, blocks, counts.data, gold, masks)
    return found


def _add_up(
    found: cython.float[:, ::1],
    pages: cython.const[cython.int][::1],
    rows: cython.const[cython.int][::1],
    blocks: cython.const[cython.int][::1],
    counts: cython.const[cython.float][::1],
    gold: cython.const[cython.float][::1],
    masks: cython.const[cython.float][:, ::1],
) -> None:
    """Fill the sums page by page, up to 64 masks at a time so that the working set stays in the CPU cache."""
    sum_ = cython.declare(cython.float[64])
    term = cython.declare(cython.float[64])
    page: cython.Py_ssize_t
    row: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    block: cython.Py_ssize_t
    one: cython.Py_ssize_t
    offset: cython.Py_ssize_t
    number: cython.Py_ssize_t
    count: cython.float
    most: cython.float
    value: cython.float
    has_gold: cython.bint = gold.shape[0] > 0
    with cython.nogil:
        for page in range(found.shape[0]):
            offset = 0
            while offset < masks.shape[1]:
                number = min(_AT_ONCE, masks.shape[1] - offset)
                for one in range(number):
                    sum_[one] = 0
                for row in range(pages[page], pages[page + 1]):
                    for one in range(number):
                        term[one] = 0
                    for entry in range(rows[row], rows[row + 1]):
                        count = counts[entry]
                        block = blocks[entry]
                        for one in range(number):
                            term[one] += count * masks[block, offset + one]
                    if has_gold:
                        most = gold[row]
                        for one in range(number):
                            value = term[one]
                            sum_[one] += value if value < most else most
                    else:
                        for one in range(number):
                            sum_[one] += term[one] * term[one]
                for one in range(number):
                    found[page, offset + one] = sum_[one]
                offset += number
