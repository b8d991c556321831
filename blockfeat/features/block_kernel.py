"""Features of each block by itself: words, characters, links, ending, position (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.keys import WordFlags, numbered

if not cython.compiled:
    from blockfeat.features import places as column

Rows = NDArray[np.float32]

_ALL_BITS = cython.declare(cython.ulonglong, (1 << 64) - 1)
_LONGEST_WORD = cython.declare(cython.double, 30.0)
_MOST_OCCURRENCES = cython.declare(cython.int, 5)
_SHORT = cython.declare(cython.int, 8)
_FLAGS = cython.declare(cython.int, 6)
# Kinds of flags: promotion, credit, related, reply, title, description, as their columns follow each other.
_REPLY = cython.declare(cython.int, 3)
_TITLE = cython.declare(cython.int, 4)
_DESCRIPTION = cython.declare(cython.int, 5)


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
    _add_canonical(rows, blocks, stop_words)
    _add_lengths(rows, blocks)
    _add_page(rows, blocks)
    _add_anchors(rows, blocks)
    _add_occurrences(rows, numbered(_add_words(rows, blocks, flags), spread))
    _add_endings(rows, blocks)
    _add_neighbours(rows)


def _add_canonical(rows: Rows, blocks: Blocks, stop_words: NDArray[np.float64]) -> None:
    """Fill the columns of the eight features of Ziegler & Skubacz 2007."""
    row: cython.float[:, ::1] = rows
    words: cython.int[::1] = blocks.measures.words
    anchor_words: cython.int[::1] = blocks.measures.anchor_words
    sentences: cython.int[::1] = blocks.measures.sentences
    characters: cython.int[::1] = blocks.measures.characters
    alphanumerics: cython.int[::1] = blocks.measures.alphanumerics
    formats: cython.int[::1] = blocks.role_counts["format"]
    lists: cython.int[::1] = blocks.role_counts["list"]
    structures: cython.int[::1] = blocks.role_counts["structure"]
    normalised: cython.double[::1] = stop_words
    below: cython.double
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(row.shape[0]):
            below = max(sentences[block], 1)
            row[block, column.AVERAGE_SENTENCE_LENGTH] = words[block] / below
            row[block, column.SENTENCE_COUNT] = sentences[block]
            below = max(characters[block], 1)
            row[block, column.CHARACTER_DISTRIBUTION] = alphanumerics[block] / below
            row[block, column.STOP_WORD_RATIO] = normalised[block]
            below = max(words[block], 1)
            row[block, column.ANCHOR_RATIO] = anchor_words[block] / below
            row[block, column.FORMAT_TAG_RATIO] = formats[block] / below
            row[block, column.LIST_ELEMENT_RATIO] = lists[block] / below
            row[block, column.TEXT_STRUCTURING_RATIO] = structures[block] / below


def _add_lengths(rows: Rows, blocks: Blocks) -> None:
    """Fill the columns about words and characters of each block."""
    row: cython.float[:, ::1] = rows
    words: cython.int[::1] = blocks.measures.words
    anchor_words: cython.int[::1] = blocks.measures.anchor_words
    characters: cython.int[::1] = blocks.measures.characters
    below: cython.double
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(row.shape[0]):
            below = max(words[block], 1)
            row[block, column.LOG_WORDS] = log1p(words[block])
            row[block, column.PLAIN_WORDS] = log1p(words[block] - anchor_words[block])
            row[block, column.WORD_LENGTH] = min(characters[block] / below, _LONGEST_WORD)


def _add_page(rows: Rows, blocks: Blocks) -> None:
    """Fill the columns about the page, the same for all blocks, and about the place of each on it."""
    row: cython.float[:, ::1] = rows
    words: cython.int[::1] = blocks.measures.words
    anchor_words: cython.int[::1] = blocks.measures.anchor_words
    unspaced_words: cython.int[::1] = blocks.measures.unspaced_words
    all_words: cython.longlong = 0
    all_anchor_words: cython.longlong = 0
    all_unspaced: cython.longlong = 0
    words_before: cython.longlong = 0
    total: cython.double
    log_blocks: cython.double
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(row.shape[0]):
            all_words += words[block]
            all_anchor_words += anchor_words[block]
            all_unspaced += unspaced_words[block]
        total = max(all_words, 1)
        log_blocks = log1p(row.shape[0])
        for block in range(row.shape[0]):
            row[block, column.WORD_POSITION] = words_before / total
            row[block, column.PAGE_BLOCKS] = log_blocks
            row[block, column.PAGE_DENSITY] = all_anchor_words / total
            row[block, column.PAGE_UNSPACED] = all_unspaced / total
            words_before += words[block]


def _add_anchors(rows: Rows, blocks: Blocks) -> None:
    """Fill the column about the anchors that begin in each block."""
    row: cython.float[:, ::1] = rows
    start: cython.int[::1] = blocks.anchors.start
    end: cython.int[::1] = blocks.page_text.block_ends
    anchor: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(end.shape[0]):
            first = anchor
            while anchor < start.shape[0] and start[anchor] < end[block]:
                anchor += 1
            row[block, column.ANCHORS] = log1p(anchor - first)


def _add_words(rows: Rows, blocks: Blocks, word_flags: WordFlags) -> NDArray[np.uint64]:
    """Fill the columns about words of clutter, title and descriptions; return a code for each block's words.

    The sum of their keys, so that blocks with the same words have the same code.
    """
    row: cython.float[:, ::1] = rows
    flags: cython.uchar[::1] = word_flags.flags
    words: cython.int[::1] = blocks.measures.words
    keys: cython.ulonglong[::1] = blocks.measures.token_keys.data
    codes = np.zeros(words.shape[0], dtype=np.uint64)
    code: cython.ulonglong[::1] = codes.data
    counted = np.zeros(_FLAGS, dtype=np.int32)
    count: cython.int[::1] = counted
    in_title: cython.double = word_flags.in_title + 1.0
    in_descriptions: cython.double = word_flags.in_descriptions + 1.0
    replies_before: cython.longlong = 0
    below: cython.double
    word: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    kind: cython.int
    with cython.nogil:
        for block in range(row.shape[0]):
            for kind in range(_FLAGS):
                count[kind] = 0
            end += words[block]
            for word in range(end - words[block], end):
                code[block] = (code[block] + keys[word]) & _ALL_BITS
                if flags[word]:
                    for kind in range(_FLAGS):
                        count[kind] += (flags[word] >> kind) & 1
            below = max(words[block], 1)
            for kind in range(_FLAGS):
                row[block, column.WORDS_PROMOTION + kind] = count[kind] / below
            row[block, column.TITLE_COVER] = count[_TITLE] / in_title
            row[block, column.DESCRIPTION_COVER] = count[_DESCRIPTION] / in_descriptions
            row[block, column.REPLIES_BEFORE] = log1p(replies_before)
            if words[block] <= _SHORT:
                replies_before += count[_REPLY]
    return codes


def _add_occurrences(rows: Rows, numbers: NDArray[np.int32]) -> None:
    """Fill the column about how many blocks have the number of each block."""
    row: cython.float[:, ::1] = rows
    number: cython.int[::1] = numbers
    count: cython.int[::1] = np.zeros(numbers.size, dtype=np.int32)
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(number.shape[0]):
            count[number[block]] += 1
        for block in range(number.shape[0]):
            row[block, column.OCCURRENCES] = min(count[number[block]], _MOST_OCCURRENCES)


def _add_endings(rows: Rows, blocks: Blocks) -> None:
    """Fill the column about how each block ends: 1 for a full stop or quote, 0.6 a colon, 0.4 an ellipsis, else 0."""
    row: cython.float[:, ::1] = rows
    text: str = blocks.page_text.text
    start: cython.int[::1] = blocks.block_starts
    end: cython.int[::1] = blocks.page_text.block_ends
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for block in range(row.shape[0]):
        place = end[block] - 1
        while place > start[block] and _is_space(text[place]):
            place -= 1
        row[block, column.TERMINAL] = _terminal(text[place])


def _add_neighbours(rows: Rows) -> None:
    """Fill the columns about the links and endings of the blocks before and after."""
    row: cython.float[:, ::1] = rows
    last: cython.Py_ssize_t = row.shape[0] - 1
    block: cython.Py_ssize_t
    with cython.nogil:
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
