"""Cut a page given as markup into its text leaves: for tests of Web2Text."""

from functools import cache
from typing import Any

import numpy as np

from blockfeat.features.measuring import FeatureExtractor, PageFeatures
from blockfeat.lang.identify import Identifier
from blockfeat.lang.stopwords import StopWordIndex
from blockfeat.page.page import Page
from blockfeat.papers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES
from blockfeat.papers.web2text.leaves import leaf_measurer as measurer_of_leaves
from blockfeat.papers.web2text.model import FILTERS, KERNELS, Layer, LeafLabeller, Network

LOG_WORDS = next(place for place, feature in enumerate(BLOCK_FEATURES) if feature.name == "log_words")


@cache
def leaf_measurer() -> FeatureExtractor:
    """Return a measurer with few stop lists."""
    return measurer_of_leaves(Identifier.build(StopWordIndex.build(("de", "en"))))


def leaves_of(html: str, lang: str | None = "en") -> PageFeatures:
    """Return the text leaves of a page."""
    return leaf_measurer().measure(Page.parse(html), lang=lang)


def network(inputs: int, answers: int, seed: int | None = None) -> Network:
    """Return a network of the right size: with random weights, or with zeros."""
    generator = np.random.default_rng(seed)
    sizes = [inputs, *FILTERS, answers]
    shapes = list(zip(KERNELS, sizes[:-1], sizes[1:], strict=True))
    weights = [np.zeros(shape) if seed is None else generator.normal(0, 0.3, shape) for shape in shapes]
    layers = tuple(Layer(found.astype(np.float32), np.zeros(found.shape[2], np.float32)) for found in weights)
    return Network(np.zeros(inputs, np.float32), np.ones(inputs, np.float32), layers)


def labeller_of_long_leaves() -> LeafLabeller:
    """Return a labeller that takes leaves of nine words and more for content: one weight a layer is not 0."""
    unary, pairwise = network(len(BLOCK_FEATURES), 2), network(len(EDGE_FEATURES), 4)
    unary.layers[0].weights[0, LOG_WORDS, 0] = 1
    unary.layers[0].bias[0] = -2
    for layer in unary.layers[1:]:
        layer.weights[layer.weights.shape[0] // 2, 0, 0] = 1
    unary.layers[-1].weights[1, 0, :2] = (-20, 20)
    unary.layers[-1].bias[0] = 4
    return LeafLabeller(unary, pairwise)


def to_torch(network: Network) -> Any:
    """Return the layers of a network as PyTorch has them, for comparison; inputs are standardised features."""
    import torch

    from blockfeat.papers.web2text.networks import stack

    sizes = [network.mean.size, *(layer.bias.size for layer in network.layers)]
    net = stack(sizes, [layer.weights.shape[0] for layer in network.layers], 0.0)
    convolutions = [module for module in net if hasattr(module, "weight")]
    with torch.no_grad():
        for module, layer in zip(convolutions, network.layers, strict=True):
            module.weight.copy_(torch.from_numpy(layer.weights.transpose(2, 1, 0).copy()))
            module.bias.copy_(torch.from_numpy(layer.bias))
    return net.eval()
