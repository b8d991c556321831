"""The passes between the matrix products: the same as array arithmetic, compiled or not."""

import numpy as np
import pytest

from blockfeat.features import block_kernel
from blockfeat.models import layers
from blockfeat.models.layers import matmul
from uncompiled import load_uncompiled

RANDOM = np.random.default_rng(3)
MODULES = ("compiled", "uncompiled")


def module(which: str) -> object:
    return layers if which == "compiled" else load_uncompiled("blockfeat.models.layers")


def rows_of(which: str, matrix: np.ndarray) -> object:
    return (block_kernel if which == "compiled" else load_uncompiled(block_kernel.__name__)).FeatureRows(matrix)


def some(*shape: int) -> np.ndarray:
    return RANDOM.normal(0, 2, shape).astype(np.float32)


def network(which: str, features: int, channels: int, *dilations: int) -> tuple[object, dict[str, np.ndarray]]:
    weights = {"mean": some(features), "scale": some(features), "inner": some(features, channels)}
    weights |= {"inner_bias": some(channels), "page": some(channels, channels), "page_bias": some(channels)}
    for layer in range(len(dilations)):
        weights |= {f"convolution_{layer}": some(3 * channels, channels), f"convolution_{layer}_bias": some(channels)}
    weights |= {"outer": some(channels), "outer_bias": some(1)}
    return module(which).Network(weights, dilations, 1.5), weights  # type: ignore[attr-defined]


@pytest.mark.parametrize("which", MODULES)
@pytest.mark.parametrize("channels", [3, 16, 48])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("blocks", [0, 1, 5, 6, 7, 40])
def test_the_first_layer_has_channels_above_zero(which: str, order: str, blocks: int, channels: int) -> None:
    made, weights = network(which, 7, channels, 1)
    matrix, found = some(blocks, 7), some(blocks, channels)
    sums = made.alone(rows_of(which, np.asarray(matrix, order=order)), 0, found)  # type: ignore[attr-defined]
    inputs = np.clip((matrix - weights["mean"]) * weights["scale"], -1.5, 1.5)
    wanted = np.maximum(inputs.astype(np.float64) @ weights["inner"] + weights["inner_bias"], 0)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    np.testing.assert_allclose(sums, found.sum(axis=0), rtol=1e-5)


@pytest.mark.parametrize("which", MODULES)
@pytest.mark.parametrize("channels", [3, 16])
@pytest.mark.parametrize("blocks", [0, *range(1, 8), 35])
def test_logits_in_one_call_are_those_of_the_stages(which: str, channels: int, blocks: int) -> None:
    made, weights = network(which, 7, channels, 1, 2)
    matrix, states = some(blocks, 7), some(2, blocks, channels)
    rows = rows_of(which, matrix)
    whole = made.whole(made.alone(rows, 0, states[0]), blocks)  # type: ignore[attr-defined]
    wanted = made.convolve(states, whole) @ weights["outer"] + weights["outer_bias"]  # type: ignore[attr-defined]
    np.testing.assert_allclose(made.logits(rows), wanted, rtol=1e-4, atol=1e-4)  # type: ignore[attr-defined]


@pytest.mark.parametrize("which", MODULES)
@pytest.mark.parametrize("channels", [3, 16])
@pytest.mark.parametrize(("blocks", "dilation"), [(9, 1), (9, 4), (3, 4), (4, 4), (1, 2), (0, 1)])
def test_a_convolution_looks_at_both_neighbours(which: str, blocks: int, dilation: int, channels: int) -> None:
    made, weights = network(which, 2, channels, dilation)
    states, whole = some(2, blocks, channels), some(channels)
    hidden, around = states[0] + whole, weights["convolution_0"]
    moved = hidden @ around[channels : 2 * channels] + weights["convolution_0_bias"]
    moved[dilation:] += hidden[:-dilation] @ around[:channels]
    moved[:-dilation] += hidden[dilation:] @ around[2 * channels :]
    found = made.convolve(states, whole)  # type: ignore[attr-defined]
    np.testing.assert_allclose(found, hidden + np.maximum(moved, 0), atol=1e-4)


@pytest.mark.parametrize("which", MODULES)
def test_soft_thresholds_and_margins_are_array_arithmetic(which: str) -> None:
    matrix, thresholds, factors, weights = (some(*shape).astype(np.float64) for shape in ((6, 4), (4,), (4,), (4,)))
    found = module(which).soft_scores(matrix, thresholds, np.abs(factors), weights, 0.25)  # type: ignore[attr-defined]
    soft = np.clip((matrix - thresholds) / np.abs(factors), -1, 1) * weights
    np.testing.assert_allclose(found, soft.sum(axis=1) + 0.25)
    smallest = module(which).smallest_margins(matrix, thresholds, factors)  # type: ignore[attr-defined]
    np.testing.assert_allclose(smallest, ((matrix - thresholds) * factors).min(axis=1))
    nothing = module(which).smallest_margins(matrix[:, :0], thresholds[:0], factors[:0])  # type: ignore[attr-defined]
    assert nothing.tolist() == [np.inf] * 6


@pytest.mark.parametrize("is_padded", [False, True])
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 200])
def test_stretches_give_the_whole_product(count: int, is_padded: bool) -> None:
    numbers = np.random.default_rng(count)
    rows = numbers.normal(size=(count, 7)).astype(np.float32)
    weights = numbers.normal(size=(7, 3)).astype(np.float32)
    found = matmul(rows, weights, is_padded=is_padded)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, rows.astype(np.float64) @ weights.astype(np.float64), atol=1e-5)
