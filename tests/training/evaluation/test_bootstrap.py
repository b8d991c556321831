"""Bootstrap intervals: they hold their mean, narrow with more values, and repeat with a seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import InputError
from blockfeat.training.evaluation import confidence_interval, paired_difference

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(scores, st.integers(0, 3))
def test_intervals_stay_within_the_values(values: list[float], seed: int) -> None:
    found = confidence_interval(values, samples=200, seed=seed)
    assert found.mean == pytest.approx(np.mean(values))
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found == confidence_interval(values, samples=200, seed=seed)


def test_an_interval_is_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(1).normal(0.8, 0.2, 400)
    found = confidence_interval(values, samples=4000)
    half = 1.96 * values.std() / np.sqrt(values.size)
    assert found.low == pytest.approx(found.mean - half, abs=0.002)
    assert found.high == pytest.approx(found.mean + half, abs=0.002)


def test_a_higher_level_gives_a_wider_interval() -> None:
    values = np.linspace(0, 1, 50)
    narrow, wide = (confidence_interval(values, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_one_value_and_equal_values_have_no_width() -> None:
    assert confidence_interval([0.25]) == (0.25, 0.25, 0.25)
    assert confidence_interval([0.5] * 9) == (0.5, 0.5, 0.5)


def test_many_values_are_drawn_in_parts() -> None:
    values = np.random.default_rng(2).random(300_000)
    found = confidence_interval(values, samples=40)
    assert found.low < found.mean < found.high
    assert found.high - found.low < 0.01


def test_a_clear_difference_is_significant() -> None:
    noise = np.random.default_rng(3).normal(0, 0.05, (2, 100))
    better, worse = 0.9 + noise[0], 0.8 + noise[1]
    found = paired_difference(better, worse)
    assert found.low > 0
    assert found.mean == pytest.approx(0.1, abs=0.02)
    assert found.p == pytest.approx(1 / 1001)
    assert paired_difference(worse, better).mean == -found.mean


def test_no_difference_is_not_significant() -> None:
    values = np.random.default_rng(4).random(50)
    assert paired_difference(values, values) == (0.0, 0.0, 0.0, 1.0)
    assert paired_difference(values, values[::-1]).p > 0.5


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_differences_are_plausible(pairs: list[tuple[float, float]]) -> None:
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = paired_difference(a, b, samples=100)
    assert 0 < found.p <= 1
    assert found.low <= found.high
    assert found.mean == pytest.approx(np.mean(a) - np.mean(b))


@pytest.mark.parametrize(
    ("values", "options", "reason"),
    [
        ([], {}, "at least one value"),
        ([[1.0]], {}, "one row"),
        ([1.0, float("nan")], {}, "NaN"),
        ([1.0], {"level": 1.0}, "level"),
        ([1.0], {"samples": 0}, "sample"),
    ],
)
def test_what_cannot_be_used_is_told(values: list[float], options: dict[str, float], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        confidence_interval(values, **options)  # type: ignore[arg-type]


def test_pairs_must_match() -> None:
    with pytest.raises(InputError, match="2 values against 1"):
        paired_difference([1.0, 0.5], [1.0])
