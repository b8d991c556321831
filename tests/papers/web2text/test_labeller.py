from dataclasses import replace

import numpy as np
import pytest

from blockfeat.errors import ModelError
from blockfeat.papers.web2text.features import page_features
from blockfeat.papers.web2text.labeller import LeafLabeller
from leaves_of import labeller_of_long_leaves, leaves_of, network
from pages import article_page


def random_labeller():
    return LeafLabeller(network(128, 2, seed=1), network(25, 4, seed=2), 0.3)


def test_leaves_are_labelled():
    leaves = leaves_of(article_page())
    found = labeller_of_long_leaves().predict(page_features(leaves))
    assert found.kept.tolist() == [len(text.split()) > 8 for text in leaves.blocks.texts()]
    assert ((found.log_odds > 0) == found.kept).all()


def test_a_page_without_leaves():
    found = random_labeller().predict(page_features(leaves_of("<p></p>")))
    assert found.kept.shape == found.log_odds.shape == (0,)


def test_a_page_of_one_leaf():
    found = random_labeller().predict(page_features(leaves_of("<p>alone</p>")))
    assert found.kept.tolist() == (found.log_odds > 0).tolist()


def test_a_shift_moves_the_odds():
    features = page_features(leaves_of(article_page()))
    labeller = replace(random_labeller(), interpolation=0.0)
    plain, shifted = labeller.predict(features), labeller.predict(features, shift=2.0)
    np.testing.assert_allclose(shifted.log_odds, plain.log_odds + 2)
    assert shifted.kept.sum() >= plain.kept.sum()
    assert shifted.kept.tolist() == (plain.log_odds + 2 > 0).tolist()


def test_pairs_can_overrule_a_leaf():
    labeller = labeller_of_long_leaves()
    # Every change of label is all but impossible.
    labeller.pairwise.layers[-1].bias[:] = (50, -50, -50, 50)
    features = page_features(leaves_of(article_page()))
    assert len(set(replace(labeller, interpolation=1.0).predict(features).kept.tolist())) == 1
    assert len(set(replace(labeller, interpolation=0.0).predict(features).kept.tolist())) == 2


def test_arrays_give_the_same_labeller():
    labeller = random_labeller()
    again = LeafLabeller.from_arrays(labeller.to_arrays(), 0.3)
    features = page_features(leaves_of(article_page()))
    np.testing.assert_array_equal(again.predict(features).log_odds, labeller.predict(features).log_odds)
    arrays = labeller.to_arrays()
    del arrays["unary_bias_2"]
    with pytest.raises(KeyError):
        LeafLabeller.from_arrays(arrays, 1.0)


def test_networks_of_other_sizes_are_refused():
    with pytest.raises(ModelError, match="128 features"):
        LeafLabeller(network(127, 2), network(25, 4))
    with pytest.raises(ModelError, match="25 features"):
        LeafLabeller(network(128, 2), network(25, 2))
