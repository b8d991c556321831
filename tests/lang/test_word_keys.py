"""Keys of words: numbers in place of strings."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.characters import character_classes, code_points
from blockfeat.lang.index import StopWordIndex
from blockfeat.lang.words import keys_of_spans, keys_of_text, keys_of_words, lower, tokenize, word_spans


@given(st.text(max_size=200))
def test_words_have_one_key_wherever_they_stand(text: str) -> None:
    lowered = lower(text)
    starts, ends = word_spans(character_classes().of(code_points(lowered)))
    words = [lowered[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    assert words == tokenize(text)
    keys = keys_of_spans(code_points(lowered), starts, ends)
    assert keys.tolist() == keys_of_words(words).tolist()
    assert len(set(keys.tolist())) == len(set(words))


def test_a_text_longer_than_the_table_of_powers_has_the_same_keys() -> None:
    far = " " * 100_000 + "word"
    keys = keys_of_spans(code_points(far), np.array([100_000]), np.array([100_004]))
    assert keys.tolist() == keys_of_words(["word"]).tolist()


def test_rows_by_key_are_those_by_word() -> None:
    index = StopWordIndex.build(["en", "de", "fr", "ru"])
    words = [*index.vocabulary, "blockfeat", "zzz", "Ж", "x"] * 2
    assert index.rows_of_keys(keys_of_words(words)).tolist() == index.rows(words).tolist()


def test_an_index_without_words_knows_none() -> None:
    index = StopWordIndex.build(["zh"])
    assert index.rows_of_keys(keys_of_words(["a"])).tolist() == [-1]


@given(st.text(max_size=80))
def test_a_text_gives_the_keys_of_its_words(text: str) -> None:
    keys, starts = keys_of_text(text)
    assert keys.tolist() == keys_of_words(tokenize(text)).tolist()
    assert len(starts) == len(keys)
