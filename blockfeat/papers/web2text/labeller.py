"""The two networks and Viterbi: from the features of a page's text leaves to their labels (Vogels et al. 2018, 3.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.models.viterbi import best_labels
from blockfeat.papers.web2text.catalogue import BLOCK_FEATURES, EDGE_FEATURES
from blockfeat.papers.web2text.features import PageFeatures
from blockfeat.papers.web2text.network import KERNELS, Layer, Network, log_softmax

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LeafPrediction:
    """Scores and labels of the n leaves of a page.

    Attributes
    ----------
    log_odds : float array, n
        Logarithm of the odds that each is content, by the unary network.
    kept : bool array, n
        Labels of the most likely sequence.
    """

    log_odds: Floats
    kept: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LeafLabeller:
    """Labels the text leaves of pages.

    Attributes
    ----------
    unary : Network
        128 features of a leaf to two answers: the rest, content.
    pairwise : Network
        25 features of a leaf and the next to four answers: labels 00, 01, 10, 11.
    interpolation : float
        λ, the weight of the pairs against the leaves.
    """

    unary: Network
    pairwise: Network
    interpolation: float = 1.0

    def __post_init__(self) -> None:
        """Check that the networks take the features that there are."""
        for network, features, answers in ((self.unary, BLOCK_FEATURES, 2), (self.pairwise, EDGE_FEATURES, 4)):
            if network.mean.size != len(features) or network.layers[-1].bias.size != answers:
                raise ModelError(f"a network of Web2Text does not take {len(features)} features to {answers} answers")

    def predict(self, features: PageFeatures, *, shift: float = 0.0) -> LeafPrediction:
        """Label the leaves of a page by their features.

        Parameters
        ----------
        features : PageFeatures
            Of n leaves.
        shift : float
            Added to the log odds of content: above 0 for recall, below for precision.
        """
        n = features.blocks.shape[0]
        if n == 0:
            return LeafPrediction(np.zeros(0), np.zeros(0, dtype=np.bool_))
        unary = log_softmax(self.unary.logits(features.blocks))
        unary[:, 1] += shift
        pairwise = log_softmax(self.pairwise.logits(features.edges)) if n > 1 else np.zeros((0, 4))
        kept = best_labels(unary, pairwise, interpolation=self.interpolation)
        return LeafPrediction(unary[:, 1] - unary[:, 0], kept)

    def to_arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the arrays of both networks by the names that they have in a file."""
        arrays: dict[str, NDArray[np.float32]] = {}
        for name, network in (("unary", self.unary), ("pairwise", self.pairwise)):
            arrays |= {f"{name}_mean": network.mean, f"{name}_scale": network.scale}
            for number, layer in enumerate(network.layers):
                arrays |= {f"{name}_weights_{number}": layer.weights, f"{name}_bias_{number}": layer.bias}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], interpolation: float) -> LeafLabeller:
        """Make one of the arrays of a file.

        Raises
        ------
        ModelError
            The arrays do not fit each other.
        KeyError
            One is missing.
        """
        return cls(_network("unary", arrays), _network("pairwise", arrays), interpolation)


def _network(name: str, arrays: Mapping[str, NDArray[Any]]) -> Network:
    """Return the network that a file holds."""

    def array(key: str) -> NDArray[np.float32]:
        return np.ascontiguousarray(arrays[f"{name}_{key}"], dtype=np.float32)

    layers = tuple(Layer(array(f"weights_{number}"), array(f"bias_{number}")) for number in range(len(KERNELS)))
    return Network(array("mean"), array("scale"), layers)
