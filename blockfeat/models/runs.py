"""Maximum subsequence: the contiguous runs of blocks with the highest sum of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.models.maximal import top_runs


def best_run(scores: NDArray[np.float64]) -> tuple[int, int]:
    """Return start and end (exclusive) of the run with the highest sum; (0, 0) if no score is above 0.

    One linear pass (Pasternack & Roth 2009, 6.1): the best run that ends at j is the cumulative sum at j less
    the smallest cumulative sum before it. Of equal sums the earliest and shortest run wins.
    """
    if scores.size == 0:
        return 0, 0
    total = np.cumsum(scores)
    before = np.concatenate(([0.0], total[:-1]))
    lowest = np.minimum.accumulate(before)
    sums = total - lowest
    end = int(np.argmax(sums))
    if sums[end] <= 0:
        return 0, 0
    start = int(np.flatnonzero(before[: end + 1] == lowest[end])[-1])
    return start, end + 1


def best_runs(scores: NDArray[np.float64], k: int) -> list[tuple[int, int]]:
    """Return up to ``k`` disjoint runs, each the best of what the earlier ones left, in document order."""
    if k == 1:
        run = best_run(scores)
        return [run] if run[1] > run[0] else []
    return sorted(top_runs(scores, k))


def best_run_masks(scores: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return the best run of each column as a mask: float array n × m to bool array n × m."""
    if scores.shape[0] == 0:
        return np.zeros(scores.shape, dtype=bool)
    total = np.cumsum(scores, axis=0, dtype=np.float64)
    before = np.zeros_like(total)
    before[1:] = total[:-1]
    lowest = np.minimum.accumulate(before, axis=0)
    columns = np.arange(scores.shape[1])
    sums = total - lowest
    end = sums.argmax(axis=0)
    rows = np.arange(scores.shape[0])[:, None]
    at_lowest = (before == lowest[end, columns]) & (rows <= end)
    start = scores.shape[0] - 1 - at_lowest[::-1].argmax(axis=0)
    masks: NDArray[np.bool_] = (rows >= start) & (rows <= end) & (sums[end, columns] > 0)
    return masks
