"""Columns from each block by itself, and from its neighbours: length, links, how it ends, its place."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.columns import Columns
from blockfeat.features.layout import numbered
from blockfeat.lang.characters import SPACE

__all__ = ["add_neighbours", "add_own", "terminals"]

Floats = NDArray[np.float64]
_ENDS = {**dict.fromkeys(".!?。！？।؟\"”“»’')）」』", 1.0), **dict.fromkeys(":：", 0.6), "…": 0.4}
_CODES = 1 << 16


def add_own(columns: Columns, blocks: Blocks, words: Floats, anchors: Floats, terminal: Floats) -> None:
    """Fill the columns about length, links, repetition and place of each block, and about the page.

    Parameters
    ----------
    columns : Columns
        What is filled.
    blocks : Blocks
        The blocks of a page, n of them.
    words, anchors : float array, n
        Words, and words inside anchors, of each.
    terminal : float array, n
        How each ends; see `terminals`.
    """
    measures, n = blocks.measures, words.size
    total = words.cumsum()
    all_words = max(float(total[-1]), 1.0)
    columns["log_words"] = np.log1p(words)
    columns["plain_words"] = np.log1p(words - anchors)
    columns["word_length"] = np.minimum(measures.characters / np.maximum(words, 1.0), 30.0)
    columns["terminal"] = terminal
    owner = blocks.page_text.block_ends.searchsorted(blocks.anchors.start, side="right")
    columns["anchors"] = np.log1p(np.bincount(owner, minlength=n)[:n])
    columns["occurrences"] = np.minimum(_occurrences(blocks), 5)
    columns["word_position"] = (total - words) / all_words
    columns["page_blocks"] = math.log1p(n)
    columns["page_density"] = anchors.sum() / all_words
    columns["page_unspaced"] = measures.unspaced_words.sum() / all_words


def add_neighbours(columns: Columns, density: Floats, terminal: Floats, path: NDArray[np.int64]) -> None:
    """Fill the columns about the blocks before and after.

    Parameters
    ----------
    columns : Columns
        What is filled.
    density, terminal : float array, n
        Anchor ratio of each block, and how it ends.
    path : int array, n
        Number of the path of each.
    """
    before, after = columns["previous_density"], columns["next_density"]
    before[0] = after[-1] = 1.0
    before[1:], after[:-1] = density[:-1], density[1:]
    following = columns["next_terminal"]
    following[-1] = 0.0
    following[:-1] = terminal[1:]
    before, after = columns["previous_path"], columns["next_path"]
    before[0] = after[-1] = 0.0
    before[1:] = after[:-1] = path[1:] == path[:-1]


def terminals(blocks: Blocks) -> Floats:
    """Return how each block ends: 1 for a full stop or quote, 0.6 for a colon, 0.4 for an ellipsis, else 0."""
    page = blocks.page_text
    place = page.block_ends - 2  # each ends in white space
    is_space = (page.classes[place] & SPACE).nonzero()[0]
    while is_space.size:
        place[is_space] -= 1
        is_space = is_space[page.classes[place[is_space]] & SPACE != 0]
    return _end_values()[np.minimum(page.codes[place], _CODES - 1)]


@cache
def _end_values() -> Floats:
    """Return the value of each character as a block's last, a constant that is made at its first use."""
    values = np.zeros(_CODES)
    for character, value in _ENDS.items():
        values[ord(character)] = value
    return values


def _occurrences(blocks: Blocks) -> NDArray[np.int64]:
    """Return how many blocks of the page have the words of each."""
    keys, words = blocks.measures.token_keys, blocks.measures.words
    upto = np.zeros(keys.size + 1, dtype=np.uint64)
    keys.cumsum(out=upto[1:])
    end = words.cumsum()
    number = numbered(upto[end] - upto[end - words])
    counts: NDArray[np.int64] = np.bincount(number)[number]
    return counts
