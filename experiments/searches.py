"""Searches without gradients for the eight thresholds, with equal evaluations: swarm, evolution, CMA-ES, random.

Command: python -m experiments.searches --corpora ../shared/corpora --output experiments/results/searches.md

Needs `cma` beside the development environment (pip install cma). Articles of the families of corpora; each family is
left out in turn, and 10, 20, 50 and 200 pages are drawn from the others, anew for each repetition. Own pages: listings,
threads, and all but articles, half of the hosts to draw from and half to test on; six numbers on top of the scores of
the network that saw none of their corpus (`experiments.swarm.own`). Every search starts with the position that keeps
all blocks, or changes nothing; it has so many evaluations of the mean word F1 of its training pages and stops for
nothing else. The tables have the mean over the draws; differences are paired by draw. Each draw is kept in a line of
``searches.jsonl`` beside the page: a run does those that are not there, and the tables have all.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import differential_evolution
from scipy.stats import t as student

from blockfeat.pso.swarm import SwarmOptions, maximise
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import Corpora
from experiments.documents import write_output
from experiments.needs import check_needs
from experiments.swarm.draws import READ, Draw, draws, labelled_families
from experiments.swarm.eight import Mask, Numbers, Pages, Problem
from experiments.swarm.own import MIXED, OWN, own_draws, own_pages, scored, six_numbers

__all__ = ["SEARCHES", "Outcome", "Searched", "interval", "main", "searched", "tables"]

Array = NDArray[np.float64]
_SIZES = (10, 20, 50, 200)
_EVALUATIONS = 5_000
_AT_ONCE = 100
_BOUNDS = (-0.2, 1.2)
"""Beyond 0 and 1 a threshold never binds: as particles may, so do the others try it."""
_STEP = 0.3
_START = "before"
_OWN_DRAWS = 2
"""Draws of own pages, which take seconds, for each of articles."""
_logger = logging.getLogger(__name__)


@dataclass
class Searched:
    """An objective that counts its evaluations and keeps the best position."""

    objective: Callable[[Array], Array]
    position: Array
    fitness: float = -np.inf
    evaluations: int = field(default=0)

    def __call__(self, positions: Array) -> Array:
        """Return the fitness of positions."""
        values = self.objective(positions)
        self.evaluations += len(positions)
        best = int(np.argmax(values))
        if values[best] > self.fitness:
            self.position, self.fitness = positions[best].copy(), float(values[best])
        return values


def _population(known: Array, seed: int) -> Array:
    start = np.random.default_rng(seed).random((_AT_ONCE, known.size))
    start[0] = known
    return start


def _swarm(objective: Searched, known: Array, seed: int, evaluations: int, options: SwarmOptions) -> None:
    generations = evaluations // _AT_ONCE
    options = replace(options, particles=_AT_ONCE, iterations=generations, patience=0, seed=seed)
    maximise(objective, known.size, options, known=known)


def default_swarm(objective: Searched, known: Array, seed: int, evaluations: int) -> None:
    """Search with the swarm of `blockfeat train`."""
    _swarm(objective, known, seed, evaluations, SwarmOptions())


def paper_swarm(objective: Searched, known: Array, seed: int, evaluations: int) -> None:
    """Search with the paper's: inertia close to 1, no limit of the velocity, and the leader of the generation."""
    moves = SwarmOptions(inertia=0.98, cognitive=2.5, social=1.5, leader="generation", velocity_limit=np.inf)
    _swarm(objective, known, seed, evaluations, moves)


def evolution(objective: Searched, known: Array, seed: int, evaluations: int) -> None:
    """Search by differential evolution, best/1/bin, with the defaults of scipy and the population of the swarm."""
    differential_evolution(
        lambda at: -objective(at.T),
        [_BOUNDS] * known.size,
        init=_population(known, seed),
        maxiter=evaluations // _AT_ONCE - 1,
        tol=0,
        atol=-1,  # never done before its evaluations are
        polish=False,
        vectorized=True,
        updating="deferred",
        rng=seed,
    )


def cma_es(objective: Searched, known: Array, seed: int, evaluations: int) -> None:
    """Search by CMA-ES, with restarts from random positions, each with twice the population (IPOP)."""
    cma = import_module("cma")
    generator = np.random.default_rng(seed)
    start, population = known, 4 + int(3 * np.log(known.size))
    objective(known[None])
    while objective.evaluations + population <= evaluations:
        options = {"popsize": population, "seed": int(generator.integers(1, 2**31)), "verbose": -9}
        strategy = cma.CMAEvolutionStrategy(start, _STEP, options)
        while not strategy.stop() and objective.evaluations + population <= evaluations:
            asked = strategy.ask()
            strategy.tell(asked, (-objective(np.array(asked))).tolist())
        start, population = generator.random(known.size), 2 * population


def at_random(objective: Searched, known: Array, seed: int, evaluations: int) -> None:
    """Try positions drawn evenly from the range."""
    generator = np.random.default_rng(seed)
    objective(known[None])
    while rest := evaluations - objective.evaluations:
        objective(generator.uniform(*_BOUNDS, (min(rest, _AT_ONCE), known.size)))


SEARCHES = {
    "swarm": default_swarm,
    "the paper's swarm": paper_swarm,
    "differential evolution": evolution,
    "CMA-ES": cma_es,
    "random": at_random,
}


def searched(name: str, problem: Problem, seed: int, evaluations: int) -> Searched:
    """Return what a search finds."""
    found = Searched(problem.objective, problem.known)
    SEARCHES[name](found, problem.known, seed, evaluations)
    return found


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the interval of 95 % of a mean (t distribution)."""
    mean = fmean(differences)
    half = float(student.ppf(0.975, len(differences) - 1)) * stdev(differences) / len(differences) ** 0.5
    return mean - half, mean + half


@dataclass(frozen=True)
class Outcome:
    """What every search found for one draw; a line of the file that a run continues.

    Attributes
    ----------
    size, seed, left_out
        The draw: number of training pages, repetition, family of corpora left out.
    evaluations : int
        Of each search.
    found : dict
        By decoder and search: word F1 of the training pages and of those left out.
    """

    size: int
    seed: int
    left_out: str
    evaluations: int
    found: dict[str, dict[str, tuple[float, float]]]

    @property
    def draw(self) -> tuple[int, int, str, int]:
        """What tells one outcome from another."""
        return self.size, self.seed, self.left_out, self.evaluations


def outcome_of(draw: Draw, evaluations: int) -> Outcome:
    """Return what every search finds for a draw of articles: thresholds, and thresholds with the best run."""
    numbers = Numbers(draw.training, draw.seed)
    problems = {"all thresholds": numbers.hard_thresholds(), "best run": numbers.best_run()}
    return _outcome(draw, evaluations, problems, numbers.scored)


def own_outcome_of(draw: Draw, evaluations: int) -> Outcome:
    """Return what every search finds for a draw of own pages: six numbers on top of the bundled network."""
    name = f"own pages, {MIXED}" if draw.left_out == MIXED else "own pages"
    return _outcome(draw, evaluations, {name: six_numbers(draw.training)}, scored)


def _outcome(
    draw: Draw,
    evaluations: int,
    problems: Mapping[str, Problem],
    score: Callable[[Callable[[Pages], Mask], Pages], float],
) -> Outcome:
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for decoder, problem in problems.items():
        start = float(problem.objective(problem.known[None])[0])
        found[decoder] = {_START: (round(start, 4), round(score(problem.kept(problem.known), draw.test), 4))}
        for search in SEARCHES:
            best = searched(search, problem, draw.seed, evaluations)
            left_out = score(problem.kept(best.position), draw.test)
            found[decoder][search] = (round(best.fitness, 4), round(left_out, 4))
    return Outcome(len(draw.training), draw.seed, draw.left_out, evaluations, found)


def known_outcomes(path: Path | None, evaluations: int) -> dict[tuple[int, int, str, int], Outcome]:
    """Return the outcomes of earlier runs with as many evaluations, by draw."""
    if path is None or not path.exists():
        return {}
    read = [Outcome(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return {outcome.draw: outcome for outcome in read if outcome.evaluations == evaluations}


def tables(outcomes: Iterable[Outcome]) -> str:
    """Return the tables: means, and what the swarm is ahead of each other search, with its interval."""
    by_decoder: dict[str, dict[int, list[dict[str, tuple[float, float]]]]] = defaultdict(lambda: defaultdict(list))
    for outcome in sorted(outcomes, key=lambda outcome: outcome.size):
        for decoder, found in outcome.found.items():
            by_decoder[decoder][outcome.size].append(found)
    return "\n\n".join(_tables_of(decoder, by_size) for decoder, by_size in by_decoder.items())


def _tables_of(decoder: str, by_size: Mapping[int, Sequence[Mapping[str, tuple[float, float]]]]) -> str:
    sizes = list(map(str, by_size))
    names = [name for name in (_START, *SEARCHES) if all(name in found for own in by_size.values() for found in own)]
    scores = {name: [[found[name] for found in own] for own in by_size.values()] for name in names}
    tables = []
    for part, heading in enumerate((f"{decoder}, training pages", f"{decoder}, left out; training pages")):
        rows = [
            [name, *(f"{fmean(score[part] for score in found):.3f}" for found in own)] for name, own in scores.items()
        ]
        rows += [
            [f"swarm − {name}", *(_ahead(one, its, part) for one, its in zip(scores["swarm"], own, strict=True))]
            for name, own in scores.items()
            if name != "swarm"
        ]
        tables.append(markdown_table([heading, *sizes], rows).strip())
    draws = ", ".join(str(len(own)) for own in by_size.values())
    return "\n\n".join((*tables, f"Draws: {draws}."))


def _ahead(swarm: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]], part: int) -> str:
    """Return the interval of what the swarm is ahead of another search."""
    low, high = interval([own[part] - its[part] for own, its in zip(swarm, other, strict=True)])
    return f"{low:+.3f} to {high:+.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments.searches", description=(__doc__ or "").split("\n")[0])
    Corpora.add_options(parser)
    parser.add_argument("--repeat", type=int, default=3, help="draws of training pages")
    parser.add_argument("--pages", type=int, default=60, help="most pages of a family of corpora")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(_SIZES), help="numbers of training pages")
    parser.add_argument("--evaluations", type=int, default=_EVALUATIONS, help="of each search")
    parser.add_argument("--jobs", type=int, default=1, help="processes that measure the pages")
    parser.add_argument("--output", type=Path, help="file to write; standard output by default")
    options = parser.parse_args(arguments)
    check_needs(modules=["cma"], folder=options.corpora, corpora=[*READ, *OWN])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    corpora, sizes = Corpora.of_options(options), sorted(options.sizes)
    seeds = range(1, options.repeat + 1)
    own, families = own_pages(corpora, options.jobs), labelled_families(corpora, options.pages, options.jobs)
    kept = options.output and options.output.with_suffix(".jsonl")
    outcomes = known_outcomes(kept, options.evaluations)
    drawn = [(outcome_of, draw) for draw in draws(families, sizes, seeds)]
    drawn += [(own_outcome_of, draw) for draw in own_draws(own, sizes, range(1, _OWN_DRAWS * options.repeat + 1))]
    for found_by, draw in drawn:
        if (len(draw.training), draw.seed, draw.left_out, options.evaluations) in outcomes:
            continue
        outcome = found_by(draw, options.evaluations)
        outcomes[outcome.draw] = outcome
        _logger.info("%d pages, seed %d, without %s", outcome.size, outcome.seed, outcome.left_out)
        if kept is not None:
            with kept.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(outcome)) + "\n")
    counts = ", ".join(f"{name} {len(pages)}" for name, pages in (families | own).items())
    page = f"{_HEAD}\n{options.evaluations:,} evaluations each; {counts} pages.\n\n{tables(outcomes.values())}\n"
    write_output(page, options.output)
    return 0


_HEAD = """# Searches without gradients

Word F1 of the training pages, and of the family of corpora left out; below them the swarm minus each other search,
interval of 95 % paired by draw. `python -m experiments.searches --output experiments/results/searches.md`; each draw
is a line of `searches.jsonl` beside it, and a run does those that are missing. "Own pages" are listings and threads,
and apart from them all but articles, of half of the hosts, with six numbers on top of the network that saw none of
their corpus; "left out" are the other hosts:
"""


if __name__ == "__main__":
    sys.exit(main())
