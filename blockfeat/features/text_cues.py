"""Columns from the words of the blocks: words of clutter, agreement with title and description (compiled)."""

from __future__ import annotations

from collections.abc import Mapping

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.features.columns import Columns
from blockfeat.features.cues import WordCues
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
        The words of title and descriptions, by these two kinds; see `blockfeat.features.title_words`.
    """
    for place, (kind, counts) in enumerate(cue_word_counts(measures, cues).items()):
        distinct = np.count_nonzero(cues.bits & np.uint32(1 << place))
        _fill_shares(columns[f"{kind}_share"], counts, measures)
        _fill_ratios(columns[f"{kind}_cover"], counts, distinct + 1.0)
