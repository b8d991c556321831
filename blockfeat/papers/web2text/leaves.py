"""The text leaves of a page: counts over their text, paths of tags and classes, the collapsed DOM around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_file
from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.features.measuring import FeatureExtractor
from blockfeat.lang.characters import ALPHANUMERIC, SPACE
from blockfeat.lang.counting import ANCHOR
from blockfeat.lang.identify import Identifier
from blockfeat.lang.measures import code_points
from blockfeat.lang.stopwords import StopWordRatios
from blockfeat.lang.word_keys import keys_of_spans
from blockfeat.page.tags import Keys, Tags, parents_of

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.integer[Any]]

_PUNCTUATION = ".,?;:!\u3002\u3001\uff0c\uff0e\uff1f\uff1b\uff1a\uff01\uff61\u060c\u061b\u061f\u0964\u0589\u2026"
_QUESTIONS = "?\uff1f\u061f\u037e"
_DIGITS = "0123456789\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19" + "".join(
    chr(zero + value) for zero in (0x660, 0x6F0, 0x966) for value in range(10)
)
_PUNCTUATION_KIND, _QUESTION_KIND, _DIGIT_KIND = 1, 2, 4
_YEAR_LENGTH = 4


_NO_KIND = 0xFFFF
# The value stands ahead of what is matched: a match in text must not hide the attribute behind it.
_CLASS = re.compile(rb' class="(?=([^"]*)")')
_REACH = 16
_MIX = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93))
_SHIFT = np.uint64(29)
_NONE = -2


def _kinds() -> NDArray[np.uint8]:
    """Return the kinds of all characters up to U+FFFF as bit flags; those above have none."""
    table = np.zeros(1 << 16, dtype=np.uint8)
    for characters, kind in ((_PUNCTUATION, _PUNCTUATION_KIND), (_QUESTIONS, _QUESTION_KIND), (_DIGITS, _DIGIT_KIND)):
        table[[ord(character) for character in characters]] |= kind
    return table


_KINDS = _kinds()


Leaf = IntEnum(
    "Leaf",
    "words word_characters stop_words characters punctuation digits sentences capitalised anchor_characters "
    "copyright email address year",
    start=0,
)
"""The columns of `LeafCounts.counts`."""


@dataclass(frozen=True, slots=True)
class LeafCounts:
    """Counts over the n leaves of a page.

    Attributes
    ----------
    counts : float array, n × 13
        The counts that `Leaf` names; they add up over leaves.
    ends_in_punctuation, ends_in_question : bool array, n
        Whether the last character of each leaf is punctuation, or a question mark.
    starts, lengths : int array, n
        Offset of each leaf in the page's text, and its number of characters including single spaces.
    """

    counts: Floats
    ends_in_punctuation: Flags
    ends_in_question: Flags
    starts: Indices
    lengths: Indices

    def sums(self, first: Indices, end: Indices) -> Floats:
        """Return the counts of m ranges of leaves, from first to end (exclusive): float array, m × 13."""
        upto = np.concatenate((np.zeros((1, len(Leaf))), self.counts.cumsum(axis=0)))
        return np.asarray(upto[end] - upto[first])


def leaf_table() -> TagTable:
    """Return the tag table that cuts pages into text leaves."""
    return load_table(bundled_file("blockfeat.papers.web2text", "leaves.toml"))


def leaf_measurer(identifier: Identifier, languages: tuple[str, ...] = ()) -> FeatureExtractor:
    """Return the extractor that cuts pages into text leaves and identifies their language and stop words."""
    return FeatureExtractor(Blockifier.of(leaf_table()), features=(), identifier=identifier, languages=languages)


def count_leaves(blocks: Blocks, stop_words: StopWordRatios) -> LeafCounts:
    """Count words, characters and patterns in the leaves of a page.

    Stop words are counted relative to their share in prose of the language, so that languages are comparable.
    """
    text, measures = blocks.page_text, blocks.measures
    n = len(blocks)
    ends = text.block_ends
    solid = np.flatnonzero(text.classes & SPACE == 0)
    last = solid[np.searchsorted(solid, ends) - 1]
    lengths = last + 1 - blocks.block_starts
    kinds = _KINDS[np.minimum(text.codes, _NO_KIND)]
    counts = np.zeros((n, len(Leaf)), dtype=np.float64)
    at = Leaf
    counts[:, at.words] = measures.words
    counts[:, at.sentences] = np.maximum(measures.sentences, 1)
    counts[:, at.characters] = lengths
    counts[:, at.stop_words] = stop_words.normalised * measures.words
    counts[:, at.punctuation] = _by_leaf(np.flatnonzero(kinds & _PUNCTUATION_KIND), ends)
    is_digit = kinds & _DIGIT_KIND != 0
    counts[:, at.digits] = _by_leaf(np.flatnonzero(is_digit), ends)
    _count_words(counts, blocks, is_digit)
    _count_patterns(counts, blocks)
    flags = text.pieces[1, text.pieces[0].searchsorted(blocks.block_starts, side="right")]
    counts[:, at.anchor_characters] = np.where(flags & ANCHOR != 0, lengths, 0)
    in_punctuation, in_question = (kinds[last] & kind != 0 for kind in (_PUNCTUATION_KIND, _QUESTION_KIND))
    return LeafCounts(counts, in_punctuation, in_question, blocks.block_starts, lengths)


def _by_leaf(places: Indices, ends: Indices) -> Indices:
    """Count the characters of each leaf that are at ascending places of the page's text."""
    return np.diff(np.searchsorted(places, ends), prepend=0)


def _count_words(counts: Floats, blocks: Blocks, is_digit: Flags) -> None:
    """Count characters of words, words with a capital, and years."""
    measures, n, at = blocks.measures, len(blocks), Leaf
    starts, stops, owner = measures.token_starts, measures.token_ends, measures.token_block
    if not starts.size:
        return
    counts[:, at.word_characters] = np.bincount(owner, weights=stops - starts, minlength=n)
    capital = blocks.page_text.codes[starts] != code_points(measures.text)[starts]
    counts[:, at.capitalised] = np.bincount(owner[capital], minlength=n)
    four = np.flatnonzero(stops - starts == _YEAR_LENGTH)
    is_year = is_digit[starts[four, None] + np.arange(_YEAR_LENGTH)].all(axis=1)
    counts[:, at.year] = np.bincount(owner[four[is_year]], minlength=n)


def _count_patterns(counts: Floats, blocks: Blocks) -> None:
    """Count copyright signs, and the email and web addresses by the signs ``@`` and ``://`` in them."""
    codes, classes, ends = blocks.page_text.codes, blocks.page_text.classes, blocks.page_text.block_ends
    at = Leaf
    counts[:, at.copyright] = _by_leaf(np.flatnonzero(codes == ord("\u00a9")), ends)
    inner = np.flatnonzero(codes[1:-1] == ord("@")) + 1
    inner = inner[classes[inner - 1] & classes[inner + 1] & ALPHANUMERIC != 0]
    counts[:, at.email] = _by_leaf(inner, ends)
    colons = np.flatnonzero(codes[1:-3] == ord(":")) + 1
    before, behind = codes[colons - 1] | 32, classes[colons + 3]
    is_address = (codes[colons + 1] == ord("/")) & (codes[colons + 2] == ord("/")) & (behind & SPACE == 0)
    is_address &= (before == ord("p")) | (before == ord("s"))
    counts[:, at.address] = _by_leaf(colons[is_address], ends)


def class_paths(blocks: Blocks) -> Keys:
    """Return a hash for each leaf, the same for leaves with the same tags and classes around them: uint64 array, n.

    It is the sum of hashes of the elements around a leaf, and so comes from one running sum over the tags of the page.
    """
    tags = blocks.tags
    level = np.arange(len(tags)) - np.searchsorted(np.sort(tags.closed), tags.opened)
    keys = (tags.key + _class_keys(tags)) * _MIX[0] + level.astype(np.uint64)
    keys = (keys ^ (keys >> _SHIFT)) * _MIX[1]
    keys ^= keys >> _SHIFT
    change = np.zeros(tags.start.size, dtype=np.uint64)
    change[tags.opened] = keys
    change[tags.closed] -= keys
    around = np.cumsum(change, dtype=np.uint64)
    return around[np.searchsorted(tags.start, blocks.first_byte, side="right") - 1]


def _class_keys(tags: Tags) -> Keys:
    """Return a hash of the class attribute of each element, by its length and its first and last sixteen bytes."""
    keys = np.zeros(len(tags), dtype=np.uint64)
    spans = [found.span(1) for found in _CLASS.finditer(tags.source)]
    first, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    tag = np.searchsorted(tags.start, first, side="right") - 1
    element = np.minimum(np.searchsorted(tags.opened, tag), len(tags) - 1)
    in_tag = (end < tags.stop[tag]) & (tags.opened[element] == tag)
    first, end, element = first[in_tag], end[in_tag], element[in_tag]
    codes = np.frombuffer(tags.source, dtype=np.uint8).astype(np.uint32)
    head = keys_of_spans(codes, first, np.minimum(first + _REACH, end))
    tail = keys_of_spans(codes, np.maximum(end - _REACH, first), end)
    found = ((end - first).astype(np.uint64) * _MIX[2] + head) * _MIX[3] + tail
    # Of two class attributes in one tag the first is used, as in browsers.
    keys[element[::-1]] = found[::-1]
    return keys


@dataclass(frozen=True, slots=True)
class CollapsedDom:
    """The collapsed tree over the n text leaves of a page; m inner nodes in document order, the root first.

    A node stands for all elements that hold the same leaves, so each inner node has two children at least; elements
    around a single leaf belong to that leaf. The root is a node even where the page has one leaf only.

    Attributes
    ----------
    element : int array, m
        Outermost element of each node, as `blockfeat.page.tags.Tags` numbers them.
    first, end : int array, m
        The leaves of each node are those from first (inclusive) to end (exclusive).
    parent : int array, m
        Node around each node; -1 for the root.
    depth : int array, m
        Number of nodes around each node.
    leaf_parent : int array, n
        Innermost node around each leaf; -1 where the only leaf is the root.
    common : int array, n - 1
        Innermost node around each leaf and the next.
    merged : int array, c
        Elements that hold at least one leaf, in document order.
    merged_into : int array, c
        The node that each is part of, or -1 - leaf for an element around a single leaf.
    """

    element: Indices
    first: Indices
    end: Indices
    parent: Indices
    depth: Indices
    leaf_parent: Indices
    common: Indices
    merged: Indices
    merged_into: Indices

    @classmethod
    def of(cls, blocks: Blocks) -> CollapsedDom:
        """Collapse the tree of a page whose blocks are its text leaves; linear in the page."""
        tags, containers = blocks.tags, blocks.containers
        held = containers.end_block > containers.first_block
        first, end = containers.first_block[held], containers.end_block[held]
        merged = containers.element[held]
        is_inner = end - first > 1
        is_inner[:1] = True
        place = np.flatnonzero(is_inner)
        # Elements of one node are adjacent here: an element between them would have leaves of its own.
        is_new = np.ones(place.size, dtype=np.bool_)
        is_new[1:] = (first[place[1:]] != first[place[:-1]]) | (end[place[1:]] != end[place[:-1]])
        merged_into = -1 - first
        merged_into[place] = np.cumsum(is_new) - 1
        node = place[is_new]
        element, first, end = merged[node], first[node], end[node]
        opened, closed = tags.opened[element], tags.closed[element]
        parent = parents_of(opened, closed)
        depth = np.arange(node.size) - np.searchsorted(np.sort(closed), opened)
        common = _common_nodes(first, end, parent, len(blocks))
        leaf_parent = _leaf_parents(common, depth, len(blocks))
        return cls(element, first, end, parent, depth, leaf_parent, common, merged, merged_into)

    def distances(self) -> Indices:
        """Return the hops between each leaf and the next by way of their common node: int array, n - 1."""
        leaf_depth = self.depth[self.leaf_parent] + 1
        return np.asarray(leaf_depth[:-1] + leaf_depth[1:] - 2 * self.depth[self.common])


def _common_nodes(first: Indices, end: Indices, parent: Indices, leaves: int) -> Indices:
    """Return the innermost node around each leaf and the next."""
    known = np.full(max(leaves, 1), _NONE, dtype=np.int64)
    # Where several nodes begin or end at one leaf, the last assignment holds: outermost end, innermost start.
    known[end[::-1] - 1] = parent[::-1]
    known[first] = np.arange(first.size)
    last = np.maximum.accumulate(np.where(known != _NONE, np.arange(known.size), 0))
    return np.asarray(known[last][: max(leaves - 1, 0)])


def _leaf_parents(common: Indices, depth: Indices, leaves: int) -> Indices:
    """Return the deeper of the two nodes that each leaf shares with its neighbours."""
    if leaves < 2:
        return np.full(leaves, -1, dtype=np.int64)
    before, after = np.append(common[:1], common), np.append(common, common[-1:])
    return np.asarray(np.where(depth[before] >= depth[after], before, after))
