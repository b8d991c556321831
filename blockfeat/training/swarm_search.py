"""What trainers by particle swarm share: the measure of a page, and the search with its progress."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import TrainingError
from blockfeat.pso.fitness import FITNESSES
from blockfeat.pso.search import Polish, SearchResult, search
from blockfeat.pso.swarm import Generation, Objective, SwarmOptions
from blockfeat.training.trainer import OnProgress, Progress


class SwarmConfig:
    """Base of the hyperparameters of a model that a swarm fits to pages; its dataclass says where they stand."""

    fitness: str
    swarm: SwarmOptions
    polish: Polish

    def check_fitness(self) -> None:
        """Raise TrainingError for an unknown fitness."""
        if self.fitness not in FITNESSES:
            raise TrainingError(f"unknown fitness {self.fitness!r}; known are {', '.join(FITNESSES)}")

    @property
    def metric(self) -> str:
        """Measure of pages with gold text."""
        return "cosine" if self.fitness == "snippets" else self.fitness

    @property
    def generations(self) -> int:
        """Generations of all swarms at most."""
        return self.swarm.iterations * (self.polish.restarts + 1)


def search_with_progress(
    objective: Objective,
    dimensions: int,
    config: SwarmConfig,
    on_progress: OnProgress,
    *,
    seed: int,
    known: NDArray[np.float64] | None,
    found: str,
    lang: str = "",
) -> SearchResult:
    """Look for the position with the best fitness; each generation is a step of the progress.

    Parameters
    ----------
    objective, dimensions
        As for `blockfeat.pso.search.search`.
    config : SwarmConfig
        The swarm and what comes behind it.
    on_progress : callable
        Is called with each step.
    seed : int
        Seed of the swarm.
    known : float array, d, optional
        Where one particle starts; all others at random.
    found : str
        What is looked for, in the plural, as the progress names it.
    lang : str
        Language of the pages, where they are of one; the history of a report has the steps without one only.
    """
    whose = f"generations for {lang}" if lang else "generations"

    def on_generation(generation: Generation) -> None:
        note, kept = f"{whose}, best {generation.best_so_far:.4f}", f"the best {found} so far"
        history = None if lang else generation
        on_progress(Progress("swarm", generation.number, config.generations, note, kept, history))

    return search(
        objective,
        dimensions,
        replace(config.swarm, seed=seed),
        config.polish,
        known=known,
        on_generation=on_generation,
    )
