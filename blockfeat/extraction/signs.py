"""Signs: bits that prove that a rule changes nothing on a page, found in one pass over its blocks (compiled).

A rule runs where its bit is set; most pages need few rules. Where a bit is not set, the rule would return what it got.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cython
import numpy as np
from cython.cimports.libc.math import exp
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import HEADINGS, KEYS
from blockfeat.blocks.table import Blocks

# The lowest eight bits are `Blocks.names`: elements that the page has.
DOUBT, STANDFIRST, HEADING, POINTER = (1 << bit for bit in range(8, 12))
"""Little is expected of the text; a block before it may be its standfirst; a heading inside of it is dropped; a short
block that is kept is mostly links."""
ALWAYS = 1 << 12

DOUBTFUL = 0.8
"""Expected word F1 below which a page is in doubt: with 0.8 no corpus loses by the named box, with 0.95 three do."""
LONGEST_POINTER, POINTER_LINKS = 40, 0.5
"""A pointer has at most so many words, and so many of them are links."""
STANDFIRST_WORDS, STANDFIRST_LINKS = 8, 0.3
"""A standfirst has at least so many words, and at most so many of them are links."""
LEAST_LOG_ODDS = -2.944
"""Log odds of a probability of 1 in 20: what the model is surer of than that stays dropped."""
BEGIN_WORDS, BLOCKS_BEFORE = 12, 12
"""The text begins with the first kept block of so many words; its standfirst is among so many blocks before that."""
HEADING_LINKS = 0.5
"""At most so many words of a section's heading are links."""
PROSE_LINKS = 0.5
"""At most so many words of prose are links."""

_DOUBT = cython.declare(cython.int, DOUBT)
_STANDFIRST = cython.declare(cython.int, STANDFIRST)
_HEADING = cython.declare(cython.int, HEADING)
_POINTER = cython.declare(cython.int, POINTER)
_ALWAYS = cython.declare(cython.int, ALWAYS)
_LONGEST_POINTER = cython.declare(cython.int, LONGEST_POINTER)
_POINTER_LINKS = cython.declare(cython.double, POINTER_LINKS)
_STANDFIRST_WORDS = cython.declare(cython.int, STANDFIRST_WORDS)
_STANDFIRST_LINKS = cython.declare(cython.double, STANDFIRST_LINKS)
_LEAST_LOG_ODDS = cython.declare(cython.double, LEAST_LOG_ODDS)
_BEGIN_WORDS = cython.declare(cython.int, BEGIN_WORDS)
_BLOCKS_BEFORE = cython.declare(cython.int, BLOCKS_BEFORE)
_HEADING_LINKS = cython.declare(cython.double, HEADING_LINKS)
_PROSE_LINKS = cython.declare(cython.double, PROSE_LINKS)
_FURTHEST = cython.declare(cython.double, 50.0)
_DOUBTFUL = cython.declare(cython.double, DOUBTFUL)


class Signs(NamedTuple):
    """Signs of a page, by which rules are skipped.

    Attributes
    ----------
    bits : int
        The signs that are set, and `Blocks.names`.
    first : int
        The first block that is kept; -1 for none.
    kept, likely, prose : int
        Words of what is kept; of what is kept and more likely content than not; of all blocks that are not mostly
        links.
    """

    bits: int
    first: int
    kept: int
    likely: int
    prose: int


def signs_of(blocks: Blocks, kept: NDArray[np.bool_], log_odds: NDArray[np.floating[Any]] | None) -> Signs:
    """Return the signs of a page with n blocks.

    Parameters
    ----------
    blocks : Blocks
        The blocks.
    kept : bool array, n
        Those that are kept.
    log_odds : float array, n, optional
        Logits of their probabilities; without them nothing is in doubt, and no standfirst is looked for.
    """
    odds = np.zeros(kept.size) if log_odds is None else log_odds.astype(np.float64)
    bits, first, *words = _look(blocks, kept.view(np.uint8), odds)
    if log_odds is None:
        bits &= ~(DOUBT | STANDFIRST)
        words[1] = words[0]
    return Signs(bits | blocks.names, first, *words)


def _look(blocks: Blocks, is_kept: NDArray[np.uint8], log_odds: NDArray[np.float64]) -> tuple[int, int, int, int, int]:
    """Return the signs, and the words that `Signs` counts."""
    kept: cython.const[cython.uchar][::1] = is_kept
    odds: cython.const[cython.double][::1] = log_odds
    words: cython.const[cython.int][::1] = blocks.measures.words
    linked: cython.const[cython.int][::1] = blocks.measures.anchor_words
    container: cython.const[cython.int][::1] = blocks.container
    keys: cython.const[cython.ulonglong][::1] = blocks.containers.key
    headings: cython.const[cython.ulonglong][::1] = KEYS[HEADINGS]
    count: cython.Py_ssize_t = kept.shape[0]
    first: cython.Py_ssize_t = count
    last: cython.Py_ssize_t = -1
    begin: cython.Py_ssize_t = count
    block: cython.Py_ssize_t
    bits: cython.int = _ALWAYS
    expected: cython.double = 0
    expected_kept: cython.double = 0
    chance: cython.double
    kept_words: cython.longlong = 0
    likely_words: cython.longlong = 0
    prose: cython.longlong = 0
    with cython.nogil:
        for block in range(count):
            chance = words[block] / (1 + exp(-max(odds[block], -_FURTHEST)))
            expected += chance
            if linked[block] <= _PROSE_LINKS * words[block]:
                prose += words[block]
            if not kept[block]:
                continue
            expected_kept += chance
            kept_words += words[block]
            last = block
            first = min(first, block)
            if odds[block] > 0:
                likely_words += words[block]
            if begin == count and words[block] >= _BEGIN_WORDS:
                begin = block
            if words[block] <= _LONGEST_POINTER and linked[block] >= _POINTER_LINKS * words[block]:
                bits |= _POINTER
        if 2 * expected_kept < _DOUBTFUL * (kept_words + expected):
            bits |= _DOUBT
        for block in range(max(begin - _BLOCKS_BEFORE, 0), begin if begin < count else 0):
            if (
                not kept[block]
                and words[block] >= _STANDFIRST_WORDS
                and odds[block] >= _LEAST_LOG_ODDS
                and linked[block] <= _STANDFIRST_LINKS * words[block]
            ):
                bits |= _STANDFIRST
        for block in range(first, last):
            if (
                not kept[block]
                and container[block] >= 0
                and linked[block] <= _HEADING_LINKS * words[block]
                and _is_one_of(keys[container[block]], headings)
            ):
                bits |= _HEADING
    return bits, first if last >= 0 else -1, kept_words, likely_words, prose


def _is_one_of(key: cython.ulonglong, keys: cython.const[cython.ulonglong][::1]) -> cython.bint:
    """Return whether a key is one of a few."""
    number: cython.Py_ssize_t
    for number in range(keys.shape[0]):  # noqa: SIM110 (a generator cannot run without the GIL)
        if key == keys[number]:
            return True
    return False
