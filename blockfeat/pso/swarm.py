"""Particle swarm optimisation: a loop over pyswarms' public operators, with its own random number generator."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from threading import Lock
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Count, CountOrNone, Ranged, between
from blockfeat.errors import TrainingError

_PLATEAU = 1e-9
_IMPORTING = Lock()

Positions = NDArray[np.float64]
Objective = Callable[[Positions], NDArray[np.float64]]


def offsets(positions: Positions) -> Positions:
    """Return by how much positions lie off the centre of the cube, -1 to 1 in each dimension; outside, the border."""
    return 2.0 * positions.clip(0.0, 1.0) - 1.0


@dataclass(frozen=True)
class SwarmOptions(Ranged):
    """Options of the swarm (Ziegler & Skubacz 2007, 3.5.3 and Alg. 1).

    The defaults differ from Alg. 1, which has ``leader="generation"``, an inertia close to 1, no velocity limit
    (``inf``) and no patience (0); `docs/papers.md` says why.

    Attributes
    ----------
    particles : int
        Size of the population.
    iterations : int
        Number of generations at most.
    inertia : float
        ω, the share of its velocity that a particle keeps.
    cognitive : float
        τ, the pull towards the particle's own best position.
    social : float
        φ, the pull towards the leader.
    leader : str
        Leader of all particles: "ever", the best position of all generations, or "generation", the current one's best.
    patience : int
        Generations without a better particle after which the swarm stops; 0 for never.
    velocity_limit : float
        Largest step in one dimension, in units of the scaled range; inf for none.
    seed : int
        Seed of all random numbers.
    """

    error = TrainingError

    particles: Count = 100
    iterations: Count = 100
    inertia: float = 0.7
    cognitive: float = 2.0
    social: float = 2.0
    leader: Literal["ever", "generation"] = "ever"
    patience: CountOrNone = 30
    velocity_limit: Annotated[float, between(0.0, float("inf"), is_above=True)] = 0.5
    seed: int = 0


@dataclass(frozen=True)
class Generation:
    """Fitness of one generation: its number (from 1), best and mean fitness, and the best fitness so far."""

    number: int
    best: float
    mean: float
    best_so_far: float


@dataclass(frozen=True)
class SwarmResult:
    """Result of a swarm: best position, its fitness, the history, and whether the user stopped it."""

    position: Positions
    fitness: float
    history: tuple[Generation, ...]
    interrupted: bool = False


@dataclass
class _Record:
    """Objective that records best position and history; called once per generation, it returns costs (-fitness)."""

    objective: Objective
    on_generation: Callable[[Generation], None] | None
    position: Positions
    fitness: float = -np.inf
    history: list[Generation] = field(default_factory=list)

    def __call__(self, positions: Positions) -> NDArray[np.float64]:
        values = self.objective(positions)
        if np.isnan(values).any():
            raise TrainingError("the fitness of a particle is not a number")
        best = int(np.argmax(values))
        if values[best] > self.fitness:
            self.position, self.fitness = positions[best].copy(), float(values[best])
        number = len(self.history) + 1
        self.history.append(Generation(number, float(values[best]), float(values.mean()), self.fitness))
        if self.on_generation is not None:
            self.on_generation(self.history[-1])
        return -values


def maximise(
    objective: Objective,
    dimensions: int,
    options: SwarmOptions,
    *,
    known: Positions | None = None,
    on_generation: Callable[[Generation], None] | None = None,
) -> SwarmResult:
    """Search for the position with the highest fitness by particle swarm optimisation.

    Particles start at random positions in [0, 1] in each dimension with zero velocity; they may leave the cube,
    where a threshold, beyond its range, never (or always) binds.

    Parameters
    ----------
    objective : callable
        Takes positions, particles × dimensions; returns the fitness of each particle.
    dimensions : int
        Number of dimensions.
    options : SwarmOptions
        Options of the swarm.
    known : float array, optional
        Start of the first particle, ideally a position with a fitness above 0; all others start at random. Without
        it the fitness may be 0 at all positions of a small swarm, which then cannot improve.
    on_generation : callable, optional
        Called with each generation once it is evaluated.

    Raises
    ------
    KeyboardInterrupt
        The user stopped the swarm (Ctrl-C) before its first generation was evaluated; later, the search ends and the
        best position so far is the result.
    """
    record = _Record(objective, on_generation, position=np.full(dimensions, np.nan))
    try:
        _run(record, dimensions, options, known)
    except KeyboardInterrupt:
        if not record.history:
            raise
        return SwarmResult(record.position, record.fitness, tuple(record.history), interrupted=True)
    return SwarmResult(record.position, record.fitness, tuple(record.history))


def _run(record: _Record, dimensions: int, options: SwarmOptions, known: Positions | None) -> None:
    """Run the swarm to the last iteration, or until the leader's fitness is unchanged for ``patience`` generations."""
    swarms, operators = _pyswarms()
    generator = np.random.RandomState(options.seed % 2**32)
    start = generator.random_sample((options.particles, dimensions))
    generator.random_sample((2, *start.shape))  # unused: drawn as pyswarms does, to keep seeds reproducible
    if known is not None:
        start[0] = known
    swarm = swarms.Swarm(start, np.zeros_like(start), pbest_cost=np.full(options.particles, np.inf))
    recent: deque[bool] = deque(maxlen=max(1, options.patience))
    for number in range(options.iterations):
        swarm.current_cost = record(swarm.position)
        swarm.pbest_pos, swarm.pbest_cost = operators.compute_pbest(swarm)
        before = swarm.best_cost
        # The leader: the best position of all generations, or of the current one (p_b of Alg. 1).
        is_current = options.leader == "generation"
        costs = swarm.current_cost if is_current else swarm.pbest_cost
        best = int(np.argmin(costs))
        if is_current or costs[best] < before:
            swarm.best_pos = (swarm.position if is_current else swarm.pbest_pos)[best].copy()
            swarm.best_cost = costs[best]
        recent.append(abs(swarm.best_cost - before) < _PLATEAU * (1 + abs(before)))
        if options.patience and number >= options.patience and all(recent):
            return
        # The velocities of pyswarms are drawn from the global generator of numpy.
        own = options.cognitive * generator.random_sample(start.shape) * (swarm.pbest_pos - swarm.position)
        led = options.social * generator.random_sample(start.shape) * (swarm.best_pos - swarm.position)
        velocity = options.inertia * swarm.velocity + own + led
        swarm.velocity = velocity.clip(-options.velocity_limit, options.velocity_limit)
        swarm.position = operators.compute_position(swarm, None, None)


@cache
def _pyswarms() -> tuple[Any, Any]:
    """Import pyswarms' modules of swarms and operators, without the log file and the loggers that it sets up."""
    with _IMPORTING, as_file(files("blockfeat.pso").joinpath("quiet_pyswarms.yaml")) as settings:
        earlier = os.environ.get("LOG_CFG")
        os.environ["LOG_CFG"] = str(settings)
        try:
            from pyswarms.backend import operators, swarms

            return swarms, operators
        finally:
            if earlier is None:
                del os.environ["LOG_CFG"]
            else:
                os.environ["LOG_CFG"] = earlier
