"""Matrix products for small networks, in stretches of a few rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["product"]

Floats = NDArray[np.float32]

# For more rows, a linear algebra library starts threads that cost more than they bring.
_ROWS = 32


def product(rows: Floats, weights: Floats, *, is_padded: bool = False) -> Floats:
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
