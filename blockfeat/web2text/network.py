"""A stack of one-dimensional convolutions, run in numpy (Vogels et al. 2018, 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError

__all__ = ["FILTERS", "KERNELS", "Layer", "Network", "log_softmax"]

Floats = NDArray[np.float32]

FILTERS = (50, 50, 50, 10)
"""Filters of the first four layers; the last has one for each answer."""
KERNELS = (1, 1, 3, 3, 3)
"""Kernel sizes; with `FILTERS` they give the numbers of weights in section 4.3.1 (17,960 and 12,870)."""

_ROWS = 32


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
        result: Floats = _product(sequence, self.weights[reach]) + self.bias
        for step in range(1, min(reach, sequence.shape[0] - 1) + 1):
            result[step:] += _product(sequence[:-step], self.weights[reach - step])
            result[:-step] += _product(sequence[step:], self.weights[reach + step])
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


def _product(rows: Floats, weights: Floats) -> Floats:
    """Return rows times weights, a few rows at a time: for more, BLAS starts threads that wait for each other."""
    count, inputs = rows.shape
    if count <= _ROWS:
        return rows @ weights
    stacked = np.zeros((-(-count // _ROWS), _ROWS, inputs), dtype=rows.dtype)
    stacked.reshape(-1, inputs)[:count] = rows
    product: Floats = (stacked @ weights).reshape(-1, weights.shape[1])[:count]
    return product


def log_softmax(logits: Floats) -> NDArray[np.float64]:
    """Return the logarithms of the probabilities of each row."""
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True, initial=-np.inf)
    logarithms: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logarithms
