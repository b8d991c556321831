"""The fit of the margin model: it finds the features that matter, and the swarm never makes it worse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blockfeat.errors import TrainingError
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.margin_fit import MarginOptions, fit_margin, start_of, tune
from blockfeat.training.margin_pages import PackedPages, Parameters
from blockfeat.training.pages import TrainingPage

SWARM = SwarmOptions(particles=8, iterations=6, inertia=0.7, cognitive=1.5, social=1.5, patience=0, seed=3)
SMALL = MarginOptions(features=3, rows=2_000, all_rows=3_000, steps=20, rounds=1, pages=20, swarm=SWARM)


def pages(count: int = 40, noise: float = 0.05, seed: int = 0) -> list[TrainingPage]:
    """Pages whose content has a high value of feature 2 and a low one of feature 4; feature 5 never varies."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        blocks = int(random.integers(20, 60))
        matrix = random.normal(0, 1, (blocks, 6)).astype(np.float32)
        matrix[:, 2] = random.uniform(0, 10, blocks)
        matrix[:, 4] = random.integers(0, 3, blocks)
        matrix[:, 5] = 1.0
        label = ((matrix[:, 2] > 6) & (matrix[:, 4] < 1)) != (random.random(blocks) < noise)
        words = random.integers(3, 40, blocks).astype(np.float32)
        own = label.astype(np.float32)
        made.append(TrainingPage(matrix, own, np.sqrt(words) / np.sqrt(words).sum(), words, own))
    return made


def test_the_start_finds_the_features_that_tell_content() -> None:
    start = start_of(pages(), replace(SMALL, features=2))
    assert sorted(start.columns.tolist()) == [2, 4]
    by_column = dict(zip(start.columns.tolist(), range(2), strict=True))
    assert start.thresholds[by_column[2]] == pytest.approx(6.0, abs=1.0)
    assert 0 < start.thresholds[by_column[4]] < 1
    assert start.weights[by_column[2]] > 0 > start.weights[by_column[4]]


def test_no_more_features_than_asked_for_and_none_twice() -> None:
    start = start_of(pages(), replace(SMALL, features=4))
    assert len(set(start.columns.tolist())) == start.columns.size <= 4
    assert 5 not in start.columns
    assert (start.softnesses > 0).all()


def test_the_fit_reads_other_pages_of_the_kind() -> None:
    fit = fit_margin(pages(), SMALL)
    others = PackedPages.build(pages(seed=9, noise=0.0), fit.parameters.columns)
    assert others.evaluate(fit.parameters) > 0.95


def test_blocks_of_weight_nought_are_never_learnt_from() -> None:
    random = np.random.default_rng(4)
    spoilt = []
    for own in pages():
        lies = random.random(own.label.size) < 0.6
        label = np.where(lies, own.matrix[:, 0] > 0, own.label).astype(np.float32)
        spoilt.append(replace(own, label=label, weight=np.where(lies, 0, own.weight).astype(np.float32)))
    assert sorted(start_of(spoilt, replace(SMALL, features=2)).columns.tolist()) == [2, 4]


def test_the_swarm_starts_from_what_is_known_and_mends_a_bad_bias() -> None:
    bad = Parameters(np.array([2, 4]), np.array([6.0, 0.5]), np.array([1.0, 0.5]), np.array([1.0, -1.0]), bias=0.9)
    fit = tune(bad, pages(), replace(SMALL, rounds=2))
    assert fit.start == PackedPages.build(pages(), bad.columns).evaluate(bad)
    assert fit.fitness > fit.start + 0.05
    assert min(fit.parameters.enter, fit.parameters.leave) >= 0
    assert (fit.parameters.softnesses > 0).all()
    assert [one.number for one in fit.history] == list(range(1, len(fit.history) + 1))


def test_the_swarm_over_the_costs_leaves_what_the_regression_found() -> None:
    start = start_of(pages(), SMALL)
    options = replace(SMALL, tuned="costs")
    fit = tune(start, pages(), options)
    assert len(fit.history) <= options.generations < SMALL.generations
    found = fit.parameters
    for name in ("columns", "thresholds", "softnesses", "weights"):
        assert getattr(found, name) is getattr(start, name)


@pytest.mark.parametrize("tuned", ["all", "costs"])
def test_each_way_to_tune_mends_a_bad_bias(tuned: str) -> None:
    bad = Parameters(np.array([2, 4]), np.array([6.0, 0.5]), np.array([1.0, 0.5]), np.array([1.0, -1.0]), bias=0.9)
    fit = tune(bad, pages(), replace(SMALL, rounds=2, tuned=tuned))
    assert fit.fitness > fit.start + 0.05
    assert fit.parameters.bias < bad.bias


def test_what_cannot_be_tuned_is_refused() -> None:
    with pytest.raises(TrainingError, match="'some'; known are all, costs"):
        MarginOptions(tuned="some")


def test_no_round_leaves_the_start_as_it_is() -> None:
    start = Parameters(np.array([2]), np.array([6.0]), np.array([1.0]), np.array([1.0]))
    fit = tune(start, pages(), replace(SMALL, rounds=0))
    assert fit.parameters is start
    assert (fit.fitness, fit.history) == (fit.start, ())


def test_the_same_seed_gives_the_same_model() -> None:
    first, second = (fit_margin(pages(10), SMALL).parameters.terms("abcdef") for _ in range(2))
    assert first == second


def test_nothing_to_learn_from_is_told() -> None:
    plain = [replace(own, weight=np.zeros_like(own.weight)) for own in pages(3)]
    with pytest.raises(TrainingError, match="weight"):
        start_of(plain, SMALL)
    with pytest.raises(TrainingError, match="weight"):
        start_of([], SMALL)
    alike = [replace(own, matrix=np.ones_like(own.matrix)) for own in pages(3)]
    with pytest.raises(TrainingError, match="no feature"):
        start_of(alike, SMALL)
