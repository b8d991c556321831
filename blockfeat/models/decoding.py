"""Decoding: how the scores of a page's blocks become labels: cuts, maximum subsequences, and the Viterbi algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.models.expectation import Expectation

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


DECODERS = ("conjunction", "mss")


@dataclass(frozen=True)
class Decoder:
    """How scores become labels.

    Attributes
    ----------
    name : str
        ``"conjunction"``: every block whose score is at least 0. ``"mss"``: the ``runs`` contiguous runs with the
        highest sums.
    runs : int
        Number of runs for ``"mss"``.
    """

    name: str = "conjunction"
    runs: int = 1

    def __post_init__(self) -> None:
        """Check the values."""
        if self.name not in DECODERS:
            raise ModelError(f"unknown decoder {self.name!r}; known are {', '.join(DECODERS)}")
        if self.runs < 1:
            raise ModelError(f"a decoder needs at least one run, not {self.runs}")


def decode(scores: NDArray[np.float64], decoder: Decoder) -> NDArray[np.bool_]:
    """Return the label of each block: float array of n scores to bool array."""
    if decoder.name == "conjunction":
        return scores >= 0
    labels = np.zeros(scores.size, dtype=bool)
    for start, end in best_runs(scores, decoder.runs):
        labels[start:end] = True
    return labels


def best_labels(unary: Floats, pairwise: Floats, *, interpolation: float = 1.0) -> NDArray[np.bool_]:
    """Return the labels of two kinds with the highest sum of logarithms; linear in the chain.

    The sum is Σ unary[i, y(i)] + λ · Σ pairwise[i, y(i), y(i + 1)] (Vogels et al. 2018, 3.5). Of equal sums a label of
    0 wins, first at the end of the chain.

    Parameters
    ----------
    unary : float array, n × 2
        Logarithms for each block to have label 0 and 1; finite.
    pairwise : float array, n - 1 × 4
        Logarithms for each block and the next to have the labels 00, 01, 10 and 11; finite.
    interpolation : float
        λ, the weight of the pairs; 0 leaves each block to itself.

    Returns
    -------
    bool array, n
        True for label 1.

    Raises
    ------
    ModelError
        The shapes do not fit each other.
    """
    n = unary.shape[0]
    if unary.shape != (n, 2) or pairwise.shape != (max(n - 1, 0), 4):
        raise ModelError(f"potentials of {unary.shape} blocks and {pairwise.shape} pairs do not make a chain")
    if n == 0:
        return np.zeros(0, dtype=np.bool_)
    pairs = (interpolation * pairwise).T.tolist()
    gains = (unary[:, 1] - unary[:, 0]).tolist()
    # By how much the best chain that ends in 1 leads the best that ends in 0: no more than that has to be known.
    lead = gains[0]
    from_one: list[tuple[bool, bool]] = []
    for own, zero_zero, zero_one, one_zero, one_one in zip(gains[1:], *pairs, strict=True):
        zero, one = lead + one_zero, lead + one_one
        comes = (zero > zero_zero, one > zero_one)
        from_one.append(comes)
        lead = own + ((one if comes[1] else zero_one) - (zero if comes[0] else zero_zero))
    label = lead > 0
    labels = [label]
    for to_zero_from_one, to_one_from_one in reversed(from_one):
        label = to_one_from_one if label else to_zero_from_one
        labels.append(label)
    return np.array(labels[::-1], dtype=np.bool_)


_LEAST_CUT = 0.02
_FAVOUR = 1.5


def page_cut(cut: float, expected: Expectation, *, sure: float) -> float:
    """Return the cut of a page: lower where the model is in doubt about it, as on pages that are no articles.

    The expected F1 is highest where blocks are kept down to half of it (Lipton, Elkan & Narayanaswamy 2014). Where that
    of the blocks above one half is below ``sure``, the cut is so much lower.

    Parameters
    ----------
    cut : float
        The probability from which a block is content on other pages.
    expected : Expectation
        What is expected of the page.
    sure : float
        The expected F1 from which a page is not in doubt; 0 for the same cut everywhere.
    """
    return cut if expected.f1 >= sure else max(expected.f1 * cut, _LEAST_CUT)


def favoured_cut(cut: float, side: str) -> float:
    """Return the cut that favours ``"precision"`` or ``"recall"``: moved by a logit of 1.5."""
    return moved_cut(cut, _FAVOUR if side == "precision" else -_FAVOUR)


def moved_cut(cut: float, shift: float) -> float:
    """Return a cut that is higher by a logit, or lower where that is negative."""
    return 1 / (1 + exp(-logit(cut) - shift))


def logit(chance: float) -> float:
    """Return the log odds of a probability."""
    return log(chance / (1 - chance))
