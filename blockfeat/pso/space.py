"""The search space: what a particle's position means."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.schema import Feature
from blockfeat.models.threshold import Margins

Array = NDArray[np.float64]
_SOFTNESS = (0.001, 1.0)
_PENALTY = (0.25, 32.0)


@dataclass(frozen=True)
class SearchSpace:
    """One dimension a threshold, scaled to its feature's range; two more where margins are learnt too.

    Attributes
    ----------
    features : tuple of Feature
        The features whose thresholds are looked for.
    with_margins : bool
        Whether softness and penalty of the block scores are looked for; both on a logarithmic scale.
    margins : Margins
        Those to use where they are not looked for.
    """

    features: tuple[Feature, ...]
    with_margins: bool = False
    margins: Margins = field(default_factory=Margins)

    @property
    def keep_all(self) -> Array:
        """Position at which no threshold binds, with margins in the middle of their ranges."""
        ends = [0.0 if feature.sign > 0 else 1.0 for feature in self.features]
        return np.array(ends + [0.5] * (self.dimensions - len(ends)))

    @property
    def dimensions(self) -> int:
        """Number of dimensions."""
        return len(self.features) + (2 if self.with_margins else 0)

    def oriented(self, matrix: Array) -> NDArray[np.float32]:
        """Scale a feature matrix to its ranges and turn maxima round, so that more is always better."""
        lows = np.array([feature.low for feature in self.features])
        return np.asarray((matrix - lows) * self._scale(), dtype=np.float32)

    def oriented_thresholds(self, positions: Array) -> NDArray[np.float32]:
        """Return the thresholds of each particle on the scale of `oriented`: particles × features.

        A position at or beyond the open end of its range (0 for a minimum, 1 for a maximum) never binds: -inf.
        """
        signs = np.array([feature.sign for feature in self.features])
        own = positions[:, : len(self.features)]
        is_open = np.where(signs > 0, own <= 0, own >= 1)
        return np.asarray(np.where(is_open, -np.inf, np.clip(own, 0.0, 1.0) * signs), dtype=np.float32)

    def thresholds(self, position: Array) -> Array:
        """Return the thresholds of one particle in the units of the features; infinite where one never binds."""
        lows = np.array([feature.low for feature in self.features])
        signs = np.array([feature.sign for feature in self.features])
        oriented = self.oriented_thresholds(position[None])[0].astype(np.float64)
        ranges = np.array([feature.high - feature.low for feature in self.features])
        return np.asarray(lows + oriented * signs * ranges)

    def margins_of(self, position: Array) -> Margins:
        """Return the margins that one particle stands for."""
        if not self.with_margins:
            return self.margins
        softness, penalty = np.clip(position[len(self.features) :], 0.0, 1.0)
        return Margins(between(_SOFTNESS, float(softness)), between(_PENALTY, float(penalty)))

    def _scale(self) -> Array:
        return np.array([feature.sign / (feature.high - feature.low) for feature in self.features])


def between(limits: tuple[float, float], share: float) -> float:
    """Point between two limits on a logarithmic scale."""
    low, high = limits
    return float(low * (high / low) ** share)
