"""Cut a page given as markup into its text leaves: for tests of Web2Text."""

from __future__ import annotations

from functools import cache

import numpy as np

from blockfeat.features.measuring import MeasuredPage, Measurer
from blockfeat.lang.identify import Identifier
from blockfeat.lang.index import StopWordIndex
from blockfeat.page.page import Page
from blockfeat.papers.web2text.catalogue import BLOCK_FEATURES, EDGE_FEATURES
from blockfeat.papers.web2text.labeller import FILTERS, KERNELS, Layer, LeafLabeller, Network
from blockfeat.papers.web2text.leaves import leaf_measurer as measurer_of_leaves

LOG_WORDS = next(place for place, feature in enumerate(BLOCK_FEATURES) if feature.name == "log_words")


@cache
def leaf_measurer() -> Measurer:
    """Return a measurer with few stop lists."""
    return measurer_of_leaves(Identifier.build(StopWordIndex.build(("de", "en"))))


def leaves_of(html: str, lang: str | None = "en") -> MeasuredPage:
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
