"""Trainer of margin models: soft thresholds and weights, tuned by particle swarm to maximise word F1."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.features.measuring import context_places
from blockfeat.models.margin import MarginModel
from blockfeat.pso.swarm import Generation, SwarmOptions, maximise, offsets
from blockfeat.training.config import OnProgress, Progress, Trainer, TrainingReport, no_progress
from blockfeat.training.examples import Floats, PageLabeller, TrainingPage, context_measurer, label_pages
from blockfeat.training.margin_fit import Array, MarginOptions, Parameters, start_of
from blockfeat.training.swarm_search import swarm_progress

_BLOCKS_AT_ONCE = 8_192
_FIRST_COST = 0.1
_REACH_OF_COSTS = 1.5


@dataclass(frozen=True, kw_only=True)
class MarginTrainer(Trainer[MarginOptions]):
    """Trains margin models; see `blockfeat.training.margin_fit`."""

    kind: ClassVar[str] = "margin"
    suffix: ClassVar[str] = ".json"

    config: MarginOptions = field(default_factory=MarginOptions)

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> MarginModel:
        """Learn a model from labelled pages; see `Trainer.fit`."""
        labeller = PageLabeller(context_measurer(self.config.table, self.languages), self.config.labels)
        found, skipped = label_pages(pages, labeller, jobs=self.jobs, on_progress=on_progress)
        on_progress(Progress("fitting", 0, 1, "features and regression"))
        on_generation = swarm_progress(on_progress, self.config.generations, "parameters")
        options = replace(self.config, swarm=replace(self.config.swarm, seed=self.seed))
        fit = fit_margin(found, options, on_generation=on_generation)
        report = TrainingReport(
            self.kind,
            training_pages=len(found),
            fitness=fit.fitness,
            history=fit.history,
            skipped=skipped,
            details={"features": len(fit.parameters.weights), "fitness_before_swarm": round(fit.start, 4)},
            interrupted=fit.interrupted,
        )
        return MarginModel(
            self.name,
            load_table(self.config.table),
            fit.parameters.terms(tuple(context_places())),
            float(f"{fit.parameters.bias:.4g}"),
            fit.parameters.transitions,
            cut=self.config.cut,
            sure=self.config.sure,
            languages=self.languages,
            report=report,
        )


@dataclass(frozen=True, eq=False)
class MarginFit:
    """Result of the fit.

    Attributes
    ----------
    parameters : Parameters
        The best parameters found.
    start, fitness : float
        Mean word F1 of the training pages before and after the swarm.
    history : tuple of Generation
        Generations of all stages, numbered consecutively.
    interrupted : bool
        Whether the user stopped the swarm.
    """

    parameters: Parameters
    start: float
    fitness: float
    history: tuple[Generation, ...] = ()
    interrupted: bool = False


def fit_margin(
    pages: Sequence[TrainingPage], options: MarginOptions, *, on_generation: Callable[[Generation], None] | None = None
) -> MarginFit:
    """Fit the margin model to pages: choose features, fit a logistic regression, tune the parameters by swarm.

    Raises
    ------
    TrainingError
        No block has a weight, no page has content, or no feature separates content from the rest.
    """
    start = replace(start_of(pages, options), enter=_FIRST_COST, leave=_FIRST_COST)
    return tune(start, pages, options, on_generation=on_generation)


def tune(
    start: Parameters,
    pages: Sequence[TrainingPage],
    options: MarginOptions,
    *,
    on_generation: Callable[[Generation], None] | None = None,
) -> MarginFit:
    """Search around a start for the parameters with the highest mean word F1, by particle swarm.

    Parameters are tuned in two groups in turn: in all dimensions at once a particle rarely improves one without making
    another worse (van den Bergh & Engelbrecht 2004). Ctrl-C ends the search with the best parameters so far.
    """
    short = [page for page in pages if page.words.size <= options.blocks]
    packed = PackedPages.build(short, start.columns)
    stages = [(packed, _costs_at, 3)]
    if options.tuned == "all":
        drawn = np.random.default_rng(options.swarm.seed).permutation(len(short))[: options.pages]
        some = PackedPages.build([short[place] for place in drawn.tolist()], start.columns)
        count = start.weights.size
        stages = [(packed, _weights_at, count + 3), (some, _thresholds_at, 2 * count)]
    fitness = packed.evaluate(start)
    fit = MarginFit(start, fitness, fitness)
    for number, (number_of_round, (over, at, dimensions)) in enumerate(product(range(options.rounds), stages)):
        swarm = replace(options.swarm, seed=options.swarm.seed + number)
        try:
            fit = _stage(fit, over, swarm, partial(at, reach=0.5**number_of_round), dimensions, on_generation)
        except KeyboardInterrupt:
            fit = replace(fit, interrupted=True)
        if fit.interrupted:
            break
    return replace(fit, fitness=packed.evaluate(fit.parameters))


def _stage(
    fit: MarginFit,
    pages: PackedPages,
    swarm: SwarmOptions,
    at: Callable[[Parameters, Array], Parameters],
    dimensions: int,
    on_generation: Callable[[Generation], None] | None,
) -> MarginFit:
    """Tune some of the parameters by one swarm; return the fit with the best ones.

    ``at`` decodes a position of the swarm as changes of a start.
    """
    start, done = fit.parameters, len(fit.history)

    def report(generation: Generation) -> None:
        if on_generation is not None:
            on_generation(replace(generation, number=done + generation.number))

    def fitness(positions: Array) -> Array:
        return _fitness(pages, [at(start, position) for position in positions])

    result = maximise(fitness, dimensions, swarm, known=np.full(dimensions, 0.5), on_generation=report)
    logging.getLogger(__name__).info("from %.4f to %.4f", result.history[0].best, result.fitness)
    numbered = tuple(replace(one, number=done + one.number) for one in result.history)
    return replace(
        fit, parameters=at(start, result.position), history=(*fit.history, *numbered), interrupted=result.interrupted
    )


def _fitness(pages: PackedPages, particles: Sequence[Parameters]) -> Array:
    """Return the mean word F1 of each particle."""
    names = ("thresholds", "softnesses", "weights", "bias", "enter", "leave")
    *ramps, enter, leave = (np.array([getattr(particle, name) for particle in particles]) for name in names)
    return pages.fitness(pages.labels(pages.scores(*ramps), enter, leave))


def _costs_at(start: Parameters, position: Array, reach: float) -> Parameters:
    """Return the start with bias and costs changed by a position; the centre of the cube changes nothing."""
    return _with_costs(start, offsets(position) * (reach * _REACH_OF_COSTS))


def _weights_at(start: Parameters, position: Array, reach: float) -> Parameters:
    """Return the start with weights, bias and costs changed by a position; the centre of the cube changes nothing."""
    change = offsets(position) * reach
    weights = start.weights + change[:-3] * (0.5 * np.abs(start.weights) + 0.2)
    return _with_costs(replace(start, weights=weights), change[-3:])


def _thresholds_at(start: Parameters, position: Array, reach: float) -> Parameters:
    """Return the start with thresholds (± half a softness at most) and softnesses (half to double) of a position."""
    far, wider = np.split(offsets(position) * reach, 2)
    return replace(
        start, thresholds=start.thresholds + 0.5 * far * start.softnesses, softnesses=start.softnesses * 2.0**wider
    )


def _with_costs(start: Parameters, change: Array) -> Parameters:
    """Return parameters with changes added to bias and costs; costs stay at least 0."""
    bias, enter, leave = change.tolist()
    return replace(
        start, bias=start.bias + bias, enter=max(0.0, start.enter + enter), leave=max(0.0, start.leave + leave)
    )


@dataclass(frozen=True, eq=False)
class PackedPages:
    """Pages side by side, longest first: the first blocks of all, then the second of those that have one, and so on.

    Attributes
    ----------
    values : float32 array, k × n
        The chosen features of all blocks.
    heights : tuple of int
        Number of pages that have a first block, a second, …
    last : int array, pages
        Index of the last block of each page.
    sums : sparse matrix, 2·pages × n
        Words of each block, in the row of its page; below them its words that are in the gold.
    gold : float64 array, pages
        Number of content words of each page.
    importance : float64 array, pages
        Weight of each page; the sum is 1.
    """

    values: Floats
    heights: tuple[int, ...]
    last: NDArray[np.int64]
    sums: sparse.csr_array
    gold: Array
    importance: Array

    @classmethod
    def build(cls, pages: Sequence[TrainingPage], columns: NDArray[np.int64]) -> PackedPages:
        """Put pages side by side; pages without a block or without content are left out.

        The words of a block without a known label (weight 0) do not count.
        """
        pages = [page for page in pages if float(_counted_words(page) @ page.share) > 0]
        if not pages:
            raise TrainingError("no training page has content")
        pages.sort(key=lambda page: -page.words.size)
        sizes = np.array([page.words.size for page in pages])
        owner = np.repeat(np.arange(sizes.size), sizes)
        within = np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        order = np.lexsort((owner, within))
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        words = np.concatenate([_counted_words(page) for page in pages])
        found = words * np.concatenate([page.share for page in pages])
        rows = np.concatenate((owner, owner + sizes.size))
        entries = (np.concatenate((words, found)), (rows, np.concatenate((place, place))))
        weight = np.array([page.importance for page in pages], dtype=np.float64)
        return cls(
            values=np.ascontiguousarray(np.concatenate([page.matrix[:, columns] for page in pages])[order].T),
            heights=tuple(np.bincount(within).tolist()),
            last=place[np.cumsum(sizes) - 1],
            sums=sparse.csr_array(entries, shape=(2 * sizes.size, owner.size)),
            gold=np.bincount(owner, weights=found).astype(np.float64),
            importance=weight / weight.sum(),
        )

    def scores(self, thresholds: Array, softnesses: Array, weights: Array, bias: Array) -> Floats:
        """Return the score of each block for each particle: particles × n; arguments are particles × k, bias 1-d."""
        found = np.empty((weights.shape[0], self.values.shape[1]), dtype=np.float32)
        inverse, offset = (1 / softnesses).astype(np.float32), (thresholds / softnesses).astype(np.float32)
        light, lifted = weights.astype(np.float32), bias.astype(np.float32)
        are_same = bool((inverse == inverse[0]).all() and (offset == offset[0]).all())
        for first in range(0, found.shape[1], _BLOCKS_AT_ONCE):
            part = self.values[:, first : first + _BLOCKS_AT_ONCE]
            into = found[:, first : first + _BLOCKS_AT_ONCE]
            soft = np.empty_like(part)
            for particle in range(weights.shape[0]):
                if particle == 0 or not are_same:
                    np.multiply(part, inverse[particle][:, None], out=soft)
                    soft -= offset[particle][:, None]
                    np.minimum(np.maximum(soft, -1, out=soft), 1, out=soft)
                if are_same:
                    np.matmul(light, soft, out=into)
                    break
                np.matmul(light[particle], soft, out=into[particle])
        found += lifted[:, None]
        return found

    def labels(self, scores: Floats, enter: Array, leave: Array) -> NDArray[np.bool_]:
        """Return the labels that maximise the sum of scores minus costs on each page (Viterbi): particles × n.

        One number is carried from block to block, the lead of the best labels that end in content over the best of
        those that do not: the score of the block plus the previous lead, clipped to [-enter, leave].
        """
        low, high = (-enter).astype(np.float32)[:, None], leave.astype(np.float32)[:, None]
        lead = scores.copy()
        starts = np.cumsum((0, *self.heights[:-1])).tolist()
        steps = list(zip(starts[:-1], starts[1:], self.heights[1:], strict=True))
        for before, at, height in steps:
            bounded = np.maximum(lead[:, before : before + height], low)
            np.minimum(bounded, high, out=bounded)
            lead[:, at : at + height] += bounded
        kept, may_be = lead > high, lead > low
        kept[:, self.last] = lead[:, self.last] > 0
        for at, behind, height in reversed(steps):
            follows = may_be[:, at : at + height] & kept[:, behind : behind + height]
            kept[:, at : at + height] |= follows
        return kept

    def fitness(self, kept: NDArray[np.bool_]) -> Array:
        """Return the mean word F1 of the pages for each row of labels: particles × n to particles."""
        found = np.empty(kept.shape[0])
        for particle, labels in enumerate(kept.astype(np.float32)):
            words, right = (self.sums @ labels).astype(np.float64).reshape(2, -1)
            found[particle] = (2 * right / (words + self.gold)) @ self.importance
        return found

    def evaluate(self, parameters: Parameters) -> float:
        """Return the mean word F1 of the pages for one set of parameters."""
        return float(_fitness(self, [parameters])[0])


def _counted_words(page: TrainingPage) -> Floats:
    """Return the number of words of each block; 0 for blocks of weight 0."""
    return np.asarray(np.where(page.weight > 0, page.words, 0), dtype=np.float32)
