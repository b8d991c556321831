"""The particle swarm: pyswarms behind one adapter that leaves the user's process as it found it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import TrainingError

LEADERS = ("ever", "generation")

Positions = NDArray[np.float64]
Objective = Callable[[Positions], NDArray[np.float64]]


@dataclass(frozen=True)
class SwarmOptions:
    """Options of the swarm (Ziegler & Skubacz 2007, 3.5.3 and Alg. 1).

    The defaults differ from Alg. 1, which has ``leader="generation"``, an inertia close to 1, no velocity limit
    (``inf``) and no patience (0); `docs/training.md` says why.

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
        Who leads: "ever", the best position of all generations, or "generation", the best of the current one.
    patience : int
        Generations without a better particle after which the swarm stops; 0 for never.
    velocity_limit : float
        Largest step in one dimension, in units of the scaled range; inf for none.
    seed : int
        Seed of all random numbers.
    """

    particles: int = 100
    iterations: int = 100
    inertia: float = 0.7
    cognitive: float = 2.0
    social: float = 2.0
    leader: str = "ever"
    patience: int = 30
    velocity_limit: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the values."""
        for name in ("particles", "iterations"):
            if getattr(self, name) < 1:
                raise TrainingError(f"the swarm needs at least one of '{name}', not {getattr(self, name)}")
        if self.leader not in LEADERS:
            raise TrainingError(f"unknown leader {self.leader!r} of the swarm; known are {', '.join(LEADERS)}")
        if self.patience < 0 or self.velocity_limit <= 0:
            raise TrainingError("the swarm's patience must be at least 0 and its velocity limit above 0")


@dataclass(frozen=True)
class Generation:
    """One generation: number from 1, fitness of its best and mean particle, best fitness so far."""

    number: int
    best: float
    mean: float
    best_so_far: float


@dataclass(frozen=True)
class SwarmResult:
    """What a swarm found: best position, its fitness, the history, and whether the user stopped it."""

    position: Positions
    fitness: float
    history: tuple[Generation, ...]
    interrupted: bool = False


@dataclass
class _Record:
    """Best particle and history so far; called by pyswarms once a generation."""

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
    """Let a swarm look for the position with the highest fitness.

    Particles start at random positions in [0, 1] in each dimension with zero velocity; they may leave the cube,
    where a threshold beyond its range simply never (or always) binds.

    Parameters
    ----------
    objective : callable
        Takes positions, particles × dimensions, returns one fitness a particle.
    dimensions : int
        Number of dimensions.
    options : SwarmOptions
        Population, components, seed.
    known : float array, optional
        A position that is known to be of some use: the first particle starts there, all others at random. Without
        it a small swarm may see nothing but zeros, and then cannot move.
    on_generation : callable, optional
        Called with each generation, for a progress bar.

    Raises
    ------
    KeyboardInterrupt
        The user stopped the swarm (Ctrl-C) before its first generation was evaluated; later, the search ends and the
        best particle so far is the result.
    """
    record = _Record(objective, on_generation, position=np.full(dimensions, np.nan))
    interrupted = False
    with _global_seed(options.seed):
        optimiser = _optimiser(dimensions, options, known)
        try:
            optimiser.optimize(record, iters=options.iterations, verbose=False)
        except KeyboardInterrupt:
            if not record.history:
                raise
            interrupted = True
    return SwarmResult(record.position, record.fitness, tuple(record.history), interrupted)


def _optimiser(dimensions: int, options: SwarmOptions, known: Positions | None) -> Any:
    """Return the optimiser of pyswarms with particles at rest, at random positions but for one that is known."""
    start = np.random.random((options.particles, dimensions))
    if known is not None:
        start[0] = known
    # Its constructor sets up logging once more, just as the import does.
    with _quiet_logging():
        from pyswarms.single import GlobalBestPSO

        optimiser = GlobalBestPSO(
            n_particles=options.particles,
            dimensions=dimensions,
            options={"c1": options.cognitive, "c2": options.social, "w": options.inertia},
            velocity_clamp=None if isinf(options.velocity_limit) else (-options.velocity_limit, options.velocity_limit),
            init_pos=start,
            ftol=1e-9 if options.patience else -np.inf,
            ftol_iter=max(1, options.patience),
        )
    optimiser.swarm.velocity = np.zeros_like(start)
    if options.leader == "generation":
        optimiser.top.compute_gbest = _best_of_generation
    return optimiser


def _best_of_generation(swarm: Any, **_: Any) -> tuple[Positions, np.float64]:
    """Return position and cost of the current population's best particle, p_b of Alg. 1."""
    best = int(np.argmin(swarm.current_cost))
    return swarm.position[best].copy(), swarm.current_cost[best]


@contextmanager
def _quiet_logging() -> Iterator[None]:
    """Keep pyswarms from writing its log file and from changing the root logger and its handlers."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    earlier = os.environ.get("LOG_CFG")
    try:
        with as_file(files("blockfeat.pso").joinpath("quiet_pyswarms.yaml")) as settings:
            os.environ["LOG_CFG"] = str(settings)
            yield
    finally:
        if earlier is None:
            os.environ.pop("LOG_CFG", None)
        else:
            os.environ["LOG_CFG"] = earlier
        root.handlers[:] = handlers
        root.setLevel(level)


@contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, the only one that pyswarms takes, and restore it afterwards."""
    state = np.random.get_state()
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        np.random.set_state(state)
