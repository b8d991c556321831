"""The stop-word table agrees with the lists it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import LanguageError
from blockfeat.lang.characters import code_points
from blockfeat.lang.index import StopWordIndex
from blockfeat.lang.measures import keys_of_words
from blockfeat.lang.stopwords import available_languages, stop_word_lists

LANGUAGES = ("en", "de", "zh", "ja", "th")
INDEX = StopWordIndex.build(LANGUAGES)
LISTS = stop_word_lists(LANGUAGES)


def test_no_words_give_empty_results() -> None:
    masks = INDEX.masks_of(keys_of_words([]))
    assert masks.size == 0
    assert INDEX.counts(masks).tolist() == [0] * len(LANGUAGES)


@given(st.lists(st.one_of(st.sampled_from(["the", "und", "in", "die", "was", "the"]), st.text(max_size=6))))
def test_masks_and_counts_agree_with_the_lists(tokens: list[str]) -> None:
    masks = INDEX.masks_of(keys_of_words(tokens))
    for column, lang in enumerate(LANGUAGES[:2]):
        is_stop_word = [int(token in LISTS[lang]) for token in tokens]
        assert [mask >> column & 1 for mask in masks.tolist()] == is_stop_word
        assert INDEX.counts(masks)[column] == sum(is_stop_word)


@given(st.text(alphabet="我们的在因为所以。 aのは、ของ是", max_size=25), st.sampled_from([2, 3, 4]))
def test_cover_agrees_with_plain_search(text: str, column: int) -> None:
    expected = np.zeros(len(text), dtype=bool)
    for entry in LISTS[LANGUAGES[column]]:
        for start in range(len(text)):
            if text.startswith(entry, start):
                expected[start : start + len(entry)] = True
    assert INDEX.cover(code_points(text), column).tolist() == expected.tolist()


def test_cover_is_false_for_spaced_scripts() -> None:
    assert not INDEX.cover(code_points("the library"), 0).any()


def test_doubled_languages_count_once_and_unknown_ones_fail() -> None:
    assert StopWordIndex.build(["en", "de", "en"]).languages == ("en", "de")
    with pytest.raises(LanguageError, match="tlh"):
        StopWordIndex.build(["tlh"])


def test_the_masks_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        INDEX.masks[0] = 1


def test_the_bundled_table_is_what_the_lists_give() -> None:
    bundled, built = StopWordIndex.build(), StopWordIndex.build(available_languages())
    message = "the lists or their rules have changed: run tools/make_stop_word_index.py"
    assert bundled.languages == built.languages, message
    for name in ("keys", "masks", "buckets"):
        assert np.array_equal(getattr(bundled, name), getattr(built, name)), message
    for lang, left, right in zip(built.languages, bundled.sequences, built.sequences, strict=True):
        assert [keys.tolist() for keys in left] == [keys.tolist() for keys in right], lang
