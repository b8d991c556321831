"""Features of each block by itself: words, characters, links, ending, position (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import COLUMNS, ROLES, Blocks
from blockfeat.features.keys import WordFlags, numbered
from blockfeat.lang.counting import COUNTED

if not cython.compiled:
    from blockfeat.features import places as column

Rows = NDArray[np.float32]

_ALL_BITS, _LONGEST_WORD, _MOST_OCCURRENCES, _SHORT, _FLAGS = (1 << 64) - 1, 30.0, 5, 8, 6
# Kinds of flags: promotion, credit, related, reply, title, description, as their columns follow each other.
_REPLY = cython.declare(cython.int, 3)
_START, _END, _FORMATS, _LISTS, _STRUCTURES = map(COLUMNS.index, ("start", "end", *ROLES))
_WORDS, _ANCHOR_WORDS, _, _SENTENCES, _UNSPACED_WORDS, _CHARACTERS, _ALPHANUMERICS = range(len(COUNTED))


def add_own(rows: Rows, blocks: Blocks, stop_words: NDArray[np.float64], flags: WordFlags, spread: int) -> None:
    """Fill the columns that depend on a block's own text, markup and position; linear in the page.

    Parameters
    ----------
    rows : float32 array, n × 85
        The matrix to fill, one row per block, at least one.
    blocks : Blocks
        The blocks.
    stop_words : float array, n
        Normalised stop-word ratio of each.
    flags : WordFlags
        Cues of the words.
    spread : int
        Random odd multiplier of a hash table; see `blockfeat.features.keys.numbered`.
    """
    row: cython.float[:, ::1] = rows
    count: cython.int[:, ::1] = blocks.measures.counts
    place: cython.int[:, ::1] = blocks.columns
    normalised: cython.double[::1] = stop_words
    anchors: cython.int[::1] = blocks.anchors.start
    flag: cython.uchar[::1] = flags.flags
    keys: cython.ulonglong[::1] = blocks.measures.token_keys.data
    codes = np.zeros(row.shape[0], dtype=np.uint64)
    code: cython.ulonglong[::1] = codes.data
    in_title: cython.double = flags.in_title + 1.0
    in_descriptions: cython.double = flags.in_descriptions + 1.0
    with cython.nogil:
        _add_canonical(row, count, place, normalised)
        _add_lengths(row, count)
        _add_page(row, count)
        _add_anchors(row, place, anchors)
        _add_words(row, count, flag, keys, code, in_title, in_descriptions)
    number: cython.int[::1] = numbered(codes, spread)
    occurrences: cython.int[::1] = np.zeros(row.shape[0], dtype=np.int32)
    with cython.nogil:
        _add_occurrences(row, number, occurrences)
    _add_endings(row, place, blocks.page_text.text)
    with cython.nogil:
        _add_neighbours(row)


def _add_canonical(
    row: cython.float[:, ::1], count: cython.int[:, ::1], place: cython.int[:, ::1], stop_words: cython.double[::1]
) -> cython.void:
    """Fill the columns of the eight features of Ziegler & Skubacz 2007."""
    below: cython.double
    block: cython.Py_ssize_t
    for block in range(row.shape[0]):
        below = max(count[_SENTENCES, block], 1)
        row[block, column.AVERAGE_SENTENCE_LENGTH] = count[_WORDS, block] / below
        row[block, column.SENTENCE_COUNT] = count[_SENTENCES, block]
        below = max(count[_CHARACTERS, block], 1)
        row[block, column.CHARACTER_DISTRIBUTION] = count[_ALPHANUMERICS, block] / below
        row[block, column.STOP_WORD_RATIO] = stop_words[block]
        below = max(count[_WORDS, block], 1)
        row[block, column.ANCHOR_RATIO] = count[_ANCHOR_WORDS, block] / below
        row[block, column.FORMAT_TAG_RATIO] = place[_FORMATS, block] / below
        row[block, column.LIST_ELEMENT_RATIO] = place[_LISTS, block] / below
        row[block, column.TEXT_STRUCTURING_RATIO] = place[_STRUCTURES, block] / below


def _add_lengths(row: cython.float[:, ::1], count: cython.int[:, ::1]) -> cython.void:
    """Fill the columns about words and characters of each block."""
    below: cython.double
    block: cython.Py_ssize_t
    for block in range(row.shape[0]):
        below = max(count[_WORDS, block], 1)
        row[block, column.LOG_WORDS] = log1p(count[_WORDS, block])
        row[block, column.PLAIN_WORDS] = log1p(count[_WORDS, block] - count[_ANCHOR_WORDS, block])
        row[block, column.WORD_LENGTH] = min(count[_CHARACTERS, block] / below, _LONGEST_WORD)


def _add_page(row: cython.float[:, ::1], count: cython.int[:, ::1]) -> cython.void:
    """Fill the columns about the page, the same for all blocks, and about the place of each on it."""
    all_words: cython.longlong = 0
    all_anchor_words: cython.longlong = 0
    all_unspaced: cython.longlong = 0
    words_before: cython.longlong = 0
    total: cython.double
    log_blocks: cython.double
    block: cython.Py_ssize_t
    for block in range(row.shape[0]):
        all_words += count[_WORDS, block]
        all_anchor_words += count[_ANCHOR_WORDS, block]
        all_unspaced += count[_UNSPACED_WORDS, block]
    total = max(all_words, 1)
    log_blocks = log1p(row.shape[0])
    for block in range(row.shape[0]):
        row[block, column.WORD_POSITION] = words_before / total
        row[block, column.PAGE_BLOCKS] = log_blocks
        row[block, column.PAGE_DENSITY] = all_anchor_words / total
        row[block, column.PAGE_UNSPACED] = all_unspaced / total
        words_before += count[_WORDS, block]


def _add_anchors(row: cython.float[:, ::1], place: cython.int[:, ::1], start: cython.int[::1]) -> cython.void:
    """Fill the column about the anchors that begin in each block."""
    anchor: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    block: cython.Py_ssize_t
    for block in range(row.shape[0]):
        first = anchor
        while anchor < start.shape[0] and start[anchor] < place[_END, block]:
            anchor += 1
        row[block, column.ANCHORS] = log1p(anchor - first)


def _add_words(
    row: cython.float[:, ::1],
    counts: cython.int[:, ::1],
    flags: cython.uchar[::1],
    keys: cython.ulonglong[::1],
    code: cython.ulonglong[::1],
    in_title: cython.double,
    in_descriptions: cython.double,
) -> cython.void:
    """Fill the columns about words of clutter, title and descriptions; write a code for each block's words.

    The sum of their keys, so that blocks with the same words have the same code.
    """
    replies_before: cython.longlong = 0
    replies: cython.int
    below: cython.double
    word: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    kind: cython.int
    for block in range(row.shape[0]):
        end += counts[_WORDS, block]
        replies = 0
        for word in range(end - counts[_WORDS, block], end):
            code[block] = (code[block] + keys[word]) & _ALL_BITS
            if flags[word]:
                replies += (flags[word] >> _REPLY) & 1
                for kind in range(_FLAGS):
                    row[block, column.WORDS_PROMOTION + kind] += (flags[word] >> kind) & 1
        row[block, column.TITLE_COVER] = row[block, column.TITLE_SHARE] / in_title
        row[block, column.DESCRIPTION_COVER] = row[block, column.DESCRIPTION_SHARE] / in_descriptions
        below = max(counts[_WORDS, block], 1)
        for kind in range(_FLAGS):
            row[block, column.WORDS_PROMOTION + kind] /= below
        row[block, column.REPLIES_BEFORE] = log1p(replies_before)
        if counts[_WORDS, block] <= _SHORT:
            replies_before += replies


def _add_occurrences(row: cython.float[:, ::1], number: cython.int[::1], count: cython.int[::1]) -> cython.void:
    """Fill the column about how many blocks have the number of each block."""
    block: cython.Py_ssize_t
    for block in range(number.shape[0]):
        count[number[block]] += 1
    for block in range(number.shape[0]):
        row[block, column.OCCURRENCES] = min(count[number[block]], _MOST_OCCURRENCES)


def _add_endings(row: cython.float[:, ::1], places: cython.int[:, ::1], text: str) -> cython.void:
    """Fill the column about how each block ends: 1 for a full stop or quote, 0.6 a colon, 0.4 an ellipsis, else 0."""
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for block in range(row.shape[0]):
        place = places[_END, block] - 1
        while place > places[_START, block] and _is_space(text[place]):
            place -= 1
        row[block, column.TERMINAL] = _terminal(text[place])


def _add_neighbours(row: cython.float[:, ::1]) -> cython.void:
    """Fill the columns about the links and endings of the blocks before and after."""
    last: cython.Py_ssize_t = row.shape[0] - 1
    block: cython.Py_ssize_t
    for block in range(last + 1):
        row[block, column.PREVIOUS_DENSITY] = row[block - 1, column.ANCHOR_RATIO] if block > 0 else 1.0
        row[block, column.NEXT_DENSITY] = row[block + 1, column.ANCHOR_RATIO] if block < last else 1.0
        row[block, column.NEXT_TERMINAL] = row[block + 1, column.TERMINAL] if block < last else 0.0


def _is_space(character: cython.Py_UCS4) -> cython.bint:
    """Return whether a character is white space or has no width."""
    return character.isspace() or character in "\u200b\u2060\ufeff"


def _terminal(character: cython.Py_UCS4) -> cython.double:
    """Return the value of a character that ends a block."""
    if character in ".!?。！？।؟\"”“»’')）」』":
        return 1.0
    if character in ":：":
        return 0.6
    return 0.4 if character == "…" else 0.0
