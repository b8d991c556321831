"""Single-feature curves: fitness of each feature alone, by threshold (Ziegler & Skubacz 2007, 4.3, Fig. 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.schema import Feature

Array = NDArray[np.float64]
_POINTS = 41


@dataclass(frozen=True, eq=False)
class FeatureCurve:
    """Fitness of one feature alone at thresholds over its range.

    Attributes
    ----------
    name, title, unit, bound : str
        As those of the `Feature`.
    thresholds : float array, m
        Thresholds in the feature's unit, ascending.
    fitness : float array, m
        Mean fitness over the pages, 0 to 1, where this threshold alone decides.
    """

    name: str
    title: str
    unit: str
    bound: str
    thresholds: Array
    fitness: Array


def feature_curves(features: Sequence[Feature], fitness_of: Callable[[int, Array], Array]) -> list[FeatureCurve]:
    """Evaluate each feature alone at 41 thresholds, spread evenly over its range.

    Parameters
    ----------
    features : sequence of Feature
        The features, in the order of their columns.
    fitness_of : callable
        Takes a column and thresholds in the feature's unit, returns one fitness a threshold.

    Returns
    -------
    list of FeatureCurve
        One for each feature, in their order.
    """
    curves = []
    for column, feature in enumerate(features):
        thresholds = np.linspace(feature.low, feature.high, _POINTS)
        fitness = np.asarray(fitness_of(column, thresholds), dtype=np.float64)
        curves.append(FeatureCurve(feature.name, feature.title, feature.unit, feature.bound, thresholds, fitness))
    return curves
