"""The longest increasing subsequence: which matches of two texts stand in the same order in both."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

__all__ = ["longest_increasing"]


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Return the indices of a longest strictly increasing subsequence, in order.

    Patience sorting, O(n log n) (Fredman 1975, On computing the length of longest increasing subsequences).

    Parameters
    ----------
    values : sequence of int
        Places in the second text, in the order of the first.
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
