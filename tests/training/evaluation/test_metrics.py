"""Agreement of two texts: known values, edges, and what must hold for any texts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import InputError
from blockfeat.lang import tokenize
from blockfeat.training.evaluation import (
    Scores,
    SnippetScores,
    confidence_interval,
    cosine_length_ratio,
    paired_difference,
    shingle_scores,
    snippet_scores,
    text_only_score,
    word_scores,
)

words = st.lists(st.sampled_from(["ein", "der", "Fluss", "fließt", "a", "I", "川", "が", "流", "ไทย"]), max_size=25)
texts = st.one_of(words.map(" ".join), st.text(max_size=40))
ONE, ZERO = Scores(1.0, 1.0, 1.0), Scores(0.0, 0.0, 0.0)


def all_scores(predicted: str, gold: str) -> list[float]:
    """Return every score of a text against another."""
    found = [cosine_length_ratio(predicted, gold), text_only_score(predicted, gold)]
    for scores in (word_scores(predicted, gold), shingle_scores(predicted, gold)):
        found += [scores.precision, scores.recall, scores.f1]
    return found


@given(texts, texts)
def test_scores_lie_between_0_and_1(predicted: str, gold: str) -> None:
    assert all(0 <= score <= 1 for score in all_scores(predicted, gold))


@given(texts)
def test_a_text_agrees_with_itself(text: str) -> None:
    assert all_scores(text, text) == pytest.approx([1.0] * 8)


@given(texts, texts)
def test_sides_can_be_exchanged(a: str, b: str) -> None:
    assert cosine_length_ratio(a, b) == pytest.approx(cosine_length_ratio(b, a))
    assert text_only_score(a, b) == pytest.approx(text_only_score(b, a))
    for score in (word_scores, shingle_scores):
        there, back = score(a, b), score(b, a)
        assert (there.precision, there.recall) == (back.recall, back.precision)
        assert there.f1 == pytest.approx(back.f1)


@given(texts, texts)
def test_f1_lies_between_precision_and_recall(predicted: str, gold: str) -> None:
    scores = word_scores(predicted, gold)
    low, high = sorted((scores.precision, scores.recall))
    assert low - 1e-12 <= scores.f1 <= high + 1e-12


@given(texts, texts)
def test_words_in_order_agree_no_more_than_words_in_a_bag(predicted: str, gold: str) -> None:
    assert text_only_score(predicted, gold) <= word_scores(predicted, gold).f1 + 1e-12


@given(texts, texts)
def test_texts_and_their_words_score_alike(predicted: str, gold: str) -> None:
    cut = tokenize(predicted), tokenize(gold)
    assert word_scores(*cut) == word_scores(predicted, gold)
    assert shingle_scores(*cut) == shingle_scores(predicted, gold)
    assert cosine_length_ratio(*cut) == cosine_length_ratio(predicted, gold)
    assert text_only_score(*cut) == text_only_score(predicted, gold)


@pytest.mark.parametrize("empty", ["", " \n", "?! …"])
@pytest.mark.parametrize("score", [word_scores, shingle_scores, cosine_length_ratio, text_only_score])
def test_empty_texts(score: Callable[[str, str], Scores | float], empty: str) -> None:
    full = "ein Satz"
    assert score(empty, "") in (ONE, 1.0)
    assert score(empty, full) in (ZERO, 0.0)
    assert score(full, empty) in (ZERO, 0.0)


def test_word_scores_count_repeated_words() -> None:
    scores = word_scores("the cat the dog", "The cat, the cat!")
    assert scores == Scores(0.75, 0.75, 0.75)
    assert word_scores("a b c d", "a b") == Scores(0.5, 1.0, 2 / 3)


def test_word_scores_do_not_see_order_and_shingles_do() -> None:
    assert word_scores("one two three four five", "five four three two one") == ONE
    assert shingle_scores("one two three four five", "five four three two one") == ZERO
    assert shingle_scores("a b c d e", "a b c d x").f1 == 0.5
    assert shingle_scores("a b", "a b c d", n=2) == Scores(1.0, 1 / 3, 0.5)
    assert shingle_scores("a b", "a b") == ONE


def test_cosine_length_ratio() -> None:
    # Vectors (2, 1) and (1, 1): cosine 3/√10; three terms against two.
    assert cosine_length_ratio("aa aa bb", "aa bb") == pytest.approx(3 / math.sqrt(10) * 2 / 3)
    assert cosine_length_ratio("aa bb aa bb", "aa bb") == pytest.approx(0.5)


def test_single_characters_count_in_scripts_without_spaces_only() -> None:
    assert cosine_length_ratio("aa x y z", "aa") == 1.0
    assert cosine_length_ratio("x y", "z") == 1.0
    assert cosine_length_ratio("x", "aa") == 0.0
    assert cosine_length_ratio("天地", "天") == pytest.approx(0.5 / math.sqrt(2))
    assert cosine_length_ratio("天", "地") == 0.0


def test_text_only_score_sees_order() -> None:
    assert text_only_score("a b c d", "a c") == pytest.approx(4 / 6)
    assert text_only_score("c a", "a c") == pytest.approx(0.5)


def test_text_only_score_of_long_texts() -> None:
    text = " ".join(str(number) for number in range(20_000))
    assert text_only_score(text, text + " end") == pytest.approx(40_000 / 40_001)


def test_snippets_are_counted() -> None:
    scores = snippet_scores("One two\n three. Menu", ["two three", "One", "absent"], ["Menu", "menu", "Home"])
    assert scores == SnippetScores(2, 1, 1, 2)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert scores.accuracy == pytest.approx(4 / 6)
    assert scores.count == 6


def test_snippets_fold_white_space() -> None:
    assert snippet_scores("a\u00a0b", ["a \t b", " ", ""], ["\n"]) == SnippetScores(1, 0, 0, 0)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (SnippetScores(), (1.0, 1.0, 1.0)),
        (SnippetScores(true_negatives=2), (1.0, 1.0, 1.0)),
        (SnippetScores(false_negatives=2), (0.0, 0.0, 0.0)),
        (SnippetScores(false_positives=2), (0.0, 1.0, 0.0)),
    ],
)
def test_snippets_at_the_edges(scores: SnippetScores, expected: tuple[float, float, float]) -> None:
    assert (scores.precision, scores.recall, scores.f1) == expected


def test_snippet_counts_are_pooled() -> None:
    assert SnippetScores(1, 2, 3, 4) + SnippetScores(4, 3, 2, 1) == SnippetScores(5, 5, 5, 5)


@given(texts, st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_every_snippet_counts_once(predicted: str, present: list[str], absent: list[str]) -> None:
    scores = snippet_scores(predicted, present, absent)
    assert scores.true_positives + scores.false_negatives == sum(bool(text.split()) for text in present)
    assert scores.false_positives + scores.true_negatives == sum(bool(text.split()) for text in absent)
    assert all(0 <= score <= 1 for score in (scores.precision, scores.recall, scores.f1, scores.accuracy))


scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(scores, st.integers(0, 3))
def test_intervals_stay_within_the_values(values: list[float], seed: int) -> None:
    found = confidence_interval(values, samples=200, seed=seed)
    assert found.mean == pytest.approx(np.mean(values))
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found == confidence_interval(values, samples=200, seed=seed)


def test_an_interval_is_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(1).normal(0.8, 0.2, 400)
    found = confidence_interval(values, samples=4000)
    half = 1.96 * values.std() / np.sqrt(values.size)
    assert found.low == pytest.approx(found.mean - half, abs=0.002)
    assert found.high == pytest.approx(found.mean + half, abs=0.002)


def test_a_higher_level_gives_a_wider_interval() -> None:
    values = np.linspace(0, 1, 50)
    narrow, wide = (confidence_interval(values, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_one_value_and_equal_values_have_no_width() -> None:
    assert confidence_interval([0.25]) == (0.25, 0.25, 0.25)
    assert confidence_interval([0.5] * 9) == (0.5, 0.5, 0.5)


def test_many_values_are_drawn_in_parts() -> None:
    values = np.random.default_rng(2).random(300_000)
    found = confidence_interval(values, samples=40)
    assert found.low < found.mean < found.high
    assert found.high - found.low < 0.01


def test_a_clear_difference_is_significant() -> None:
    noise = np.random.default_rng(3).normal(0, 0.05, (2, 100))
    better, worse = 0.9 + noise[0], 0.8 + noise[1]
    found = paired_difference(better, worse)
    assert found.low > 0
    assert found.mean == pytest.approx(0.1, abs=0.02)
    assert found.p == pytest.approx(1 / 1001)
    assert paired_difference(worse, better).mean == -found.mean


def test_no_difference_is_not_significant() -> None:
    values = np.random.default_rng(4).random(50)
    assert paired_difference(values, values) == (0.0, 0.0, 0.0, 1.0)
    assert paired_difference(values, values[::-1]).p > 0.5


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_differences_are_plausible(pairs: list[tuple[float, float]]) -> None:
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = paired_difference(a, b, samples=100)
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
        confidence_interval(values, **options)  # type: ignore[arg-type]


def test_pairs_must_match() -> None:
    with pytest.raises(InputError, match="2 values against 1"):
        paired_difference([1.0, 0.5], [1.0])
