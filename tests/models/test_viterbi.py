from itertools import pairwise as pairwise_of
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from blockfeat.errors import ModelError
from blockfeat.models.decoding import best_labels

LOGARITHMS = st.floats(-10, 0)


@st.composite
def chains(draw):
    n = draw(st.integers(1, 7))
    return draw(arrays(np.float64, (n, 2), elements=LOGARITHMS)), draw(
        arrays(np.float64, (n - 1, 4), elements=LOGARITHMS)
    )


def total(labels, unary, pairwise, weight):
    own = sum(unary[place, int(label)] for place, label in enumerate(labels))
    pairs = pairwise_of(labels)
    return own + weight * sum(pairwise[place, 2 * int(one) + int(two)] for place, (one, two) in enumerate(pairs))


@given(chains(), st.floats(0, 3))
def test_no_labelling_has_a_higher_sum(chain, weight):
    unary, pairwise = chain
    found = best_labels(unary, pairwise, interpolation=weight)
    best = max(total(labels, unary, pairwise, weight) for labels in product((0, 1), repeat=len(unary)))
    assert total(found.tolist(), unary, pairwise, weight) == pytest.approx(best, abs=1e-9)


@given(chains())
def test_without_pairs_each_block_decides_for_itself(chain):
    unary, pairwise = chain
    assert best_labels(unary, pairwise, interpolation=0).tolist() == (unary[:, 1] > unary[:, 0]).tolist()


def test_pairs_that_forbid_changes_make_one_label_of_all():
    unary = np.log([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6]])
    stay = np.log(np.tile([0.4999, 0.0001, 0.0001, 0.4999], (2, 1)))
    assert best_labels(unary, stay).tolist() == [False] * 3
    assert best_labels(unary, stay, interpolation=0.01).tolist() == [False, True, True]


def test_direction_of_a_pair_matters():
    # The first is never content with the second not; all else is as likely.
    unary = np.log([[0.3, 0.7], [0.6, 0.4]])
    pairs = np.log([[0.33, 0.33, 0.01, 0.33]])
    assert best_labels(unary, pairs).tolist() == [True, True]
    pairs = np.log([[0.33, 0.01, 0.33, 0.33]])
    assert best_labels(unary, pairs).tolist() == [True, False]


def test_chains_of_none_and_one():
    assert best_labels(np.zeros((0, 2)), np.zeros((0, 4))).shape == (0,)
    assert best_labels(np.log([[0.2, 0.8]]), np.zeros((0, 4))).tolist() == [True]


@pytest.mark.parametrize(("blocks", "pairs"), [((3, 2), (3, 4)), ((3, 3), (2, 4)), ((2, 2), (1, 2))])
def test_shapes_that_do_not_fit_are_refused(blocks, pairs):
    with pytest.raises(ModelError, match="chain"):
        best_labels(np.zeros(blocks), np.zeros(pairs))
