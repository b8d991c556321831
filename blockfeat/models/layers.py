"""Block-wise kernels of models, each in one pass: layers of a network, sums of soft thresholds.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from collections.abc import Mapping

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.features.block_kernel import FeatureRows

Array = NDArray[np.float32]
Floats = NDArray[np.float64]

_INFINITY = cython.declare(cython.double, float("inf"))
# For more rows, a linear algebra library starts threads that cost more than they bring.
_ROWS = cython.declare(cython.Py_ssize_t, 30)

if not cython.compiled:

    def add_product(rows: Array, weights: Array, sums: Array) -> None:
        """Add the product of two matrices to a third; ``products.h`` does it where this module is compiled."""
        sums += rows @ weights

    def add_dot_products(rows: Array, weights: Array, sums: Array) -> None:
        """Add the product of a matrix and a vector to another vector."""
        sums += rows @ weights


def matmul(rows: Array, weights: Array, *, is_padded: bool = False) -> Array:
    """Return the product of two matrices: n × k times k × m gives n × m.

    Parameters
    ----------
    rows : float32 array, n × k
        One row for each block or leaf.
    weights : float32 array, k × m
        Weights of a layer.
    is_padded : bool
        Whether the last stretch is filled up with zeros where others stand before it. The sums are the same but for
        rounding: libraries add in another order for fewer rows.
    """
    count, width = rows.shape
    whole = count - count % _ROWS
    found = np.empty((count, weights.shape[1]), dtype=np.float32)
    if whole:
        stacked = found[:whole].reshape(-1, _ROWS, weights.shape[1])
        np.matmul(rows[:whole].reshape(-1, _ROWS, width), weights, out=stacked)
    if whole and whole < count and is_padded:
        last = np.zeros((_ROWS, width), dtype=np.float32)
        last[: count - whole] = rows[whole:]
        found[whole:] = (last @ weights)[: count - whole]
    elif whole < count:
        np.matmul(rows[whole:], weights, out=found[whole:])
    return found


class Network:
    """The layers of a sequence model (`blockfeat.models.sequence`) for pages of n blocks.

    Parameters
    ----------
    weights : mapping
        Float arrays by `blockfeat.models.sequence.WEIGHT_NAMES`: for k features and c channels.
    dilations : tuple of int
        Dilation of each convolution: the distance to its neighbours, in blocks.
    most : float
        Largest deviation of a feature from its mean, in either direction.
    """

    def __init__(self, weights: Mapping[str, Array], dilations: tuple[int, ...], most: float) -> None:
        """Arrange the weights."""
        self.arguments = weights, dilations, most
        layers = [f"convolution_{layer}" for layer in range(len(dilations))]
        self.mean, self.scale, self.most = weights["mean"], weights["scale"], most
        self.inner, self.inner_bias = weights["inner"], weights["inner_bias"]
        self.page, self.page_bias = weights["page"], weights["page_bias"]
        self.convolutions = np.stack([weights[name] for name in layers])
        self.biases = np.stack([weights[f"{name}_bias"] for name in layers])
        self.dilations = np.array(dilations, dtype=np.int32)
        self.outer, self.outer_bias = weights["outer"], float(weights["outer_bias"][0])

    def __reduce__(self) -> tuple[type[Network], tuple[Mapping[str, Array], tuple[int, ...], float]]:
        """Make it anew from the weights in another process."""
        return Network, self.arguments

    def logits(self, rows: FeatureRows) -> Array:
        """Return the logit of each block of a page, given its features: n × k to n."""
        count, width = rows.blocks, self.outer.shape[0]
        found = np.empty(count, dtype=np.float32)
        found.fill(self.outer_bias)
        states, page = np.empty((2, count, width), dtype=np.float32), np.zeros((2, width), dtype=np.float32)
        room = np.empty((_ROWS, rows.width), dtype=np.float32)
        self._write_logits(rows, room, states, page, found)
        return found

    def alone(self, rows: FeatureRows, first: int, channels: Array) -> Array:
        """Write the channels of blocks alone, as many as there is room for from a first one on; return their sums."""
        room, sums = np.empty((_ROWS, rows.width), dtype=np.float32), np.zeros(channels.shape[1], dtype=np.float32)
        self._write_alone(rows, first, room, channels, sums)
        return sums

    def whole(self, sums: Array, count: int) -> Array:
        """Return what the mean over the page, given the sum of its blocks' channels, adds to each block: c."""
        found = np.empty((1, sums.size), dtype=np.float32)
        self._write_whole(sums[None].copy(), found, count)
        return np.asarray(found[0])

    def convolve(self, states: Array, whole: Array) -> Array:
        """Add what the page adds to the first state, and write the channels behind each convolution to the next.

        Of fewer states than layers the first follows the last. Returns the last that was written.

        Parameters
        ----------
        states : float32 array, states × n × c
            The first holds the channels of the blocks alone.
        whole : float32 array, c
            What the page adds.
        """
        self._convolve(states, whole)
        return np.asarray(states[len(self.biases) % len(states)])

    def _write_logits(
        self,
        rows: FeatureRows,
        inputs: cython.float[:, ::1],
        states: cython.float[:, :, ::1],
        page: cython.float[:, ::1],
        logits: cython.float[::1],
    ) -> cython.void:
        """Add the logits; rows of ``page`` are room for the sums of channels and what the page adds."""
        last: cython.Py_ssize_t
        with cython.nogil:
            self._write_alone(rows, 0, inputs, states[0], page[0])
            self._write_whole(page[:1], page[1:], rows.blocks)
            last = self._convolve(states, page[1])
            add_dot_products(states[last], self.outer, logits)

    def _write_alone(
        self,
        rows: FeatureRows,
        first: cython.Py_ssize_t,
        inputs: cython.float[:, ::1],
        channels: cython.float[:, ::1],
        sums: cython.float[::1],
    ) -> cython.void:
        """Write what the first layer makes of features as deviations from their means, some blocks at a time."""
        difference: cython.float
        done: cython.Py_ssize_t = 0
        count: cython.Py_ssize_t
        block: cython.Py_ssize_t
        place: cython.Py_ssize_t
        while done < channels.shape[0]:
            count = min(channels.shape[0] - done, _ROWS)
            rows.write(first + done, inputs[:count])
            for block in range(count):
                for place in range(inputs.shape[1]):
                    difference = (inputs[block, place] - self.mean[place]) * self.scale[place]
                    inputs[block, place] = min(max(difference, -self.most), self.most)
                for place in range(sums.shape[0]):
                    channels[done + block, place] = self.inner_bias[place]
            add_product(inputs[:count], self.inner, channels[done : done + count])
            for block in range(done, done + count):
                for place in range(sums.shape[0]):
                    channels[block, place] = channels[block, place] if channels[block, place] > 0 else 0
                    sums[place] += channels[block, place]
            done += count

    def _write_whole(
        self, sums: cython.float[:, ::1], found: cython.float[:, ::1], count: cython.Py_ssize_t
    ) -> cython.void:
        """Do what `whole` does; the sums become means."""
        place: cython.Py_ssize_t
        for place in range(sums.shape[1]):
            sums[0, place] /= max(count, 1)
            found[0, place] = self.page_bias[place]
        add_product(sums, self.page, found)
        for place in range(sums.shape[1]):
            found[0, place] = found[0, place] if found[0, place] > 0 else 0

    def _convolve(self, states: cython.float[:, :, ::1], whole: cython.const[cython.float][::1]) -> cython.Py_ssize_t:
        """Do what `convolve` does: the channels of each block plus those of a convolution, where they are above 0."""
        count: cython.Py_ssize_t = states.shape[1]
        width: cython.Py_ssize_t = states.shape[2]
        before: cython.float[:, ::1] = states[0]
        after: cython.float[:, ::1]
        weights: cython.const[cython.float][:, ::1]
        away: cython.Py_ssize_t
        layer: cython.Py_ssize_t
        block: cython.Py_ssize_t
        place: cython.Py_ssize_t
        for block in range(count):
            for place in range(width):
                before[block, place] += whole[place]
        for layer in range(self.dilations.shape[0]):
            after = states[(layer + 1) % states.shape[0]]
            weights = self.convolutions[layer]
            away = self.dilations[layer]
            for block in range(count):
                for place in range(width):
                    after[block, place] = self.biases[layer, place]
            add_product(before, weights[width : 2 * width], after)
            if count > away:
                add_product(before[: count - away], weights[:width], after[away:])
                add_product(before[away:], weights[2 * width :], after[: count - away])
            for block in range(count):
                for place in range(width):
                    after[block, place] = before[block, place] + (after[block, place] if after[block, place] > 0 else 0)
            before = after
        return self.dilations.shape[0] % states.shape[0]


def soft_scores(matrix: Floats, thresholds: Floats, softnesses: Floats, weights: Floats, bias: float) -> Floats:
    """Return a bias and the sum of weight · clip((value - threshold) / softness, -1, 1) for each block: n × k to n."""
    found = np.empty(matrix.shape[0], dtype=np.float64)
    value: cython.const[cython.double][:, :] = matrix
    middle: cython.const[cython.double][::1] = thresholds
    width: cython.const[cython.double][::1] = softnesses
    weight: cython.const[cython.double][::1] = weights
    score: cython.double[::1] = found
    added: cython.double = bias
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    sum_: cython.double
    with cython.nogil:
        for block in range(value.shape[0]):
            sum_ = 0.0
            for place in range(value.shape[1]):
                sum_ += min(max((value[block, place] - middle[place]) / width[place], -1.0), 1.0) * weight[place]
            score[block] = sum_ + added
    return found


def smallest_margins(matrix: Floats, thresholds: Floats, factors: Floats) -> Floats:
    """Return the smallest (value - threshold) · factor of each block: n × k to n; infinity where k is 0."""
    found = np.empty(matrix.shape[0], dtype=np.float64)
    value: cython.const[cython.double][:, :] = matrix
    middle: cython.const[cython.double][::1] = thresholds
    factor: cython.const[cython.double][::1] = factors
    smallest: cython.double[::1] = found
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    least: cython.double
    with cython.nogil:
        for block in range(value.shape[0]):
            least = _INFINITY
            for place in range(value.shape[1]):
                least = min(least, (value[block, place] - middle[place]) * factor[place])
            smallest[block] = least
    return found
