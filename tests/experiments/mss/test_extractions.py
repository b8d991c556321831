"""Short and best over the possible extractions, and the text-only score of the paper."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blockfeat.training.evaluation.metrics import text_only_score
from experiments.mss.extractions import PossibleExtractions, alignment_score

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


def by_steps(first: list[str], second: list[str]) -> float:
    """1 - distance / alignment length, with the fewest insertions and removals, by dynamic programming."""
    steps = [[i + j for j in range(len(second) + 1)] for i in range(len(first) + 1)]
    for i, one in enumerate(first, start=1):
        for j, other in enumerate(second, start=1):
            aligned = steps[i - 1][j - 1] if one == other else i + j
            steps[i][j] = min(steps[i - 1][j] + 1, steps[i][j - 1] + 1, aligned)
    distance = steps[-1][-1]
    length = distance + (len(first) + len(second) - distance) / 2
    return 1 - distance / length if length else 1.0


@given(WORDS, WORDS)
@example(["the", "dog", "barked"], ["the", "dog"])  # of the paper
@example([], [])
@example([], ["word"])
def test_the_score_follows_its_definition(first: list[str], second: list[str]) -> None:
    score = alignment_score(first, second)
    assert (score, score) == (pytest.approx(by_steps(first, second)), pytest.approx(alignment_score(second, first)))
    f1 = text_only_score(first, second)
    assert f1 == pytest.approx(2 * score / (1 + score))


def test_six_extractions_the_shortest_first() -> None:
    possible = PossibleExtractions(["m"], ["h"], ["b"], ["a"])
    assert [" ".join(words) for words in possible.all()] == ["m", "b m", "h b m", "m a", "b m a", "h b m a"]
    assert PossibleExtractions(["m"]).all() == [["m"]]
    assert PossibleExtractions(["m"], ["h"]).all() == [["m"], ["h", "m"]]


def test_the_best_extraction_is_the_one_nearest_to_the_prediction() -> None:
    possible = PossibleExtractions(["one", "two", "three", "four"], ["head"], ["by", "me"], ["agency"])
    predicted = ["head", "by", "me", "one", "two", "three", "four"]
    short = possible.short(predicted)
    assert (short.recall, short.precision) == (1.0, pytest.approx(4 / 7))
    assert possible.best(predicted).f1 == possible.best(predicted[3:]).f1 == 1.0


@given(WORDS, st.tuples(WORDS, WORDS, WORDS, WORDS))
def test_best_is_never_below_short(predicted: list[str], parts: tuple[list[str], ...]) -> None:
    possible = PossibleExtractions(*parts)
    assert possible.best(predicted).f1 >= possible.short(predicted).f1


def test_headline_and_byline_are_taken_off_the_gold_text() -> None:
    found = PossibleExtractions.of_gold(
        "Big News\nJane Doe\nIt rained. It poured. Jane Doe", title="Big news", author="Jane Doe"
    )
    assert (list(found.main), list(found.headline)) == (["it", "rained", "it", "poured"], ["big", "news"])
    assert (list(found.byline_before), list(found.byline_after)) == (["jane", "doe"], ["jane", "doe"])
    plain = PossibleExtractions.of_gold("It rained.", title="Big news")
    assert (list(plain.main), list(plain.headline), list(plain.byline_after)) == (["it", "rained"], ["big", "news"], [])
