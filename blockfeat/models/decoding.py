"""Decoding: how the scores of a page's blocks become labels: cuts, maximum subsequences, and the Viterbi algorithm.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import Any, NamedTuple

import cython
import numpy as np
from cython.cimports.libc.math import exp as c_exp
from numpy.typing import NDArray

from blockfeat.errors import ModelError

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
    score: cython.const[cython.double][::1] = np.ascontiguousarray(scores, dtype=np.float64)
    total: cython.double = 0.0
    lowest: cython.double = 0.0
    most: cython.double = 0.0
    lowest_place: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(score.shape[0]):
            if total <= lowest:
                lowest = total
                lowest_place = place
            total += score[place]
            if total - lowest > most:
                most = total - lowest
                start, end = lowest_place, place + 1
    return start, end


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
    return np.asarray((rows >= start) & (rows <= end) & (sums[end, columns] > 0))


_MOST_RUNS = 1_000
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
        if not 1 <= self.runs <= _MOST_RUNS:
            raise ModelError(f"a decoder needs at least one run and at most {_MOST_RUNS:,}, not {self.runs}")


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
    return best_chain(unary[:, 1] - unary[:, 0], interpolation * pairwise)


def best_chain(gains: Floats, pairs: Floats) -> NDArray[np.bool_]:
    """Return what `best_labels` does.

    Parameters
    ----------
    gains : float array, n
        By how much the logarithm of label 1 is above that of label 0.
    pairs : float array, n - 1 × 4 or 1 × 4
        Logarithms of the pairs; one row where all pairs have the same.
    """
    labels = np.zeros(gains.size, dtype=np.bool_)
    if gains.size:
        # By number: 1 where the best chain that ends here in 0 comes from 1, 2 where that which ends in 1 does.
        _follow_chain(gains, pairs, np.empty(gains.size, dtype=np.uint8), labels.view(np.uint8))
    return labels


def _follow_chain(
    gains: cython.const[cython.double][:],
    pairs: cython.const[cython.double][:, :],
    from_one: cython.uchar[::1],
    labels: cython.uchar[::1],
) -> cython.void:
    """Write the labels; ``from_one`` is room for as many numbers."""
    count: cython.Py_ssize_t = gains.shape[0]
    # By how much the best chain that ends in 1 leads the best that ends in 0: no more than that has to be known.
    lead: cython.double = gains[0]
    zero: cython.double
    one: cython.double
    row: cython.Py_ssize_t = 0
    step: cython.Py_ssize_t = 1 if pairs.shape[0] > 1 else 0
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(1, count):
            zero, one = lead + pairs[row, 2], lead + pairs[row, 3]
            from_one[place] = (zero > pairs[row, 0]) | (one > pairs[row, 1]) << 1
            zero, one = max(zero, pairs[row, 0]), max(one, pairs[row, 1])
            lead = gains[place] + (one - zero)
            row += step
        labels[count - 1] = lead > 0
        for place in range(count - 1, 0, -1):
            labels[place - 1] = from_one[place] >> labels[place] & 1


class Expectation(NamedTuple):
    """Expected values of a page.

    Attributes
    ----------
    content : float
        Expected words of content: the words of each block times its probability.
    words : int
        Words of the page.
    highest : float
        Highest logit of a block; -10 where there is none.
    f1 : float
        Expected word F1 if the blocks with a probability of one half or more are kept: twice their expected words over
        their words and all expected words. Blocks without words count as one word.
    """

    content: float
    words: int
    highest: float
    f1: float


def expectation(logits: NDArray[np.float32], words: NDArray[np.integer[Any]]) -> Expectation:
    """Return what is expected of a page with n blocks.

    Parameters
    ----------
    logits : float32 array, n
        The logit of the probability that each block is content.
    words : int array, n
        The words of each block.
    """
    logit: cython.const[cython.float][::1] = logits
    count: cython.const[cython.int][::1] = words.astype(np.int32, copy=False)
    content: cython.double = 0.0
    sized: cython.double = 0.0
    found: cython.double = 0.0
    kept: cython.double = 0.0
    highest: cython.double = -10.0
    chance: cython.double
    size: cython.double
    total: cython.longlong = 0
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(logit.shape[0]):
            chance = 1.0 / (1.0 + c_exp(-cython.cast(cython.double, logit[block])))
            size = max(count[block], 1)
            total += count[block]
            content += count[block] * chance
            sized += size * chance
            if logit[block] >= 0:
                found += size * chance
                kept += size
            if block == 0 or logit[block] > highest:
                highest = logit[block]
    return Expectation(content, total, highest, 2 * found / max(kept + sized, 1e-12))


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
