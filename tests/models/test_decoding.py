"""Decoders: scores to labels."""

from __future__ import annotations

import numpy as np
import pytest

from blockfeat.errors import ModelError
from blockfeat.models.decoding import DECODERS, Decoder, decode

SCORES = np.array([1.0, -0.5, 1.0, -3.0, 0.0, 0.5])


@pytest.mark.parametrize(
    ("decoder", "labels"),
    [
        (Decoder(), [1, 0, 1, 0, 1, 1]),
        (Decoder("mss"), [1, 1, 1, 0, 0, 0]),
        (Decoder("mss", runs=2), [1, 1, 1, 0, 0, 1]),
    ],
)
def test_labels(decoder: Decoder, labels: list[int]) -> None:
    found = decode(SCORES, decoder)
    assert found.dtype == np.bool_
    assert found.tolist() == [bool(label) for label in labels]


@pytest.mark.parametrize("name", DECODERS)
def test_no_blocks_and_nothing_good(name: str) -> None:
    assert decode(np.zeros(0), Decoder(name)).tolist() == []
    assert decode(np.array([-1.0, -0.1]), Decoder(name)).tolist() == [False, False]


def test_scores_are_left_as_they_are() -> None:
    before = SCORES.copy()
    decode(SCORES, Decoder("mss", runs=3))
    assert np.array_equal(SCORES, before)


def test_bad_options_are_errors() -> None:
    with pytest.raises(ModelError, match="unknown decoder 'best'; known are conjunction, mss"):
        Decoder("best")
    with pytest.raises(ModelError, match="at least one run, not 0"):
        Decoder("mss", runs=0)
