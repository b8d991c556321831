"""The best runs of many particles' scores of the same blocks, in one pass over the blocks (compiled).

Uncompiled, array arithmetic does the same, with the same results: a loop in Python would take hours.
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
    """Return which blocks lie in the best run of their page, for each particle: n × particles, 0 or 1.

    A block's score is that of `blockfeat.models.threshold.block_scores`, for its smallest margin over the features.

    Parameters
    ----------
    values : float32 array, n × k
        The features of the blocks of some pages, page after page, oriented so that high values are good.
    words : float32 array, n
        Words of each block.
    starts : int32 array
        First block of each page, then n.
    thresholds : float32 array, k × particles
        The thresholds, on the scale of the values.
    softness, penalty : float32 array, particles
        The margins.
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
    """Return the smallest margin of each block over its features, for each particle; arguments as for `run_masks`."""
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
    """Mark the best runs, some particles at a time: what has to be known of them stays in the cache."""
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
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
    """Mark the best run of one page, for some particles: the cumulative sum less the smallest one before it."""
    score: cython.float[64]
    total: cython.double[64]
    lowest: cython.double[64]
    best: cython.double[64]
    lowest_at: cython.int[64]
    first: cython.int[64]
    last: cython.int[64]
    one: cython.Py_ssize_t
    column: cython.Py_ssize_t
    block: cython.int
    value: cython.float
    margin: cython.float
    size: cython.float
    before: cython.double
    gain: cython.double
    for one in range(count):
        total[one] = lowest[one] = best[one] = 0
        lowest_at[one] = start
        first[one] = last[one] = 0
    for block in range(start, end):
        value = values[block, 0]
        for one in range(count):
            score[one] = value - thresholds[0, offset + one]
        for column in range(1, values.shape[1]):
            value = values[block, column]
            for one in range(count):
                margin = value - thresholds[column, offset + one]
                score[one] = margin if margin < score[one] else score[one]
        size = words[block] if words[block] > 1 else 1
        for one in range(count):
            margin = score[one] / softness[offset + one]
            margin = margin if margin > -penalty[offset + one] else -penalty[offset + one]
            score[one] = (margin if margin < 1 else cython.cast(cython.float, 1)) * size
        for one in range(count):
            before = total[one]
            lowest_at[one] = block if before <= lowest[one] else lowest_at[one]
            lowest[one] = before if before <= lowest[one] else lowest[one]
            total[one] = before + score[one]
            gain = total[one] - lowest[one]
            first[one] = lowest_at[one] if gain > best[one] else first[one]
            last[one] = block + 1 if gain > best[one] else last[one]
            best[one] = gain if gain > best[one] else best[one]
    for one in range(count):
        for block in range(first[one], last[one]):
            masks[block, offset + one] = 1
