from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blockfeat.errors import ModelError
from blockfeat.papers.web2text.features import page_features
from blockfeat.papers.web2text.model import FILTERS, KERNELS, Layer, LeafLabeller, Network, log_softmax
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


FROZEN = Path(__file__).with_name("web2text_network.npz")


def frozen():
    """Return a small network with inputs, and what PyTorch 2.13 answered to them (Conv1d, padding "same")."""
    with np.load(FROZEN, allow_pickle=False) as file:
        layers = tuple(Layer(file[f"weights_{number}"], file[f"bias_{number}"]) for number in range(len(KERNELS)))
        return Network(file["mean"], file["scale"], layers), file["inputs"], file["outputs"]


def test_answers_equal_those_of_torch_of_long_ago():
    network, inputs, outputs = frozen()
    np.testing.assert_allclose(network.logits(inputs), outputs, atol=1e-5)


@pytest.mark.parametrize("length", [1, 2, 3, 9, 40])
def test_answers_equal_those_of_torch(length):
    torch = pytest.importorskip("torch")
    from leaves_of import to_torch

    network, inputs, _ = frozen()
    inputs = inputs[:length]
    standardised = torch.from_numpy(network.standardise(inputs).T.copy())[None]
    with torch.no_grad():
        wanted = to_torch(network)(standardised)[0].T.numpy()
    np.testing.assert_allclose(network.logits(inputs), wanted, atol=1e-5)


def test_sizes_are_those_of_the_paper():
    for inputs, answers, wanted in ((128, 2, 17_960), (25, 4, 12_870)):
        sizes = [inputs, *FILTERS, answers]
        assert (
            sum(kernel * one * two for kernel, one, two in zip(KERNELS, sizes[:-1], sizes[1:], strict=True)) == wanted
        )


def test_a_convolution_looks_at_its_neighbours():
    weights = np.array([[[1.0]], [[10.0]], [[100.0]]], dtype=np.float32)
    layer = Layer(weights, np.array([0.5], dtype=np.float32))
    found = layer(np.array([[1], [2], [3]], dtype=np.float32))
    assert found[:, 0].tolist() == [210.5, 321.5, 32.5]
    assert layer(np.array([[7]], dtype=np.float32)).tolist() == [[70.5]]


def test_missing_values_become_the_mean():
    network = Network(np.float32([1, 2]), np.float32([2, 4]), ())
    assert network.standardise(np.float32([[3, 2], [np.nan, 10]])).tolist() == [[1, 0], [0, 2]]


def test_logarithms_of_probabilities():
    found = log_softmax(np.array([[0, 0], [1000, -1000], [1, 2]], dtype=np.float32))
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1)
    assert np.exp(found[0]).tolist() == [0.5, 0.5]
    assert np.isfinite(found).all()
    assert log_softmax(np.zeros((0, 2), dtype=np.float32)).shape == (0, 2)


def test_layers_that_do_not_fit_are_refused():
    ones = np.ones
    with pytest.raises(ModelError, match="convolution"):
        Layer(ones((2, 3, 4), np.float32), ones(4, np.float32))
    with pytest.raises(ModelError, match="convolution"):
        Layer(ones((3, 3, 4), np.float32), ones(3, np.float32))
    layer = Layer(ones((1, 3, 4), np.float32), ones(4, np.float32))
    with pytest.raises(ModelError, match="fit"):
        Network(ones(2, np.float32), ones(2, np.float32), (layer,))
    with pytest.raises(ModelError, match="fit"):
        Network(ones(3, np.float32), ones(3, np.float32), (layer, layer))
