"""Agreement of two texts: known values, edges, and what must hold for any texts."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import InputError
from blockfeat.lang import tokenize
from blockfeat.training import evaluation

words = st.lists(st.sampled_from(["ein", "der", "Fluss", "fließt", "a", "I", "川", "が", "流", "ไทย"]), max_size=25)
texts = st.one_of(words.map(" ".join), st.text(max_size=40))
ONE, ZERO = evaluation.Scores(1.0, 1.0, 1.0), evaluation.Scores(0.0, 0.0, 0.0)


def all_scores(predicted: str | list[str], gold: str | list[str]) -> list[float]:
    """Return every score of a text against another."""
    found = [evaluation.cosine_length_ratio(predicted, gold), evaluation.text_only_score(predicted, gold)]
    for scores in (evaluation.word_scores(predicted, gold), evaluation.shingle_scores(predicted, gold)):
        found += [scores.precision, scores.recall, scores.f1]
    return found


@given(texts, texts)
def test_what_holds_for_any_two_texts(a: str, b: str) -> None:
    assert all(0 <= score <= 1 for score in all_scores(a, b))
    assert (all_scores(a, a), all_scores(tokenize(a), tokenize(b))) == (pytest.approx([1.0] * 8), all_scores(a, b))
    # Sides can be exchanged, and with them precision and recall.
    swapped = all_scores(b, a)
    assert all_scores(a, b) == pytest.approx([swapped[place] for place in (0, 1, 3, 2, 4, 6, 5, 7)])
    scores = evaluation.word_scores(a, b)
    low, high = sorted((scores.precision, scores.recall))
    assert low - 1e-12 <= scores.f1 <= high + 1e-12
    # Words in order agree no more than words in a bag.
    assert evaluation.text_only_score(a, b) <= scores.f1 + 1e-12


@pytest.mark.parametrize("empty", ["", " \n", "?! …"])
@pytest.mark.parametrize(
    "score",
    [evaluation.word_scores, evaluation.shingle_scores, evaluation.cosine_length_ratio, evaluation.text_only_score],
)
def test_empty_texts(score: Callable[[str, str], evaluation.Scores | float], empty: str) -> None:
    full = "ein Satz"
    assert score(empty, "") in (ONE, 1.0)
    assert score(empty, full) in (ZERO, 0.0)
    assert score(full, empty) in (ZERO, 0.0)


@pytest.mark.parametrize(
    ("score", "predicted", "gold", "expected"),
    [
        (evaluation.word_scores, "the cat the dog", "The cat, the cat!", evaluation.Scores(0.75, 0.75, 0.75)),
        (evaluation.word_scores, "a b c d", "a b", evaluation.Scores(0.5, 1.0, 2 / 3)),
        (evaluation.word_scores, "one two three four five", "five four three two one", ONE),  # shingles see the order
        (evaluation.shingle_scores, "one two three four five", "five four three two one", ZERO),
        (evaluation.shingle_scores, "a b c d e", "a b c d x", evaluation.Scores(0.5, 0.5, 0.5)),
        (partial(evaluation.shingle_scores, n=2), "a b", "a b c d", evaluation.Scores(1.0, 1 / 3, 0.5)),
        (evaluation.shingle_scores, "a b", "a b", ONE),
        (evaluation.text_only_score, "a b c d", "a c", pytest.approx(4 / 6)),
        (evaluation.text_only_score, "c a", "a c", pytest.approx(0.5)),
        # Vectors (2, 1) and (1, 1): cosine 3/√10; three terms against two.
        (evaluation.cosine_length_ratio, "aa aa bb", "aa bb", pytest.approx(3 / math.sqrt(10) * 2 / 3)),
        (evaluation.cosine_length_ratio, "aa bb aa bb", "aa bb", pytest.approx(0.5)),
        # Single characters count in scripts without spaces only.
        (evaluation.cosine_length_ratio, "aa x y z", "aa", 1.0),
        (evaluation.cosine_length_ratio, "x y", "z", 1.0),
        (evaluation.cosine_length_ratio, "x", "aa", 0.0),
        (evaluation.cosine_length_ratio, "天地", "天", pytest.approx(0.5 / math.sqrt(2))),
        (evaluation.cosine_length_ratio, "天", "地", 0.0),
    ],
)
def test_scores_by_hand(score: Callable[[str, str], Any], predicted: str, gold: str, expected: object) -> None:
    assert score(predicted, gold) == expected


def test_text_only_score_of_long_texts() -> None:
    text = " ".join(str(number) for number in range(20_000))
    assert evaluation.text_only_score(text, text + " end") == pytest.approx(40_000 / 40_001)


def test_snippets_are_counted() -> None:
    scores = evaluation.snippet_scores(
        "One two\n three. Menu", ["two three", "One", "absent"], ["Menu", "menu", "Home"]
    )
    assert scores == evaluation.SnippetScores(2, 1, 1, 2)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert (scores.accuracy, scores.count) == (pytest.approx(4 / 6), 6)
    assert evaluation.snippet_scores("a\u00a0b", ["a \t b", " ", ""], ["\n"]) == evaluation.SnippetScores(1, 0, 0, 0)
    assert evaluation.SnippetScores(1, 2, 3, 4) + evaluation.SnippetScores(4, 3, 2, 1) == evaluation.SnippetScores(
        5, 5, 5, 5
    )


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (evaluation.SnippetScores(), (1.0, 1.0, 1.0)),
        (evaluation.SnippetScores(true_negatives=2), (1.0, 1.0, 1.0)),
        (evaluation.SnippetScores(false_negatives=2), (0.0, 0.0, 0.0)),
        (evaluation.SnippetScores(false_positives=2), (0.0, 1.0, 0.0)),
    ],
)
def test_snippets_at_the_edges(scores: evaluation.SnippetScores, expected: tuple[float, float, float]) -> None:
    assert (scores.precision, scores.recall, scores.f1) == expected


@given(texts, st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_every_snippet_counts_once(predicted: str, present: list[str], absent: list[str]) -> None:
    scores = evaluation.snippet_scores(predicted, present, absent)
    assert scores.true_positives + scores.false_negatives == sum(bool(text.split()) for text in present)
    assert scores.false_positives + scores.true_negatives == sum(bool(text.split()) for text in absent)
    assert all(0 <= score <= 1 for score in (scores.precision, scores.recall, scores.f1, scores.accuracy))


scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(scores, st.integers(0, 3))
def test_intervals_stay_within_the_values(values: list[float], seed: int) -> None:
    found = evaluation.confidence_interval(values, samples=200, seed=seed)
    assert found.mean == pytest.approx(np.mean(values))
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found == evaluation.confidence_interval(values, samples=200, seed=seed)


def test_an_interval_is_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(1).normal(0.8, 0.2, 400)
    half = values.std() / np.sqrt(values.size)
    for level, factor in ((0.95, 1.96), (0.5, 0.674)):
        found = evaluation.confidence_interval(values, samples=4000, level=level)
        assert found[1:] == pytest.approx((found.mean - factor * half, found.mean + factor * half), abs=0.002)
    assert (evaluation.confidence_interval([0.25]), evaluation.confidence_interval([0.5] * 9)) == (
        (0.25, 0.25, 0.25),
        (0.5, 0.5, 0.5),
    )


def test_many_values_are_drawn_in_parts() -> None:
    values = np.random.default_rng(2).random(300_000)
    found = evaluation.confidence_interval(values, samples=40)
    assert found.low < found.mean < found.high
    assert found.high - found.low < 0.01


def test_a_clear_difference_is_significant() -> None:
    noise = np.random.default_rng(3).normal(0, 0.05, (2, 100))
    better, worse = 0.9 + noise[0], 0.8 + noise[1]
    found = evaluation.paired_difference(better, worse)
    assert found.low > 0
    assert (found.mean, found.p) == (pytest.approx(0.1, abs=0.02), pytest.approx(1 / 1001))
    assert evaluation.paired_difference(worse, better).mean == -found.mean


def test_no_difference_is_not_significant() -> None:
    values = np.random.default_rng(4).random(50)
    assert evaluation.paired_difference(values, values) == (0.0, 0.0, 0.0, 1.0)
    assert evaluation.paired_difference(values, values[::-1]).p > 0.5


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_differences_are_plausible(pairs: list[tuple[float, float]]) -> None:
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = evaluation.paired_difference(a, b, samples=100)
    assert 0 < found.p <= 1
    assert found.low <= found.high
    assert found.mean == pytest.approx(np.mean(a) - np.mean(b))


@pytest.mark.parametrize(
    ("values", "options", "reason"),
    [
        ([], {}, "at least one value"),
        ([[1.0]], {}, "one row"),
        ([1.0, float("nan")], {}, "NaN"),
        ([1.0], {"level": 1.0}, "level"),
        ([1.0], {"samples": 0}, "sample"),
    ],
)
def test_what_cannot_be_used_is_told(values: list[float], options: dict[str, float], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        evaluation.confidence_interval(values, **options)  # type: ignore[arg-type]


def test_pairs_must_match() -> None:
    with pytest.raises(InputError, match="2 values against 1"):
        evaluation.paired_difference([1.0, 0.5], [1.0])
