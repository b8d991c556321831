"""Soft labels: a block's label mixed with what boosted trees that saw neither page nor site make of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from blockfeat._extras import import_lightgbm
from blockfeat.data.split import folds_by_host
from blockfeat.training.pages import TrainingPage

Teacher: TypeAlias = Callable[[TrainingPage], NDArray[np.floating[Any]]]
"""Returns the probability of content of each block of a page."""


_MOST_BLOCKS = 160
_REACH = (-2, -1, 1, 2)
# The weights of a page's blocks sum to one; LightGBM's limits are meant for rows that weigh one each.
_WEIGHT = 1_000.0
_OPTIONS = {
    "objective": "binary",
    "num_leaves": 31,
    "learning_rate": 0.08,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "max_bin": 127,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
}


def soften_labels(
    pages: Sequence[TrainingPage],
    teach: Callable[[Sequence[TrainingPage], str], Teacher],
    *,
    share: float,
    seed: int,
) -> list[TrainingPage]:
    """Return the pages with soft labels: (1 - share) · label + share · mean probability.

    Gold texts differ in what they count as content, and some are wrong. A label that models of other sites contradict
    is one of these more often than a block that is hard to tell, so that a network trained on soft labels errs less
    on pages of other corpora (docs/accuracy-study.md). The sites are dealt into two halves; models are trained on each
    and label the pages of the other. Hinton, Vinyals & Dean 2015, section 2, with teachers that never label what they
    learnt.

    Parameters
    ----------
    pages : sequence of TrainingPage
        Pages with their sources, of at least two hosts.
    teach : callable
        Trains models on pages, and returns what they make of another; the second argument names them for the progress.
    share : float
        Share of the teachers in a label, from 0 to 1.
    seed : int
        Seed of the halves.

    Raises
    ------
    CorpusError
        The pages are of fewer than two hosts.
    """
    sources = list({id(page.source): page.source for page in pages if page.source is not None}.values())
    softened = list(pages)
    for number, (learnt, _) in enumerate(folds_by_host(sources, 2, seed), start=1):
        seen = {id(source) for source in learnt}
        teacher = teach([page for page in pages if id(page.source) in seen], f"teachers {number} of 2")
        for place, page in enumerate(pages):
            if page.source is not None and id(page.source) not in seen:
                label = (1 - share) * page.label + share * teacher(page)
                softened[place] = replace(page, label=label.astype(np.float32))
    return softened


def surroundings(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of each block, of its two neighbours on each side, and their means over the page.

    Parameters
    ----------
    matrix : float32 array, n × k
        Features of a page's blocks.

    Returns
    -------
    float32 array, n × 6k
        Zeros stand for neighbours beyond the page.
    """
    count, width = matrix.shape
    reach = max(_REACH)
    edge = np.zeros((reach, width), dtype=np.float32)
    padded = np.vstack((edge, matrix, edge))
    beside = [padded[reach + step : reach + step + count] for step in _REACH]
    mean = np.broadcast_to(matrix.mean(axis=0), matrix.shape)
    return np.hstack((matrix, *beside, mean)).astype(np.float32, copy=False)


def fit_forest(pages: Sequence[TrainingPage], *, trees: int, seed: int) -> Teacher:
    """Fit boosted trees to the labels of pages; return what gives the probabilities of another page's blocks.

    Of a long page 160 blocks are drawn; they stand for all its blocks. The same pages and seed give the same trees.

    Parameters
    ----------
    pages : sequence of TrainingPage
        What to learn from; labels from 0.5 on are content.
    trees : int
        Number of trees.
    seed : int
        Seed of the draws.

    Raises
    ------
    MissingExtraError
        LightGBM is not installed.
    """
    lightgbm = import_lightgbm()
    order = np.random.default_rng(seed)
    rows, labels, weights = zip(*(_sample(page, order) for page in pages), strict=True)
    data = lightgbm.Dataset(np.vstack(rows), np.concatenate(labels), weight=np.concatenate(weights))
    booster = lightgbm.train({**_OPTIONS, "seed": seed}, data, trees)
    return lambda page: np.asarray(booster.predict(surroundings(page.matrix)), dtype=np.float64)


def _sample(
    page: TrainingPage, order: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]:
    """Return rows, labels and weights of some blocks with a known label, which weigh what all of them weigh."""
    known = np.flatnonzero(page.weight > 0)
    drawn = known if known.size <= _MOST_BLOCKS else np.sort(order.choice(known, _MOST_BLOCKS, replace=False))
    weights = page.weight[drawn]
    factor = _WEIGHT * float(page.weight.sum()) / max(float(weights.sum()), 1e-9)
    return surroundings(page.matrix)[drawn], page.label[drawn] >= 0.5, weights * np.float32(factor)
