"""Keys of words: numbers in place of strings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.characters import character_classes
from blockfeat.lang.counting import word_spans
from blockfeat.lang.measures import code_points, keys_of_text, keys_of_words, lower, lowered_codes, tokenize
from blockfeat.lang.stopwords import StopWordIndex, stop_word_lists
from blockfeat.lang.word_keys import count_bits, keys_of_spans
from uncompiled import load_uncompiled


@given(st.text(max_size=200))
def test_words_have_one_key_wherever_they_stand(text: str) -> None:
    lowered = lower(text)
    starts, ends = word_spans(character_classes().take(code_points(lowered)))
    words = [lowered[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    assert words == tokenize(text)
    keys = keys_of_spans(code_points(lowered), starts, ends)
    assert [found.tolist() for found in keys_of_text(text)] == [keys.tolist(), starts.tolist()]
    assert (keys.tolist(), len(set(keys.tolist()))) == (keys_of_words(words).tolist(), len(set(words)))


@given(st.text(st.one_of(st.characters(), st.sampled_from("ΟΔΣσςİIı\u0345.' Aa")), max_size=60))
def test_keys_of_a_text_that_is_not_lower_cased_are_those_of_the_lower_cased(text: str) -> None:
    codes = code_points(text)
    starts, ends = word_spans(character_classes().take(codes))
    keys = keys_of_spans(lowered_codes(text, codes), starts, ends)
    assert keys.tolist() == keys_of_spans(code_points(lower(text)), starts, ends).tolist()


def test_every_letter_has_the_key_of_its_lower_case() -> None:
    letters = [chr(code) for code in range(0x110000) if chr(code).isalpha() and chr(code) != "\u03a3"]
    text = " ".join(letters)
    starts = np.arange(len(letters)) * 2
    keys = keys_of_spans(lowered_codes(text, code_points(text)), starts, starts + 1)
    assert keys.tolist() == keys_of_words([lower(letter) for letter in letters]).tolist()


def plain_key(word: str) -> int:
    """The key of a word by its definition."""
    key = sum(ord(character) * pow(0x9E3779B97F4A7C15, place, 2**64) for place, character in enumerate(word)) % 2**64
    return (key ^ key >> 29) * 0xBF58476D1CE4E5B9 % 2**64


@given(st.lists(st.text(max_size=20), max_size=5))
def test_keys_are_what_their_definition_says(words: list[str]) -> None:
    assert keys_of_words(words).tolist() == [plain_key(word) for word in words]


def test_masks_by_key_are_those_by_word() -> None:
    languages = ("en", "de", "fr", "ru")
    index, lists = StopWordIndex.build(languages), stop_word_lists(languages)
    words = [*lists["en"], *lists["ru"], "blockfeat", "zzz", "Ж", "x"] * 2
    expected = [sum(1 << bit for bit, lang in enumerate(languages) if word in lists[lang]) for word in words]
    assert index.masks_of(keys_of_words(words)).tolist() == expected
    assert StopWordIndex.build(["zh"]).masks_of(keys_of_words(["a"])).tolist() == [0]


@given(st.text(max_size=80))
def test_a_text_gives_the_keys_of_its_words(text: str) -> None:
    keys, starts = keys_of_text(text)
    assert (keys.tolist(), len(starts)) == (keys_of_words(tokenize(text)).tolist(), len(keys))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40), st.integers(1, 64))
def test_bits_of_masks_are_counted_as_one_by_one(masks: list[int], count: int) -> None:
    expected = [sum(mask >> bit & 1 for mask in masks) for bit in range(count)]
    given = np.array(masks, dtype=np.uint64)
    assert count_bits(given, count).tolist() == expected
    assert load_uncompiled("blockfeat.lang.word_keys").count_bits(given, count).tolist() == expected
