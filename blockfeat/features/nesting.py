"""The containers of a page that hold text: how they nest, the cues of tags and attributes, their words (compiled)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.errors import TableError
from blockfeat.features.cues import AROUND_KINDS, Cues

Floats = NDArray[np.float64]
Places = NDArray[np.int32]

IN_PARAGRAPH = 1 << 31
"""Bit of ``Nesting.around``: there is a paragraph around."""

_ALL = (1 << 32) - 1
_KINDS = cython.declare(cython.int, len(AROUND_KINDS))
_IN_PARAGRAPH = cython.declare(cython.uint, IN_PARAGRAPH)
_ROOTS = cython.declare(cython.Py_ssize_t, 2)
_WIDE = cython.declare(cython.double, 0.6)
_MOST_AROUND = cython.declare(cython.uint, 3)
_MOST_CUES = cython.declare(cython.int, 8)


@dataclass(frozen=True, eq=False)
class Nesting:
    """The boundary elements that hold at least one block, in document order, c of them; n blocks.

    Attributes
    ----------
    inner : int32 array, n
        Innermost container around each block.
    words_before : float array, n + 1
        Words before each block, and of all.
    element : int32 array, c
        The element of each, as `blockfeat.page.tags.Tags` numbers them.
    parent : int32 array, c
        The container around each, which comes before it; -1 for the outermost.
    depth : int32 array, c
        Number of containers around each, itself included.
    first, end : int32 array, c
        The blocks inside each are those from first (inclusive) to end (exclusive).
    larger : int32 array, c
        The innermost container around each that holds more blocks; itself where none does.
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
    negatives : int32 array, c
        Negative cues around each, at most 8.
    shunned : int32 array, c
        1 where a cue around makes the text count little.
    against, positive : int32 array, c
        Depth of the innermost container around each that has a cue against the text inside, or a positive one; 0
        where none has.
    """

    inner: Places
    words_before: Floats
    element: Places
    parent: Places
    depth: Places
    first: Places
    end: Places
    larger: Places
    words: Floats
    bits: NDArray[np.uint32]
    names: NDArray[np.uint64]
    around: NDArray[np.uint32]
    negatives: Places
    shunned: Places
    against: Places
    positive: Places

    @classmethod
    def of(cls, blocks: Blocks, cues: Cues) -> Nesting:
        """Arrange the containers of a page's blocks, from the outermost inwards; linear in their number.

        Raises
        ------
        TableError
            A block lies in no container, for the tag table has boundaries that do not hold it.
        """
        found = blocks.containers
        places = np.empty((10, found.element.size), dtype=np.int32)
        inner = np.empty(blocks.block_starts.size, dtype=np.int32)
        count = _nest(found, blocks.container, places, inner)
        if count < 0:
            raise TableError(f"tag table {blocks.table!r} leaves text outside of all containers; make body a boundary")
        element, parent, depth, first, end, larger, negatives, shunned, against, positive = places[:, :count]
        words_before, words = np.empty(inner.size + 1), np.empty(count)
        said = cues.of_elements(blocks.tags, element)
        around = np.empty(count, dtype=np.uint32)
        nesting = cls(
            inner, words_before, element, parent, depth, first, end, larger, words, said.bits, said.names, around,
            negatives, shunned, against, positive,
        )  # fmt: skip
        _add_up(blocks.measures.words, nesting)
        _inherit(nesting, cues)
        return nesting


def _nest(found: Any, innermost: Places, places: Places, inner_containers: Places) -> int:
    """Fill in the containers that hold blocks and how they nest; return their number, -1 where a block is in none."""
    element_before: cython.int[::1] = found.element
    parent_before: cython.int[::1] = found.parent
    first_block: cython.int[::1] = found.first_block
    end_block: cython.int[::1] = found.end_block
    number: cython.int[::1] = np.empty(found.element.size, dtype=np.int32)
    element: cython.int[::1] = places[0]
    parent: cython.int[::1] = places[1]
    depth: cython.int[::1] = places[2]
    first: cython.int[::1] = places[3]
    end: cython.int[::1] = places[4]
    larger: cython.int[::1] = places[5]
    container: cython.int[::1] = innermost
    inner: cython.int[::1] = inner_containers
    count: cython.int = 0
    up: cython.int
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(number.shape[0]):
            number[place] = -1
            if end_block[place] <= first_block[place]:
                continue
            number[place] = count
            up = number[parent_before[place]] if parent_before[place] >= 0 else -1
            element[count] = element_before[place]
            parent[count] = up
            depth[count] = depth[up] + 1 if up >= 0 else 1
            first[count] = first_block[place]
            end[count] = end_block[place]
            larger[count] = count
            if up >= 0:
                if end[up] - first[up] > end[count] - first[count]:
                    larger[count] = up
                elif larger[up] != up:
                    larger[count] = larger[up]
            count += 1
        for place in range(inner.shape[0]):
            inner[place] = number[container[place]] if container[place] >= 0 else -1
            if inner[place] < 0:
                count = -1
                break
    return int(count)


def _add_up(counts: Places, nesting: Nesting) -> None:
    """Fill in the words before each block, and those of each container."""
    count: cython.int[::1] = counts
    before: cython.double[::1] = nesting.words_before
    first: cython.int[::1] = nesting.first
    end: cython.int[::1] = nesting.end
    words: cython.double[::1] = nesting.words
    place: cython.Py_ssize_t
    before[0] = 0.0
    with cython.nogil:
        for place in range(count.shape[0]):
            before[place + 1] = before[place] + count[place]
        for place in range(words.shape[0]):
            words[place] = before[end[place]] - before[first[place]]


def _inherit(nesting: Nesting, cues: Cues) -> None:
    """Take away the cues that do not count; fill in what each container has of those around it and of its own."""
    parent: cython.int[::1] = nesting.parent
    depth: cython.int[::1] = nesting.depth
    words: cython.double[::1] = nesting.words
    before: cython.double[::1] = nesting.words_before
    bits: cython.uint[::1] = nesting.bits
    around: cython.uint[::1] = nesting.around
    negatives: cython.int[::1] = nesting.negatives
    shunned: cython.int[::1] = nesting.shunned
    against: cython.int[::1] = nesting.against
    positive: cython.int[::1] = nesting.positive
    against_mask: cython.uint = cues.masks["against"]
    shunned_mask: cython.uint = cues.masks["shunned"]
    positive_mask: cython.uint = cues.masks["positive"]
    paragraph_mask: cython.uint = cues.masks["p"]
    not_against: cython.uint = _ALL & ~cues.masks["against"]
    page_words: cython.double = max(before[before.shape[0] - 1], 1.0)
    place: cython.Py_ssize_t
    up: cython.int
    own: cython.uint
    with cython.nogil:
        for place in range(parent.shape[0]):
            up = parent[place]
            own = bits[place]
            if place < _ROOTS:
                own = 0
            elif words[place] / page_words > _WIDE:
                own &= not_against
            bits[place] = own
            around[place] = _one_more(around[up] if up >= 0 else 0, own)
            if own & paragraph_mask:
                around[place] |= _IN_PARAGRAPH
            negatives[place] = negatives[up] if up >= 0 else 0
            shunned[place] = 1 if own & shunned_mask or (up >= 0 and shunned[up]) else 0
            against[place] = against[up] if up >= 0 else 0
            positive[place] = positive[up] if up >= 0 else 0
            if own & against_mask:
                negatives[place] = min(negatives[place] + _count_bits(own & against_mask), _MOST_CUES)
                against[place] = depth[place]
            if own & positive_mask:
                positive[place] = depth[place]


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
