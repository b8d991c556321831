"""What a particle's position means."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.features import CANONICAL
from blockfeat.models.threshold import margins
from blockfeat.pso.search import SearchSpace

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
