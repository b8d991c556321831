"""Stop words of 58 languages: the lists of stopwordsiso, cleaned of what marks clutter as prose, and their density."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from blockfeat._extras import require_extra
from blockfeat.errors import LanguageError

PAPER_LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt", "sv", "da", "no", "fi", "pl", "ru", "el")
"""Fourteen languages, as in Ziegler & Skubacz (2007), who name the first five; the rest is our choice."""

UNSPACED_LANGUAGES = frozenset({"ja", "th", "zh"})
"""Languages of the lists whose script puts no space between words: entries are character sequences."""

_LONGEST_SEQUENCE = 3
_APOSTROPHES = re.compile("['\u2019]")
_NOT_A_WORD = re.compile(r"[\d_]|[^\w\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0900-\u0dff\u0e31-\u0e4e]")
_Lists = Mapping[str, Sequence[str]]
_Rules = Mapping[str, Any]


def available_languages() -> tuple[str, ...]:
    """Return the ISO 639-1 codes of all languages that have a stop list, sorted."""
    return tuple(sorted(_raw_lists()))


def stop_words(lang: str) -> frozenset[str]:
    """Return the cleaned stop words of one language.

    Parameters
    ----------
    lang
        ISO 639-1 code.

    Returns
    -------
    frozenset of str
        Lower-cased tokens in NFC, as `blockfeat.lang.tokenize` yields them. For Chinese, Japanese and Thai
        sequences of one to three characters, to be matched anywhere in a text.

    Raises
    ------
    LanguageError
        There is no list of that language.
    """
    return stop_word_lists([lang])[lang]


@cache
def stop_words_if_any(lang: str | None) -> frozenset[str]:
    """Return the stop words of a language; none for one without a list. Reading a list takes as long as many pages."""
    return stop_words(lang) if lang is not None and lang in _raw_lists() else frozenset()


def stop_word_lists(languages: Iterable[str] | None = None) -> dict[str, frozenset[str]]:
    """Return the cleaned stop words of several languages (all by default), reading the files once.

    Raises
    ------
    LanguageError
        There is no list of one of the languages.
    """
    lists = _raw_lists()
    rules = _rules()
    wanted = tuple(sorted(lists)) if languages is None else tuple(languages)
    everywhere = frozenset(rules["all"]["drop"].split())
    cleaned = {}
    for lang in wanted:
        if lang not in lists:
            raise LanguageError(f"no stop list of language {lang!r}; available: {', '.join(sorted(lists))}")
        cleaned[lang] = _clean(lang, lists[lang], rules.get(lang, {}), everywhere)
    return cleaned


def _raw_lists() -> _Lists:
    """Read the lists of stopwordsiso from its data file; importing the package takes ten times as long."""
    require_extra("train", "stopwordsiso", what="a list of stop words")
    spec = find_spec("stopwordsiso")
    data = Path(str(spec and spec.origin)).with_name("stopwords-iso.json").read_bytes()
    lists: dict[str, list[str]] = json.loads(data)
    return lists


def _rules() -> _Rules:
    """Read the cleaning rules that stand beside this module."""
    return tomllib.loads(Path(__file__).with_name("stopwords.toml").read_text(encoding="utf-8"))


def _clean(lang: str, entries: Sequence[str], rules: _Rules, everywhere: frozenset[str]) -> frozenset[str]:
    """Apply the rules of one language to its entries."""
    text = _repaired("\n".join(entries), rules)
    words = set(_tokens(text.split("\n")))
    if "only" in rules:
        words &= set(rules["only"].split())
    words -= everywhere
    words -= set(rules.get("drop", "").split())
    words |= set(_tokens(_repaired(rules.get("add", ""), rules).split()))
    if lang in UNSPACED_LANGUAGES:
        return frozenset(word for word in words if len(word) <= _LONGEST_SEQUENCE)
    if "letters" in rules:
        letters = set(rules["letters"].split())
        words = {word for word in words if len(word) > 1} | letters
    if "pairs" in rules:
        pairs = set(rules["pairs"].split())
        words = {word for word in words if len(word) != 2 or word in pairs}
    return frozenset(words)


def _repaired(text: str, rules: _Rules) -> str:
    """Lower-case, compose, and put right the letters of a list that was saved in a wrong encoding."""
    text = unicodedata.normalize("NFC", text.lower())
    for wrong, right in rules.get("replace", {}).items():
        text = text.replace(wrong, right)
    if rules.get("marks", True):
        return text
    return "".join(character for character in text if unicodedata.category(character) != "Mn")


def _tokens(entries: Iterable[str]) -> Iterable[str]:
    """Cut at apostrophes; leave out entries of several words and those with digits or punctuation.

    Where all words of an entry of several words are function words, they stand in the list on their own.
    """
    for entry in entries:
        if entry.isalpha():
            yield entry
            continue
        parts = _APOSTROPHES.split(entry)
        if not any(_NOT_A_WORD.search(part) for part in parts):
            yield from (part for part in parts if part)


@cache
def _records() -> dict[str, float]:
    """Read the measured values, a constant, at its first use."""
    document = json.loads(Path(__file__).with_name("density.json").read_bytes())
    return {lang: float(record["value"]) for lang, record in document["languages"].items()}


def density(lang: str) -> float:
    """Return the share of stop words (of `blockfeat.lang.stop_words`) in running prose of a language.

    Parameters
    ----------
    lang
        ISO 639-1 code of a language that has a stop list.

    Returns
    -------
    float
        Share of tokens between 0 and 1. For scripts without spaces a token is a character, and it counts
        where an entry of one to three characters covers it. Measured by ``tools/measure_density.py``; the
        source and number of tokens of each value stand in ``density.json``.

    Raises
    ------
    LanguageError
        There is no stop list of that language.
    """
    try:
        return _records()[lang]
    except KeyError:
        raise LanguageError(f"no stop-word density of language {lang!r}; there is no stop list of it") from None
