"""Mathematics that several packages share: logistic regression, increasing subsequences, look-up in sorted arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def probabilities(log_odds: ArrayLike, *, limit: float | None = None) -> Floats:
    """Return the probabilities of log odds, 1 / (1 + exp(-log odds)), as a float64 array of the same shape.

    Parameters
    ----------
    log_odds : array_like
        Of any shape.
    limit : float, optional
        Log odds are clipped to -limit … limit, so that no probability is 0 or 1.
    """
    odds = np.asarray(log_odds, dtype=np.float64)
    if limit is not None:
        odds = np.clip(odds, -limit, limit)
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def fit_logistic(
    inputs: Floats,
    label: NDArray[np.bool_] | Floats,
    *,
    weights: Floats | None = None,
    ridge: float = 1.0,
    steps: int = 30,
    limit: float | None = None,
) -> Floats:
    """Return the k coefficients of a logistic regression with a ridge penalty, fitted by Newton's method.

    Iteratively reweighted least squares (Hastie, Tibshirani & Friedman 2009, 4.4.1), from zero, undamped.

    Parameters
    ----------
    inputs : float array, n × k
        Standardised; a column of ones gives a bias, which is penalised like the other coefficients.
    label : bool array, or float array of 0 to 1, n
        The target.
    weights : float array, n, optional
        Weight of each row; 1 by default.
    ridge : float
        Half of it times the sum of squared coefficients is added to the loss; must be above 0 where columns may be
        linearly dependent.
    steps : int
        Steps of Newton's method.
    limit : float, optional
        As for `probabilities`.
    """
    share = np.ones(len(inputs)) if weights is None else weights
    found = np.zeros(inputs.shape[1])
    for _ in range(steps):
        chance = probabilities(inputs @ found, limit=limit)
        gradient = inputs.T @ (share * (label - chance)) - ridge * found
        curvature = (inputs * (share * chance * (1.0 - chance))[:, None]).T @ inputs + ridge * np.eye(found.size)
        found = found + np.linalg.solve(curvature, gradient)
    return found


def places_among(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each value among the known ones, which must ascend; -1 where it is none of them.

    Faster than `numpy.isin` where few are known.
    """
    if not known.size:
        return np.full(values.size, -1, dtype=np.intp)
    place = np.minimum(np.searchsorted(known, values), known.size - 1)
    return np.where(known[place] == values, place, -1)


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Return the indices of a longest strictly increasing subsequence, in order.

    Patience sorting, O(n log n) (Fredman 1975, On computing the length of longest increasing subsequences).

    Parameters
    ----------
    values : sequence of int
        Integers, such as positions in one text of words that are matched in the order of another text.
    """
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(values)
    for index, value in enumerate(values):
        length = bisect_left(tails, value)
        before[index] = ends[length - 1] if length else -1
        tails[length : length + 1] = [value]
        ends[length : length + 1] = [index]
    chain = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]


def sums_before(values: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the sum of the values before each, and of all, in four bytes each: n + 1."""
    sums = np.zeros(values.size + 1, dtype=np.int32)
    values.cumsum(dtype=np.int32, out=sums[1:])
    return sums
