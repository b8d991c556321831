"""Maximum subsequence under constraints: least length, boundaries that no run crosses, stops that cut it short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
_NO_BOUNDARIES = np.zeros(0, dtype=np.int64)


def best_run_within(
    scores: NDArray[np.float64], *, least: int = 1, boundaries: Indices | Sequence[int] = _NO_BOUNDARIES
) -> tuple[int, int]:
    """Return start and end (exclusive) of the run with the highest sum that keeps to the constraints.

    Vectorised, n · log n. Of equal sums the run with the earliest end wins, then the shortest; (0, 0) where no run
    has a sum above 0. Without constraints it is `blockfeat.models.runs.best_run`.

    Parameters
    ----------
    scores : float array, n
        Finite scores.
    least : int
        Least number of scores in the run, at least 1.
    boundaries : int array
        Positions that no run crosses: a run that holds position b - 1 does not hold b.
    """
    least = max(least, 1)
    if scores.size < least:
        return 0, 0
    total = np.cumsum(scores, dtype=np.float64)
    before = np.concatenate(([0.0], total[:-1]))
    index = np.arange(scores.size)
    # Sums by rank, of equal ones the later first: whole numbers can be moved apart by segment without rounding.
    order = np.lexsort((-index, before))
    rank = np.empty_like(index)
    rank[order] = index
    is_first = np.zeros(scores.size, dtype=np.int64)
    inner = np.asarray(boundaries, dtype=np.int64)
    is_first[inner[(inner > 0) & (inner < scores.size)]] = 1
    segment = np.cumsum(is_first)
    lowest = np.minimum.accumulate(rank - segment * scores.size)
    latest_start, ends = index[: scores.size - least + 1], index[least - 1 :]
    start = order[lowest[latest_start] + segment[latest_start] * scores.size]
    sums = np.where(segment[latest_start] == segment[ends], total[ends] - before[start], -np.inf)
    best = int(np.argmax(sums))
    return (int(start[best]), int(ends[best]) + 1) if sums[best] > 0 else (0, 0)


def truncate_run(run: tuple[int, int], stops: Indices) -> tuple[int, int]:
    """Cut a run short at the first stop inside it (Pasternack & Roth 2009, 6.2.3: "everything after the first HR").

    Parameters
    ----------
    run : tuple of int
        Start and end (exclusive).
    stops : int array
        Positions in ascending order; the run ends before the first of them that it holds.
    """
    start, end = run
    place = int(np.searchsorted(stops, start))
    return (start, min(end, int(stops[place]))) if place < stops.size and stops[place] < end else run
