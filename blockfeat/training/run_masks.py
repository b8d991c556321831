"""Runs of blocks with the highest total score, for many particles in one pass over the blocks (compiled by Cython).

Where the module is not compiled, array operations give the same results: a loop in Python would take hours.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.models.decoding import best_run_masks
from blockfeat.models.threshold import block_scores

Floats = NDArray[np.float32]

_AT_ONCE = cython.declare(cython.Py_ssize_t, 64)


def run_masks(
    values: Floats, words: Floats, starts: NDArray[np.int32], thresholds: Floats, softness: Floats, penalty: Floats
) -> Floats:
    """Return which blocks lie in their page's run of highest total score, for each particle: n × particles, 0 or 1.

    A block's score is `blockfeat.models.threshold.block_scores` of its smallest margin over the features.

    Parameters
    ----------
    values : float32 array, n × k
        Features of the blocks of several pages, one page after the other, oriented so that higher is better.
    words : float32 array, n
        Number of words of each block.
    starts : int32 array
        Index of the first block of each page, then n.
    thresholds : float32 array, k × particles
        Thresholds of each particle, on the scale of ``values``.
    softness, penalty : float32 array, particles
        `blockfeat.models.threshold.Margins` of each particle.
    """
    if not cython.compiled:
        return _masks_of_arrays(values, words, starts, thresholds, softness, penalty)
    masks = np.zeros((values.shape[0], thresholds.shape[1]), dtype=np.float32)
    _fill(masks, values, words, starts, thresholds, softness, penalty)
    return masks


def _masks_of_arrays(
    values: Floats, words: Floats, starts: NDArray[np.int32], thresholds: Floats, softness: Floats, penalty: Floats
) -> Floats:
    scores = block_scores(smallest_margins(values, thresholds), words[:, None], softness, penalty)
    pages = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return np.concatenate([best_run_masks(scores[first:end]) for first, end in pages]).astype(np.float32)


def smallest_margins(values: Floats, thresholds: Floats) -> Floats:
    """Return the smallest margin (value - threshold) of each block: n × particles; arguments as for `run_masks`."""
    smallest = np.full((values.shape[0], thresholds.shape[1]), np.inf, dtype=np.float32)
    for column, limits in enumerate(thresholds):
        np.minimum(smallest, values[:, column, None] - limits, out=smallest)
    return smallest


def _fill(
    masks: cython.float[:, ::1],
    values: cython.const[cython.float][:, :],
    words: cython.const[cython.float][::1],
    starts: cython.const[cython.int][::1],
    thresholds: cython.const[cython.float][:, ::1],
    softness: cython.const[cython.float][::1],
    penalty: cython.const[cython.float][::1],
) -> None:
    """Mark the best runs, up to 64 particles at a time so that the working set stays in the CPU cache."""
    page: cython.Py_ssize_t
    first: cython.Py_ssize_t
    count: cython.Py_ssize_t
    particles: cython.Py_ssize_t = thresholds.shape[1]
    with cython.nogil:
        for page in range(starts.shape[0] - 1):
            first = 0
            while first < particles:
                count = min(_AT_ONCE, particles - first)
                _mark_runs(
                    masks, values, words, starts[page], starts[page + 1], thresholds, softness, penalty, first, count
                )
                first += count


def _mark_runs(
    masks: cython.float[:, ::1],
    values: cython.const[cython.float][:, :],
    words: cython.const[cython.float][::1],
    start: cython.int,
    end: cython.int,
    thresholds: cython.const[cython.float][:, ::1],
    softness: cython.const[cython.float][::1],
    penalty: cython.const[cython.float][::1],
    offset: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
) -> cython.void:
    """Mark a page's best run for some particles: to where the cumulative sum most exceeds its earlier minimum."""
    score = cython.declare(cython.float[64])
    # One type for all, indices too, and short loops: otherwise the compiler does not vectorise over particles.
    total = cython.declare(cython.double[64])
    lowest = cython.declare(cython.double[64])
    lowest_at = cython.declare(cython.double[64])
    best = cython.declare(cython.double[64])
    first = cython.declare(cython.double[64])
    last = cython.declare(cython.double[64])
    low: cython.double
    low_at: cython.double
    high: cython.double
    begin: cython.double
    stop: cython.double
    before: cython.double
    gain: cython.double
    value: cython.float
    margin: cython.float
    smallest: cython.float
    least: cython.float
    most: cython.float = 1
    size: cython.float
    row: cython.Py_ssize_t
    block: cython.double
    behind: cython.double
    one: cython.Py_ssize_t
    column: cython.Py_ssize_t
    for one in range(count):
        total[one] = lowest[one] = best[one] = 0
        lowest_at[one] = start
        first[one] = last[one] = 0
    for row in range(start, end):
        block, behind = row, row + 1
        value = values[row, 0]
        for one in range(count):
            score[one] = value - thresholds[0, offset + one]
        for column in range(1, values.shape[1]):
            value = values[row, column]
            for one in range(count):
                margin = value - thresholds[column, offset + one]
                smallest = score[one]
                score[one] = margin if margin < smallest else smallest
        size = words[row] if words[row] > 1 else 1
        for one in range(count):
            margin = score[one] / softness[offset + one]
            least = -penalty[offset + one]
            score[one] = margin if margin > least else least
        for one in range(count):
            margin = score[one]
            score[one] = margin if margin < most else most
        for one in range(count):
            before, low, low_at = total[one], lowest[one], lowest_at[one]
            low_at = block if before <= low else low_at
            low = before if before <= low else low
            lowest[one] = low
            lowest_at[one] = low_at
            total[one] = before + score[one] * size
        for one in range(count):
            gain = total[one] - lowest[one]
            low_at, high, begin, stop = lowest_at[one], best[one], first[one], last[one]
            begin = low_at if gain > high else begin
            stop = behind if gain > high else stop
            high = gain if gain > high else high
            first[one] = begin
            last[one] = stop
            best[one] = high
    for one in range(count):
        for row in range(cython.cast(cython.Py_ssize_t, first[one]), cython.cast(cython.Py_ssize_t, last[one])):
            masks[row, offset + one] = 1
