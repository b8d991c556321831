"""The best runs of many particles at once: compiled, uncompiled, and as a model decodes."""

import numpy as np
import pytest

from blockfeat.models.decoding import Decoder, decode
from blockfeat.models.threshold import block_scores
from blockfeat.training.run_masks import run_masks, smallest_margins
from uncompiled import load_uncompiled

_FEATURES = 8


def _arguments(blocks: int, particles: int) -> tuple[np.ndarray, ...]:
    """Return random blocks of some pages, two of them empty, and random particles, one of them unbound."""
    random = np.random.default_rng(blocks * 1000 + particles)
    values = random.random((blocks, _FEATURES), dtype=np.float32)
    words = random.integers(0, 80, blocks).astype(np.float32)
    cuts = np.sort(random.integers(0, blocks + 1, 5))
    starts = np.concatenate(([0, 0], cuts, cuts[-1:], [blocks])).astype(np.int32)
    thresholds = (random.random((_FEATURES, particles)) * 0.6 - 0.3).astype(np.float32)
    thresholds[2, ::3] = thresholds[:, 0] = -np.inf
    softness = 10 ** random.uniform(-3, 0, particles)
    penalty = 2 ** random.uniform(-2, 5, particles)
    return values, words, starts, thresholds, softness.astype(np.float32), penalty.astype(np.float32)


@pytest.mark.parametrize(("blocks", "particles"), [(0, 3), (7, 1), (60, 64), (200, 123)])
def test_uncompiled_finds_the_same(blocks: int, particles: int) -> None:
    uncompiled = load_uncompiled("blockfeat.training.run_masks")
    arguments = _arguments(blocks, particles)
    masks = run_masks(*arguments)
    assert masks.shape == (blocks, particles)
    assert np.array_equal(masks, uncompiled.run_masks(*arguments))


def test_masks_are_what_a_model_keeps() -> None:
    values, words, starts, thresholds, softness, penalty = _arguments(80, 20)
    masks = run_masks(values, words, starts, thresholds, softness, penalty)
    smallest = smallest_margins(values, thresholds)
    for particle in range(20):
        scores = block_scores(smallest[:, particle], words, softness[particle], penalty[particle])
        for first, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            kept = decode(scores[first:end].astype(np.float64), Decoder("mss"))
            assert masks[first:end, particle].astype(bool).tolist() == kept.tolist()
