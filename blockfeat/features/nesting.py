"""The containers of a page that hold text: how they nest, the cues of tags and attributes, their words (compiled)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import COLUMNS, Blocks
from blockfeat.errors import TableError
from blockfeat.features.cues import AROUND_KINDS, Cues
from blockfeat.lang.counting import COUNTED, Row

Floats = NDArray[np.float64]
Places = NDArray[np.int32]

IN_PARAGRAPH = 1 << 31
"""Bit of ``Nesting.around``: there is a paragraph around."""

_ALL = cython.declare(cython.uint, (1 << 32) - 1)
# Rows of `Nesting.columns`.
_ELEMENT, _PARENT, _DEPTH, _FIRST, _END, _LARGER, _NEGATIVES, _SHUNNED, _AGAINST, _POSITIVE = range(10)
_CONTAINER, _WORDS = COLUMNS.index("container"), COUNTED.index("words")
_KINDS, _IN_PARAGRAPH, _ROOTS, _WIDE, _MOST_AROUND, _MOST_CUES = len(AROUND_KINDS), IN_PARAGRAPH, 2, 0.6, 3, 8


@dataclass(frozen=True, eq=False)
class Nesting:
    """The boundary elements that hold at least one block, in document order, c of them; n blocks.

    Attributes
    ----------
    inner : int32 array, n
        Innermost container around each block.
    words_before : float array, n + 1
        Words before each block, and of all.
    columns : int32 array, 10 × c
        Rows for `element`, `parent`, `depth`, `first`, `end`, `larger`, `negatives`, `shunned`; and for the depth of
        the innermost container around each that has a cue against the text inside, or a positive one, 0 for none.
    words : float array, c
        Words of each.
    bits : uint32 array, c
        Cues of each that count, as bits. Those of the outermost two (html and body) do not, and negative ones of a
        container do not where it holds most of the page's words.
    names : uint64 array, c
        The same number for the same tag and the same words in its class.
    around : uint32 array, c
        Containers around each, itself included, that have a kind of cue: two bits for each of `AROUND_KINDS`, at most
        3; and `IN_PARAGRAPH`.
    """

    inner: Places
    words_before: Floats
    columns: Places
    words: Floats
    bits: NDArray[np.uint32]
    names: NDArray[np.uint64]
    around: NDArray[np.uint32]

    element = Row("columns", _ELEMENT)
    """The element of each, as `blockfeat.page.tags.Tags` numbers them."""
    parent = Row("columns", _PARENT)
    """The container around each, which comes before it; -1 for the outermost."""
    depth = Row("columns", _DEPTH)
    """Number of containers around each, itself included."""
    first = Row("columns", _FIRST)
    """The first block inside each."""
    end = Row("columns", _END)
    """The block behind the last one inside each."""
    larger = Row("columns", _LARGER)
    """The innermost container around each that holds more blocks; itself where none does."""
    negatives = Row("columns", _NEGATIVES)
    """Negative cues around each, at most 8."""
    shunned = Row("columns", _SHUNNED)
    """1 where a cue around makes the text count little."""

    @classmethod
    def of(cls, blocks: Blocks, cues: Cues) -> Nesting:
        """Arrange the containers of a page's blocks, from the outermost inwards; linear in their number.

        Raises
        ------
        TableError
            A block lies in no container, for the tag table has boundaries that do not hold it.
        """
        outer = blocks.containers.columns
        columns = np.empty((10, _count_holders(outer)), dtype=np.int32)
        inner, before = np.empty(blocks.columns.shape[1], dtype=np.int32), np.empty(blocks.columns.shape[1] + 1)
        count = _nest(outer, blocks.columns, columns, inner)
        if count < 0:
            raise TableError(f"tag table {blocks.table!r} leaves text outside of all containers; make body a boundary")
        words, around = np.empty(count), np.empty(count, dtype=np.uint32)
        said = cues.of_elements(blocks.tags, columns[_ELEMENT])
        nesting = cls(inner, before, columns, words, said.bits, said.names, around)
        _inherit(nesting, blocks.measures.counts, cues.masks)
        return nesting


def _count_holders(containers: cython.int[:, ::1]) -> int:
    """Return how many containers hold a block."""
    count: cython.int = 0
    place: cython.Py_ssize_t
    for place in range(containers.shape[1]):
        count += containers[3, place] > containers[2, place]
    return int(count)


def _nest(containers: Places, blocks: Places, columns: Places, inner_containers: Places) -> int:
    """Fill in the containers that hold blocks and how they nest; return their number, -1 where a block is in none."""
    outer: cython.int[:, ::1] = containers
    block: cython.int[:, ::1] = blocks
    found: cython.int[:, ::1] = columns
    number: cython.int[::1] = np.empty(containers.shape[1], dtype=np.int32)
    inner: cython.int[::1] = inner_containers
    count: cython.int = 0
    up: cython.int
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(outer.shape[1]):
            number[place] = -1
            if outer[3, place] <= outer[2, place]:
                continue
            number[place] = count
            up = number[outer[1, place]] if outer[1, place] >= 0 else -1
            found[_ELEMENT, count] = outer[0, place]
            found[_PARENT, count] = up
            found[_DEPTH, count] = found[_DEPTH, up] + 1 if up >= 0 else 1
            found[_FIRST, count] = outer[2, place]
            found[_END, count] = outer[3, place]
            found[_LARGER, count] = count
            if up >= 0:
                if found[_END, up] - found[_FIRST, up] > found[_END, count] - found[_FIRST, count]:
                    found[_LARGER, count] = up
                elif found[_LARGER, up] != up:
                    found[_LARGER, count] = found[_LARGER, up]
            count += 1
        for place in range(inner.shape[0]):
            up = block[_CONTAINER, place]
            inner[place] = number[up] if up >= 0 else -1
            if inner[place] < 0:
                count = -1
                break
    return int(count)


def _inherit(nesting: Nesting, counts: Places, masks: Mapping[str, int]) -> None:
    """Count words, drop the cues that do not count, and fill in what each container inherits from those around it."""
    count: cython.int[:, ::1] = counts
    found: cython.int[:, ::1] = nesting.columns
    before: cython.double[::1] = nesting.words_before
    words: cython.double[::1] = nesting.words
    bits: cython.uint[::1] = nesting.bits
    around: cython.uint[::1] = nesting.around
    against: cython.uint = masks["against"]
    shunned: cython.uint = masks["shunned"]
    positive: cython.uint = masks["positive"]
    paragraph: cython.uint = masks["p"]
    page_words: cython.double
    place: cython.Py_ssize_t
    up: cython.int
    own: cython.uint
    before[0] = 0.0
    with cython.nogil:
        for place in range(count.shape[1]):
            before[place + 1] = before[place] + count[_WORDS, place]
        page_words = max(before[count.shape[1]], 1.0)
        for place in range(found.shape[1]):
            words[place] = before[found[_END, place]] - before[found[_FIRST, place]]
            up = found[_PARENT, place]
            own = bits[place]
            if place < _ROOTS:
                own = 0
            elif words[place] / page_words > _WIDE:
                own &= ~against & _ALL
            bits[place] = own
            around[place] = _one_more(around[up] if up >= 0 else 0, own)
            if own & paragraph:
                around[place] |= _IN_PARAGRAPH
            found[_NEGATIVES, place] = found[_NEGATIVES, up] if up >= 0 else 0
            found[_SHUNNED, place] = 1 if own & shunned or (up >= 0 and found[_SHUNNED, up]) else 0
            found[_AGAINST, place] = found[_AGAINST, up] if up >= 0 else 0
            found[_POSITIVE, place] = found[_POSITIVE, up] if up >= 0 else 0
            if own & against:
                found[_NEGATIVES, place] = min(found[_NEGATIVES, place] + _count_bits(own & against), _MOST_CUES)
                found[_AGAINST, place] = found[_DEPTH, place]
            if own & positive:
                found[_POSITIVE, place] = found[_DEPTH, place]


def _one_more(around: cython.uint, bits: cython.uint) -> cython.uint:
    """Return the counts of kinds of cues around a container, with its own; two bits each."""
    kind: cython.int
    if bits == 0:
        return around
    for kind in range(_KINDS):
        if (bits >> kind) & 1 and (around >> (2 * kind)) & 3 < _MOST_AROUND:
            around += cython.cast(cython.uint, 1) << (2 * kind)
    return around


def _count_bits(bits: cython.uint) -> cython.int:
    """Return how many bits are set."""
    count: cython.int = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count
