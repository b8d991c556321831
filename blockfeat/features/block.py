# mypy: disable-error-code="untyped-decorator"
"""Columns from each block by itself, and from the blocks next to it: length, links, how it ends, place (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.containers import numbered
from blockfeat.features.schema import Columns

Floats = NDArray[np.float64]

OWN = (
    "log_words", "plain_words", "word_length", "terminal", "anchors", "occurrences", "word_position",
    "page_blocks", "page_density", "page_unspaced",
)  # fmt: skip
"""Columns that `add_own` fills."""
NEIGHBOURS = ("previous_density", "next_density", "next_terminal")
"""Columns that `add_neighbours` fills."""

_KEY_MASK = (1 << 64) - 1
_LONGEST_WORD = cython.declare(cython.double, 30.0)
_MOST_OCCURRENCES = cython.declare(cython.int, 5)


def add_own(columns: Columns, blocks: Blocks, terminal: Floats) -> None:
    """Fill the columns about length, links, repetition and place of each block, and about the page.

    Parameters
    ----------
    columns : Columns
        What is filled.
    blocks : Blocks
        The blocks of a page, n of them, at least one.
    terminal : float array, n
        How each ends; see `terminals`.
    """
    _add_lengths(columns, blocks)
    _add_page(columns, blocks)
    _add_anchors(columns, blocks)
    _add_occurrences(columns, numbered(_sums_of_keys(blocks)))
    columns["terminal"] = terminal


def _add_lengths(columns: Columns, blocks: Blocks) -> None:
    """Fill the columns about words and characters of each block."""
    rows: cython.float[:, ::1] = columns.values
    log_words: cython.float[::1] = rows[columns.place["log_words"]]
    plain_words: cython.float[::1] = rows[columns.place["plain_words"]]
    word_length: cython.float[::1] = rows[columns.place["word_length"]]
    words: cython.int[::1] = blocks.measures.words
    anchor_words: cython.int[::1] = blocks.measures.anchor_words
    characters: cython.int[::1] = blocks.measures.characters
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            log_words[block] = log1p(words[block])
            plain_words[block] = log1p(words[block] - anchor_words[block])
            word_length[block] = min(
                characters[block] / cython.cast(cython.double, max(words[block], 1)), _LONGEST_WORD
            )


def _add_page(columns: Columns, blocks: Blocks) -> None:
    """Fill the columns about the page, the same for all blocks, and about the place of each on it."""
    rows: cython.float[:, ::1] = columns.values
    word_position: cython.float[::1] = rows[columns.place["word_position"]]
    page_blocks: cython.float[::1] = rows[columns.place["page_blocks"]]
    page_density: cython.float[::1] = rows[columns.place["page_density"]]
    page_unspaced: cython.float[::1] = rows[columns.place["page_unspaced"]]
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
        for block in range(words.shape[0]):
            all_words += words[block]
            all_anchor_words += anchor_words[block]
            all_unspaced += unspaced_words[block]
        total = max(all_words, 1)
        log_blocks = log1p(words.shape[0])
        for block in range(words.shape[0]):
            word_position[block] = words_before / total
            page_blocks[block] = log_blocks
            page_density[block] = all_anchor_words / total
            page_unspaced[block] = all_unspaced / total
            words_before += words[block]


def _add_anchors(columns: Columns, blocks: Blocks) -> None:
    """Fill the column about the anchors that begin in each block."""
    rows: cython.float[:, ::1] = columns.values
    anchors: cython.float[::1] = rows[columns.place["anchors"]]
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
            anchors[block] = log1p(anchor - first)


def _sums_of_keys(blocks: Blocks) -> NDArray[np.uint64]:
    """Return for each block a number that blocks with the same words share: the sum of the keys of its words."""
    sums = np.empty(len(blocks), dtype=np.uint64)
    keys: cython.ulonglong[::1] = blocks.measures.token_keys
    words: cython.int[::1] = blocks.measures.words
    key_sum: cython.ulonglong[::1] = sums
    word: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    total: cython.ulonglong
    with cython.nogil:
        for block in range(words.shape[0]):
            total = 0
            end += words[block]
            while word < end:
                total = _sum(total, keys[word])
                word += 1
            key_sum[block] = total
    return sums


def _add_occurrences(columns: Columns, numbers: NDArray[np.int32]) -> None:
    """Fill the column about how many blocks have the number of each block."""
    rows: cython.float[:, ::1] = columns.values
    occurrences: cython.float[::1] = rows[columns.place["occurrences"]]
    number: cython.int[::1] = numbers
    count: cython.int[::1] = np.zeros(numbers.size, dtype=np.int32)
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(number.shape[0]):
            count[number[block]] += 1
        for block in range(number.shape[0]):
            occurrences[block] = min(count[number[block]], _MOST_OCCURRENCES)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _sum(left: cython.ulonglong, right: cython.ulonglong) -> cython.ulonglong:
    """Add modulo 2**64."""
    if cython.compiled:
        return left + right
    return (int(left) + int(right)) & _KEY_MASK


def anchor_ratios(blocks: Blocks) -> Floats:
    """Return the words inside anchors of each block by its words."""
    ratios: Floats = blocks.measures.anchor_words / np.maximum(blocks.measures.words, 1)
    return ratios


def add_neighbours(columns: Columns, density: Floats, terminal: Floats) -> None:
    """Fill the columns about the blocks before and after.

    Parameters
    ----------
    columns : Columns
        What is filled.
    density, terminal : float array, n
        Anchor ratio of each block, and how it ends.
    """
    rows: cython.float[:, ::1] = columns.values
    previous_density: cython.float[::1] = rows[columns.place["previous_density"]]
    next_density: cython.float[::1] = rows[columns.place["next_density"]]
    next_terminal: cython.float[::1] = rows[columns.place["next_terminal"]]
    anchor_ratio: cython.double[::1] = density
    ending: cython.double[::1] = terminal
    last: cython.Py_ssize_t = density.size - 1
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(last + 1):
            previous_density[block] = anchor_ratio[block - 1] if block > 0 else 1.0
            next_density[block] = anchor_ratio[block + 1] if block < last else 1.0
            next_terminal[block] = ending[block + 1] if block < last else 0.0


def terminals(blocks: Blocks) -> Floats:
    """Return how each block ends: 1 for a full stop or quote, 0.6 for a colon, 0.4 for an ellipsis, else 0."""
    values = np.empty(len(blocks))
    text: str = blocks.page_text.text
    start: cython.int[::1] = blocks.block_starts
    end: cython.int[::1] = blocks.page_text.block_ends
    value: cython.double[::1] = values
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for block in range(value.shape[0]):
        place = end[block] - 1
        while place > start[block] and _is_space(text[place]):
            place -= 1
        value[block] = _terminal(text[place])
    return values


@cython.cfunc
@cython.inline
def _is_space(character: cython.Py_UCS4) -> cython.bint:
    """Return whether a character is white space or has no width."""
    return character.isspace() or character in "\u200b\u2060\ufeff"


@cython.cfunc
@cython.inline
def _terminal(character: cython.Py_UCS4) -> cython.double:
    """Return the value of a character that ends a block."""
    if character in ".!?。！？।؟\"”“»’')）」』":
        return 1.0
    if character in ":：":
        return 0.6
    return 0.4 if character == "…" else 0.0
