from __future__ import annotations

import numpy as np
import pytest

from blockfeat.models.layers import matmul


@pytest.mark.parametrize("is_padded", [False, True])
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 200])
def test_stretches_give_the_whole_product(count: int, is_padded: bool) -> None:
    numbers = np.random.default_rng(count)
    rows = numbers.normal(size=(count, 7)).astype(np.float32)
    weights = numbers.normal(size=(7, 3)).astype(np.float32)
    found = matmul(rows, weights, is_padded=is_padded)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, rows.astype(np.float64) @ weights.astype(np.float64), atol=1e-5)
