"""Parameters of the margin model and their initial fit: logistic regression on soft thresholds chosen one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Count, CountOrNone, InnerShare, Ranged, Share
from blockfeat._numeric import probabilities
from blockfeat.errors import TrainingError
from blockfeat.models.margin import SoftThreshold, Transitions
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.examples import Floats, LabelOptions, TrainingPage

Array = NDArray[np.float64]
_QUANTILES = (0.02, 0.2, 0.4, 0.6, 0.8, 0.98)
_RARER = (0.1, 0.5, 0.9)
_LEAST_SOFTNESS = 1e-3
_TRIED = 5
_RIDGE = 1e-4
_CAUTION = 1e-3
_MOST_LOG_ODDS = 30.0
_SWARM = SwarmOptions(
    particles=24, iterations=30, inertia=0.73, cognitive=1.5, social=1.5, patience=15, velocity_limit=0.25, seed=1
)


@dataclass(frozen=True)
class MarginOptions(Ranged):
    """Hyperparameters of the margin model.

    Attributes
    ----------
    table : str
        Bundled tag table, "html5" or "ziegler2007", or path of one.
    features : int
        Maximum number of features that are chosen.
    rows : int
        Blocks drawn, by their weight, for the choice of features.
    all_rows : int
        Blocks drawn for the regression over the chosen features.
    steps : int
        Newton steps of that regression.
    tuned : str
        What the swarm tunes: "all" parameters, best on pages like those of the training, or "costs", the bias and the
        two costs only, which generalises better to other corpora.
    rounds : int
        Rounds of the swarm; each searches half as far as the last. If it tunes all parameters, a round has two stages:
        weights, bias and costs first, then thresholds and softnesses.
    pages : int
        Pages, drawn at random, on which the swarm tunes thresholds and softnesses; other parameters on all pages.
    blocks : int
        Pages with more blocks are left out of the swarm's fitness.
    cut : float
        Probability from which a block is content; above one half, fewer teasers are kept.
    sure : float
        Expected F1 of a page below which its cut is lowered; 0 for never.
    labels : LabelOptions
        Labels and weights of the blocks.
    swarm : SwarmOptions
        The particle swarm.
    """

    error = TrainingError

    table: str = "html5"
    features: Count = 24
    rows: Count = 40_000
    all_rows: Count = 120_000
    steps: CountOrNone = 40
    tuned: Literal["all", "costs"] = "all"
    rounds: CountOrNone = 2
    pages: Count = 1_200
    blocks: Count = 800
    cut: InnerShare = 0.5
    sure: Share = 0.7
    labels: LabelOptions = field(default_factory=LabelOptions)
    swarm: SwarmOptions = _SWARM

    @property
    def generations(self) -> int:
        """Maximum number of generations of the swarm."""
        return self.rounds * self.swarm.iterations * (2 if self.tuned == "all" else 1)


@dataclass(frozen=True, eq=False)
class Parameters:
    """Parameters of the model: column, threshold, softness and weight of each feature, bias and transition costs."""

    columns: NDArray[np.int64]
    thresholds: Array
    softnesses: Array
    weights: Array
    bias: float = 0.0
    enter: float = 0.0
    leave: float = 0.0

    def terms(self, names: Sequence[str]) -> tuple[SoftThreshold, ...]:
        """Return the soft thresholds, largest absolute weight first, rounded to four digits."""
        order = np.argsort(-np.abs(self.weights), kind="stable").tolist()
        numbers = (self.thresholds, self.softnesses, self.weights)
        return tuple(
            SoftThreshold(names[int(self.columns[place])], *(_readable(own[place]) for own in numbers))
            for place in order
        )

    @property
    def transitions(self) -> Transitions:
        """The transition costs, rounded to four digits."""
        return Transitions(_readable(self.enter), _readable(self.leave))


def _readable(value: float) -> float:
    """Round to four significant digits."""
    return float(f"{float(value):.4g}")


@dataclass(frozen=True, eq=False)
class _Sample:
    """Blocks drawn in proportion to their weights, then weighted equally: values of all features, k × n, and labels."""

    values: Floats
    label: Array

    @classmethod
    def draw(cls, pages: Sequence[TrainingPage], count: int, seed: int) -> _Sample:
        """Draw ``count`` blocks with repeats, at most twice as many as have a weight above 0; none has weight 0."""
        weights = np.concatenate([np.zeros(0), *(page.weight for page in pages)])
        if not weights.sum() > 0:
            raise TrainingError("no block of the training pages has a weight")
        count = min(count, 2 * int((weights > 0).sum()))
        total = np.cumsum(weights)
        # Stratified, one in each of `count` equal slices of the weight: less noise than independent draws.
        at = (np.arange(count) + np.random.default_rng(seed).random(count)) * (total[-1] / count)
        chosen = np.minimum(np.searchsorted(total, at, side="right"), weights.size - 1)
        starts = np.cumsum([0, *(page.weight.size for page in pages)])
        owner = np.searchsorted(starts, chosen, side="right") - 1
        edges = np.searchsorted(owner, np.arange(len(pages) + 1))
        rows = [
            page.matrix[chosen[edges[place] : edges[place + 1]] - starts[place]] for place, page in enumerate(pages)
        ]
        label = np.concatenate([page.label for page in pages])[chosen]
        return cls(np.ascontiguousarray(np.concatenate(rows).T), label.astype(np.float64))


def start_of(pages: Sequence[TrainingPage], options: MarginOptions) -> Parameters:
    """Choose features one by one, each with the soft threshold (ramp) that helps most, and fit all of them together.

    Each step tries the five features whose ramps have the highest score statistics given the earlier ones (Rao 1948),
    and adds the one with the lowest loss; Newton's method moves all thresholds, softnesses and weights, thresholds as
    in segmented regression (Muggeo 2003).

    Raises
    ------
    TrainingError
        No block has a weight, or no feature separates content from the rest.
    """
    sample = _Sample.draw(pages, options.rows, options.swarm.seed)
    ramps, soft = _candidates(sample.values)
    squares = soft * soft
    empty = np.zeros(0)
    parameters = Parameters(np.zeros(0, dtype=np.int64), empty, empty, empty)
    owner = np.array([column for column, _, _ in ramps])
    is_free = np.ones(owner.size, dtype=bool)
    while parameters.columns.size < options.features and is_free.any():
        gains = np.where(is_free, _gains(parameters, sample, soft, squares), 0.0)
        tried = []
        for _ in range(_TRIED):
            best = int(np.argmax(gains))
            if gains[best] > 0:
                tried.append(_newton(_with(parameters, *ramps[best]), sample, 2))
                gains[owner == ramps[best][0]] = 0.0
        if not tried:
            break
        parameters, _ = min(tried, key=lambda found: found[1])
        is_free &= owner != parameters.columns[-1]
        parameters, _ = _newton(parameters, sample, 2)
    if not parameters.columns.size:
        raise TrainingError("no feature separates content from the rest")
    return _newton(parameters, _Sample.draw(pages, options.all_rows, options.swarm.seed + 1), options.steps)[0]


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
    """Return ramps between quantiles of each feature (column, threshold, softness), and their values: ramps × rows."""
    ramps: list[tuple[int, float, float]] = []
    soft: list[Floats] = []
    for column, own in enumerate(values):
        # Many features are 0 nearly everywhere: quantiles of the other values are added.
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


def _gains(parameters: Parameters, sample: _Sample, soft: Floats, squares: Floats) -> Array:
    """Return the score statistic of each ramp (values ``soft``: ramps × rows), given the features chosen already."""
    own = _soft(parameters, sample.values[parameters.columns])
    chance = _chance(parameters, own)
    curvature = chance * (1 - chance)
    design: Array = np.vstack((own, np.ones_like(chance)))
    weighted = design * curvature
    products = soft @ np.vstack((sample.label - chance, weighted)).astype(np.float32).T
    gradient, across = products[:, 0].astype(np.float64), products[:, 1:].astype(np.float64)
    inner = weighted @ design.T + _RIDGE * sample.label.size * np.eye(design.shape[0])
    own_square = (squares @ curvature.astype(np.float32)).astype(np.float64)
    left = own_square - (across * np.linalg.solve(inner, across.T).T).sum(axis=1)
    return np.asarray(gradient**2 / (left + _CAUTION * sample.label.size))


def _newton(parameters: Parameters, sample: _Sample, steps: int) -> tuple[Parameters, float]:
    """Minimise the loss over weights, thresholds, softnesses and bias by damped Newton steps (Levenberg-Marquardt).

    Return the parameters and their loss.
    """
    values, label = sample.values[parameters.columns], sample.label
    limits = np.stack((values.min(axis=1), values.max(axis=1))).astype(np.float64)
    count, damping = parameters.weights.size, 1e-2
    loss = _loss(parameters, values, label)
    for _ in range(steps):
        jacobian = _jacobian(parameters, values)
        chance = _chance(parameters, jacobian[:count])
        gradient = (jacobian @ (label - chance).astype(np.float32) / label.size).astype(np.float64)
        gradient[:count] -= _RIDGE * parameters.weights
        # A product with its own transpose takes half the time of one with another matrix.
        jacobian *= np.sqrt(chance * (1 - chance) / label.size).astype(np.float32)
        inner = (jacobian @ jacobian.T).astype(np.float64)
        inner[np.arange(count), np.arange(count)] += _RIDGE
        for _ in range(6):
            damped = inner + np.diag(damping * np.diag(inner) + 1e-7)
            tried = _moved(parameters, np.asarray(np.linalg.solve(damped, gradient), dtype=np.float64), limits)
            found = _loss(tried, values, label)
            if found < loss:
                parameters, loss, damping = tried, found, max(damping / 4, 1e-6)
                break
            damping *= 8
        else:
            break
    return parameters, loss


def _jacobian(parameters: Parameters, values: Floats) -> Floats:
    """Return the scores' derivatives by weights, thresholds / softnesses, log softnesses and bias: (3k + 1) × n."""
    count = parameters.weights.size
    changes = np.ones((3 * count + 1, values.shape[1]), dtype=np.float32)
    scaled = _scaled(parameters, values)
    np.clip(scaled, -1, 1, out=changes[:count])
    steepness = parameters.weights.astype(np.float32)[:, None]
    np.multiply(np.abs(scaled) < 1, -steepness, out=changes[count : 2 * count])
    np.multiply(changes[count : 2 * count], scaled, out=changes[2 * count : -1])
    return changes


def _moved(parameters: Parameters, step: Array, limits: Array) -> Parameters:
    """Return parameters after a step, in the order of `_jacobian`; thresholds stay within the limits (2 × k)."""
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


def _scaled(parameters: Parameters, values: Floats) -> Floats:
    """Return (value - threshold) / softness of the chosen features: k × n."""
    scaled = values - parameters.thresholds.astype(np.float32)[:, None]
    scaled /= parameters.softnesses.astype(np.float32)[:, None]
    return np.asarray(scaled)


def _soft(parameters: Parameters, values: Floats) -> Floats:
    """Return the result of `_scaled`, clipped to [-1, 1]."""
    scaled = _scaled(parameters, values)
    return np.clip(scaled, -1, 1, out=scaled)


def _scores(parameters: Parameters, soft: Floats) -> Array:
    return np.asarray(parameters.weights.astype(np.float32) @ soft + parameters.bias, dtype=np.float64)


def _chance(parameters: Parameters, soft: Floats) -> Array:
    """Return the probability that each block is content."""
    return probabilities(_scores(parameters, soft), limit=_MOST_LOG_ODDS)


def _loss(parameters: Parameters, values: Floats, label: Array) -> float:
    """Return the mean cross-entropy plus a ridge penalty on the weights."""
    scores = _scores(parameters, _soft(parameters, values))
    likely = np.logaddexp(0.0, scores) - label * scores
    return float(likely.mean() + _RIDGE / 2 * (parameters.weights**2).sum())
