"""Single-feature curves: thresholds over the range of each feature, and their fitness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.schema import CANONICAL
from blockfeat.pso.search import feature_curves

Array = NDArray[np.float64]


def test_a_curve_for_each_feature_over_its_range() -> None:
    asked: list[int] = []

    def fitness_of(column: int, thresholds: Array) -> Array:
        asked.append(column)
        return thresholds * (column + 1)

    curves = feature_curves(CANONICAL, fitness_of)
    assert asked == list(range(8))
    for column, (curve, feature) in enumerate(zip(curves, CANONICAL, strict=True)):
        assert (curve.name, curve.title) == (feature.name, feature.title)
        assert (curve.unit, curve.bound) == (feature.unit, feature.bound)
        assert (curve.thresholds[0], curve.thresholds[-1]) == (feature.low, feature.high)
        assert 35 <= curve.thresholds.size <= 45
        assert np.allclose(np.diff(curve.thresholds, 2), 0)
        assert np.array_equal(curve.fitness, curve.thresholds * (column + 1))
        assert curve.fitness.dtype == np.float64


def test_single_precision_and_no_features() -> None:
    curves = feature_curves(CANONICAL[:1], lambda _, thresholds: np.ones(thresholds.size, dtype=np.float32))
    assert curves[0].fitness.dtype == np.float64
    assert feature_curves((), lambda _, thresholds: thresholds) == []
