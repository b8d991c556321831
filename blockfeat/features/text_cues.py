"""Columns from the words of the blocks: words of clutter, agreement with title and description (compiled)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.features.schema import Columns
from blockfeat.lang.measures import TextMeasures

Counts = NDArray[np.int32]

WORDS = "words_"
"""A column of this name and a kind of cue is the share of the block's words that have it."""

CUE_WORDS = ("words_promotion", "words_credit", "words_related", "words_reply", "replies_before")
"""Columns that `add_cue_words` fills."""
HEADINGS = ("since_heading", "heading_reply")
"""Columns that `add_headings` fills."""
TITLE_WORDS = ("title_share", "title_cover", "description_share", "description_cover")
"""Columns that `add_title_words` fills."""

_REPLY = "reply"
_SHORT = cython.declare(cython.int, 8)
_FAR = cython.declare(cython.Py_ssize_t, 40)

Keys = NDArray[np.uint64]
_KEY_BITS = 64
_MOST_BITS = 20
# Most words are not in the table: with eight times as many values of the highest bits as keys, most end there.
_SPARSE_BITS = 3


@dataclass(frozen=True, eq=False)
class WordCues:
    """Words of a text that say something.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of cues; a kind's place is its bit.
    table : KeyTable
        The words by `blockfeat.lang.measures.keys_of_words`.
    bits : uint32 array
        The kinds of each key of the table.
    """

    kinds: tuple[str, ...]
    table: KeyTable
    bits: NDArray[np.uint32]

    @classmethod
    def of(cls, keys_of_kinds: Mapping[str, NDArray[np.uint64]]) -> WordCues:
        """Arrange the words of each kind, given by their keys."""
        keys = np.concatenate(list(keys_of_kinds.values()))
        bits = np.empty(keys.size, dtype=np.uint32)
        end = 0
        for place, each in enumerate(keys_of_kinds.values()):
            bits[end : end + each.size] = 1 << place
            end += each.size
        table, flags = KeyTable.of_flagged(keys, bits)
        return cls(tuple(keys_of_kinds), table, flags)


def cue_word_counts(measures: TextMeasures, cues: WordCues) -> dict[str, Counts]:
    """Return for each kind of cue how many words of each block have it: n each; linear in the words."""
    places = cues.table.places(measures.token_keys)
    counts = np.zeros((len(cues.kinds), measures.words.size), dtype=np.int32)
    count: cython.int[:, ::1] = counts
    found: cython.int[::1] = places
    words: cython.int[::1] = measures.words
    bits: cython.uint[::1] = cues.bits
    kinds: cython.Py_ssize_t = len(cues.kinds)
    word: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    kind: cython.Py_ssize_t
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            end += words[block]
            while word < end:
                if found[word] >= 0:
                    for kind in range(kinds):
                        count[kind, block] += (bits[found[word]] >> kind) & 1
                word += 1
    return dict(zip(cues.kinds, counts, strict=True))


def add_cue_words(columns: Columns, measures: TextMeasures, counts: Mapping[str, Counts]) -> None:
    """Fill the columns about words that are rare in articles and common around them.

    Parameters
    ----------
    columns : Columns
        What is filled.
    measures : TextMeasures
        The measures of n blocks.
    counts : dict of int32 array, n
        Words of each kind of cue in each block.
    """
    for kind, count in counts.items():
        _fill_shares(columns[WORDS + kind], count, measures)
    _add_replies_before(columns, measures, counts[_REPLY])


def _fill_shares(column: NDArray[np.float32], counts: Counts, measures: TextMeasures) -> None:
    """Fill in counts of words by the words of each block."""
    share: cython.float[::1] = column
    count: cython.int[::1] = counts
    words: cython.int[::1] = measures.words
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            share[block] = count[block] / cython.cast(cython.double, max(words[block], 1))


def _fill_ratios(column: NDArray[np.float32], counts: Counts, whole: float) -> None:
    """Fill in counts by one number."""
    ratio: cython.float[::1] = column
    count: cython.int[::1] = counts
    below: cython.double = whole
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(count.shape[0]):
            ratio[block] = count[block] / below


def _add_replies_before(columns: Columns, measures: TextMeasures, counts: Counts) -> None:
    """Fill the column about words of comment sections in short blocks before each block."""
    rows: cython.float[:, ::1] = columns.values
    replies_before: cython.float[::1] = rows[columns.place["replies_before"]]
    words: cython.int[::1] = measures.words
    count: cython.int[::1] = counts
    replies: cython.longlong = 0
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            replies_before[block] = log1p(replies)
            if words[block] <= _SHORT:
                replies += count[block]


def add_headings(
    columns: Columns, measures: TextMeasures, counts: Mapping[str, Counts], heading: NDArray[np.float32]
) -> None:
    """Fill the columns about the last heading at or before each block.

    Parameters
    ----------
    columns : Columns
        What is filled.
    measures : TextMeasures
        The measures of n blocks.
    counts : dict of int32 array, n
        Words of each kind of cue in each block.
    heading : float32 array, n
        Headings around each block.
    """
    rows: cython.float[:, ::1] = columns.values
    since_heading: cython.float[::1] = rows[columns.place["since_heading"]]
    heading_reply: cython.float[::1] = rows[columns.place["heading_reply"]]
    words: cython.int[::1] = measures.words
    replies: cython.int[::1] = counts[_REPLY]
    headings: cython.float[::1] = heading
    since: cython.Py_ssize_t = _FAR
    share: cython.double = 0.0
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            since = min(since + 1, _FAR)
            if headings[block] > 0.0:
                since = 0
                share = replies[block] / cython.cast(cython.double, max(words[block], 1))
            since_heading[block] = since
            heading_reply[block] = share


def add_title_words(columns: Columns, measures: TextMeasures, cues: WordCues) -> None:
    """Fill the columns about words that the page's title or its descriptions have.

    Parameters
    ----------
    columns : Columns
        What is filled.
    measures : TextMeasures
        The measures of n blocks.
    cues : WordCues
        The words of title and descriptions, by these two kinds; see `blockfeat.features.declared`.
    """
    for place, (kind, counts) in enumerate(cue_word_counts(measures, cues).items()):
        distinct = np.count_nonzero(cues.bits & np.uint32(1 << place))
        _fill_shares(columns[f"{kind}_share"], counts, measures)
        _fill_ratios(columns[f"{kind}_cover"], counts, distinct + 1.0)


@dataclass(frozen=True, eq=False)
class KeyTable:
    """Keys in ascending order with an index of their highest bits.

    A search takes one or two steps where the keys are spread evenly and the logarithm of their number where they are
    not, so that nobody can slow it down by the choice of keys.

    Attributes
    ----------
    keys : uint64 array, k
        Ascending, each once.
    shift : int
        Number of lower bits that the index does not look at.
    starts : int32 array
        For each value of the highest bits the place of the first key that has it or a higher one; and k.
    """

    keys: Keys
    shift: int
    starts: NDArray[np.int32]

    @classmethod
    def of(cls, keys: Keys) -> KeyTable:
        """Index keys that ascend, each once."""
        bits = min(keys.size.bit_length() + _SPARSE_BITS, _MOST_BITS)
        starts = np.empty((1 << bits) + 1, dtype=np.int32)
        _index(keys, _KEY_BITS - bits, starts)
        return cls(keys, _KEY_BITS - bits, starts)

    @classmethod
    def of_flagged(cls, keys: Keys, flags: NDArray[np.uint32]) -> tuple[KeyTable, NDArray[np.uint32]]:
        """Index keys in any order, each with flags as bits; return by place too what flags equal keys have together."""
        found, joined = np.empty(keys.size, dtype=np.uint64), np.empty(keys.size, dtype=np.uint32)
        count = _join(keys, flags, keys.argsort(), found, joined)
        return cls.of(found[:count]), joined[:count]

    def places(self, wanted: Keys) -> NDArray[np.int32]:
        """Return the place of each wanted key in the table, -1 where it is not there."""
        found = np.empty(wanted.size, dtype=np.int32)
        _find(wanted, self.keys, self.shift, self.starts, found)
        return found


def _index(keys: Keys, shift: int, starts: NDArray[np.int32]) -> None:
    """Fill in, for each value of the highest bits, the place of the first key that has it or a higher one."""
    key: cython.ulonglong[::1] = keys
    start: cython.int[::1] = starts
    lower_bits: cython.int = shift
    top: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(key.shape[0]):
            while top <= cython.cast(cython.Py_ssize_t, key[place] >> lower_bits):
                start[top] = place
                top += 1
        while top < start.shape[0]:
            start[top] = key.shape[0]
            top += 1


def _join(
    keys: Keys, flags: NDArray[np.uint32], order: NDArray[np.intp], found: Keys, joined: NDArray[np.uint32]
) -> int:
    """Fill in the different keys, ascending, and all flags of each; return how many there are."""
    key: cython.ulonglong[::1] = keys
    flag: cython.uint[::1] = flags
    ascending: cython.Py_ssize_t[::1] = order
    found_key: cython.ulonglong[::1] = found
    found_flags: cython.uint[::1] = joined
    count: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    index: cython.Py_ssize_t
    with cython.nogil:
        for index in range(ascending.shape[0]):
            place = ascending[index]
            if count == 0 or found_key[count - 1] != key[place]:
                found_key[count] = key[place]
                found_flags[count] = 0
                count += 1
            found_flags[count - 1] |= flag[place]
    return int(count)


def _find(wanted: Keys, keys: Keys, shift: int, starts: NDArray[np.int32], found: NDArray[np.int32]) -> None:
    """Fill in the place of each wanted key, -1 where there is none."""
    wanted_key: cython.ulonglong[::1] = wanted
    key: cython.ulonglong[::1] = keys
    start: cython.int[::1] = starts
    place: cython.int[::1] = found
    lower_bits: cython.int = shift
    index: cython.Py_ssize_t
    top: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    with cython.nogil:
        for index in range(wanted_key.shape[0]):
            top = cython.cast(cython.Py_ssize_t, wanted_key[index] >> lower_bits)
            low, high = start[top], start[top + 1]
            while low < high:
                middle = (low + high) >> 1
                if key[middle] < wanted_key[index]:
                    low = middle + 1
                else:
                    high = middle
            place[index] = low if low < start[top + 1] and key[low] == wanted_key[index] else -1
