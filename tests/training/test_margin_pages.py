"""Pages packed for the swarm: the same labels and F1 as page by page, for many particles at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfeat.blocks.tagtable import load_table
from blockfeat.errors import TrainingError
from blockfeat.features.context import context_features
from blockfeat.models.decoding import best_labels
from blockfeat.models.margin import MarginModel
from blockfeat.training.margin_pages import PackedPages, Parameters
from blockfeat.training.pages import TrainingPage

QUARTERS = st.integers(-16, 16).map(lambda number: number / 4)
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


@settings(deadline=None)
@given(
    st.lists(st.lists(BLOCK, min_size=1, max_size=12), min_size=1, max_size=6),
    st.integers(0, 12).map(lambda number: number / 4),
    st.integers(0, 12).map(lambda number: number / 4),
)
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
    alone = [
        packed.evaluate(
            Parameters(np.array([1, 0]), thresholds[k], softnesses[k], weights[k], bias[k], enter[k], leave[k])
        )
        for k in range(4)
    ]
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
