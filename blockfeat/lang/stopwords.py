"""Stop words of 58 languages: the lists of stopwordsiso, without entries typical of boilerplate, and their density."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_json, bundled_table
from blockfeat.errors import LanguageError, MissingExtraError
from blockfeat.lang.measures import TextMeasures, keys_of_words, lowered_codes
from blockfeat.lang.word_keys import BUCKET_BITS, count_bits, mark_sequences, masks_of_keys, shares_by_block

UNSPACED_LANGUAGES = frozenset({"ja", "th", "zh"})
"""Languages of the lists whose script puts no space between words: entries are character sequences."""

_LONGEST = 3
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
    """Return the stop words of a language; empty without a list. Reading a list takes as long as many pages."""
    return stop_words(lang) if lang is not None and lang in _raw_lists() else frozenset()


def stop_word_lists(languages: Iterable[str] | None = None) -> dict[str, frozenset[str]]:
    """Return the cleaned stop words of several languages (all by default), reading the files once.

    Raises
    ------
    LanguageError
        There is no list of one of the languages.
    """
    lists = _raw_lists()
    rules = bundled_table("blockfeat.lang", "stopwords.toml")
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
        raise MissingExtraError("stop lists need stopwordsiso: pip install stopwordsiso")
    return dict(json.loads(Path(spec.origin).with_name("stopwords-iso.json").read_bytes()))


def _clean(lang: str, entries: Sequence[str], rules: _Rules, everywhere: frozenset[str]) -> frozenset[str]:
    """Apply the rules of one language to its entries."""
    text = _repaired("\n".join(entries), rules)
    words = set(_tokens(text.split("\n")))
    if "only" in rules:
        words &= set(rules["only"].split())
    words -= everywhere | set(rules.get("drop", "").split())
    words |= set(_tokens(_repaired(rules.get("add", ""), rules).split()))
    if lang in UNSPACED_LANGUAGES:
        return frozenset(word for word in words if len(word) <= _LONGEST)
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
    document = bundled_json("blockfeat.lang", "density.json")
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


_BITS = np.uint64(21)
_NO_KEYS: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
_BUNDLED = Path(__file__).with_name("stopwords.npz")


@dataclass(frozen=True, eq=False)
class StopWordIndex:
    """Stop lists of several languages, ready for array arithmetic.

    Attributes
    ----------
    languages
        ISO 639-1 codes, 64 at most.
    keys, masks
        The keys of the stop words of languages in spaced scripts (`blockfeat.lang.measures.keys_of_words`) in ascending
        order, and the mask of each: a bit for every language whose list it stands in, the first the lowest.
    sequences
        For each language the sorted keys of its entries of 1, 2 and 3 characters; empty for spaced scripts.
    """

    languages: tuple[str, ...]
    keys: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    sequences: tuple[tuple[NDArray[np.uint64], ...], ...]

    def __post_init__(self) -> None:
        """Let nobody change the masks."""
        self.masks.flags.writeable = False

    @cached_property
    def buckets(self) -> NDArray[np.int32]:
        """By the highest bits of a key the first of `keys` that may be it; see `lang.word_keys.masks_of_keys`."""
        return _buckets_of(self.keys, BUCKET_BITS)

    @cached_property
    def _alone(self) -> dict[int, tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int32]]]:
        """Keys, masks and buckets of single languages that were asked for: so few stay in the processor's cache."""
        return {}

    @cached_property
    def densities(self) -> NDArray[np.float64]:
        """Stop-word density of running prose in each language; see `blockfeat.lang.stopwords.density`."""
        return np.array([density(lang) for lang in self.languages])

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
        masks: dict[str, int] = {}
        for bit, lang in enumerate(wanted):
            for word in () if lang in UNSPACED_LANGUAGES else lists[lang]:
                masks[word] = masks.get(word, 0) | 1 << bit
        keys = keys_of_words(list(masks))
        order = np.argsort(keys)
        ordered = np.array(list(masks.values()), dtype=np.uint64)[order]
        sequences = tuple(
            _keys(lists[lang]) if lang in UNSPACED_LANGUAGES else (_NO_KEYS,) * _LONGEST for lang in wanted
        )
        return cls(wanted, keys[order], ordered, sequences)

    @classmethod
    def bundled(cls) -> StopWordIndex:
        """Read the table of all languages, made by ``tools/make_stop_word_index.py`` with `build`."""
        with np.load(_BUNDLED, allow_pickle=False) as arrays:
            languages = tuple(arrays["languages"].tobytes().decode().split("\n"))
            keys, masks = arrays["keys"], arrays["masks"]
            groups = np.split(arrays["sequences"], arrays["sequence_ends"])
        sequences = tuple(tuple(groups[start : start + _LONGEST]) for start in range(0, len(groups), _LONGEST))
        return cls(languages, keys, masks, sequences)

    def masks_of(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return for each word, given its key, a bit for every language whose stop word it is; shape (n,)."""
        return masks_of_keys(keys, self.keys, self.masks, self.buckets)

    def shares(self, keys: NDArray[np.uint64], words: NDArray[np.int32], lang_index: int) -> NDArray[np.float64]:
        """Return the share of stop words of the language of a column in each block, given words and their keys."""
        if lang_index not in self._alone:
            own = self.masks >> np.uint64(lang_index) & np.uint64(1) > 0
            known = self.keys[own]
            buckets = _buckets_of(known, min(known.size.bit_length() + 2, BUCKET_BITS))
            self._alone[lang_index] = known, self.masks[own], buckets
        return shares_by_block(masks_of_keys(keys, *self._alone[lang_index]), words, lang_index)

    def counts(self, masks: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return how many words, given their masks, are stop words of each language; shape (languages,)."""
        return count_bits(masks, len(self.languages))

    def is_unspaced(self, lang_index: int) -> bool:
        """Return whether the language of a column is one whose entries are sequences of characters."""
        return any(map(len, self.sequences[lang_index]))

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
        if not self.is_unspaced(lang_index):
            return np.zeros(codes.size, dtype=np.bool_)
        return mark_sequences(codes, *self._ordered_sequences[lang_index])

    @cached_property
    def _ordered_sequences(self) -> dict[int, tuple[NDArray[np.uint64], NDArray[np.int32]]]:
        """For each column of an unspaced language what `mark_sequences` looks up; made at the first use."""
        found = {}
        for column in filter(self.is_unspaced, range(len(self.languages))):
            shifts = (np.uint64(2) * _BITS, _BITS, np.uint64(0))
            shifted = [keys << shift for keys, shift in zip(self.sequences[column], shifts, strict=True)]
            ordered = np.sort(np.concatenate(shifted))
            bounds = np.arange(int(ordered[-1] >> shifts[0]) + 2, dtype=np.uint64) << shifts[0]
            found[column] = (ordered, ordered.searchsorted(bounds).astype(np.int32))
        return found


class StopWordRatios(NamedTuple):
    """Stop-word ratios of the blocks of a page.

    Attributes
    ----------
    languages : tuple of str
        The languages whose stop words were counted.
    language : int array, n
        For each block the position in ``languages`` of the argmax.
    ratio : float array, n
        Stop words of that language by words, 0 to 1.
    normalised : float array, n
        The ratio over the density of running prose of that language; about 1 for prose.
    """

    languages: tuple[str, ...]
    language: NDArray[np.intp]
    ratio: NDArray[np.float64]
    normalised: NDArray[np.float64]


def stop_word_ratios(
    measures: TextMeasures, index: StopWordIndex, languages: tuple[str, ...] | None = None
) -> StopWordRatios:
    """Count the stop words of every block in some languages of an index and take the argmax of the ratios.

    Parameters
    ----------
    measures : TextMeasures
        The words of the page's blocks.
    index : StopWordIndex
        The stop lists.
    languages : tuple of str, optional
        The languages to count; all of the index by default. With one there is no choice to make: the page's
        language decides for all of its blocks.
    """
    asked = index.languages if languages is None else languages
    columns = [index.languages.index(lang) for lang in asked]
    # Words are looked up once, of one language alone in its own table.
    masks = index.masks_of(measures.token_keys) if len(columns) > 1 else None
    best = np.zeros(measures.words.size, dtype=np.intp)
    ratio = _shares(measures, index, columns[0], masks)
    if len(asked) == 1:
        return StopWordRatios(asked, best, ratio, ratio / index.densities[columns[0]])
    # One language after the other: all of them together would take a kilobyte a block.
    for place, column in enumerate(columns[1:], start=1):
        share = _shares(measures, index, column, masks)
        best[share > ratio] = place
        ratio = np.maximum(ratio, share)
    return StopWordRatios(asked, best, ratio, ratio / index.densities[columns][best])


def _shares(
    measures: TextMeasures, index: StopWordIndex, column: int, masks: NDArray[np.uint64] | None
) -> NDArray[np.float64]:
    """Return the share of stop words of a language in each block.

    Of a script without spaces, the share of the characters that its entries cover; a character is a word there.
    """
    if not (measures.has_unspaced and index.is_unspaced(column)):
        if masks is None:
            return index.shares(measures.token_keys, measures.words, column)
        return shares_by_block(masks, measures.words, column)
    covered = index.cover(lowered_codes(measures.page.text, measures.page.codes), column)
    starts = np.concatenate(([0], measures.page.block_ends[:-1]))
    words = np.maximum(measures.words, 1)
    return np.minimum(np.add.reduceat(covered, starts, dtype=np.int64), words) / words


def _buckets_of(keys: NDArray[np.uint64], bits: int) -> NDArray[np.int32]:
    """Return by the highest bits of a key the first of some ascending keys that may be it, and their number."""
    bounds = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    return np.append(keys.searchsorted(bounds), keys.size).astype(np.int32)


def _keys(entries: Iterable[str]) -> tuple[NDArray[np.uint64], ...]:
    """Return the sorted keys of the entries of 1, 2 and 3 characters: code points shifted by 21 bits each."""
    keys: tuple[list[int], ...] = tuple([] for _ in range(_LONGEST))
    for entry in entries:
        key = 0
        for character in entry:
            key = (key << int(_BITS)) | ord(character)
        keys[len(entry) - 1].append(key)
    return tuple(np.array(sorted(group), dtype=np.uint64) for group in keys)
