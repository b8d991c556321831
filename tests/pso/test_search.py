"""The search: restarts and coordinate ascent, curves of single features, and what a position means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from blockfeat.features.schema import CANONICAL
from blockfeat.models.threshold import margins
from blockfeat.pso.search import CoordinateAscent, SearchSpace, ascend, feature_curves, search
from blockfeat.pso.swarm import Generation, SwarmOptions, maximise

Array = NDArray[np.float64]
WEAK = SwarmOptions(particles=3, iterations=4, patience=0, seed=5)


def steps(positions: Array) -> Array:
    """A staircase with its top where every coordinate lies in [0.6, 0.65]: flat nearly everywhere."""
    inside = (positions >= 0.6) & (positions <= 0.65)
    return np.asarray(inside.mean(axis=1) + 0.01 * positions.clip(0, 0.6).mean(axis=1))


def test_without_polish_it_is_the_swarm() -> None:
    found, swarm = search(steps, 6, WEAK, CoordinateAscent()), maximise(steps, 6, WEAK)
    assert np.array_equal(found.position, swarm.position)
    assert (found.fitness, found.history, found.swarm_fitness) == (swarm.fitness, swarm.history, swarm.fitness)


def test_the_ascent_climbs_every_coordinate() -> None:
    found = search(steps, 6, WEAK, CoordinateAscent(ascent=3))
    assert found.swarm_fitness < 0.7
    assert found.fitness > 1.0
    assert found.fitness == steps(found.position[None])[0]


def test_the_ascent_stops_where_nothing_helps() -> None:
    calls = 0

    def flat(positions: Array) -> Array:
        nonlocal calls
        calls += 1
        return np.zeros(len(positions))

    assert (list(ascend(flat, np.full(2, 0.5), 0.0, 10)), calls) == ([], 2 * 3)


def test_restarts_take_the_best_swarm_and_number_their_generations_on() -> None:
    told: list[Generation] = []
    found = search(steps, 6, WEAK, CoordinateAscent(restarts=5), on_generation=told.append)
    assert tuple(told) == found.history
    assert [generation.number for generation in told] == list(range(1, 25))
    assert found.fitness == max(generation.best for generation in told) == told[-1].best_so_far
    assert found.fitness > maximise(steps, 6, WEAK).fitness


@pytest.mark.parametrize(("stop", "generations"), [(1, None), (3, 2), (7, 6), (14, 12)])
def test_ctrl_c_keeps_the_best_of_what_is_done(stop: int, generations: int | None) -> None:
    """Before the first generation, in the first swarm, in a restart, in the ascent."""
    calls = 0

    def interrupted(positions: Array) -> Array:
        nonlocal calls
        calls += 1
        if calls == stop:
            raise KeyboardInterrupt
        return steps(positions)

    if generations is None:
        with pytest.raises(KeyboardInterrupt):
            search(interrupted, 6, WEAK, CoordinateAscent(restarts=2, ascent=2))
        return
    found = search(interrupted, 6, WEAK, CoordinateAscent(restarts=2, ascent=2))
    assert (found.interrupted, len(found.history)) == (True, generations)
    assert found.fitness == steps(found.position[None])[0] >= found.history[-1].best_so_far


def test_a_curve_for_each_feature_over_its_range() -> None:
    asked: list[int] = []

    def fitness_of(column: int, thresholds: Array) -> Array:
        asked.append(column)
        return thresholds * (column + 1)

    curves = feature_curves(CANONICAL, fitness_of)
    assert asked == list(range(8))
    for column, (curve, feature) in enumerate(zip(curves, CANONICAL, strict=True)):
        for name in ("name", "title", "unit", "bound"):
            assert getattr(curve, name) == getattr(feature, name)
        assert (curve.thresholds[0], curve.thresholds[-1]) == (feature.low, feature.high)
        assert 35 <= curve.thresholds.size <= 45
        assert np.allclose(np.diff(curve.thresholds, 2), 0)
        assert np.array_equal(curve.fitness, curve.thresholds * (column + 1))
        assert curve.fitness.dtype == np.float64


def test_single_precision_and_no_features() -> None:
    curves = feature_curves(CANONICAL[:1], lambda _, thresholds: np.ones(thresholds.size, dtype=np.float32))
    assert (curves[0].fitness.dtype, feature_curves((), lambda _, thresholds: thresholds)) == (np.float64, [])


SPACE = SearchSpace(CANONICAL, with_margins=True)
POSITIONS = st.lists(st.floats(-2, 3), min_size=10, max_size=10).map(np.array)
VALUES = st.lists(st.floats(0, 20), min_size=8, max_size=8).map(lambda row: np.array([row]))


@given(position=POSITIONS, values=VALUES)
def test_the_swarm_and_the_model_judge_alike(position: np.ndarray, values: np.ndarray) -> None:
    swarm = SPACE.oriented(values) - SPACE.oriented_thresholds(position[None])
    model = margins(values, SPACE.thresholds(position), CANONICAL)
    clear = ~(np.abs(model) < 1e-4)
    assert ((swarm >= 0) == (model >= 0))[clear].all()


def test_the_open_end_never_binds() -> None:
    ends = np.array([0.0 if feature.sign > 0 else 1.0 for feature in CANONICAL])
    assert np.isinf(SPACE.thresholds(ends)).all()


def test_margins_stay_within_their_limits() -> None:
    low, high = SPACE.margins_of(np.full(10, -5.0)), SPACE.margins_of(np.full(10, 5.0))
    assert 0 < low.softness < high.softness
    assert 0 < low.penalty < high.penalty
    assert SearchSpace(CANONICAL).margins_of(np.zeros(8)) == SearchSpace(CANONICAL).margins
