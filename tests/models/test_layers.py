"""The passes between the matrix products: the same as array arithmetic, compiled or not."""

import numpy as np
import pytest

from blockfeat.models import layers
from blockfeat.models.layers import matmul
from uncompiled import load_uncompiled

RANDOM = np.random.default_rng(3)
MODULES = ("compiled", "uncompiled")


def module(which: str) -> object:
    return layers if which == "compiled" else load_uncompiled("blockfeat.models.layers")


def some(*shape: int) -> np.ndarray:
    return RANDOM.normal(0, 2, shape).astype(np.float32)


@pytest.mark.parametrize("which", MODULES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_features_become_deviations_within_bounds(which: str, order: str) -> None:
    matrix, mean, scale = some(7, 4), some(4), some(4)
    found = module(which).standardise(np.asarray(matrix, order=order), mean, scale, 1.5)  # type: ignore[attr-defined]
    np.testing.assert_allclose(found, np.clip((matrix - mean) * scale, -1.5, 1.5), rtol=1e-6)
    assert found.flags.c_contiguous


@pytest.mark.parametrize("which", MODULES)
def test_channels_stay_above_zero(which: str) -> None:
    channels = some(5, 3)
    wanted = np.maximum(channels, 0)
    sums = module(which).activate(channels)  # type: ignore[attr-defined]
    np.testing.assert_allclose(channels, wanted, rtol=1e-6)
    np.testing.assert_allclose(sums, wanted.sum(axis=0), rtol=1e-5)


@pytest.mark.parametrize("which", MODULES)
@pytest.mark.parametrize("columns", [3, 16, 48])
@pytest.mark.parametrize("blocks", [0, 1, 5, 6, 7, 40])
def test_a_product_is_added_to_sums(which: str, blocks: int, columns: int) -> None:
    rows, weights, sums = some(blocks, 7), some(7, columns), some(blocks, columns)
    wanted = sums + rows.astype(np.float64) @ weights
    module(which).add_product(rows, weights, sums)  # type: ignore[attr-defined]
    np.testing.assert_allclose(sums, wanted, atol=1e-5)


@pytest.mark.parametrize("which", MODULES)
@pytest.mark.parametrize("channels", [3, 16])
@pytest.mark.parametrize(("blocks", "dilation"), [(9, 1), (9, 4), (3, 4), (4, 4), (1, 2), (0, 1)])
def test_a_convolution_looks_at_both_neighbours(which: str, blocks: int, dilation: int, channels: int) -> None:
    hidden, weights, bias = some(blocks, channels), some(3 * channels, channels), some(channels)
    moved = hidden @ weights[channels : 2 * channels] + bias
    moved[dilation:] += hidden[:-dilation] @ weights[:channels]
    moved[:-dilation] += hidden[dilation:] @ weights[2 * channels :]
    found = module(which).convolve(hidden, weights, bias, dilation)  # type: ignore[attr-defined]
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
