"""What would change a block's decision: the smallest change of its features, or other neighbours (counterfactual)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.measuring import MeasuredPage, features_named
from blockfeat.features.phrases import FORMS
from blockfeat.features.schema import Feature
from blockfeat.models.model import Model, Prediction

MOST_CHANGES = 4
"""At most so many features are tried together one by one."""
_QUANTILES = (0.1, 0.5, 0.9)
_REACHES = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Change:
    """One changed feature.

    Attributes
    ----------
    feature : Feature
        The feature.
    before, after : float
        Its value on the page, and the one that would do.
    """

    feature: Feature
    before: float
    after: float

    def __str__(self) -> str:
        """Return the change for people: ``links: all → 2 of 10``."""
        written = FORMS[self.feature.form]
        return f"{self.feature.title}: {written(self.before)} → {written(self.after)}"


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What turns the decision about a block around.

    Attributes
    ----------
    changes : tuple of Change
        Changes of its features, the largest first; empty where its neighbours decide.
    like : int or None
        A block of the other decision: with the features of it, and of the ``reach`` blocks on each side of it, in
        place of those around the block, the decision would be the other one.
    reach : int
        How many neighbours on each side.
    """

    changes: tuple[Change, ...] = ()
    like: int | None = None
    reach: int = 0


def what_would_change(
    model: Model, measured: MeasuredPage, prediction: Prediction, block: int
) -> Counterfactual | None:
    """Return the smallest change that turns the model's decision about a block around.

    Values are tried that blocks of the other decision have on the page (their quantiles .1, .5 and .9), one feature at
    a time; of those that turn it around the one that differs least, in standard deviations on the page. Where none
    does, the change that moves the score most is kept, and another is tried with it, four at the most. Where these
    are not enough, the values of the block of the other decision that is most alike are taken, all that are needed;
    and where these are not either, since models read what stands around a block, those of its neighbours too.

    Parameters
    ----------
    model, measured, prediction
        The model, the page as it measured it, and what it predicted.
    block : int
        The block.

    Returns
    -------
    Counterfactual or None
        None where the values of eight neighbours on each side are not enough, or no block of the page has the other
        decision.
    """
    kept = prediction.kept
    others = measured.matrix[kept != kept[block]]
    if not len(others):
        return None
    features = features_named(model.feature_names)
    tried = np.quantile(others, _QUANTILES, axis=0)
    spread = measured.matrix.std(axis=0) + 1e-6
    row = measured.matrix[block].astype(np.float64)
    chosen: dict[int, float] = {}
    for _ in range(MOST_CHANGES):
        best: tuple[bool, float, int, float] | None = None
        for column in range(row.size):
            for value in np.unique(tried[:, column]).tolist():
                if column in chosen or value == row[column]:
                    continue
                found = _with(model, measured, block, {**chosen, column: value})
                turns = bool(found.kept[block]) != bool(kept[block])
                distance = abs(value - row[column]) / float(spread[column])
                gain = float(found.scores[block] - prediction.scores[block]) * (-1 if kept[block] else 1)
                # Of those that turn it around the nearest; else what moves the score most.
                rank = (turns, -distance if turns else gain, column, value)
                best = rank if best is None or rank[:2] > best[:2] else best
        if best is None:
            return None
        chosen[best[2]] = best[3]
        if best[0]:
            return Counterfactual(
                tuple(Change(features[column], float(row[column]), value) for column, value in chosen.items())
            )
    return _copied(model, measured, prediction, block, spread)


def _among_others(
    model: Model, measured: MeasuredPage, prediction: Prediction, block: int, like: int
) -> Counterfactual | None:
    """Return how many neighbours of another block it takes around a block for the decision about that one."""
    matrix, kept = measured.matrix, prediction.kept
    for reach in _REACHES:
        offsets = np.arange(-reach, reach + 1)
        inside = (np.minimum(block, like) + offsets >= 0) & (np.maximum(block, like) + offsets < len(matrix))
        changed: NDArray[np.floating[Any]] = matrix.copy()
        changed[block + offsets[inside]] = matrix[like + offsets[inside]]
        if bool(model.predict(replace(measured, matrix=changed)).kept[block]) != bool(kept[block]):
            return Counterfactual(like=like, reach=reach)
    return None


def _copied(
    model: Model, measured: MeasuredPage, prediction: Prediction, block: int, spread: NDArray[np.floating[Any]]
) -> Counterfactual | None:
    """Return the values of the most alike block of the other decision that are needed, the largest change first."""
    kept, matrix = prediction.kept, measured.matrix
    others = (kept != kept[block]).nonzero()[0]
    distances = np.abs(matrix[others] - matrix[block]) / spread
    nearest = int(others[distances.sum(axis=1).argmin()])
    steps = np.abs(matrix[nearest] - matrix[block]) / spread
    needed = {column: float(matrix[nearest, column]) for column in np.argsort(-steps).tolist() if steps[column] > 0}
    if bool(_with(model, measured, block, needed).kept[block]) == bool(kept[block]):
        return _among_others(model, measured, prediction, block, nearest)
    for column in np.argsort(steps, kind="stable").tolist():
        fewer = {place: value for place, value in needed.items() if place != column}
        if fewer and bool(_with(model, measured, block, fewer).kept[block]) != bool(kept[block]):
            needed = fewer
    features = features_named(model.feature_names)
    row = matrix[block].tolist()
    return Counterfactual(tuple(Change(features[column], row[column], value) for column, value in needed.items()))


def _with(model: Model, measured: MeasuredPage, block: int, values: dict[int, float]) -> Prediction:
    """Return what a model predicts of a page on which a block has other values."""
    matrix: NDArray[np.floating[Any]] = measured.matrix.copy()
    matrix[block, list(values)] = list(values.values())
    return model.predict(replace(measured, matrix=matrix))


def strongest(features: Sequence[Feature], contributions: Sequence[float], *, most: int = 5) -> list[tuple[str, float]]:
    """Return the titles of the features that moved a score most, each with how far."""
    order = np.argsort(-np.abs(np.asarray(contributions)), kind="stable")[:most].tolist()
    return [(features[place].title, float(contributions[place])) for place in order if contributions[place]]
