"""What is expected of a page: the same as array arithmetic, and a bound for the best F1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat._numeric import probabilities
from blockfeat.models import decoding as compiled
from blockfeat.models.decoding import moved_cut, page_cut
from uncompiled import load_uncompiled

BLOCKS = st.lists(st.tuples(st.floats(-9, 9, width=32), st.integers(0, 90)), max_size=9)


@pytest.mark.parametrize("which", ["compiled", "uncompiled"])
def test_it_sums_words_by_their_probabilities(which: str) -> None:
    module = compiled if which == "compiled" else load_uncompiled("blockfeat.models.decoding")
    logits, words = np.array([2.0, -1.0, 0.5], dtype=np.float32), np.array([30, 10, 0], dtype=np.int32)
    content, total, highest, f1 = module.expectation(logits, words)
    chance, size = probabilities(logits), np.array([30, 10, 1])
    assert content == pytest.approx(float((words * chance).sum()))
    assert (total, highest) == (40, 2.0)
    assert f1 == pytest.approx(2 * (size * chance)[[0, 2]].sum() / (31 + (size * chance).sum()))


def test_a_page_without_blocks_has_no_content() -> None:
    nothing = compiled.expectation(np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int32))
    assert nothing == (0.0, 0, -10.0, 0.0)


@given(BLOCKS, st.sampled_from([0.2, 0.45, 0.7]))
def test_the_cut_is_lower_on_pages_in_doubt_and_only_there(blocks: list[tuple[float, int]], cut: float) -> None:
    logits = np.array([logit for logit, _ in blocks], dtype=np.float32)
    words = np.array([count for _, count in blocks], dtype=np.int32)
    expected = compiled.expectation(logits, words)
    found = page_cut(cut, expected, sure=0.8)
    if expected.f1 >= 0.8:
        assert found == cut
    else:
        assert 0.02 <= found < cut
        assert found in (0.02, pytest.approx(cut * expected.f1))


def test_more_doubt_lowers_the_cut_more() -> None:
    words = np.array([50, 50, 50], dtype=np.int32)
    sure, doubtful, lost = (
        compiled.expectation(np.array(logits, dtype=np.float32), words)
        for logits in ([6, 6, -6], [1, -1, -1], [-3, -3, -3])
    )
    cuts = [page_cut(0.45, expected, sure=0.8) for expected in (sure, doubtful, lost)]
    assert cuts[0] == 0.45
    assert cuts == sorted(cuts, reverse=True)
    assert cuts[2] == 0.02
    assert page_cut(0.45, lost, sure=0.0) == 0.45


@given(st.floats(0.01, 0.99), st.floats(-3, 3))
def test_a_moved_cut_moves_back(cut: float, shift: float) -> None:
    assert moved_cut(moved_cut(cut, shift), -shift) == pytest.approx(cut)
    assert (moved_cut(cut, shift) > cut) == (shift > 0) or abs(shift) < 1e-9
