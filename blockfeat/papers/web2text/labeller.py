"""The two networks, run in numpy, and Viterbi: from features of leaves to labels (Vogels et al. 2018, 3.4, 3.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.models.decoding import best_labels
from blockfeat.models.layers import matmul
from blockfeat.papers.web2text.catalogue import BLOCK_FEATURES, EDGE_FEATURES
from blockfeat.papers.web2text.features import PageFeatures

Activations = NDArray[np.float32]

FILTERS = (50, 50, 50, 10)
"""Filters of the first four layers; the last has one for each answer."""
KERNELS = (1, 1, 3, 3, 3)
"""Kernel sizes; with `FILTERS` they give the numbers of weights in section 4.3.1 (17,960 and 12,870)."""


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A convolution: weights, float array of kernel × inputs × outputs, and a bias for each output."""

    weights: Activations
    bias: Activations

    def __post_init__(self) -> None:
        """Check the shapes."""
        if self.weights.ndim != 3 or self.weights.shape[0] % 2 == 0 or self.bias.shape != self.weights.shape[2:]:
            raise ModelError(f"weights {self.weights.shape} and bias {self.bias.shape} are no convolution")

    def __call__(self, sequence: Activations) -> Activations:
        """Return n × outputs for n × inputs; zeros stand before and behind the sequence."""
        reach = self.weights.shape[0] // 2
        result: Activations = matmul(sequence, self.weights[reach], is_padded=True) + self.bias
        for step in range(1, min(reach, sequence.shape[0] - 1) + 1):
            result[step:] += matmul(sequence[:-step], self.weights[reach - step], is_padded=True)
            result[:-step] += matmul(sequence[step:], self.weights[reach + step], is_padded=True)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Convolutions with rectified linear units between them.

    Attributes
    ----------
    mean, scale : float32 array, inputs
        Standardisation of the features: 0 and 1 for binary ones.
    layers : tuple of Layer
        The convolutions.
    """

    mean: Activations
    scale: Activations
    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        """Check that the layers fit each other."""
        sizes = [self.mean.size, *(layer.weights.shape[2] for layer in self.layers)]
        if self.mean.shape != self.scale.shape or [layer.weights.shape[1] for layer in self.layers] != sizes[:-1]:
            raise ModelError("the layers of the network do not fit each other")

    def standardise(self, features: Activations) -> Activations:
        """Return features with zero mean and unit variance on the training pages; 0, the mean, for NaN."""
        values = (features - self.mean) / self.scale
        values[np.isnan(values)] = 0.0
        return values

    def logits(self, features: Activations) -> Activations:
        """Return what the last layer says of each place of a sequence: n × answers."""
        sequence = self.standardise(features)
        for layer in self.layers[:-1]:
            sequence = layer(sequence)
            np.maximum(sequence, 0, out=sequence)
        return self.layers[-1](sequence)


def log_softmax(logits: Activations) -> NDArray[np.float64]:
    """Return the logarithms of the probabilities of each row."""
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True, initial=-np.inf)
    logarithms: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logarithms


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
