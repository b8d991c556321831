"""What a feature is: name, unit, range, which side of the threshold is good, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.stopwords import StopWordRatios

__all__ = ["Feature", "Measured", "feature_matrix"]

Column = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """What a feature may look at: the page's blocks and their stop-word ratios."""

    blocks: Blocks
    stop_words: StopWordRatios


@dataclass(frozen=True)
class Feature:
    """One measure of a block.

    Attributes
    ----------
    name : str
        Name in model files and explanations.
    title : str
        Name for people.
    unit : str
        What the number counts.
    low, high : float
        Range in which the swarm looks for a threshold; values may lie outside.
    bound : str
        ``"minimum"`` if content lies at or above the threshold, ``"maximum"`` if at or below.
    source : str
        Paper and section, or formula.
    compute : callable
        Pure function from `Measured` to a float array over the blocks.
    """

    name: str
    title: str
    unit: str
    low: float
    high: float
    bound: str
    source: str
    compute: Callable[[Measured], Column]

    @property
    def sign(self) -> float:
        """1 for a minimum, -1 for a maximum."""
        return 1.0 if self.bound == "minimum" else -1.0


def feature_matrix(features: Sequence[Feature], measured: Measured) -> NDArray[np.float64]:
    """Return the features of all blocks of a page: float array, n blocks × k features."""
    n = len(measured.blocks)
    matrix = np.empty((n, len(features)), dtype=np.float64)
    for column, feature in enumerate(features):
        matrix[:, column] = feature.compute(measured)
    return matrix
