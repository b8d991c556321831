from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.models.model import best_blocks


def test_blocks_with_most_of_the_highest_probability_are_the_best() -> None:
    chance = np.array([0.3, 0.41, 0.39, 0.5])
    assert best_blocks(np.log(chance / (1 - chance))).tolist() == [False, True, False, True]


def test_probabilities_that_are_0_in_64_bits_still_differ() -> None:
    assert best_blocks(np.array([-1000.0, -900.0, -900.1])).tolist() == [False, True, True]


def test_no_blocks_have_no_best() -> None:
    assert best_blocks(np.zeros(0, dtype=np.float32)).tolist() == []


@given(st.lists(st.floats(-40, 40, width=32), min_size=1))
def test_the_highest_is_among_the_best_and_no_other_before_a_higher_one(odds: list[float]) -> None:
    found = best_blocks(np.array(odds, dtype=np.float32))
    assert found[np.argmax(odds)]
    least = min(one for one, best in zip(odds, found.tolist(), strict=True) if best)
    assert all(best for one, best in zip(odds, found.tolist(), strict=True) if one >= least)
