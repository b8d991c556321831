"""Where the article begins on the page: the stretch of markup in which its byline and date stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.page.tags import Tags, places_of

_BEFORE, _BEHIND, _KEPT = 4, 14, 2
_AROUND_END = 4
_SHORT = 240
_MOST_BYTES = 25_000
_CHUNK, _LONGEST_WORD = 8_000, 20
# Names and dates inside these belong to pictures, embedded posts and menus.
_ASIDE = ("blockquote", "figcaption", "figure", "footer", "nav")


@dataclass(frozen=True, slots=True)
class Place:
    """The blocks near the headline and the markup that they stand in.

    Attributes
    ----------
    first, end : int
        Blocks from first (inclusive) to end (exclusive).
    headline : int
        The block that the stretch is about: the headline, or the first of the text.
    first_byte, end_byte : int
        Their markup in the source of the tags.
    last : int
        The last block of the text.
    aside : tuple of (int, int)
        Where in the source elements begin and end whose names and dates are not the article's: pictures, quotes, menus;
        the outermost ones, in order.
    """

    first: int
    end: int
    headline: int
    first_byte: int
    end_byte: int
    last: int
    aside: tuple[tuple[int, int], ...] = ()

    def is_aside(self, byte: int) -> bool:
        """Return whether a place in the source is inside an element that is not about the article."""
        before = bisect_right(self.aside, byte, key=lambda span: span[0]) - 1
        return before >= 0 and byte < self.aside[before][1]

    def near(self, blocks: Blocks) -> list[int]:
        """Return the short blocks of the stretch, those behind the headline first."""
        near = _short([*range(self.headline, self.end), *reversed(range(self.first, self.headline))], blocks)
        return [index for index in near if not self.is_aside(int(blocks.first_byte[index]))]

    def at_end(self, blocks: Blocks) -> list[int]:
        """Return the short blocks around the end of the text."""
        return _short(range(max(self.headline + 1, self.last), min(self.last + _AROUND_END, len(blocks))), blocks)

    def short(self, blocks: Blocks) -> list[int]:
        """Return the short blocks from the headline to the end of the text."""
        return _short(range(self.first, min(self.last + _AROUND_END, len(blocks))), blocks)

    def elements(self, tags: Tags, words: tuple[bytes, ...]) -> Iterator[int]:
        """Return the elements in this stretch whose start tags hold one of some words in lower case, in order."""
        last = -1
        # Often one of the first is the one that is looked for.
        for begin in range(self.first_byte, self.end_byte, _CHUNK):
            end = min(begin + _CHUNK, self.end_byte)
            for element in tags.elements_at(_places(tags.source, words, begin, end)):
                if element > last:
                    last = element
                    if not self.is_aside(int(tags.start[tags.opened[element]])):
                        yield element


def _places(source: bytes, words: tuple[bytes, ...], begin: int, end: int) -> list[int]:
    """Return where one of some words begins in a part of the source, in order."""
    stretch = source[begin : end + _LONGEST_WORD].lower()
    # Several passes of a plain search take a third of the time of one pattern with alternatives.
    found = (place for word in words for place in places_of(word, stretch))
    return sorted(begin + place for place in found if place < end - begin)


def _short(indices: Iterable[int], blocks: Blocks) -> list[int]:
    chosen = np.fromiter(indices, dtype=np.int64)
    lengths = blocks.page_text.block_ends[chosen] - blocks.block_starts[chosen]
    short: list[int] = chosen[lengths <= _SHORT].tolist()
    return short


def place_of(blocks: Blocks, kept: NDArray[np.bool_], headline: int | None) -> Place | None:
    """Return the stretch around the headline and the first blocks of the text; None for a page without blocks."""
    if not len(blocks):
        return None
    text = kept.nonzero()[0]
    start = headline if headline is not None else int(text[0]) if text.size else 0
    first = max(0, start - _BEFORE)
    end = start + _BEHIND
    if text.size:
        behind = text[text > start]
        end = max(end, int(behind[min(_KEPT, behind.size - 1)]) + 1) if behind.size else end
        end = min(end, start + 3 * _BEHIND)
    end = min(end, len(blocks))
    first_byte = max(int(blocks.end_byte[first - 1]) if first else 0, int(blocks.first_byte[start]) - _MOST_BYTES)
    about = int(blocks.first_byte[start])
    end_byte = min(int(blocks.end_byte[end - 1]), about + _MOST_BYTES)
    last = int(text[-1]) if text.size else start
    return Place(first, end, start, first_byte, end_byte, last, _aside(blocks.tags, first_byte, end_byte, about))


def _aside(tags: Tags, first: int, end: int, about: int) -> tuple[tuple[int, int], ...]:
    """Return where elements of a stretch begin and end that are not about the article, without those around a place."""
    spans: list[tuple[int, int]] = []
    for name in _ASIDE:
        elements = tags.named(name)
        starts, ends = tags.start[tags.opened[elements]], tags.start[tags.closed[elements]]
        chosen = (starts < end) & (ends > first) & ~((starts <= about) & (about < ends))
        spans += zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True)
    outermost: list[tuple[int, int]] = []
    for span in sorted(spans):
        # Elements are nested: one that begins inside another ends there too.
        if not outermost or span[0] >= outermost[-1][1]:
            outermost.append(span)
    return tuple(outermost)
