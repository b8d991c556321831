"""The words in the attributes of elements, by column over the bytes of their start tags."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.page.tags import Tags

__all__ = ["CLASS", "PROPERTY", "ROLE", "WORD_BYTES", "AttributeWords"]

CLASS, ROLE, PROPERTY = 0, 1, 2
"""Scopes of attributes: class, id and the like; role; itemprop."""

WORD_BYTES = 8
"""A word is known by its first eight bytes."""

_LONGEST_VALUE = 300
_QUOTE = b'"'[0]
_LOWER_LETTER, _UPPER_LETTER = 1, 2
_PADDING = bytes(WORD_BYTES)
_IS_WORDS = 7
_IS_CLASS, _IS_SCOPE, _IS_HIDDEN, _IS_TRUE, _IS_STYLE = 4, 3, 8, 16, 32
Indices = NDArray[np.int64]
Keys = NDArray[np.uint64]


def _window(name: bytes) -> tuple[np.uint64, np.uint64]:
    """Return how far a window of the eight bytes before a quote is shifted, and what is left of it."""
    tail = (name + b"=")[-WORD_BYTES:]
    return np.uint64(8 * (WORD_BYTES - len(tail))), np.uint64(int.from_bytes(tail, "little"))


# Where a name is longer than the window its end tells enough: data-testid, data-component, itemprop.
_NAMES = (
    (_window(b" class"), CLASS | _IS_CLASS),
    (_window(b" id"), CLASS),
    (_window(b" role"), ROLE),
    (_window(b" itemprop"), PROPERTY),
    (_window(b"data-testid"), CLASS),
    (_window(b"data-component"), CLASS),
    (_window(b" hidden"), _IS_HIDDEN),
    (_window(b"aria-hidden"), _IS_HIDDEN | _IS_TRUE),
    (_window(b" style"), _IS_HIDDEN | _IS_STYLE),
)
_DISPLAY = np.uint64(int.from_bytes(b"display:", "little"))
_DISPLAY_VALUES = tuple(
    (np.uint64((1 << 8 * len(value)) - 1), np.uint64(int.from_bytes(value, "little"))) for value in (b"none", b" none")
)
_OTHER = -8
_ZERO = np.zeros(1, dtype=np.int64)


def _letters() -> tuple[bytes, bytes]:
    """Return for each byte what it is in a word, and itself in lower case."""
    kinds, lowered = bytearray(256), bytearray(range(256))
    for small, capital in zip(range(ord("a"), ord("z") + 1), range(ord("A"), ord("Z") + 1), strict=True):
        kinds[small], kinds[capital], lowered[capital] = _LOWER_LETTER, _UPPER_LETTER, small
    kinds[128:] = bytes([_LOWER_LETTER]) * 128
    return bytes(kinds), bytes(lowered)


_KINDS, _LOWERED = _letters()
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(WORD_BYTES + 1)], dtype=np.uint64)


@dataclass(frozen=True)
class AttributeWords:
    """The words in class, id, role and itemprop of some elements, in document order.

    Values are cut at everything but letters and at capitals behind small letters (camelCase).

    Attributes
    ----------
    key : uint64 array, w words
        The first eight bytes of each word, in lower case, the first byte highest. In another scope than `CLASS` the
        scope stands before the word.
    element : int array, w
        Place of each word's element among the elements asked for, ascending.
    is_class : bool array, w
        Whether the word stands in a class.
    hidden : int array
        Places of the elements that are hidden by attribute or inline style.
    """

    key: Keys
    element: Indices
    is_class: NDArray[np.bool_]
    hidden: Indices

    @classmethod
    def of(cls, tags: Tags, elements: Indices) -> AttributeWords:
        """Read the start tags of elements, in document order; linear in their length."""
        opened = tags.opened[elements]
        element, first, last = _values(tags.source, tags.start[opened], tags.stop[opened])
        what = _names_before(tags.source, first)
        hidden = (what >= _IS_HIDDEN).nonzero()[0]
        if hidden.size:
            hidden = element[hidden[_hides(tags.source, first[hidden], what[hidden])]]
        known = (what & ~_IS_WORDS == 0).nonzero()[0]
        what = what[known]
        key, value = _words(tags.source, first[known] + 1, last[known])
        what = what[value]
        scoped = (what & _IS_SCOPE).nonzero()[0]
        if scoped.size:
            scope = (what[scoped] & _IS_SCOPE).astype(np.uint64)
            key[scoped] = (key[scoped] >> np.uint64(8)) | (scope << np.uint64(56))
        return cls(key, element[known[value]], what & _IS_CLASS != 0, hidden)


def _values(source: bytes, begin: Indices, end: Indices) -> tuple[Indices, Indices, Indices]:
    """Return the values in some start tags: place of the tag, position of the quotes around each."""
    quotes = (np.frombuffer(source, dtype=np.uint8) == _QUOTE).nonzero()[0]
    low = quotes.searchsorted(begin)
    # Names from broken markup may hold a quote: what is left over does not upset the next tag.
    pairs = (quotes.searchsorted(end) - low) >> 1
    element = np.arange(begin.size).repeat(pairs)
    first = 2 * np.arange(element.size) + (low - 2 * (pairs.cumsum() - pairs))[element]
    return element, quotes[first], quotes[first + 1]


def _names_before(source: bytes, quotes: Indices) -> NDArray[np.int16]:
    """Return what the attribute before each quote is; `_OTHER` for any other."""
    windows: Keys = np.ndarray((max(len(source) - WORD_BYTES + 1, 0),), dtype="<u8", buffer=source, strides=(1,))
    what = np.full(quotes.size, _OTHER, dtype=np.int16)
    if not quotes.size:
        return what
    window = windows[np.maximum(quotes - WORD_BYTES, 0)]
    for (shift, tail), meaning in _NAMES:
        what[(window >> shift if shift else window) == tail] = meaning
    return what


def _words(source: bytes, first: Indices, last: Indices) -> tuple[Keys, Indices]:
    """Return key and value of each word between first positions and the closing quotes."""
    if not first.size:
        return np.zeros(0, dtype=np.uint64), first
    # The closing quote comes along: it ends the last word.
    lengths = np.minimum(last - first, _LONGEST_VALUE) + 1
    ends = lengths.cumsum()
    value = np.arange(first.size).repeat(lengths)
    places = np.arange(value.size) + (first - (ends - lengths))[value]
    gathered = np.frombuffer(source, dtype=np.uint8)[places]
    gathered[ends - 1] = _QUOTE
    codes = gathered.tobytes()
    kinds = np.frombuffer(codes.translate(_KINDS), dtype=np.uint8)
    # A word begins where the kind rises from none or from small to capital, and ends there or where it falls to none.
    edges = (kinds[1:] > kinds[:-1]) | (kinds[1:] == 0) & (kinds[:-1] != 0)
    begins = np.concatenate((_ZERO, edges.nonzero()[0] + 1))
    at = kinds[begins].nonzero()[0]
    start = begins[at]
    length = np.minimum(begins[np.minimum(at + 1, begins.size - 1)] - start, WORD_BYTES)
    lowered = codes.translate(_LOWERED) + _PADDING
    windows: Keys = np.ndarray((len(codes) + 1,), dtype="<u8", buffer=lowered, strides=(1,))
    return (windows[start] & _MASKS[length]).byteswap(), value[start]


def _hides(source: bytes, quotes: Indices, what: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Tell which values behind quotes hide their element: hidden, aria-hidden that is true, style without display."""
    windows: Keys = np.ndarray((len(source) - WORD_BYTES + 1,), dtype="<u8", buffer=source, strides=(1,))
    begins, goes_on = (windows[np.minimum(quotes + ahead, windows.size - 1)] for ahead in (1, 1 + WORD_BYTES))
    says = (what & (_IS_TRUE | _IS_STYLE)) == 0
    says |= (what & _IS_TRUE != 0) & (begins & np.uint64(0xFF) == ord("t"))
    for mask, value in _DISPLAY_VALUES:
        says |= (what & _IS_STYLE != 0) & (begins == _DISPLAY) & (goes_on & mask == value)
    return np.asarray(says)
