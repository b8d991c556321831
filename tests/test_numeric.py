from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat._numeric import fit_logistic, longest_increasing, probabilities

_RANDOM = np.random.default_rng(5)
_INPUTS = np.column_stack((_RANDOM.normal(size=(300, 2)), np.ones(300)))
_LABEL = _INPUTS @ [2.0, -1.0, 0.5] + _RANDOM.logistic(size=300) > 0


def test_chances_are_those_of_log_odds() -> None:
    odds = np.log(np.array([1, 3, 1 / 3], dtype=np.float32))
    assert (probabilities(odds).tolist(), probabilities(odds).dtype) == (pytest.approx([0.5, 0.75, 0.25]), np.float64)


def test_a_limit_keeps_chances_off_the_ends() -> None:
    assert probabilities([40.0])[0] == 1.0
    assert probabilities([-900.0, 900.0], limit=30.0).tolist() == probabilities([-30.0, 30.0]).tolist()
    assert 0 < probabilities(-900.0, limit=30.0) < probabilities(900.0, limit=30.0) < 1


@pytest.mark.parametrize("ridge", [1e-4, 1.0, 20.0])
def test_the_gradient_of_the_loss_is_zero_at_the_fit(ridge: float) -> None:
    weights = _RANDOM.uniform(0.1, 2.0, 300)
    found = fit_logistic(_INPUTS, _LABEL, weights=weights, ridge=ridge)
    gradient = _INPUTS.T @ (weights * (_LABEL - probabilities(_INPUTS @ found))) - ridge * found
    assert gradient == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    twice = np.repeat(np.arange(300), np.where(_LABEL, 2, 1))
    found = fit_logistic(_INPUTS, _LABEL, weights=np.where(_LABEL, 2.0, 1.0))
    assert (found, np.sign(found).tolist()) == (pytest.approx(fit_logistic(_INPUTS[twice], _LABEL[twice])), [1, -1, 1])


def _is_increasing(values: list[int]) -> bool:
    return all(first < second for first, second in pairwise(values))


@pytest.mark.parametrize(("values", "chain"), [([7, 0, 1, 9, 2], [1, 2, 4]), ([], []), ([3, 3, 3], [2])])
def test_the_one_longest_chain_is_found(values: list[int], chain: list[int]) -> None:
    assert longest_increasing(values) == chain


@given(st.lists(st.integers(0, 12), max_size=9))
def test_no_chain_is_longer(values: list[int]) -> None:
    found = longest_increasing(values)
    assert _is_increasing(found)
    assert _is_increasing([values[index] for index in found])
    assert not any(_is_increasing(list(chain)) for chain in combinations(values, len(found) + 1))
