"""Pages packed for the swarm: the same labels and F1 as page by page, for many particles at once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks.tagtable import load_table
from blockfeat.errors import TrainingError
from blockfeat.features.measuring import context_features
from blockfeat.models.decoding import best_labels
from blockfeat.models.margin import MarginModel
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.examples import TrainingPage
from blockfeat.training.margin import PackedPages, fit_margin, tune
from blockfeat.training.margin_fit import MarginOptions, Parameters, start_of

QUARTERS = st.integers(-16, 16).map(lambda number: number / 4)
COSTS = st.integers(0, 12).map(lambda number: number / 4)
BLOCK = st.tuples(QUARTERS, st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0]))
# One feature, which is the score itself.
PLAIN = Parameters(np.array([1]), np.array([0.0]), np.array([8.0]), np.array([8.0]))


def page(blocks: list[tuple[float, int, float]], importance: float = 1.0) -> TrainingPage:
    scores, words, share = (np.array(column, dtype=np.float32) for column in zip(*blocks, strict=True))
    matrix = np.column_stack((np.full_like(scores, 99.0), scores))
    return TrainingPage(matrix, np.ones_like(scores), np.ones_like(scores), words, share, importance)


def f1(own: TrainingPage, enter: float, leave: float) -> float:
    """Word F1 of the most likely labels of one page."""
    scores = own.matrix[:, 1].astype(np.float64)
    unary = np.column_stack((np.zeros(scores.size), scores))
    kept = best_labels(unary, np.tile([0.0, -enter, -leave, 0.0], (scores.size - 1, 1)))
    right = own.words * own.share
    return float(2 * right[kept].sum() / (own.words[kept].sum() + right.sum()))


@given(st.lists(st.lists(BLOCK, min_size=1, max_size=12), min_size=1, max_size=6), COSTS, COSTS)
def test_the_fitness_is_the_mean_f1_of_the_best_labels_of_each_page(
    documents: list[list[tuple[float, int, float]]], enter: float, leave: float
) -> None:
    pages = [page([*blocks, (1.0, 3, 1.0)], importance=1 + place) for place, blocks in enumerate(documents)]
    expected = np.average([f1(own, enter, leave) for own in pages], weights=[own.importance for own in pages])
    found = PackedPages.build(pages, PLAIN.columns).evaluate(replace(PLAIN, enter=enter, leave=leave))
    assert found == pytest.approx(expected, abs=1e-6)


def test_particles_together_are_as_each_alone() -> None:
    random = np.random.default_rng(1)
    pages = [page([(float(random.normal()), 5, float(random.integers(2))) for _ in range(9)]) for _ in range(30)]
    packed = PackedPages.build(pages, np.array([1, 0]))
    thresholds, weights = random.normal(size=(4, 2)), random.normal(size=(4, 2))
    softnesses, bias = random.uniform(0.5, 2.0, (4, 2)), random.normal(size=4)
    enter, leave = random.uniform(0, 1, 4), random.uniform(0, 1, 4)
    together = packed.fitness(packed.labels(packed.scores(thresholds, softnesses, weights, bias), enter, leave))
    columns = (thresholds, softnesses, weights, bias, enter, leave)
    alone = [packed.evaluate(Parameters(np.array([1, 0]), *(column[k] for column in columns))) for k in range(4)]
    assert together == pytest.approx(alone)
    assert len(set(together.tolist())) > 1


def test_particles_that_share_their_thresholds_are_as_each_alone() -> None:
    packed = PackedPages.build([page([(-1.0, 4, 0.0), (2.0, 4, 1.0), (0.5, 2, 0.0)])], PLAIN.columns)
    weights, same = np.array([[8.0], [-8.0], [4.0]]), np.ones((3, 1))
    found = packed.scores(0 * same, 8 * same, weights, np.array([0.0, 0.0, 1.0]))
    assert found.tolist() == [[-1.0, 2.0, 0.5], [1.0, -2.0, -0.5], [0.5, 2.0, 1.25]]


def test_pages_without_content_do_not_count() -> None:
    good, empty = page([(1.0, 5, 1.0)]), page([(1.0, 5, 0.0)])
    assert PackedPages.build([empty, good], PLAIN.columns).evaluate(PLAIN) == 1.0
    with pytest.raises(TrainingError, match="content"):
        PackedPages.build([empty], PLAIN.columns)


def test_terms_are_read_strongest_first_and_in_four_digits() -> None:
    numbers = Parameters(np.array([2, 0]), np.array([0.123456, 9.0]), np.array([1.0, 2.0]), np.array([0.5, -12345.6]))
    terms = numbers.terms(["a", "b", "c"])
    assert [(term.feature, term.threshold, term.weight) for term in terms] == [("a", 9.0, -12350.0), ("c", 0.1235, 0.5)]


def test_packed_scores_are_those_of_the_model() -> None:
    """The arithmetic for many particles gives what `MarginModel.scores` gives for one."""
    random = np.random.default_rng(5)
    pages = [page([(float(random.normal()), 5, 1.0) for _ in range(count)]) for count in (7, 3, 12)]
    parameters = Parameters(np.array([1, 0]), np.array([0.25, 98.5]), np.array([0.5, 2.0]), np.array([1.5, -0.75]), 0.5)
    names = [feature.name for feature in context_features()[:2]]
    model = MarginModel("m", load_table("html5"), parameters.terms(names), parameters.bias)
    packed = PackedPages.build(pages, parameters.columns)
    arrays = (parameters.thresholds, parameters.softnesses, parameters.weights)
    found = packed.scores(*(values[None] for values in arrays), np.array([parameters.bias]))[0]
    columns = [names.index(name) for name in model.feature_names]
    alone = np.concatenate([model.scores(own.matrix[:, columns]) for own in pages])
    assert np.sort(found) == pytest.approx(np.sort(alone), abs=1e-5)


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


def test_the_swarm_over_the_costs_leaves_what_the_regression_found() -> None:
    start = start_of(pages(), SMALL)
    options = replace(SMALL, tuned="costs")
    fit = tune(start, pages(), options)
    assert len(fit.history) <= options.generations < SMALL.generations
    found = fit.parameters
    for name in ("columns", "thresholds", "softnesses", "weights"):
        assert getattr(found, name) is getattr(start, name)


@pytest.mark.parametrize("tuned", ["all", "costs"])
def test_the_swarm_starts_from_what_is_known_and_mends_a_bad_bias(tuned: str) -> None:
    bad = Parameters(np.array([2, 4]), np.array([6.0, 0.5]), np.array([1.0, 0.5]), np.array([1.0, -1.0]), bias=0.9)
    fit = tune(bad, pages(), replace(SMALL, rounds=2, tuned=tuned))
    assert fit.start == PackedPages.build(pages(), bad.columns).evaluate(bad)
    assert fit.fitness > fit.start + 0.05
    assert fit.parameters.bias < bad.bias
    assert min(fit.parameters.enter, fit.parameters.leave) >= 0
    assert (fit.parameters.softnesses > 0).all()
    assert [one.number for one in fit.history] == list(range(1, len(fit.history) + 1))


def test_no_round_leaves_the_start_as_it_is() -> None:
    start = Parameters(np.array([2]), np.array([6.0]), np.array([1.0]), np.array([1.0]))
    fit = tune(start, pages(), replace(SMALL, rounds=0))
    assert fit.parameters is start
    assert (fit.fitness, fit.history) == (fit.start, ())


def test_nothing_to_learn_from_is_told() -> None:
    plain = [replace(own, weight=np.zeros_like(own.weight)) for own in pages(3)]
    alike = [replace(own, matrix=np.ones_like(own.matrix)) for own in pages(3)]
    for learnt, reason in ((plain, "weight"), ([], "weight"), (alike, "no feature")):
        with pytest.raises(TrainingError, match=reason):
            start_of(learnt, SMALL)
    with pytest.raises(TrainingError, match="'some'; known are all, costs"):
        MarginOptions(tuned="some")
