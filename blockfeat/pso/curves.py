"""Single-feature curves: the fitness of each feature alone, by threshold (Ziegler & Skubacz 2007, 4.3, Fig. 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.registry import Feature

__all__ = ["FeatureCurve", "feature_curves"]

Array = NDArray[np.float64]
_POINTS = 41


@dataclass(frozen=True)
class FeatureCurve:
    """Fitness of one feature alone at thresholds over its range."""

    name: str
    title: str
    unit: str
    bound: str
    thresholds: Array
    fitness: Array


def feature_curves(
    features: Sequence[Feature], fitness_of: Callable[[int, Array], Array]
) -> list[FeatureCurve]:
    """Evaluate each feature alone at thresholds spread over its range."""
    curves = []
    for column, feature in enumerate(features):
        thresholds = np.linspace(feature.low, feature.high, _POINTS)
        fitness = fitness_of(column, thresholds)
        curves.append(FeatureCurve(feature.name, feature.title, feature.unit, feature.bound, thresholds, fitness))
    return curves
