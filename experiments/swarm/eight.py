"""Few readable numbers: thresholds of some features by swarm, ascent and gradient; a regression and a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from blockfeat._numeric import probabilities
from blockfeat.features.measuring import context_places
from blockfeat.features.schema import CANONICAL, Feature
from blockfeat.pso.search import CoordinateAscent, SearchSpace, search
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.examples import TrainingPage
from blockfeat.training.margin import PackedPages
from blockfeat.training.run_masks import run_masks
from experiments.swarm.draws import block_order

__all__ = ["Numbers", "Problem", "systems_of_eight"]

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Pages = Sequence[TrainingPage]
_STEEPNESS = (4.0, 16.0, 64.0)
_MOST = 2.0
_SWARM = SwarmOptions()
_TREE = {"objective": "binary", "num_leaves": 9, "learning_rate": 1.0, "min_data_in_leaf": 10, "verbose": -1}


@dataclass(frozen=True)
class Problem:
    """What a search without gradients has to solve.

    Attributes
    ----------
    objective : callable
        Takes positions, particles × dimensions; returns the mean word F1 of the training pages.
    known : float array
        The position that keeps all blocks.
    kept : callable
        Takes a position; returns what keeps blocks of pages.
    """

    objective: Callable[[Array], Array]
    known: Array
    kept: Callable[[Array], Callable[[Pages], Mask]]


@dataclass(frozen=True)
class Numbers:
    """Ways to find numbers for some features; each returns what keeps blocks of pages, in page order.

    Attributes
    ----------
    training : sequence of TrainingPage
        Pages to learn from.
    seed : int
        Seed of the swarms.
    features : tuple of Feature
        The features.
    places : mapping
        Their columns in the matrices of the pages, by name.
    """

    training: Pages
    seed: int
    features: tuple[Feature, ...] = CANONICAL
    places: Mapping[str, int] = field(default_factory=context_places)

    def hard_thresholds(self) -> Problem:
        """Return the search for thresholds, all of which a block has to pass."""

        def kept(pages: Pages) -> Callable[[Array], Mask]:
            columns, limits = np.ascontiguousarray(self.values(pages).T), self._space.oriented_thresholds
            return lambda at: np.stack([np.logical_and.reduce(columns >= own[:, None]) for own in limits(at)])

        return self._problem(kept, self._space.keep_all)

    def best_run(self) -> Problem:
        """Return the search for thresholds, softness and penalty: the run with the highest sum is kept."""
        space = SearchSpace(self.features, with_margins=True)

        def kept(pages: Pages) -> Callable[[Array], Mask]:
            values = self.values(pages)
            words = np.concatenate([page.words for page in pages]).astype(np.float32)
            starts = np.cumsum([0, *(page.words.size for page in pages)], dtype=np.int32)

            def masks(positions: Array) -> Mask:
                margins = [space.margins_of(position) for position in positions]
                softness = np.array([margin.softness for margin in margins], dtype=np.float32)
                penalty = np.array([margin.penalty for margin in margins], dtype=np.float32)
                limits = np.ascontiguousarray(space.oriented_thresholds(positions).T)
                return np.asarray(run_masks(values, words, starts, limits, softness, penalty).T > 0)

            return masks

        return self._problem(kept, space.keep_all)

    def by_search(
        self, problem: Problem, polish: CoordinateAscent, swarm: SwarmOptions = _SWARM
    ) -> Callable[[Pages], Mask]:
        """Look for the numbers with the highest word F1 itself by swarm and ascent."""
        options = replace(swarm, seed=self.seed)
        return problem.kept(
            search(problem.objective, problem.known.size, options, polish, known=problem.known).position
        )

    def thresholds_by_gradient(self) -> Callable[[Pages], Mask]:
        """Fit a product of sigmoids by its gradient, steeper and steeper, and take its thresholds as hard ones."""
        values, label, weight = self._rows()
        thresholds = np.quantile(values, 0.05, axis=0)
        for steepness in _STEEPNESS:

            def loss(at: Array, steepness: float = steepness) -> tuple[float, Array]:
                each = probabilities(steepness * (values - at), limit=30.0)
                passes = np.clip(np.prod(each, axis=1), 1e-9, 1 - 1e-9)
                slope = weight * (label - passes) / (1 - passes)
                cost = -(weight * (label * np.log(passes) + (1 - label) * np.log1p(-passes))).sum()
                return float(cost), np.asarray((slope[:, None] * steepness * (1 - each)).sum(axis=0))

            thresholds = minimize(loss, thresholds, jac=True, method="L-BFGS-B").x
        return lambda pages: np.asarray((self.values(pages) >= thresholds).all(axis=1))

    def regression(self, *, swarm: bool = False) -> Callable[[Pages], Mask]:
        """Fit a logistic regression; on request a swarm looks around it for the highest word F1."""
        values, label, weight = self._rows()
        design = np.column_stack((values, np.ones(label.size)))

        def loss(at: Array) -> tuple[float, Array]:
            scores = design @ at
            cost = (weight * (np.logaddexp(0, scores) - label * scores)).sum() + 1e-4 * (at[:-1] ** 2).sum()
            slope = design.T @ (weight * (probabilities(scores, limit=30.0) - label))
            slope[:-1] += 2e-4 * at[:-1]
            return float(cost), slope

        found = np.asarray(minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B").x)
        if swarm:
            start, reach = found, 0.5 * np.abs(found) + 0.5

            def at(position: Array) -> Array:
                return np.asarray(start + (2 * np.clip(position, 0, 1) - 1) * reach)

            def around(pages: Pages) -> Callable[[Array], Mask]:
                rows = np.column_stack((self._clipped(pages), np.ones(sum(page.words.size for page in pages))))
                return lambda own: at(own) @ rows.T > 0

            return self.by_search(self._problem(around, np.full(start.size, 0.5)), CoordinateAscent())
        return lambda pages: np.asarray(self._clipped(pages) @ found[:-1] + found[-1] > 0)

    def tree(self) -> Callable[[Pages], Mask]:
        """Grow one tree of eight splits, best first."""
        lightgbm = import_module("lightgbm")
        values, label, weight = self._rows()
        found = lightgbm.train(_TREE, lightgbm.Dataset(values, label > 0.5, weight=weight * 1_000), num_boost_round=1)
        return lambda pages: np.asarray(found.predict(self._clipped(pages))) > 0.5

    def scored(self, kept: Callable[[Pages], Mask], pages: Pages) -> float:
        """Return the mean word F1 of pages."""
        return float(self._packed(pages).fitness(kept(pages)[block_order(pages)][None])[0])

    def values(self, pages: Pages) -> Floats:
        """Return the features of all blocks, scaled and turned so that more is better."""
        return self._space.oriented(
            np.concatenate([page.matrix[:, self._columns] for page in pages]).astype(np.float64)
        )

    @property
    def _space(self) -> SearchSpace:
        return SearchSpace(self.features)

    @property
    def _columns(self) -> NDArray[np.int64]:
        return np.array([self.places[feature.name] for feature in self.features])

    def _packed(self, pages: Pages) -> PackedPages:
        return PackedPages.build(pages, self._columns)

    def _clipped(self, pages: Pages) -> Array:
        return np.clip(self.values(pages), -_MOST, _MOST).astype(np.float64)

    def _rows(self) -> tuple[Array, Array, Array]:
        """Return the features of all blocks, their labels and weights."""
        weight = np.concatenate([page.weight for page in self.training]).astype(np.float64)
        return self._clipped(self.training), np.concatenate([page.label for page in self.training]), weight

    def _problem(self, kept: Callable[[Pages], Callable[[Array], Mask]], known: Array) -> Problem:
        """Return the search for the highest word F1 of the training pages."""
        packed, masks, order = self._packed(self.training), kept(self.training), block_order(self.training)
        blocks = sum(page.words.size for page in self.training)
        chosen = sparse.csr_array(
            (np.ones(order.size, np.float32), (np.arange(order.size), order)), (order.size, blocks)
        )
        sums = packed.sums @ chosen  # by blocks in page order, those of pages without content among them

        def objective(at: Array) -> Array:
            words, right = np.split(sums @ np.ascontiguousarray(masks(at).T, dtype=np.float32), 2)
            return np.asarray(packed.importance @ (2 * right / (words + packed.gold[:, None])))

        return Problem(objective, known, lambda at: lambda pages: kept(pages)(at[None])[0])


def systems_of_eight(training: Pages, test: Pages, seed: int) -> dict[str, float]:
    """Return the mean word F1 of the test pages for each way to find the numbers of the eight features."""
    numbers = Numbers(training, seed)
    hard = numbers.hard_thresholds()
    fitted = {
        "thresholds, swarm": numbers.by_search(hard, CoordinateAscent()),
        "thresholds, swarm and ascent": numbers.by_search(hard, CoordinateAscent(ascent=3)),
        "thresholds, ascent alone": numbers.by_search(
            hard, CoordinateAscent(ascent=9), SwarmOptions(particles=2, iterations=1)
        ),
        "thresholds, gradient": numbers.thresholds_by_gradient(),
        "thresholds and best run, swarm": numbers.by_search(numbers.best_run(), CoordinateAscent()),
        "regression, gradient": numbers.regression(),
        "regression, gradient and swarm": numbers.regression(swarm=True),
        "tree of eight splits": numbers.tree(),
    }
    return {name: numbers.scored(kept, test) for name, kept in fitted.items()}
