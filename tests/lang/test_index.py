"""The stop-word table agrees with the lists it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import LanguageError
from blockfeat.lang.characters import code_points
from blockfeat.lang.index import StopWordIndex
from blockfeat.lang.stopwords import available_languages, stop_word_lists

LANGUAGES = ("en", "de", "zh", "ja", "th")
INDEX = StopWordIndex.build(LANGUAGES)
LISTS = stop_word_lists(LANGUAGES)


def test_rows_of_unknown_words_are_minus_one() -> None:
    rows = INDEX.rows(["the", "library", "und"])
    assert rows.dtype == np.int32
    assert (rows >= 0).tolist() == [True, False, True]


def test_no_tokens_give_empty_results() -> None:
    rows = INDEX.rows([])
    assert INDEX.hits(rows).shape == (0, len(LANGUAGES))
    assert INDEX.counts(rows).tolist() == [0] * len(LANGUAGES)


@given(st.lists(st.one_of(st.sampled_from(["the", "und", "in", "die", "was", "the"]), st.text(max_size=6))))
def test_hits_and_counts_agree_with_the_lists(tokens: list[str]) -> None:
    rows = INDEX.rows(tokens)
    hits = INDEX.hits(rows)
    for column, lang in enumerate(LANGUAGES[:2]):
        assert hits[:, column].tolist() == [int(token in LISTS[lang]) for token in tokens]
    assert INDEX.counts(rows).tolist() == hits.sum(axis=0).tolist()


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


def test_the_matrix_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        INDEX.matrix[0, 0] = 1


def test_the_bundled_table_is_what_the_lists_give() -> None:
    bundled, built = StopWordIndex.build(), StopWordIndex.build(available_languages())
    message = "the lists or their rules have changed: run tools/make_stop_word_index.py"
    assert bundled.languages == built.languages, message
    assert list(bundled.vocabulary.items()) == list(built.vocabulary.items()), message
    assert np.array_equal(bundled.matrix, built.matrix), message
    for name in ("keys", "key_rows", "buckets"):
        assert np.array_equal(getattr(bundled, name), getattr(built, name)), name
    for lang, left, right in zip(built.languages, bundled.sequences, built.sequences, strict=True):
        assert [keys.tolist() for keys in left] == [keys.tolist() for keys in right], lang
