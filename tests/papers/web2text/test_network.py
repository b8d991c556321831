from pathlib import Path

import numpy as np
import pytest

from blockfeat.errors import ModelError
from blockfeat.papers.web2text.network import FILTERS, KERNELS, Layer, Network, log_softmax

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
    from blockfeat.papers.web2text.networks import to_torch

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
