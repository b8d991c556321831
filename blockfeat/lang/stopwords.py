"""Stop words of 58 languages: the lists of stopwordsiso, cleaned of what marks clutter as prose."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import LanguageError, MissingExtraError
from blockfeat.lang.measures import keys_of_words
from blockfeat.lang.word_keys import BUCKET_BITS, count_hits, count_hits_by_block, rows_of_keys

PAPER_LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt", "sv", "da", "no", "fi", "pl", "ru", "el")
"""Fourteen languages, as in Ziegler & Skubacz (2007), who name the first five; the rest is our choice."""

UNSPACED_LANGUAGES = frozenset({"ja", "th", "zh"})
"""Languages of the lists whose script puts no space between words: entries are character sequences."""

_LONGEST_SEQUENCE = 3
_APOSTROPHES = re.compile("['\u2019]")
_NOT_A_WORD = re.compile(r"[\d_]|[^\w\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0900-\u0dff\u0e31-\u0e4e]")
_Lists = Mapping[str, Sequence[str]]
_Rules = Mapping[str, Any]

_LONGEST = 3
_BITS = np.uint64(21)
_NO_KEYS: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
_BUNDLED = Path(__file__).with_name("stopwords.npz")


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
    spec = find_spec("stopwordsiso")
    if spec is None or spec.origin is None:
        raise MissingExtraError("no stop lists: the package stopwordsiso is not installed")
    data = Path(spec.origin).with_name("stopwords-iso.json").read_bytes()
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


@dataclass(frozen=True, eq=False)
class StopWordIndex:
    """Stop lists of several languages, ready for array arithmetic.

    Attributes
    ----------
    languages
        ISO 639-1 codes, in the order of the columns.
    vocabulary
        Row of each stop word of the languages in spaced scripts.
    keys, key_rows
        The keys of these words (`blockfeat.lang.measures.keys_of_words`) in ascending order, and the row of each.
    buckets
        By the highest bits of a key the first of ``keys`` that may be it; see `blockfeat.lang.word_keys.rows_of_keys`.
    matrix
        uint8, shape (len(vocabulary) + 1, len(languages)): 1 where the word stands in the language's list.
        The last row is zero and stands for all other words (row -1). Columns of unspaced scripts are zero.
    sequences
        For each language the sorted keys of its entries of 1, 2 and 3 characters; empty for spaced scripts.
    """

    languages: tuple[str, ...]
    vocabulary: Mapping[str, int]
    keys: NDArray[np.uint64]
    key_rows: NDArray[np.int32]
    buckets: NDArray[np.int32]
    matrix: NDArray[np.uint8]
    sequences: tuple[tuple[NDArray[np.uint64], ...], ...]

    @classmethod
    def build(cls, languages: Sequence[str] | None = None) -> StopWordIndex:
        """Build the table of some languages, or read that of all, which comes with blockfeat.

        Raises
        ------
        LanguageError
            There is no stop list of one of the languages.
        """
        if languages is None:
            return cls.bundled()
        wanted = tuple(dict.fromkeys(languages))
        lists = stop_word_lists(wanted)
        vocabulary: dict[str, int] = {}
        columns = []
        for lang in wanted:
            words = () if lang in UNSPACED_LANGUAGES else sorted(lists[lang])
            columns.append([vocabulary.setdefault(word, len(vocabulary)) for word in words])
        matrix = np.zeros((len(vocabulary) + 1, len(wanted)), dtype=np.uint8)
        for column, rows in enumerate(columns):
            matrix[rows, column] = 1
        keys = tuple(_keys(lists[lang]) if lang in UNSPACED_LANGUAGES else (_NO_KEYS,) * _LONGEST for lang in wanted)
        return cls._of(wanted, vocabulary, matrix, keys)

    @classmethod
    def bundled(cls) -> StopWordIndex:
        """Read the table of all languages, made by ``tools/make_stop_word_index.py`` with `build` and `to_arrays`."""
        with np.load(_BUNDLED, allow_pickle=False) as arrays:
            languages = tuple(_text(arrays["languages"]).split("\n"))
            vocabulary = {word: row for row, word in enumerate(_text(arrays["words"]).split("\n"))}
            matrix = np.unpackbits(arrays["matrix"], axis=1, count=len(languages))
            groups = np.split(arrays["sequences"], arrays["sequence_ends"])
        keys = tuple(tuple(groups[start : start + _LONGEST]) for start in range(0, len(groups), _LONGEST))
        return cls._of(languages, vocabulary, matrix, keys)

    @classmethod
    def _of(
        cls,
        languages: tuple[str, ...],
        vocabulary: Mapping[str, int],
        matrix: NDArray[np.uint8],
        sequences: tuple[tuple[NDArray[np.uint64], ...], ...],
    ) -> StopWordIndex:
        """Add to the words of some languages what looks them up."""
        matrix.flags.writeable = False
        keys = keys_of_words(list(vocabulary))
        order = np.argsort(keys)
        keys = keys[order]
        bounds = np.arange(1 << BUCKET_BITS, dtype=np.uint64) << np.uint64(64 - BUCKET_BITS)
        buckets = np.append(keys.searchsorted(bounds), keys.size).astype(np.int32)
        return cls(languages, vocabulary, keys, order.astype(np.int32), buckets, matrix, sequences)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of a file that `bundled` reads: words as UTF-8 lines, the matrix as bits."""
        groups = [keys for lengths in self.sequences for keys in lengths]
        return {
            "languages": _bytes(self.languages),
            "words": _bytes(self.vocabulary),
            "matrix": np.packbits(self.matrix, axis=1),
            "sequences": np.concatenate(groups),
            "sequence_ends": np.cumsum([keys.size for keys in groups[:-1]]),
        }

    def rows(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """Return the row of each token, -1 where it is no stop word of any language; shape (n,)."""
        row_of = self.vocabulary.get
        return np.array([row_of(token, -1) for token in tokens], dtype=np.int32)

    def rows_of_keys(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the row of each word, given its key, -1 where it is no stop word of any language; shape (n,)."""
        return rows_of_keys(keys, self.keys, self.key_rows, self.buckets)

    def hits(self, rows: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Return for each row and language whether it is a stop word there: 0 or 1, shape (n, languages)."""
        return self.matrix[rows]

    def counts(self, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return how many of the rows are stop words of each language; shape (languages,)."""
        return count_hits(rows, self.matrix)

    def counts_by_block(
        self, rows: NDArray[np.int32], words: NDArray[np.int32], columns: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many words of each block are stop words of some languages; shape (n, columns).

        Parameters
        ----------
        rows
            The row of each word of a page.
        words
            How many of them are in each of the n blocks.
        columns
            The languages, as places in ``languages``.
        """
        return count_hits_by_block(rows, words, self.matrix, columns)

    def cover(self, codes: NDArray[np.uint32], lang_index: int) -> NDArray[np.bool_]:
        """Mark the characters that an entry of an unspaced language covers.

        Parameters
        ----------
        codes
            Code points of a text, lower-cased and NFC, punctuation and spaces in place; shape (n,).
        lang_index
            Column of the language.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where any matching entry covers the character; all False for languages in spaced scripts.
        """
        covered = np.zeros(codes.size, dtype=np.bool_)
        key = codes.astype(np.uint64)
        for length, keys in enumerate(self.sequences[lang_index], start=1):
            if length > 1:
                key = (key[:-1] << _BITS) | codes[length - 1 :]
            if keys.size == 0 or key.size == 0:
                continue
            places = np.minimum(keys.searchsorted(key), keys.size - 1)
            starts = (keys[places] == key).nonzero()[0]
            for offset in range(length):
                covered[starts + offset] = True
        return covered


def _text(array: NDArray[np.uint8]) -> str:
    return array.tobytes().decode()


def _bytes(lines: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def _keys(entries: Iterable[str]) -> tuple[NDArray[np.uint64], ...]:
    """Return the sorted keys of the entries of 1, 2 and 3 characters: code points shifted by 21 bits each."""
    keys: tuple[list[int], ...] = tuple([] for _ in range(_LONGEST))
    for entry in entries:
        key = 0
        for character in entry:
            key = (key << int(_BITS)) | ord(character)
        keys[len(entry) - 1].append(key)
    return tuple(np.array(sorted(group), dtype=np.uint64) for group in keys)
