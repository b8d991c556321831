"""Constrained runs: against trying every run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.models.decoding import best_run
from blockfeat.papers.tokens.runs import best_run_within, truncate_run

SCORES = st.lists(st.integers(-12, 12).map(lambda number: number / 4), max_size=12)


def brute_force(scores: list[float], least: int, boundaries: set[int]) -> tuple[int, int]:
    best, where = 0.0, (0, 0)
    for end in range(1, len(scores) + 1):
        for start in range(end - least, -1, -1):
            crosses = any(start < boundary < end for boundary in boundaries)
            if not crosses and sum(scores[start:end]) > best:
                best, where = sum(scores[start:end]), (start, end)
    return where


@given(SCORES, st.integers(1, 5), st.sets(st.integers(-1, 13), max_size=4))
def test_the_best_run_under_constraints_equals_brute_force(
    scores: list[float], least: int, boundaries: set[int]
) -> None:
    found = best_run_within(np.array(scores), least=least, boundaries=sorted(boundaries))
    assert found == brute_force(scores, least, boundaries)


@given(SCORES)
def test_without_constraints_it_is_the_best_run(scores: list[float]) -> None:
    assert best_run_within(np.array(scores)) == best_run(np.array(scores))


def test_a_run_that_must_be_long_takes_in_what_costs() -> None:
    scores = np.array([5.0, -1.0, 1.0, -9.0])
    assert best_run_within(scores) == (0, 1)
    assert best_run_within(scores, least=2) == (0, 3)
    assert best_run_within(scores, least=4) == (0, 0)


def test_a_run_does_not_cross_a_boundary() -> None:
    scores = np.array([3.0, 2.0, 4.0, 4.0])
    assert best_run_within(scores, boundaries=[2]) == (2, 4)
    assert best_run_within(scores, boundaries=[1, 2, 3]) == (2, 3)


@pytest.mark.parametrize(
    ("run", "stops", "expected"),
    [
        ((2, 9), [], (2, 9)),
        ((2, 9), [0, 1], (2, 9)),
        ((2, 9), [1, 5, 7], (2, 5)),
        ((2, 9), [9, 12], (2, 9)),
        ((2, 9), [2], (2, 2)),
        ((0, 0), [0, 1], (0, 0)),
    ],
)
def test_a_run_ends_before_the_first_stop_inside_it(
    run: tuple[int, int], stops: list[int], expected: tuple[int, int]
) -> None:
    assert truncate_run(run, np.array(stops, dtype=np.int64)) == expected
