"""Stop lists: complete, cleaned, and cut as the tokenizer cuts."""

from __future__ import annotations

import subprocess
import sys

import pytest

from blockfeat.errors import LanguageError
from blockfeat.lang.measures import tokenize
from blockfeat.lang.stopwords import (
    PAPER_LANGUAGES,
    UNSPACED_LANGUAGES,
    available_languages,
    stop_word_lists,
    stop_words,
)


@pytest.fixture(scope="module")
def lists() -> dict[str, frozenset[str]]:
    return stop_word_lists()


def test_all_58_languages_have_words(lists: dict[str, frozenset[str]]) -> None:
    assert len(available_languages()) == 58
    assert set(lists) == set(available_languages())
    assert all(len(words) >= 25 for words in lists.values())


def test_paper_languages_are_fourteen_and_available() -> None:
    assert len(set(PAPER_LANGUAGES)) == 14
    assert PAPER_LANGUAGES[:5] == ("en", "de", "es", "fr", "it")
    assert set(PAPER_LANGUAGES) <= set(available_languages())


def test_every_word_is_one_token(lists: dict[str, frozenset[str]]) -> None:
    for lang in set(lists) - UNSPACED_LANGUAGES:
        assert [word for word in lists[lang] if tokenize(word) != [word]] == [], lang


def test_unspaced_entries_have_one_to_three_characters(lists: dict[str, frozenset[str]]) -> None:
    for lang in UNSPACED_LANGUAGES:
        assert {len(word) for word in lists[lang]} <= {1, 2, 3}


@pytest.mark.parametrize(
    "word", ["microsoft", "homepage", "click", "home", "page", "www", "site", "web", "com", "free"]
)
def test_english_web_words_are_gone(word: str, lists: dict[str, frozenset[str]]) -> None:
    assert word not in lists["en"]


def test_english_country_codes_are_gone_and_real_words_stay(lists: dict[str, frozenset[str]]) -> None:
    assert not {"uk", "de", "fr", "co", "tv", "jp", "b", "x"} & lists["en"]
    assert {"a", "i", "in", "is", "it", "us", "the", "of", "and", "don", "t", "ll"} <= lists["en"]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("de", "der die das und nicht"),
        ("fr", "l d qu le est"),
        ("el", "είναι δεν από η"),
        ("lt", "už šis yra"),
        ("ur", "نہیں میں ہیں"),
        ("cs", "a v že"),
    ],
)
def test_function_words_are_there(lang: str, words: str, lists: dict[str, frozenset[str]]) -> None:
    assert set(words.split()) <= lists[lang]


@pytest.mark.parametrize(("lang", "letters"), [("lt", "þðø"), ("tr", "þýţ"), ("el", "∆")])
def test_wrongly_encoded_letters_are_repaired(lang: str, letters: str, lists: dict[str, frozenset[str]]) -> None:
    assert not set(letters) & set("".join(lists[lang]))


def test_unknown_language_names_code_and_choice() -> None:
    with pytest.raises(LanguageError, match=r"'tlh'.*available: af, ar"):
        stop_words("tlh")


def test_import_reads_nothing_and_loads_no_library() -> None:
    code = (
        "import sys, blockfeat.lang.stopwords, blockfeat.lang.identify; "
        "print([m for m in ('stopwordsiso', 'py3langid', 'spacy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
