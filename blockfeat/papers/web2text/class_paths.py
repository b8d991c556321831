"""The path of tags and classes from the root to each text leaf, as a number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.page.tags import Tags

Keys = NDArray[np.uint64]
Indices = NDArray[np.int64]

_BEFORE_VALUE = int.from_bytes(b' class="', "little")
_WORD = 8
_QUOTE = 34
_MIX = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93))
_SHIFT = np.uint64(29)


def class_paths(blocks: Blocks) -> Keys:
    """Return a number for each leaf, the same for leaves with the same tags and classes around them.

    The numbers are sums over the elements around a leaf, so that they are differences of one running sum over tags.
    """
    tags = blocks.tags
    level = np.arange(len(tags)) - np.searchsorted(np.sort(tags.closed), tags.opened)
    keys = (tags.key + _class_keys(tags)) * _MIX[0] + level.astype(np.uint64)
    keys = (keys ^ (keys >> _SHIFT)) * _MIX[1]
    keys ^= keys >> _SHIFT
    change = np.zeros(tags.start.size, dtype=np.uint64)
    change[tags.opened] = keys
    change[tags.closed] -= keys
    around = np.cumsum(change)
    return around[np.searchsorted(tags.start, blocks.first_byte, side="right") - 1]


def _class_keys(tags: Tags) -> Keys:
    """Return a number for the class of each element, by its length and its first and last sixteen bytes."""
    keys = np.zeros(len(tags), dtype=np.uint64)
    padded = bytes(_WORD) + tags.source + bytes(2 * _WORD)
    words: Keys = np.ndarray((len(padded) - _WORD + 1,), dtype="<u8", buffer=padded, strides=(1,))
    quotes = np.flatnonzero(np.frombuffer(tags.source, dtype=np.uint8) == _QUOTE)
    place = np.flatnonzero(words[quotes + 1] == _BEFORE_VALUE)
    place = place[place + 1 < quotes.size]
    first, end = quotes[place] + 1, quotes[place + 1]
    tag = np.searchsorted(tags.start, first, side="right") - 1
    element = np.minimum(np.searchsorted(tags.opened, tag), len(tags) - 1)
    in_tag = (end < tags.stop[tag]) & (tags.opened[element] == tag)
    first, length, element = first[in_tag], (end - first)[in_tag], element[in_tag]
    found = length.astype(np.uint64)
    for step in (0, _WORD):
        inside = np.clip(length - step, 0, _WORD)
        head = _head(words[np.minimum(first + step, len(tags.source)) + _WORD], inside)
        tail = _tail(words[first + np.maximum(length - step, 0)], inside)
        found = (found * _MIX[2] + head) * _MIX[3] + tail
    # Of two classes in one tag the first counts, as it does on the page.
    keys[element[::-1]] = found[::-1]
    return keys


def _head(words: Keys, count: Indices) -> Keys:
    """Return the first bytes of words of eight."""
    bits = (8 * count).astype(np.uint64)
    mask = np.where(count >= _WORD, ~np.uint64(0), (np.uint64(1) << np.minimum(bits, np.uint64(63))) - np.uint64(1))
    return words & mask


def _tail(words: Keys, count: Indices) -> Keys:
    """Return the last bytes of words of eight."""
    bits = (8 * (_WORD - count)).astype(np.uint64)
    return np.where(count > 0, words >> np.minimum(bits, np.uint64(63)), np.uint64(0))
