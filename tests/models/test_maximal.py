"""Maximal runs: against the definition, by recursion over brute force."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.models.decoding import maximal_runs, top_runs

# Quarters add up without rounding, so that equal sums are equal.
SCORES = st.lists(st.integers(-12, 12).map(lambda number: number / 4), max_size=14)


def by_definition(scores: list[float], offset: int = 0) -> list[tuple[int, int, float]]:
    """The best run, then the best ones of what lies before it and behind it."""
    best, where = 0.0, (0, 0)
    for end in range(1, len(scores) + 1):
        for start in range(end - 1, -1, -1):
            if sum(scores[start:end]) > best:
                best, where = sum(scores[start:end]), (start, end)
    if where == (0, 0):
        return []
    start, end = where
    before, behind = by_definition(scores[:start], offset), by_definition(scores[end:], offset + end)
    return [*before, (offset + start, offset + end, best), *behind]


@given(SCORES)
def test_maximal_runs_equal_their_definition(scores: list[float]) -> None:
    first, end, sums = maximal_runs(np.array(scores))
    assert list(zip(first.tolist(), end.tolist(), sums.tolist(), strict=True)) == by_definition(scores)


@given(SCORES, st.integers(1, 5))
def test_top_runs_are_the_highest_sums(scores: list[float], k: int) -> None:
    found = by_definition(scores)
    expected = sorted(found, key=lambda run: (-run[2], run[0]))[:k]
    assert top_runs(np.array(scores), k) == [(start, end) for start, end, _ in expected]


def test_the_sequence_of_ruzzo_and_tompa() -> None:
    # Figure 1 of their paper: the maximal runs of this sequence.
    scores = np.array([4, -5, 3, -3, 1, 2, -2, 2, -2, 1, 5], dtype=np.float64)
    first, end, sums = maximal_runs(scores)
    assert list(zip(first.tolist(), end.tolist(), sums.tolist(), strict=True)) == [
        (0, 1, 4.0),
        (2, 3, 3.0),
        (4, 11, 7.0),
    ]


def test_a_million_scores_take_less_than_a_second() -> None:
    generator = np.random.default_rng(1)
    alternating = np.where(np.arange(1_000_000) % 2 == 0, 1.0, -1.1)
    rising = np.where(np.arange(1_000_000) % 2 == 0, 2.0, -1.0)
    for scores in (generator.normal(size=1_000_000), alternating, alternating[::-1].copy(), rising):
        begun = time.process_time()
        maximal_runs(scores)
        assert time.process_time() - begun < 2.0  # 0.3 to 0.6 s on two shared cores
