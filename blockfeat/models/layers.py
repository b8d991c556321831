"""What models compute block by block, each in one pass: a network between its matrix products, sums of thresholds.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Floats = NDArray[np.float64]

_INFINITY = cython.declare(cython.double, float("inf"))


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
    value: cython.float[:, :] = matrix
    middle: cython.float[::1] = mean
    factor: cython.float[::1] = scale
    deviation: cython.float[:, ::1] = found
    limit: cython.float = most
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    with cython.nogil:
        for block in range(value.shape[0]):
            for place in range(value.shape[1]):
                deviation[block, place] = _within((value[block, place] - middle[place]) * factor[place], limit)
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _within(value: cython.float, limit: cython.float) -> cython.float:
    """Return a value, or the limit that it is beyond."""
    return limit if value > limit else -limit if value < -limit else value


def activate(channels: Array, bias: Array) -> Array:
    """Add a bias to each channel, in place; what is below 0 becomes 0. Return the sum of each channel: c."""
    sums = np.zeros(bias.size, dtype=np.float32)
    value: cython.float[:, ::1] = channels
    added: cython.float[::1] = bias
    total: cython.float[::1] = sums
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    sum_: cython.float
    with cython.nogil:
        for block in range(value.shape[0]):
            for place in range(value.shape[1]):
                sum_ = value[block, place] + added[place]
                value[block, place] = sum_ if sum_ > 0 else 0
                total[place] += value[block, place]
    return sums


def convolve(hidden: Array, products: Array, bias: Array, dilation: int) -> Array:
    """Return the channels of each block plus those of a convolution, where they are above 0: n × c.

    Parameters
    ----------
    hidden : float32 array, n × c
        The channels.
    products : float32 array, n × 3c
        The channels of each block times the weights for the block behind it, for itself, and for the block before it.
    bias : float32 array, c
        What is added to each channel of the convolution.
    dilation : int
        How far away the neighbours are that it looks at.
    """
    found = np.empty(hidden.shape, dtype=np.float32)
    before: cython.float[:, ::1] = hidden
    product: cython.float[:, ::1] = products
    added: cython.float[::1] = bias
    after: cython.float[:, ::1] = found
    blocks: cython.Py_ssize_t = before.shape[0]
    channels: cython.Py_ssize_t = before.shape[1]
    step: cython.Py_ssize_t = dilation
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    with cython.nogil:
        for block in range(blocks):
            for place in range(channels):
                after[block, place] = product[block, channels + place] + added[place]
            if block >= step:
                for place in range(channels):
                    after[block, place] += product[block - step, place]
            if block + step < blocks:
                for place in range(channels):
                    after[block, place] += product[block + step, 2 * channels + place]
            for place in range(channels):
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
