"""All maximal scoring runs of a sequence, in linear time (Ruzzo & Tompa 1999)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def maximal_runs(scores: Floats) -> tuple[Indices, Indices, Floats]:
    """Return first position, end (exclusive) and sum of every maximal run, in the order of the sequence.

    The maximal runs are the run with the highest sum, then those of what lies before it and behind it, and so on;
    they do not overlap, and every score above 0 lies in one. Linear: neighbours of one sign are first added up by
    column, then each stretch above 0 is looked at once (Ruzzo & Tompa 1999, named by Pasternack & Roth 2009, 6.1).

    Parameters
    ----------
    scores : float array, n
        Finite scores.
    """
    first, end, before, behind = _positive_stretches(scores)
    starts: list[int] = []
    ends: list[int] = []
    lows: list[float] = []
    highs: list[float] = []
    # For each candidate the nearest one before it whose cumulative sum begins lower; -1 for none.
    links: list[int] = []
    for start, stop, low, high in zip(first.tolist(), end.tolist(), before.tolist(), behind.tolist(), strict=True):
        place = len(lows) - 1
        while True:
            while place >= 0 and lows[place] >= low:
                place = links[place]
            if place < 0 or highs[place] >= high:
                break
            # The candidate grows to the left and takes in all that lies between.
            start, low = starts[place], lows[place]
            kept, place = place, links[place]
            del starts[kept:], ends[kept:], lows[kept:], highs[kept:], links[kept:]
        starts.append(start)
        ends.append(stop)
        lows.append(low)
        highs.append(high)
        links.append(place)
    return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64), np.array(highs) - np.array(lows)


def top_runs(scores: Floats, k: int) -> list[tuple[int, int]]:
    """Return the ``k`` maximal runs with the highest sums, best first; of equal sums the earlier run first."""
    first, end, sums = maximal_runs(scores)
    order = np.argsort(-sums, kind="stable")[:k]
    return list(zip(first[order].tolist(), end[order].tolist(), strict=True))


def _positive_stretches(scores: Floats) -> tuple[Indices, Indices, Floats, Floats]:
    """Return start and end of each stretch of scores above 0, and the cumulative sums before and behind it."""
    is_positive = np.concatenate(([False], scores > 0, [False]))
    edges = np.flatnonzero(is_positive[1:] != is_positive[:-1])
    first, end = edges[0::2], edges[1::2]
    total = np.concatenate(([0.0], np.cumsum(scores, dtype=np.float64)))
    return first, end, total[first], total[end]
