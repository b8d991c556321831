"""The whole search: a swarm, further swarms from other seeds, and a coordinate ascent from the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import TrainingError
from blockfeat.features.schema import Feature
from blockfeat.models.threshold import Margins
from blockfeat.pso.swarm import Generation, Objective, Positions, SwarmOptions, SwarmResult, maximise

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


_GRID = 41
_ZOOMS = 2
_SEED_STEP = 10_007


@dataclass(frozen=True)
class CoordinateAscent:
    """What is done against local optima.

    Attributes
    ----------
    restarts : int
        Further swarms, each with a seed of its own; the best result of all counts.
    ascent : int
        Sweeps of the coordinate ascent that follows, at most; 0 for none.
    """

    restarts: int = 0
    ascent: int = 0

    def __post_init__(self) -> None:
        """Check the values."""
        if self.restarts < 0 or self.ascent < 0:
            raise TrainingError("restarts and sweeps of the ascent must be at least 0")


@dataclass(frozen=True)
class SearchResult(SwarmResult):
    """A `SwarmResult` over all swarms; ``swarm_fitness`` is the fitness before the coordinate ascent."""

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
    """Look for the position with the highest fitness; arguments as for `blockfeat.pso.swarm.maximise`.

    Ctrl-C ends the search with the best position so far; before the first generation it is passed on.
    """
    best: SwarmResult | None = None
    history: list[Generation] = []
    for number in range(polish.restarts + 1):
        earlier = tuple(history)

        def on_own(generation: Generation, earlier: Sequence[Generation] = earlier) -> None:
            if on_generation is not None:
                on_generation(after(earlier, generation))

        try:
            found = maximise(
                objective,
                dimensions,
                replace(options, seed=options.seed + number * _SEED_STEP),
                known=known,
                on_generation=on_own,
            )
        except KeyboardInterrupt:
            if best is None:
                raise
            best = replace(best, interrupted=True)
            break
        history += [after(earlier, generation) for generation in found.history]
        best = found if best is None or found.fitness > best.fitness else replace(best, interrupted=found.interrupted)
        if found.interrupted:
            break
    if best is None:
        raise TrainingError("a search needs at least one swarm")
    result = SearchResult(best.position, best.fitness, tuple(history), best.interrupted, best.fitness)
    return result if result.interrupted else _polished(objective, result, polish.ascent)


def _polished(objective: Objective, result: SearchResult, sweeps: int) -> SearchResult:
    """Return the result after the coordinate ascent; Ctrl-C keeps what it has found so far."""
    try:
        for position, fitness in ascend(objective, result.position, result.fitness, sweeps):
            result = replace(result, position=position, fitness=fitness)
    except KeyboardInterrupt:
        return replace(result, interrupted=True)
    return result


def ascend(
    objective: Objective, start: Positions, fitness: float, sweeps: int
) -> Iterator[tuple[NDArray[np.float64], float]]:
    """Move one coordinate after the other to its best value in [0, 1]; yield position and fitness after each gain.

    Each coordinate is tried at 41 evenly spaced values, ends included, and then between the neighbours of the best,
    twice; a sweep over all coordinates without a gain ends the ascent.
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
    """Count a generation on from those of earlier swarms; the best so far is that of all."""
    if not earlier:
        return generation
    last = earlier[-1]
    best = max(last.best_so_far, generation.best_so_far)
    return replace(generation, number=last.number + generation.number, best_so_far=best)
