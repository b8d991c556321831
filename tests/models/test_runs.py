"""Maximum subsequence: against trying every run."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.models.decoding import best_run, best_run_masks, best_runs

# Quarters add up without rounding, so that equal sums are equal.
SCORES = st.lists(st.integers(-20, 20).map(lambda number: number / 4), max_size=12)


def brute_force(scores: list[float]) -> tuple[int, int]:
    """The run with the highest sum above 0; of equal ones that with the earliest end, then the shortest."""
    best, where = 0.0, (0, 0)
    for end in range(1, len(scores) + 1):
        for start in range(end - 1, -1, -1):
            if sum(scores[start:end]) > best:
                best, where = sum(scores[start:end]), (start, end)
    return where


@given(SCORES)
def test_best_run_equals_brute_force(scores: list[float]) -> None:
    assert best_run(np.array(scores)) == brute_force(scores)


@pytest.mark.parametrize(
    ("scores", "run"),
    [
        ([], (0, 0)),
        ([-1.0, -2.0], (0, 0)),
        ([0.0, 0.0], (0, 0)),
        ([0.0, 3.0, 0.0], (1, 2)),
        ([2.0, -1.0, 2.0], (0, 3)),
        ([2.0, -2.0, 2.0], (0, 1)),
        ([1.0, -5.0, 4.0, -1.0, 3.0, -9.0], (2, 5)),
    ],
)
def test_best_run(scores: list[float], run: tuple[int, int]) -> None:
    assert best_run(np.array(scores)) == run


@given(SCORES, st.integers(1, 4))
def test_runs_are_disjoint_and_each_the_best_of_what_is_left(scores: list[float], k: int) -> None:
    runs = best_runs(np.array(scores), k)
    assert len(runs) <= k
    assert runs == sorted(runs)
    assert all(before[1] <= after[0] for before, after in pairwise(runs))
    sums = sorted((sum(scores[start:end]) for start, end in runs), reverse=True)
    assert all(value > 0 for value in sums)
    left = list(scores)
    for value in sums:
        start, end = brute_force(left)
        assert sum(left[start:end]) == value
        left[start:end] = [-1e6] * (end - start)
    if len(runs) < k:
        assert brute_force(left) == (0, 0)


def test_runs_behind_the_first_are_found_too() -> None:
    scores = np.array([5.0, -1.0, -1.0, 0.25, 0.5, -1.0, 2.0])
    assert best_runs(scores, 1) == [(0, 1)]
    assert best_runs(scores, 2) == [(0, 1), (6, 7)]
    assert best_runs(scores, 3) == [(0, 1), (3, 5), (6, 7)]
    assert best_runs(scores, 9) == [(0, 1), (3, 5), (6, 7)]
    assert scores[0] == 5.0


@given(st.integers(0, 8), st.integers(0, 5), st.data())
def test_masks_equal_best_run_by_column(n: int, m: int, data: st.DataObject) -> None:
    quarters = st.integers(-20, 20).map(lambda number: number / 4)
    rows = data.draw(st.lists(st.lists(quarters, min_size=m, max_size=m), min_size=n, max_size=n))
    scores = np.array(rows, dtype=np.float64).reshape(n, m)
    masks = best_run_masks(scores)
    assert (masks.shape, masks.dtype.kind) == ((n, m), "b")
    for column in range(m):
        start, end = best_run(scores[:, column])
        assert np.flatnonzero(masks[:, column]).tolist() == list(range(start, end))
