"""What models compute block by block, each in one pass: a network between its matrix products, sums of thresholds.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Floats = NDArray[np.float64]

_INFINITY = cython.declare(cython.double, float("inf"))
# For more rows, a linear algebra library starts threads that cost more than they bring.
_ROWS = 32

if not cython.compiled:
    COLUMNS = 1

    def has_wide_vectors() -> bool:
        """Return whether the processor has the vectors that `add_wide` takes."""
        return False

    def add_wide(rows: Any, weights: Any, sums: Any, count: int, width: int, columns: int) -> None:
        """Stand for the function in C (``products.h``), which nobody calls here."""


def matmul(rows: Array, weights: Array, *, is_padded: bool = False) -> Array:
    """Return the product of two matrices: n × k times k × m gives n × m.

    Parameters
    ----------
    rows : float32 array, n × k
        One row for each block or leaf.
    weights : float32 array, k × m
        Weights of a layer.
    is_padded : bool
        Whether the last stretch is filled up with zeros where others stand before it. The sums are the same but for
        rounding: libraries add in another order for fewer rows.
    """
    count, width = rows.shape
    whole = count - count % _ROWS
    found = np.empty((count, weights.shape[1]), dtype=np.float32)
    if whole:
        stacked = found[:whole].reshape(-1, _ROWS, weights.shape[1])
        np.matmul(rows[:whole].reshape(-1, _ROWS, width), weights, out=stacked)
    if whole and whole < count and is_padded:
        last = np.zeros((_ROWS, width), dtype=np.float32)
        last[: count - whole] = rows[whole:]
        found[whole:] = (last @ weights)[: count - whole]
    elif whole < count:
        np.matmul(rows[whole:], weights, out=found[whole:])
    return found


def add_product(rows: Array, weights: Array, sums: Array) -> None:
    """Add the product of two matrices to a third, in place: n × k times k × m to n × m, all of them row by row."""
    if not has_wide_vectors() or weights.shape[1] % COLUMNS:
        sums += matmul(rows, weights)
    elif rows.size:
        _add_wide_product(rows, weights, sums)


@cython.cfunc
def _add_wide_product(
    rows: cython.const[cython.float][:, ::1],
    weights: cython.const[cython.float][:, ::1],
    sums: cython.float[:, ::1],
) -> cython.void:
    """Do what `add_product` does, in C, for at least one row."""
    with cython.nogil:
        add_wide(
            cython.address(rows[0, 0]),
            cython.address(weights[0, 0]),
            cython.address(sums[0, 0]),
            rows.shape[0],
            rows.shape[1],
            sums.shape[1],
        )


def dense(rows: Array, weights: Array, bias: Array) -> Array:
    """Return a bias and the product of two matrices: n × k times k × c gives n × c."""
    found = np.empty((rows.shape[0], bias.size), dtype=np.float32)
    found[:] = bias
    add_product(rows, weights, found)
    return found


def standardise(matrix: Array, mean: Array, scale: Array, most: float) -> Array:
    """Return features as deviations from their means, at most so many in either direction: n × k, row by row.

    Parameters
    ----------
    matrix : float32 array, n × k
        The features, in any order in memory.
    mean, scale : float32 array, k
        Mean of each feature, and what a difference is multiplied by.
    most : float
        Largest deviation.
    """
    found = np.empty(matrix.shape, dtype=np.float32)
    value: cython.const[cython.float][:, ::1] = np.ascontiguousarray(matrix)
    middle: cython.const[cython.float][::1] = mean
    factor: cython.const[cython.float][::1] = scale
    deviation: cython.float[:, ::1] = found
    limit: cython.float = most
    difference: cython.float
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    with cython.nogil:
        for block in range(value.shape[0]):
            for place in range(value.shape[1]):
                difference = (value[block, place] - middle[place]) * factor[place]
                deviation[block, place] = min(max(difference, -limit), limit)
    return found


def activate(channels: Array) -> Array:
    """Make what is below 0 in each channel 0, in place; return the sum of each channel: c."""
    sums = np.zeros(channels.shape[1], dtype=np.float32)
    value: cython.float[:, ::1] = channels
    total: cython.float[::1] = sums
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    with cython.nogil:
        for block in range(value.shape[0]):
            for place in range(value.shape[1]):
                value[block, place] = value[block, place] if value[block, place] > 0 else 0
                total[place] += value[block, place]
    return sums


def convolve(hidden: Array, weights: Array, bias: Array, dilation: int) -> Array:
    """Return the channels of each block plus those of a convolution, where they are above 0: n × c.

    Parameters
    ----------
    hidden : float32 array, n × c
        The channels.
    weights : float32 array, 3c × c
        Weights of the channels of the block behind it, of itself, and of the block before it.
    bias : float32 array, c
        What is added to each channel of the convolution.
    dilation : int
        How far away the neighbours are that it looks at.
    """
    channels = bias.size
    found = dense(hidden, weights[channels : 2 * channels], bias)
    add_product(hidden[:-dilation], weights[:channels], found[dilation:])
    add_product(hidden[dilation:], weights[2 * channels :], found[:-dilation])
    before: cython.const[cython.float][:, ::1] = hidden
    after: cython.float[:, ::1] = found
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    with cython.nogil:
        for block in range(after.shape[0]):
            for place in range(after.shape[1]):
                after[block, place] = before[block, place] + (after[block, place] if after[block, place] > 0 else 0)
    return found


def soft_scores(matrix: Floats, thresholds: Floats, softnesses: Floats, weights: Floats, bias: float) -> Floats:
    """Return a bias and the sum of weight · clip((value - threshold) / softness, -1, 1) for each block: n × k to n."""
    found = np.empty(matrix.shape[0], dtype=np.float64)
    value: cython.const[cython.double][:, :] = matrix
    middle: cython.const[cython.double][::1] = thresholds
    width: cython.const[cython.double][::1] = softnesses
    weight: cython.const[cython.double][::1] = weights
    score: cython.double[::1] = found
    added: cython.double = bias
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    sum_: cython.double
    with cython.nogil:
        for block in range(value.shape[0]):
            sum_ = 0.0
            for place in range(value.shape[1]):
                sum_ += min(max((value[block, place] - middle[place]) / width[place], -1.0), 1.0) * weight[place]
            score[block] = sum_ + added
    return found


def smallest_margins(matrix: Floats, thresholds: Floats, factors: Floats) -> Floats:
    """Return the smallest (value - threshold) · factor of each block: n × k to n; infinity where k is 0."""
    found = np.empty(matrix.shape[0], dtype=np.float64)
    value: cython.const[cython.double][:, :] = matrix
    middle: cython.const[cython.double][::1] = thresholds
    factor: cython.const[cython.double][::1] = factors
    smallest: cython.double[::1] = found
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    least: cython.double
    with cython.nogil:
        for block in range(value.shape[0]):
            least = _INFINITY
            for place in range(value.shape[1]):
                least = min(least, (value[block, place] - middle[place]) * factor[place])
            smallest[block] = least
    return found
