"""Every tag of a page as columns: the tree, written out well-formed, looked at by array arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape

import numpy as np
from lxml import etree
from numpy.typing import NDArray

__all__ = ["MARKS", "Tags", "name_key", "name_keys", "parents_of"]

Indices = NDArray[np.int64]
Keys = NDArray[np.uint64]

MARKS = (1, 2, 127)
"""Bytes that never occur in the markup of `Tags`: free to stand for tags in text."""

_LESS, _GREATER, _SLASH = b"</>"[0], b"</>"[2], b"</>"[1]
_DELETE = bytes(MARKS[2:])
_WORD = 8
_SMALL = 1 << 15
_PADDING = bytes(2 * _WORD)
_ATTRIBUTE = re.compile(r"\s([^\s=]+)=\"([^\"]*)\"")
_TAG = re.compile(r"<[^>]*>")
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
# What may follow a tag's name in well-formed markup: space, slash, greater-than sign.
_ENDS = tuple(np.uint64(int.from_bytes(bytes([end]) * _WORD, "little")) for end in b" />")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """The tags and elements of a page, in document order.

    Attributes
    ----------
    source : bytes
        The page as well-formed markup, UTF-8: ``<`` and ``>`` stand for tags only.
    start, stop : int array, t tags
        Where each tag begins in ``source``, and the position behind it.
    opened : int array, m elements
        The start tag of each element.
    closed : int array, m elements
        The end tag of each; its start tag where the element is empty.
    key : uint64 array, m elements
        The name of each as `name_keys` has it.
    depth : int
        Depth of the deepest element; the outermost has 1.
    """

    source: bytes
    start: Indices
    stop: Indices
    opened: Indices
    closed: Indices
    key: Keys = field(repr=False)
    depth: int

    @staticmethod
    def write(root: etree._Element) -> bytes:
        """Write a tree out as well-formed markup; done by libxml2, without a look at single elements."""
        # With a document type of XHTML, libxml2 would write raw text as CDATA sections.
        root.getroottree().docinfo.clear()
        source: bytes = etree.tostring(root, encoding="utf-8")
        # Of the marks libxml2 writes only this one as it is.
        return source.replace(_DELETE, b" ") if _DELETE in source else source

    @classmethod
    def of_markup(cls, source: bytes) -> Tags:
        """Find the tags of well-formed markup."""
        codes = np.frombuffer(source, dtype=np.uint8)
        last = (codes == _GREATER).nonzero()[0]
        start = (codes == _LESS).nonzero()[0]
        if start.size != last.size:
            # Names that the parser took from broken markup may hold "<": a tag begins at the first of them.
            start = start[start.searchsorted(np.concatenate(([0], last[:-1])))]
        is_end = codes[start + 1] == _SLASH
        is_empty = codes[last - 1] == _SLASH
        opened, closed, depth = _pairs(is_end, is_empty)
        return cls(source, start, last + 1, opened, closed, _keys_at(source, start[opened] + 1), depth)

    def __len__(self) -> int:
        """Return the number of elements."""
        return int(self.opened.size)

    def name(self, element: int) -> str:
        """Return the name of an element."""
        return _name(self.start_tag(element))

    def start_tag(self, element: int) -> str:
        """Return the start tag of an element as it is written in ``source``."""
        tag = int(self.opened[element])
        return self.source[int(self.start[tag]) : int(self.stop[tag])].decode("utf-8", "replace")

    def attributes(self, element: int) -> dict[str, str]:
        """Return the attributes of an element; of two with one name the first counts."""
        found: dict[str, str] = {}
        for name, value in _ATTRIBUTE.findall(self.start_tag(element)):
            found.setdefault(name, unescape(value))
        return found

    def named(self, name: str) -> Indices:
        """Return the elements of one name."""
        found: Indices = (self.key == name_key(name)).nonzero()[0]
        return found

    def text(self, element: int) -> str:
        """Return all text inside an element as it stands on the page."""
        first, last = int(self.stop[self.opened[element]]), int(self.start[self.closed[element]])
        return unescape(_TAG.sub("", self.source[first:last].decode("utf-8", "replace"))) if last > first else ""

    @property
    def last_text_tag(self) -> int:
        """The last tag that is a start tag or has text other than white space behind it."""
        tag = self.start.size - 1
        while tag > 0 and self.source[self.start[tag] + 1] == _SLASH:
            if self.source[self.stop[tag - 1] : self.start[tag]].strip():
                return tag - 1
            tag -= 1
        return tag

    def all_text(self) -> str:
        """Return every text node, in order, joined by spaces."""
        inside = zip(self.stop[:-1].tolist(), self.start[1:].tolist(), strict=True)
        texts = (self.source[first:last] for first, last in inside if last > first)
        return unescape(b" ".join(texts).decode("utf-8", "replace"))

    def parents(self) -> Indices:
        """Return the parent of each element, -1 for the outermost; linear."""
        return parents_of(self.opened, self.closed)


def parents_of(opened: Indices, closed: Indices) -> Indices:
    """Return for each nested span (in the order of their starts) the index of the innermost one around it, or -1."""
    count = opened.size
    if not count:
        return np.zeros(0, dtype=np.int64)
    index = np.arange(count)
    level = index - np.sort(closed).searchsorted(opened)
    # Spans by level, then by place: the parent is the last one a level up that comes before.
    key = level * count + index
    order = _order_of_levels(level, int(level.max()))
    parent = order[key[order].searchsorted(key - count) - 1]
    parent[level == 0] = -1
    return parent


def _order_of_levels(levels: Indices, most: int) -> Indices:
    """Return the order of levels, those that are equal as they stand; numbers of two bytes sort four times as fast."""
    return np.argsort(levels.astype(np.int16) if most < _SMALL else levels, kind="stable")


def name_keys(names: Iterable[str]) -> Keys:
    """Return a number for each name of an element, by its first 16 bytes; names differ where their keys do."""
    return np.array([name_key(name) for name in names], dtype=np.uint64)


def name_key(name: str) -> int:
    """Return the number of one name."""
    data = name.encode()
    first, second = data[:_WORD], data[_WORD : 2 * _WORD]
    return (int.from_bytes(first, "little") + int.from_bytes(second, "little") * int(_MIX)) % (1 << 64)


def _pairs(is_end: NDArray[np.bool_], is_empty: NDArray[np.bool_]) -> tuple[Indices, Indices, int]:
    """Return start and end tag of every element, in the order of the start tags, and the greatest depth."""
    step = np.where(is_end, -1, 1)
    step[is_empty] = 0
    level = step.cumsum()
    level += is_end
    paired = (~is_empty).nonzero()[0]
    # At one level start and end tags take turns, so that sorting by level puts each beside its own.
    levels = level[paired]
    depth = int(levels.max(initial=0))
    order = paired[_order_of_levels(levels, depth)]
    end_of = np.arange(is_end.size)
    end_of[order[0::2]] = order[1::2]
    opened = (~is_end).nonzero()[0]
    return opened, end_of[opened], max(depth, int(level.max(initial=0)) + int(is_empty.any()))


def _keys_at(source: bytes, places: Indices) -> Keys:
    """Return the keys of the names that begin at some places."""
    padded = source + _PADDING
    words: Keys = np.ndarray((len(source) + 1,), dtype="<u8", buffer=padded, strides=(1,))
    first, is_whole = _cut_at_end(words[places])
    key = first
    longer = (~is_whole).nonzero()[0]
    if longer.size:
        second, _ = _cut_at_end(words[places[longer] + _WORD])
        key[longer] += second * _MIX
    return key


def _cut_at_end(words: Keys) -> tuple[Keys, NDArray[np.bool_]]:
    """Blank what follows the name in words of eight bytes; tell where the name ends inside the word."""
    ends = np.zeros(words.size, dtype=np.uint64)
    for end in _ENDS:
        same = words ^ end
        # Has its lowest high bit at the first byte that equals the end.
        ends |= (same - _ONES) & ~same & _HIGH
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends != 0


def _name(tag: str) -> str:
    return re.split(r"[\s/>]", tag[1:], maxsplit=1)[0]
