"""Decoders: scores to labels."""

from functools import partial
from itertools import pairwise, product
from itertools import pairwise as pairwise_of

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from blockfeat._numeric import probabilities
from blockfeat.errors import ModelError
from blockfeat.models import decoding as compiled
from blockfeat.models.decoding import Decoder, best_labels, best_run, best_runs, decode, maximal_runs
from timing import seconds_of
from uncompiled import load_uncompiled

SCORES = np.array([1.0, -0.5, 1.0, -3.0, 0.0, 0.5])


@pytest.mark.parametrize(
    ("decoder", "labels"),
    [(Decoder(), [1, 0, 1, 0, 1, 1]), (Decoder("mss"), [1, 1, 1, 0, 0, 0]), (Decoder("mss", 2), [1, 1, 1, 0, 0, 1])],
)
def test_labels(decoder: Decoder, labels: list[int]) -> None:
    before = SCORES.copy()
    found = decode(SCORES, decoder)
    assert (found.dtype, found.tolist()) == (np.bool_, [bool(label) for label in labels])
    assert np.array_equal(SCORES, before)


@pytest.mark.parametrize("name", compiled.DECODERS)
def test_no_blocks_and_nothing_good(name: str) -> None:
    assert decode(np.zeros(0), Decoder(name)).tolist() == []
    assert decode(np.array([-1.0, -0.1]), Decoder(name)).tolist() == [False, False]


def test_bad_options_are_errors() -> None:
    with pytest.raises(ModelError, match="unknown decoder 'best'; known are conjunction, mss"):
        Decoder("best")
    for runs in (0, 1_001):
        with pytest.raises(ModelError, match=f"at least one run and at most 1,000, not {runs}"):
            Decoder("mss", runs=runs)


LOGARITHMS = st.floats(-10, 0)


@st.composite
def chains(draw):
    n = draw(st.integers(1, 7))
    return tuple(draw(arrays(np.float64, shape, elements=LOGARITHMS)) for shape in ((n, 2), (n - 1, 4)))


def total(labels, unary, pairwise, weight):
    own = sum(unary[place, int(label)] for place, label in enumerate(labels))
    pairs = pairwise_of(labels)
    return own + weight * sum(pairwise[place, 2 * int(one) + int(two)] for place, (one, two) in enumerate(pairs))


# The first is never content with the second not; and the other way round.
@example((np.log([[0.3, 0.7], [0.6, 0.4]]), np.log([[0.33, 0.33, 0.01, 0.33]])), 1.0)
@example((np.log([[0.3, 0.7], [0.6, 0.4]]), np.log([[0.33, 0.01, 0.33, 0.33]])), 1.0)
@given(chains(), st.floats(0, 3))
def test_no_labelling_has_a_higher_sum(chain, weight):
    unary, pairwise = chain
    found = best_labels(unary, pairwise, interpolation=weight)
    best = max(total(labels, unary, pairwise, weight) for labels in product((0, 1), repeat=len(unary)))
    assert total(found.tolist(), unary, pairwise, weight) == pytest.approx(best, abs=1e-9)


def test_chains_of_none_and_one():
    assert best_labels(np.zeros((0, 2)), np.zeros((0, 4))).shape == (0,)
    assert best_labels(np.log([[0.2, 0.8]]), np.zeros((0, 4))).tolist() == [True]


@pytest.mark.parametrize(("blocks", "pairs"), [((3, 2), (3, 4)), ((3, 3), (2, 4)), ((2, 2), (1, 2))])
def test_shapes_that_do_not_fit_are_refused(blocks, pairs):
    with pytest.raises(ModelError, match="chain"):
        best_labels(np.zeros(blocks), np.zeros(pairs))


# Quarters add up without rounding, so that equal sums are equal.
RUNS = st.lists(st.integers(-20, 20).map(lambda number: number / 4), max_size=14)
OF_RUZZO_AND_TOMPA = [4.0, -5.0, 3.0, -3.0, 1.0, 2.0, -2.0, 2.0, -2.0, 1.0, 5.0]  # figure 1 of their paper


def brute_force(scores: list[float]) -> tuple[int, int]:
    """The run with the highest sum above 0; of equal ones that with the earliest end, then the shortest."""
    runs = [(sum(scores[start:end]), -end, start) for end in range(1, len(scores) + 1) for start in range(end)]
    best, end, start = max(runs, default=(0.0, 0, 0))
    return (start, -end) if best > 0 else (0, 0)


def by_definition(scores: list[float], offset: int = 0) -> list[tuple[int, int, float]]:
    """The best run, then the best ones of what lies before it and behind it."""
    start, end = brute_force(scores)
    if not end:
        return []
    before, behind = by_definition(scores[:start], offset), by_definition(scores[end:], offset + end)
    return [*before, (offset + start, offset + end, sum(scores[start:end])), *behind]


@example(OF_RUZZO_AND_TOMPA)
@given(RUNS)
def test_maximal_runs_equal_their_definition(scores: list[float]) -> None:
    first, end, sums = maximal_runs(np.array(scores))
    assert list(zip(first.tolist(), end.tolist(), sums.tolist(), strict=True)) == by_definition(scores)


@given(RUNS, st.integers(1, 5))
def test_top_runs_are_the_highest_sums(scores: list[float], k: int) -> None:
    found = by_definition(scores)
    expected = sorted(found, key=lambda run: (-run[2], run[0]))[:k]
    assert compiled.top_runs(np.array(scores), k) == [(start, end) for start, end, _ in expected]


def test_a_million_scores_take_less_than_a_second() -> None:
    generator = np.random.default_rng(1)
    alternating = np.where(np.arange(1_000_000) % 2 == 0, 1.0, -1.1)
    rising = np.where(np.arange(1_000_000) % 2 == 0, 2.0, -1.0)
    for scores in (generator.normal(size=1_000_000), alternating, alternating[::-1].copy(), rising):
        assert seconds_of(partial(maximal_runs, scores)) < 2.0  # 0.3 to 0.6 s on two shared cores


@example([])
@example([0.0, 3.0, 0.0])
@example([2.0, -2.0, 2.0])
@given(RUNS)
def test_best_run_equals_brute_force(scores: list[float]) -> None:
    assert best_run(np.array(scores)) == brute_force(scores)


@example([5.0, -1.0, -1.0, 0.25, 0.5, -1.0, 2.0], 3)
@given(RUNS, st.integers(1, 4))
def test_runs_are_disjoint_and_each_the_best_of_what_is_left(scores: list[float], k: int) -> None:
    runs = best_runs(np.array(scores), k)
    assert len(runs) <= k
    assert runs == sorted(runs)
    assert all(before[1] <= after[0] for before, after in pairwise(runs))
    sums = sorted((sum(scores[start:end]) for start, end in runs), reverse=True)
    assert all(value > 0 for value in sums)
    left = list(scores)
    for value in sums:
        start, end = brute_force(left)
        assert sum(left[start:end]) == value
        left[start:end] = [-1e6] * (end - start)
    if len(runs) < k:
        assert brute_force(left) == (0, 0)


@given(st.integers(0, 8), st.integers(0, 5), st.data())
def test_masks_equal_best_run_by_column(n: int, m: int, data: st.DataObject) -> None:
    quarters = st.integers(-20, 20).map(lambda number: number / 4)
    rows = data.draw(st.lists(st.lists(quarters, min_size=m, max_size=m), min_size=n, max_size=n))
    scores = np.array(rows, dtype=np.float64).reshape(n, m)
    masks = compiled.best_run_masks(scores)
    assert (masks.shape, masks.dtype.kind) == ((n, m), "b")
    for column in range(m):
        start, end = best_run(scores[:, column])
        assert np.flatnonzero(masks[:, column]).tolist() == list(range(start, end))


BLOCKS = st.lists(st.tuples(st.floats(-9, 9, width=32), st.integers(0, 90)), max_size=9)


@pytest.mark.parametrize("which", ["compiled", "uncompiled"])
def test_it_sums_words_by_their_probabilities(which: str) -> None:
    module = compiled if which == "compiled" else load_uncompiled("blockfeat.models.decoding")
    logits, words = np.array([2.0, -1.0, 0.5], dtype=np.float32), np.array([30, 10, 0], dtype=np.int32)
    content, total, highest, f1 = module.expectation(logits, words)
    chance, size = probabilities(logits), np.array([30, 10, 1])
    assert (content, (total, highest)) == (pytest.approx(float((words * chance).sum())), (40, 2.0))
    assert f1 == pytest.approx(2 * (size * chance)[[0, 2]].sum() / (31 + (size * chance).sum()))


def test_a_page_without_blocks_has_no_content() -> None:
    nothing = compiled.expectation(np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int32))
    assert nothing == (0.0, 0, -10.0, 0.0)


@given(BLOCKS, st.sampled_from([0.2, 0.45, 0.7]))
def test_the_cut_is_lower_on_pages_in_doubt_and_only_there(blocks: list[tuple[float, int]], cut: float) -> None:
    logits = np.array([logit for logit, _ in blocks], dtype=np.float32)
    words = np.array([count for _, count in blocks], dtype=np.int32)
    expected = compiled.expectation(logits, words)
    found = compiled.page_cut(cut, expected, sure=0.8)
    if expected.f1 >= 0.8:
        assert found == cut
    else:
        assert 0.02 <= found < cut
        assert found in (0.02, pytest.approx(cut * expected.f1))


def test_more_doubt_lowers_the_cut_more() -> None:
    words = np.array([50, 50, 50], dtype=np.int32)
    pages = np.array([[6, 6, -6], [1, -1, -1], [-3, -3, -3]], dtype=np.float32)
    found = [compiled.expectation(logits, words) for logits in pages]
    first, second, last = (compiled.page_cut(0.45, expected, sure=0.8) for expected in found)
    assert (first, last) == (0.45, 0.02)
    assert last < second < first
    assert compiled.page_cut(0.45, found[2], sure=0.0) == 0.45


@given(st.floats(0.01, 0.99), st.floats(-3, 3))
def test_a_moved_cut_moves_back(cut: float, shift: float) -> None:
    assert compiled.moved_cut(compiled.moved_cut(cut, shift), -shift) == pytest.approx(cut)
    assert (compiled.moved_cut(cut, shift) > cut) == (shift > 0) or abs(shift) < 1e-9
