"""Counts of features and the probabilities that follow from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.papers.mss.classifier import FeatureCounts, NaiveBayes, gram_keys

NOTHING = FeatureCounts.sum([])


def ids(*values: int) -> NDArray[np.uint32]:
    return np.array(values, dtype=np.uint32)


def counts_of(pairs: list[tuple[int, bool]]) -> FeatureCounts:
    return FeatureCounts.of(ids(*(key for key, _ in pairs)), np.array([inside for _, inside in pairs], dtype=bool))


def test_features_are_counted_by_label() -> None:
    counts = counts_of([(7, True), (3, False), (7, True), (7, False)])
    columns = (counts.key, counts.inside, counts.outside, counts.sources)
    assert [column.tolist() for column in columns] == [[3, 7], [0, 2], [1, 1], [1, 1]]


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=20), max_size=4))
def test_a_sum_of_counts_equals_the_count_of_all_and_tells_the_sources(parts: list[list[tuple[int, bool]]]) -> None:
    total = FeatureCounts.sum([counts_of(part) for part in parts])
    together = counts_of([pair for part in parts for pair in part])
    for name in ("key", "inside", "outside"):
        assert getattr(total, name).tolist() == getattr(together, name).tolist()
    expected = [sum(any(key == pair[0] for pair in part) for part in parts) for key in total.key.tolist()]
    assert total.sources.tolist() == expected


def test_features_that_are_not_there_are_told_apart() -> None:
    assert counts_of([(3, True), (7, True)]).find(ids(7, 4, 3, 9)).tolist() == [1, -1, 0, -1]
    assert NOTHING.find(ids(1)).tolist() == [-1]


def test_a_trigram_is_a_token_and_the_two_behind_it() -> None:
    first = gram_keys(ids(1, 2, 3, 1, 2, 3, 1, 2, 4), 3)
    assert first[0] == first[3]
    assert first[0] != first[6]
    assert (gram_keys(ids(1, 2), 3).size, gram_keys(ids(5, 6), 1).tolist()) == (2, [5, 6])
    assert gram_keys(ids(1, 2, 3), 3)[0] != gram_keys(ids(3, 2, 1), 3)[0]


def test_probabilities_by_hand() -> None:
    grams = counts_of([(1, True)] * 3 + [(1, False)] + [(2, False)] * 4)
    unclosed = counts_of([(9, True)] * 3 + [(9, False)] * 5)
    bayes = NaiveBayes(grams, unclosed, NOTHING, inside=3, outside=5, size=1, smoothing=1.0)
    odds = bayes.log_odds(ids(1, 2, 3), ids(9, 9, 8), ids(0, 0, 0))
    gram_1, gram_2 = np.log((4 / 6) / (2 / 8)), np.log((1 / 6) / (5 / 8))
    tag_9, prior = np.log((4 / 5) / (6 / 7)), np.log(3 / 5)
    assert odds == pytest.approx([gram_1 + tag_9 + prior, gram_2 + tag_9 + prior, prior])


def test_what_was_never_seen_speaks_for_neither_label() -> None:
    grams = counts_of([(1, True), (2, False), (2, False)])
    bayes = NaiveBayes(grams, NOTHING, NOTHING, inside=1, outside=2, size=1, balanced=True)
    assert bayes.log_odds(ids(77), ids(5), ids(0)).tolist() == [0.0]


def test_unseen_tokens_can_take_the_features_of_their_neighbours() -> None:
    grams = counts_of([(1, True)] * 9 + [(2, False)] * 9)
    plain = NaiveBayes(grams, NOTHING, NOTHING, inside=9, outside=9, size=1)
    with_neighbours = NaiveBayes(grams, NOTHING, NOTHING, inside=9, outside=9, size=1, neighbours=True)
    tokens = ids(1, 50, 1, 51, 2, 52)
    nothing = ids(*[0] * 6)
    before, behind = plain.log_odds(tokens, nothing, nothing), with_neighbours.log_odds(tokens, nothing, nothing)
    assert (before[[1, 3, 5]].tolist(), behind[1]) == ([0.0, 0.0, 0.0], pytest.approx(2 * before[0]))
    assert (behind[3], behind[5]) == (pytest.approx(before[0] + before[4]), pytest.approx(before[4]))
    assert behind[[0, 2, 4]] == pytest.approx(before[[0, 2, 4]])


@pytest.mark.parametrize("wrong", [{"size": 2}, {"smoothing": 0.0}, {"inside": 0}, {"inside": np.inf}])
def test_wrong_values_are_refused(wrong: dict[str, float]) -> None:
    values = {"inside": 1, "outside": 1, "size": 3, "smoothing": 1.0, **wrong}
    with pytest.raises(ModelError):
        NaiveBayes(NOTHING, NOTHING, NOTHING, **values)  # type: ignore[arg-type]


def test_counts_must_fit_and_ascend() -> None:
    with pytest.raises(ModelError, match="one entry"):
        FeatureCounts(ids(1), ids(1), ids(1, 2), ids(1))
    with pytest.raises(ModelError, match="ascend"):
        FeatureCounts(ids(2, 1), ids(1, 1), ids(1, 1), ids(1, 1))
