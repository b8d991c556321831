"""Search for the fittest position: swarms with different seeds, then a coordinate ascent from the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import CountOrNone, Ranged
from blockfeat.errors import TrainingError
from blockfeat.features.schema import Feature
from blockfeat.models.threshold import Margins
from blockfeat.pso.swarm import Generation, Objective, Positions, SwarmOptions, SwarmResult, maximise

Array = NDArray[np.float64]
_SOFTNESS = (0.001, 1.0)
_PENALTY = (0.25, 32.0)


@dataclass(frozen=True)
class SearchSpace:
    """Search space: one dimension per threshold, scaled to its feature's range, and two more if margins are learnt.

    Attributes
    ----------
    features : tuple of Feature
        Features whose thresholds are learnt.
    with_margins : bool
        Whether softness and penalty of the block scores are learnt too, both on a logarithmic scale.
    margins : Margins
        Margins to use if they are not learnt.
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
        """Scale features (n × k) by their ranges and negate those with a maximum, so that higher is always better."""
        lows = np.array([feature.low for feature in self.features])
        scale = np.array([feature.sign / (feature.high - feature.low) for feature in self.features])
        return np.asarray((matrix - lows) * scale, dtype=np.float32)

    def oriented_thresholds(self, positions: Array) -> NDArray[np.float32]:
        """Return the thresholds of each particle on the scale of `oriented`: particles × features.

        A threshold at or beyond the open end of its range (0 for a minimum, 1 for a maximum) never binds: it is -inf.
        """
        signs = np.array([feature.sign for feature in self.features])
        own = positions[:, : len(self.features)]
        is_open = np.where(signs > 0, own <= 0, own >= 1)
        return np.asarray(np.where(is_open, -np.inf, np.clip(own, 0.0, 1.0) * signs), dtype=np.float32)

    def thresholds(self, position: Array) -> Array:
        """Return one particle's thresholds in the units of the features; a threshold that never binds is infinite."""
        oriented = zip(self.features, self.oriented_thresholds(position[None])[0].tolist(), strict=True)
        return np.array([one.low + share * one.sign * (one.high - one.low) for one, share in oriented])

    def margins_of(self, position: Array) -> Margins:
        """Return the margins encoded by one particle's position."""
        if not self.with_margins:
            return self.margins
        softness, penalty = np.clip(position[len(self.features) :], 0.0, 1.0)
        return Margins(between(_SOFTNESS, float(softness)), between(_PENALTY, float(penalty)))


def between(limits: tuple[float, float], share: float) -> float:
    """Return the point at a share (0 to 1) of the way between two limits on a logarithmic scale."""
    low, high = limits
    return float(low * (high / low) ** share)


_POINTS = 41


@dataclass(frozen=True, eq=False)
class FeatureCurve:
    """Fitness of a single feature as a function of its threshold.

    Attributes
    ----------
    name, title, unit, bound : str
        The same as in `Feature`.
    thresholds : float array, m
        Thresholds in the feature's unit, ascending.
    fitness : float array, m
        Mean fitness over the pages, 0 to 1, if this threshold alone selects the blocks.
    """

    name: str
    title: str
    unit: str
    bound: str
    thresholds: Array
    fitness: Array


def feature_curves(features: Sequence[Feature], fitness_of: Callable[[int, Array], Array]) -> list[FeatureCurve]:
    """Evaluate each feature alone at 41 evenly spaced thresholds over its range.

    Parameters
    ----------
    features : sequence of Feature
        The features, in the order of their columns.
    fitness_of : callable
        Takes a column and m thresholds in the feature's unit; returns the m fitness values.

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


_GRID = 41
_ZOOMS = 2
_SEED_STEP = 10_007


@dataclass(frozen=True)
class CoordinateAscent(Ranged):
    """Measures against local optima: restarts of the swarm and a coordinate ascent.

    Attributes
    ----------
    restarts : int
        Further swarms, each with a seed of its own; the best result of all counts.
    ascent : int
        Sweeps of the coordinate ascent that follows, at most; 0 for none.
    """

    error = TrainingError

    restarts: CountOrNone = 0
    ascent: CountOrNone = 0


@dataclass(frozen=True)
class SearchResult(SwarmResult):
    """Result of all swarms and the coordinate ascent; ``swarm_fitness`` is the best fitness before the ascent."""

    swarm_fitness: float = 0.0


def search(
    objective: Objective,
    dimensions: int,
    options: SwarmOptions,
    polish: CoordinateAscent,
    *,
    known: Positions | None = None,
    on_generation: Callable[[Generation], None] | None = None,
) -> SearchResult:
    """Maximise the fitness by swarms and a coordinate ascent; arguments as for `blockfeat.pso.swarm.maximise`.

    Ctrl-C ends the search with the best position so far; before the first generation, `KeyboardInterrupt` is raised.
    """
    best: SwarmResult | None = None
    history: list[Generation] = []
    for number in range(polish.restarts + 1):
        earlier = tuple(history)

        def on_own(generation: Generation, earlier: Sequence[Generation] = earlier) -> None:
            history.append(after(earlier, generation))
            if on_generation is not None:
                on_generation(history[-1])

        swarm = replace(options, seed=options.seed + number * _SEED_STEP)
        try:
            found = maximise(objective, dimensions, swarm, known=known, on_generation=on_own)
        except KeyboardInterrupt:
            if best is None:
                raise
            best = replace(best, interrupted=True)
            break
        best = found if best is None or found.fitness > best.fitness else replace(best, interrupted=found.interrupted)
        if found.interrupted:
            break
    assert best is not None
    result = SearchResult(best.position, best.fitness, tuple(history), best.interrupted, best.fitness)
    if result.interrupted:
        return result
    try:
        for position, fitness in ascend(objective, result.position, result.fitness, polish.ascent):
            result = replace(result, position=position, fitness=fitness)
    except KeyboardInterrupt:
        return replace(result, interrupted=True)
    return result


def ascend(
    objective: Objective, start: Positions, fitness: float, sweeps: int
) -> Iterator[tuple[NDArray[np.float64], float]]:
    """Move each coordinate in turn to its best value in [0, 1]; yield position and fitness after each improvement.

    Each coordinate is tried at 41 evenly spaced values, ends included, and then twice more at 41 values between the
    neighbours of the best one. The ascent ends after a sweep over all coordinates without improvement.
    """
    position = start.copy()
    for _ in range(sweeps):
        before = fitness
        for axis in range(position.size):
            low, high = 0.0, 1.0
            for _ in range(_ZOOMS + 1):
                values = np.linspace(low, high, _GRID)
                tried = np.tile(position, (_GRID, 1))
                tried[:, axis] = values
                found = objective(tried)
                best = int(np.argmax(found))
                if found[best] > fitness:
                    position, fitness = tried[best].copy(), float(found[best])
                    yield position.copy(), fitness
                step = values[1] - values[0]
                low, high = max(0.0, values[best] - step), min(1.0, values[best] + step)
        if fitness <= before:
            return


def after(earlier: Sequence[Generation], generation: Generation) -> Generation:
    """Return a generation, numbered on from those of earlier swarms, with the best fitness of all swarms so far."""
    if not earlier:
        return generation
    last = earlier[-1]
    best = max(last.best_so_far, generation.best_so_far)
    return replace(generation, number=last.number + generation.number, best_so_far=best)
