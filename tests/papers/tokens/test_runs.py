"""Constrained runs: against trying every run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.models.decoding import best_run
from blockfeat.papers.tokens.model import best_run_of_length, truncate_run

SCORES = st.lists(st.integers(-12, 12).map(lambda number: number / 4), max_size=12)


def brute_force(scores: list[float], least: int) -> tuple[int, int]:
    best, where = 0.0, (0, 0)
    for end in range(1, len(scores) + 1):
        for start in range(end - least, -1, -1):
            if sum(scores[start:end]) > best:
                best, where = sum(scores[start:end]), (start, end)
    return where


@given(SCORES, st.integers(1, 5))
def test_the_best_run_of_some_length_equals_brute_force(scores: list[float], least: int) -> None:
    assert best_run_of_length(np.array(scores), least) == brute_force(scores, least)


@given(SCORES)
def test_of_any_length_it_is_the_best_run(scores: list[float]) -> None:
    assert best_run_of_length(np.array(scores), 1) == best_run(np.array(scores))


def test_a_run_that_must_be_long_takes_in_what_costs() -> None:
    scores = np.array([5.0, -1.0, 1.0, -9.0])
    assert best_run_of_length(scores, 1) == (0, 1)
    assert best_run_of_length(scores, 2) == (0, 3)
    assert best_run_of_length(scores, 4) == (0, 0)


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
