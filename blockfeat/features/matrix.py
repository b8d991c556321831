"""The features that a model asks for, as one matrix over the blocks of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.context import context_columns
from blockfeat.features.schema import Feature, Measured


def feature_matrix(features: Sequence[Feature], measured: Measured) -> NDArray[np.floating[Any]]:
    """Return the features of all blocks of a page.

    Parameters
    ----------
    features : sequence of Feature
        What to compute, k of them; none where nothing is to be measured.
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.

    Returns
    -------
    float array, n × k
        One column a feature, in the order asked for: 64 bits where all are functions of single blocks, 32 bits where
        context features, which rest on shared sums, are among them.
    """
    functions = [feature.compute for feature in features]
    if None in functions:
        return context_columns(measured, names=[feature.name for feature in features])
    matrix = np.empty((len(measured.blocks), len(features)), dtype=np.float64)
    for column, compute in enumerate(functions):
        if compute is not None:
            matrix[:, column] = compute(measured)
    return matrix
