"""Fit of the margin model: logistic regression on soft thresholds, then the swarm against word F1 itself."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.errors import TrainingError
from blockfeat.pso.swarm import Generation, SwarmOptions, maximise
from blockfeat.training.margin_pages import PackedPages, Parameters
from blockfeat.training.pages import LabelOptions, TrainingPage

Floats = NDArray[np.float32]
Array = NDArray[np.float64]

_QUANTILES = (0.02, 0.2, 0.4, 0.6, 0.8, 0.98)
_RARER = (0.1, 0.5, 0.9)
_LEAST_SOFTNESS = 1e-3
_TRIED = 5
_RIDGE = 1e-4
_CAUTION = 1e-3
_FIRST_COST = 0.1
_REACH_OF_COSTS = 1.5
TUNED = ("all", "costs")
"""What the swarm may tune."""
_MOST_LOG_ODDS = 30.0
_SWARM = SwarmOptions(
    particles=24, iterations=30, inertia=0.73, cognitive=1.5, social=1.5, patience=15, velocity_limit=0.25, seed=1
)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class MarginOptions:
    """Hyperparameters of the margin model.

    Attributes
    ----------
    table : str
        Bundled tag table, "html5" or "ziegler2007", or path of one.
    features : int
        Most features that are chosen.
    rows : int
        Blocks drawn, by their weight, for the choice of features.
    all_rows : int
        Blocks drawn for the regression over the chosen features.
    steps : int
        Newton steps of that regression.
    tuned : str
        What the swarm tunes: "all" parameters, best on pages like those of the training, or "costs", the bias and the
        two costs only, which holds better on pages of other corpora.
    rounds : int
        Rounds of the swarm; each looks half as far. Where it tunes all, a round has two stages: first weights, bias and
        costs, then thresholds and softnesses.
    pages : int
        Pages, drawn at random, against which the swarm tunes thresholds; all else it tunes against all.
    blocks : int
        Pages with more blocks do not count for the swarm.
    cut : float
        Probability from which the model takes a block for content by itself; above one half for fewer teasers.
    sure : float
        Expected F1 of a page below which the cut is lower; 0 for never.
    labels : LabelOptions
        Labels and weights of the blocks.
    swarm : SwarmOptions
        The particle swarm.
    """

    table: str = "html5"
    features: int = 24
    rows: int = 40_000
    all_rows: int = 120_000
    steps: int = 40
    tuned: str = "all"
    rounds: int = 2
    pages: int = 1_200
    blocks: int = 800
    cut: float = 0.5
    sure: float = 0.7
    labels: LabelOptions = field(default_factory=LabelOptions)
    swarm: SwarmOptions = _SWARM

    def __post_init__(self) -> None:
        """Check the values."""
        for name in ("features", "rows", "all_rows", "pages", "blocks"):
            if getattr(self, name) < 1:
                raise TrainingError(f"'{name}' must be at least 1, not {getattr(self, name)}")
        if self.rounds < 0 or self.steps < 0:
            raise TrainingError("'rounds' and 'steps' must be at least 0")
        if self.tuned not in TUNED:
            raise TrainingError(f"unknown 'tuned' {self.tuned!r}; known are {', '.join(TUNED)}")
        if not (0 < self.cut < 1 and 0 <= self.sure <= 1):
            raise TrainingError("'cut' must lie between 0 and 1, 'sure' be from 0 to 1")

    @property
    def generations(self) -> int:
        """Generations of the swarm at most."""
        return self.rounds * self.swarm.iterations * (2 if self.tuned == "all" else 1)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Blocks drawn by weight: values of all features, labels; each counts alike."""

    values: Floats
    label: Array

    @classmethod
    def draw(cls, pages: Sequence[TrainingPage], count: int, seed: int) -> _Rows:
        """Draw blocks, at most two for each of the pages' own; those of weight 0 never."""
        weights = np.concatenate([np.zeros(0), *(page.weight for page in pages)])
        if not weights.sum() > 0:
            raise TrainingError("no block of the training pages has a weight")
        count = min(count, 2 * int((weights > 0).sum()))
        total = np.cumsum(weights)
        # One in each of `count` equal slices of the weight: less noise than free draws.
        at = (np.arange(count) + np.random.default_rng(seed).random(count)) * (total[-1] / count)
        chosen = np.minimum(np.searchsorted(total, at, side="right"), weights.size - 1)
        starts = np.cumsum([0, *(page.weight.size for page in pages)])
        owner = np.searchsorted(starts, chosen, side="right") - 1
        edges = np.searchsorted(owner, np.arange(len(pages) + 1))
        rows = [
            page.matrix[chosen[edges[place] : edges[place + 1]] - starts[place]] for place, page in enumerate(pages)
        ]
        label = np.concatenate([page.label for page in pages])[chosen]
        return cls(np.concatenate(rows), label.astype(np.float64))


def start_of(pages: Sequence[TrainingPage], options: MarginOptions) -> Parameters:
    """Choose features one by one, each with the ramp that helps most, and fit all of them together.

    Each step takes the ramp with the highest score statistic of a logistic regression that has the earlier ones
    (Rao 1948), then moves all thresholds, softnesses and weights by Newton's method, thresholds as in segmented
    regression (Muggeo 2003).

    Raises
    ------
    TrainingError
        No block has a weight, or no feature separates content from the rest.
    """
    rows = _Rows.draw(pages, options.rows, options.swarm.seed)
    ramps, soft = _candidates(rows.values)
    squares = soft * soft
    empty = np.zeros(0)
    parameters = Parameters(np.zeros(0, dtype=np.int64), empty, empty, empty)
    owner = np.array([column for column, _, _ in ramps])
    is_free = np.ones(owner.size, dtype=bool)
    while parameters.columns.size < options.features and is_free.any():
        gains = np.where(is_free, _gains(parameters, rows, soft, squares), 0.0)
        tried = []
        for _ in range(_TRIED):
            best = int(np.argmax(gains))
            if gains[best] > 0:
                tried.append(_newton(_with(parameters, *ramps[best]), rows, 2))
                gains[owner == ramps[best][0]] = 0.0
        if not tried:
            break
        parameters = min(tried, key=lambda found: _loss(found, rows.values[:, found.columns], rows.label))
        is_free &= owner != parameters.columns[-1]
        parameters = _newton(parameters, rows, 2)
    if not parameters.columns.size:
        raise TrainingError("no feature separates content from the rest")
    return _newton(parameters, _Rows.draw(pages, options.all_rows, options.swarm.seed + 1), options.steps)


def _with(parameters: Parameters, column: int, threshold: float, softness: float) -> Parameters:
    """Return parameters with one more feature, of weight 0."""
    return replace(
        parameters,
        columns=np.append(parameters.columns, column),
        thresholds=np.append(parameters.thresholds, threshold),
        softnesses=np.append(parameters.softnesses, softness),
        weights=np.append(parameters.weights, 0.0),
    )


def _candidates(values: Floats) -> tuple[list[tuple[int, float, float]], Floats]:
    """Return ramps between two quantiles of each feature (column, threshold, softness), and the rows on them."""
    ramps: list[tuple[int, float, float]] = []
    soft: list[Floats] = []
    for column in range(values.shape[1]):
        own = values[:, column]
        # Many features are 0 nearly everywhere: the other values have quantiles of their own.
        other = own[own != np.median(own)]
        rarer = np.quantile(other, _RARER) if other.size else []
        points = np.unique(np.concatenate((np.quantile(own, _QUANTILES), rarer)))
        for first, low in enumerate(points.tolist()):
            for high in points[first + 1 :].tolist():
                threshold, softness = (low + high) / 2, (high - low) / 2
                if softness > _LEAST_SOFTNESS:
                    ramps.append((column, threshold, softness))
                    soft.append(np.clip((own - np.float32(threshold)) / np.float32(softness), -1, 1))
    if not ramps:
        raise TrainingError("no feature separates content from the rest")
    return ramps, np.stack(soft)


def _gains(parameters: Parameters, rows: _Rows, soft: Floats, squares: Floats) -> Array:
    """Return the score statistic of each candidate (soft: candidates × rows) beside what is chosen already."""
    own = parameters.soft(rows.values[:, parameters.columns].astype(np.float64))
    design = np.column_stack((own, np.ones(rows.label.size)))
    chance = probabilities(own @ parameters.weights + parameters.bias, limit=_MOST_LOG_ODDS)
    curvature = chance * (1 - chance)
    weighted = design * curvature[:, None]
    products = soft @ np.column_stack((rows.label - chance, weighted)).astype(np.float32)
    gradient, across = products[:, 0].astype(np.float64), products[:, 1:].astype(np.float64)
    inner = design.T @ weighted + _RIDGE * rows.label.size * np.eye(design.shape[1])
    own_square = (squares @ curvature.astype(np.float32)).astype(np.float64)
    left = own_square - (across * np.linalg.solve(inner, across.T).T).sum(axis=1)
    return np.asarray(gradient**2 / (left + _CAUTION * rows.label.size))


def _newton(parameters: Parameters, rows: _Rows, steps: int) -> Parameters:
    """Move weights, thresholds, softnesses and bias to less loss, step by step with damping (Levenberg)."""
    values = rows.values[:, parameters.columns].astype(np.float64)
    limits: Array = np.stack((values.min(axis=0), values.max(axis=0)))
    count, damping = parameters.weights.size, 1e-2
    loss = _loss(parameters, values, rows.label)
    for _ in range(steps):
        scaled = (values - parameters.thresholds) / parameters.softnesses
        inside = (np.abs(scaled) < 1) * parameters.weights
        jacobian = np.column_stack((np.clip(scaled, -1, 1), -inside, -inside * scaled, np.ones(rows.label.size)))
        chance = probabilities(jacobian[:, :count] @ parameters.weights + parameters.bias, limit=_MOST_LOG_ODDS)
        gradient = jacobian.T @ (rows.label - chance) / rows.label.size
        gradient[:count] -= _RIDGE * parameters.weights
        inner = (jacobian * (chance * (1 - chance) / rows.label.size)[:, None]).T @ jacobian
        inner[np.arange(count), np.arange(count)] += _RIDGE
        for _ in range(6):
            damped = inner + np.diag(damping * np.diag(inner) + 1e-7)
            tried = _moved(parameters, np.asarray(np.linalg.solve(damped, gradient), dtype=np.float64), limits)
            found = _loss(tried, values, rows.label)
            if found < loss:
                parameters, loss, damping = tried, found, max(damping / 4, 1e-6)
                break
            damping *= 8
        else:
            break
    return parameters


def _moved(parameters: Parameters, step: Array, limits: Array) -> Parameters:
    """Return parameters after a step: weights, thresholds in softnesses, logarithms of softnesses, bias."""
    count = parameters.weights.size
    low, high = limits
    far = np.clip(step[count : 2 * count], -1.0, 1.0)
    wider = np.exp(np.clip(step[2 * count : 3 * count], -0.5, 0.5))
    widest = np.maximum(high - low, _LEAST_SOFTNESS)
    return replace(
        parameters,
        weights=parameters.weights + step[:count],
        thresholds=np.clip(parameters.thresholds + far * parameters.softnesses, low, high),
        softnesses=np.clip(parameters.softnesses * wider, np.maximum(_LEAST_SOFTNESS, 1e-3 * widest), widest),
        bias=parameters.bias + float(step[-1]),
    )


def _loss(parameters: Parameters, values: NDArray[np.floating], label: Array) -> float:
    """Return the mean cross-entropy with a ridge over the weights."""
    scores = parameters.soft(values) @ parameters.weights + parameters.bias
    likely = np.logaddexp(0.0, scores) - label * scores
    return float(likely.mean() + _RIDGE / 2 * (parameters.weights**2).sum())


@dataclass(frozen=True, eq=False)
class MarginFit:
    """Result of the fit.

    Attributes
    ----------
    parameters : Parameters
        The parameters found.
    start, fitness : float
        Mean word F1 of the training pages before and after the swarm.
    history : tuple of Generation
        The generations of all stages, numbered through.
    interrupted : bool
        Whether the user stopped the swarm.
    """

    parameters: Parameters
    start: float
    fitness: float
    history: tuple[Generation, ...] = ()
    interrupted: bool = False


def fit_margin(
    pages: Sequence[TrainingPage],
    options: MarginOptions,
    *,
    on_generation: Callable[[Generation], None] | None = None,
) -> MarginFit:
    """Fit the margin model to pages: choose features, regress, and let the swarm tune the parameters.

    Raises
    ------
    TrainingError
        The pages hold nothing to learn from.
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
    """Let the swarm look around a start for the highest mean word F1.

    Of all parameters it tunes one half at a time: over all at once it finds less, since particles in so many dimensions
    rarely help one without harm to another (van den Bergh & Engelbrecht 2004). Ctrl-C ends the search; what was found
    so far is the result.
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
            fit = _stage(fit, over, swarm, _Reading(at, dimensions, 0.5**number_of_round), on_generation)
        except KeyboardInterrupt:
            fit = replace(fit, interrupted=True)
        if fit.interrupted:
            break
    return replace(fit, fitness=packed.evaluate(fit.parameters))


@dataclass(frozen=True)
class _Reading:
    """How a position of the swarm is read: as changes of a start, the nearer the later the round."""

    at: Callable[[Parameters, Array, float], Parameters]
    dimensions: int
    reach: float


def _stage(
    fit: MarginFit,
    pages: PackedPages,
    swarm: SwarmOptions,
    reading: _Reading,
    on_generation: Callable[[Generation], None] | None,
) -> MarginFit:
    """Tune some of the parameters once."""
    start, done = fit.parameters, len(fit.history)

    def report(generation: Generation) -> None:
        if on_generation is not None:
            on_generation(replace(generation, number=done + generation.number))

    def fitness(positions: Array) -> Array:
        return _fitness(pages, [reading.at(start, position, reading.reach) for position in positions])

    known = np.full(reading.dimensions, 0.5)
    result = maximise(fitness, reading.dimensions, swarm, known=known, on_generation=report)
    _logger.info("from %.4f to %.4f", result.history[0].best, result.fitness)
    numbered = tuple(replace(one, number=done + one.number) for one in result.history)
    return replace(
        fit,
        parameters=reading.at(start, result.position, reading.reach),
        history=(*fit.history, *numbered),
        interrupted=result.interrupted,
    )


def _fitness(pages: PackedPages, particles: Sequence[Parameters]) -> Array:
    """Return the mean word F1 of each particle."""
    scores = pages.scores(
        np.stack([particle.thresholds for particle in particles]),
        np.stack([particle.softnesses for particle in particles]),
        np.stack([particle.weights for particle in particles]),
        np.array([particle.bias for particle in particles]),
    )
    enter = np.array([particle.enter for particle in particles])
    leave = np.array([particle.leave for particle in particles])
    return pages.fitness(pages.labels(scores, enter, leave))


def _costs_at(start: Parameters, position: Array, reach: float) -> Parameters:
    """Return the start with the bias and costs of a position; the middle of the cube is the start."""
    return _with_costs(start, _change(position) * (reach * _REACH_OF_COSTS))


def _weights_at(start: Parameters, position: Array, reach: float) -> Parameters:
    """Return the start with the weights, bias and costs of a position; the middle of the cube is the start."""
    change = _change(position) * reach
    weights = start.weights + change[:-3] * (0.5 * np.abs(start.weights) + 0.2)
    return _with_costs(replace(start, weights=weights), change[-3:])


def _thresholds_at(start: Parameters, position: Array, reach: float) -> Parameters:
    """Return the start with thresholds (half a softness off at most) and softnesses (half to double) of a position."""
    far, wider = np.split(_change(position) * reach, 2)
    return replace(
        start,
        thresholds=start.thresholds + 0.5 * far * start.softnesses,
        softnesses=start.softnesses * 2.0**wider,
    )


def _change(position: Array) -> Array:
    """Return how far a position lies from the middle of the cube: -1 to 1."""
    return np.asarray(2.0 * np.clip(position, 0.0, 1.0) - 1.0)


def _with_costs(start: Parameters, change: Array) -> Parameters:
    """Return parameters with bias and costs changed by three numbers."""
    bias, enter, leave = change.tolist()
    return replace(
        start,
        bias=start.bias + bias,
        enter=max(0.0, start.enter + enter),
        leave=max(0.0, start.leave + leave),
    )
