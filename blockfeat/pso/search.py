"""The whole search: a swarm, further swarms from other seeds, and a coordinate ascent from the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import TrainingError
from blockfeat.pso.swarm import Generation, Objective, Positions, SwarmOptions, SwarmResult, maximise

_GRID = 41
_ZOOMS = 2
_SEED_STEP = 10_007


@dataclass(frozen=True)
class Polish:
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
    polish: Polish,
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
