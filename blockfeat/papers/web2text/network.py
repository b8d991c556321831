"""A stack of one-dimensional convolutions, run in numpy (Vogels et al. 2018, 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import matmul
from blockfeat.errors import ModelError

Floats = NDArray[np.float32]

FILTERS = (50, 50, 50, 10)
"""Filters of the first four layers; the last has one for each answer."""
KERNELS = (1, 1, 3, 3, 3)
"""Kernel sizes; with `FILTERS` they give the numbers of weights in section 4.3.1 (17,960 and 12,870)."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A convolution: weights, float array of kernel × inputs × outputs, and a bias for each output."""

    weights: Floats
    bias: Floats

    def __post_init__(self) -> None:
        """Check the shapes."""
        if self.weights.ndim != 3 or self.weights.shape[0] % 2 == 0 or self.bias.shape != self.weights.shape[2:]:
            raise ModelError(f"weights {self.weights.shape} and bias {self.bias.shape} are no convolution")

    def __call__(self, sequence: Floats) -> Floats:
        """Return n × outputs for n × inputs; zeros stand before and behind the sequence."""
        reach = self.weights.shape[0] // 2
        result: Floats = matmul(sequence, self.weights[reach], is_padded=True) + self.bias
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

    mean: Floats
    scale: Floats
    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        """Check that the layers fit each other."""
        sizes = [self.mean.size, *(layer.weights.shape[2] for layer in self.layers)]
        if self.mean.shape != self.scale.shape or [layer.weights.shape[1] for layer in self.layers] != sizes[:-1]:
            raise ModelError("the layers of the network do not fit each other")

    def standardise(self, features: Floats) -> Floats:
        """Return features with zero mean and unit variance on the training pages; 0, the mean, for NaN."""
        values = (features - self.mean) / self.scale
        values[np.isnan(values)] = 0.0
        return values

    def logits(self, features: Floats) -> Floats:
        """Return what the last layer says of each place of a sequence: n × answers."""
        sequence = self.standardise(features)
        for layer in self.layers[:-1]:
            sequence = layer(sequence)
            np.maximum(sequence, 0, out=sequence)
        return self.layers[-1](sequence)


def log_softmax(logits: Floats) -> NDArray[np.float64]:
    """Return the logarithms of the probabilities of each row."""
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True, initial=-np.inf)
    logarithms: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logarithms
