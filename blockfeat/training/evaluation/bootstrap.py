"""How far a mean over pages can be trusted: bootstrap intervals and comparisons."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blockfeat.errors import InputError

_CELLS = 4_000_000  # values drawn at once, so that memory stays at some 64 MB


class Interval(NamedTuple):
    """A mean with the bounds of its confidence interval."""

    mean: float
    low: float
    high: float


class Difference(NamedTuple):
    """A mean difference with the bounds of its confidence interval and its p value."""

    mean: float
    low: float
    high: float
    p: float


def confidence_interval(values: ArrayLike, *, level: float = 0.95, samples: int = 1000, seed: int = 0) -> Interval:
    """Return the mean of values with its percentile bootstrap interval (Efron 1979).

    Parameters
    ----------
    values : array-like of float, shape (n,)
        Such as the F1 of each page; at least one, none of them NaN.
    level : float
        Share of cases in which the interval should hold the true mean, between 0 and 1.
    samples : int
        Number of bootstrap samples.
    seed : int
        Equal seeds give equal intervals.

    Returns
    -------
    Interval
        Named tuple ``(mean, low, high)``. Of one value all three are that value.

    Raises
    ------
    InputError
        If there are no values, one is NaN or infinite, or an option is out of range.
    """
    data = _checked(values, "values")
    means = _bootstrap_means(data, level, samples, seed)
    return Interval(float(data.mean()), *_bounds(means, level))


def paired_difference(
    a: ArrayLike, b: ArrayLike, *, level: float = 0.95, samples: int = 1000, seed: int = 0
) -> Difference:
    """Return the mean of ``a - b`` over the same pages, with interval and two-sided p value.

    The p value is the share of bootstrap samples, moved so that their mean is 0, whose mean is as far from 0
    as the one observed (Efron & Tibshirani 1993, 16.4), with one added to both counts: never below
    1 / (samples + 1).

    Parameters
    ----------
    a, b : array-like of float, shape (n,)
        Scores of two extractors on the same pages in the same order.
    level, samples, seed
        As for `confidence_interval`.

    Returns
    -------
    Difference
        Named tuple ``(mean, low, high, p)``; p is 1.0 where the mean difference is 0.

    Raises
    ------
    InputError
        As `confidence_interval`, and if `a` and `b` differ in length.
    """
    first, second = _checked(a, "a"), _checked(b, "b")
    if first.size != second.size:
        raise InputError(f"cannot compare in pairs: {first.size} values against {second.size}")
    differences = first - second
    means = _bootstrap_means(differences, level, samples, seed)
    mean = float(differences.mean())
    # A tolerance, so that sums in another order do not count as smaller.
    as_far = int((np.abs(means - mean) >= abs(mean) - 1e-12).sum())
    return Difference(mean, *_bounds(means, level), (as_far + 1) / (samples + 1))


def _checked(values: ArrayLike, name: str) -> NDArray[np.float64]:
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 1 or data.size == 0:
        raise InputError(f"{name}: one row of at least one value is needed, not an array of {data.shape}")
    if not np.isfinite(data).all():
        raise InputError(f"{name}: there are NaN or infinite values")
    return data


def _bootstrap_means(data: NDArray[np.float64], level: float, samples: int, seed: int) -> NDArray[np.float64]:
    """Return the means of samples drawn with replacement, shape (samples,)."""
    if not 0 < level < 1:
        raise InputError(f"the level must lie between 0 and 1, not {level}")
    if samples < 1:
        raise InputError(f"at least one bootstrap sample is needed, not {samples}")
    generator = np.random.default_rng(seed)
    rows = max(1, _CELLS // data.size)
    means = np.empty(samples)
    for start in range(0, samples, rows):
        stop = min(start + rows, samples)
        drawn = generator.integers(0, data.size, size=(stop - start, data.size), dtype=np.int32)
        means[start:stop] = data[drawn].mean(axis=1)
    return means


def _bounds(means: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
