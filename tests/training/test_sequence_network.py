"""Training of the sequence model."""

import numpy as np
import pytest

from blockfeat.blocks.tagtable import load_table
from blockfeat.features.measuring import context_features
from blockfeat.models.sequence import WEIGHT_NAMES, SequenceModel
from blockfeat.training.examples import TrainingPage
from blockfeat.training.sequence_network import SequenceOptions, fit_sequence

NAMES = tuple(feature.name for feature in context_features())[:6]
OPTIONS = SequenceOptions(channels=8, passes=30, least_steps=1, pages_a_step=4, dropout=0.0)


def pages(count: int = 24, seed: int = 0) -> list[TrainingPage]:
    """Pages whose content are the blocks between two whose first feature is high."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        matrix = random.normal(size=(int(random.integers(5, 40)), len(NAMES))).astype(np.float32)
        padded = np.pad(matrix[:, 0], 1, constant_values=-1.0)
        label = ((padded[:-2] > 0) & (padded[2:] > 0)).astype(np.float32)
        words = np.ones(label.size, dtype=np.float32)
        made.append(TrainingPage(matrix, label, words / label.size, words, label))
    return made


def test_it_learns_what_the_neighbours_say() -> None:
    pytest.importorskip("torch")
    weights = fit_sequence(pages(60), OPTIONS).weights
    assert set(weights) == set(WEIGHT_NAMES)
    model = SequenceModel("small", load_table("html5"), NAMES, weights)
    unseen = pages(20, seed=1)
    right = [((model.logits(page.matrix) > 0) == (page.label > 0)).mean() for page in unseen]
    assert np.mean(right) > 0.9 > np.mean([1 - page.label.mean() for page in unseen])


def test_a_seed_gives_the_same_weights() -> None:
    pytest.importorskip("torch")
    options = [SequenceOptions(channels=4, passes=2, least_steps=1, seed=seed) for seed in (1, 1, 2)]
    first, second, other = (fit_sequence(pages(), chosen).weights for chosen in options)
    assert all((first[name] == second[name]).all() for name in WEIGHT_NAMES)
    assert any((first[name] != other[name]).any() for name in WEIGHT_NAMES)


def test_few_pages_get_more_passes() -> None:
    options = SequenceOptions(passes=10, least_steps=600, pages_a_step=16)
    assert [options.passes_over(count) for count in (16, 50, 6_000)] == [600, 150, 10]


def test_ctrl_c_keeps_the_last_complete_pass() -> None:
    pytest.importorskip("torch")
    options = SequenceOptions(channels=4, passes=4, least_steps=1)

    def interrupt(done: int, loss: float) -> None:
        if done == 2:
            raise KeyboardInterrupt

    stopped = fit_sequence(pages(), options, on_pass=interrupt)
    assert stopped.interrupted
    assert (len(stopped.losses), set(stopped.weights)) == (2, set(WEIGHT_NAMES))
    whole = fit_sequence(pages(), options)
    assert not whole.interrupted
    assert whole.losses[:2] == stopped.losses
    assert whole.losses[3] < whole.losses[0]
