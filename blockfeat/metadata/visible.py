"""Authors and dates that readers see near the headline or at the end of the text, where the page declares none."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import unescape
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.metadata.dates import find_span
from blockfeat.metadata.metadata import LONGEST_ATTRIBUTE, Candidates, folded, listed, pattern, words
from blockfeat.metadata.names import PREFIX, is_job, split_byline
from blockfeat.page.tags import Tags, are_among, name_keys, places_of
from blockfeat.page.utf_8 import Marks

_BEFORE, _BEFORE_TEXT, _BEHIND, _KEPT = 4, 8, 14, 2
_AROUND_END = 4
_SHORT = 240
_MOST_BYTES = 25_000
# Names and dates inside these belong to pictures, embedded posts and menus.
_ASIDE = name_keys(["blockquote", "figcaption", "figure", "footer", "nav"])


@dataclass(frozen=True)
class Place:
    """The blocks near the headline and the markup that they stand in.

    Attributes
    ----------
    blocks : Blocks
        The blocks of the page.
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
    kept : bool array, n
        Which blocks of the page are text.
    """

    blocks: Blocks = field(repr=False, compare=False)
    first: int
    end: int
    headline: int
    first_byte: int
    end_byte: int
    last: int
    aside: tuple[tuple[int, int], ...] = ()
    kept: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_), compare=False)

    def whole(self) -> Place:
        """Return the whole page."""
        blocks = self.blocks
        first_byte, end_byte = int(blocks.first_byte[0]), int(blocks.end_byte[-1])
        aside = _aside(blocks.tags, first_byte, end_byte, int(blocks.first_byte[self.headline]))
        return replace(self, first=0, end=len(blocks), first_byte=first_byte, end_byte=end_byte, aside=aside)

    def is_aside(self, byte: int) -> bool:
        """Return whether a place in the source is inside an element that is not about the article."""
        before = bisect_right(self.aside, byte, key=lambda span: span[0]) - 1
        return before >= 0 and byte < self.aside[before][1]

    @cached_property
    def near(self) -> dict[int, str]:
        """The short blocks of the stretch with their texts, those behind the headline first."""
        near = self._short(np.append(np.arange(self.headline, self.end), np.arange(self.first, self.headline)[::-1]))
        return self._texts([index for index in near if not self.is_aside(int(self.blocks.first_byte[index]))])

    @cached_property
    def at_end(self) -> dict[int, str]:
        """The short blocks around the end of the text with their texts."""
        return self._texts(self._short(np.arange(max(self.headline + 1, self.last), self.last + _AROUND_END)).tolist())

    @property
    def short(self) -> memoryview[int]:
        """The short blocks from the headline to the end of the text."""
        return self._short(np.arange(self.first, self.last + _AROUND_END))

    def _short(self, indices: NDArray[np.int64]) -> memoryview[int]:
        chosen = indices[indices < len(self.blocks)]
        lengths = self.blocks.page_text.block_ends[chosen] - self.blocks.block_starts[chosen]
        return chosen[lengths <= _SHORT].data  # a list of them takes five times as much memory

    def _texts(self, indices: list[int]) -> dict[int, str]:
        return dict(zip(indices, self.blocks.texts(indices), strict=True))

    def elements(self, marks: Marks) -> Iterator[int]:
        """Return the elements in this stretch whose start tags hold one of some words, in order."""
        tags = self.blocks.tags
        inside = slice(*tags.opened.searchsorted(tags.start.searchsorted((self.first_byte, self.end_byte))))
        starts, stops = tags.start[tags.opened[inside]], tags.stop[tags.opened[inside]]
        for element in tags.elements_at(marks.places_in(tags.source, starts, stops)):
            if not self.is_aside(int(tags.start[tags.opened[element]])):
                yield element


def place_of(blocks: Blocks, kept: NDArray[np.bool_], headline: int | None) -> Place | None:
    """Return the stretch around the headline and the first blocks of the text; None for a page without blocks."""
    if not len(blocks):
        return None
    text = kept.nonzero()[0]
    start = headline if headline is not None else int(text[0]) if text.size else 0
    last = int(text[-1]) if text.size else start
    first, end = max(0, start - _BEFORE), start + _BEHIND
    if text.size:
        if text[0] <= start:
            # The headline was not found: it stands somewhere in front of the text.
            first = max(0, min(first, int(text[0]) - _BEFORE_TEXT))
        behind = text[text > start]
        if behind.size:
            end = max(end, int(behind[min(_KEPT, behind.size - 1)]) + 1)
        # Names and dates further behind the text are those of other pages.
        end = min(end, start + 3 * _BEHIND, max(start, last) + _AROUND_END)
    end = min(end, len(blocks))
    about = int(blocks.first_byte[start])
    first_byte = max(int(blocks.end_byte[first - 1]) if first else 0, about - _MOST_BYTES)
    end_byte = min(int(blocks.end_byte[end - 1]), about + _MOST_BYTES)
    aside = _aside(blocks.tags, first_byte, end_byte, about)
    return Place(blocks, first, end, start, first_byte, end_byte, last, aside, kept)


def _aside(tags: Tags, first: int, end: int, about: int) -> tuple[tuple[int, int], ...]:
    """Return where elements of a stretch begin and end that are not about the article, without those around a place."""
    elements = are_among(tags.key, _ASIDE).nonzero()[0]
    starts, ends = tags.start[tags.opened[elements]], tags.start[tags.closed[elements]]
    chosen = (starts < end) & (ends > first) & ~((starts <= about) & (about < ends))
    outermost: list[tuple[int, int]] = []
    for span in zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True):
        # Elements are nested: one that begins inside another ends there too.
        if not outermost or span[0] >= outermost[-1][1]:
            outermost.append(span)
    return tuple(outermost)


# Looked for in start tags in lower case; the names of class and id, or the address, are checked afterwards.
_AUTHOR_MARKS = Marks.of(tuple(name.encode() for name in listed("author_marks")))
_NAMED_AUTHOR = re.compile(pattern("author_names"), re.IGNORECASE)
_AUTHOR_ADDRESS = re.compile(pattern("author_address"), re.IGNORECASE)
_NOT_AN_AUTHOR = re.compile(pattern("no_author"), re.IGNORECASE)
_NAMES = re.compile(r'\s(?:class|id|rel|itemprop|data-testid|data-qa|data-component)="([^"]*)"')
_LABEL = re.compile(rf"\A\W*(?:{PREFIX}|veröffentlicht am|posted on|published on)\s*[:：]?\W*\Z", re.IGNORECASE)
_BYLINE = re.compile(
    rf"\A\W{{0,3}}(?:{PREFIX})(?:\s*[:：/／|-]\s*|\s+|(?<=By)(?=[A-Z]))(?P<names>[^\W\d_].{{1,120}})\Z",
    re.IGNORECASE | re.DOTALL,
)
_FIRST_WORD = re.compile(r"\W{0,3}([^\W\d_]+)")
_FIRST_WORDS = words("byline")
_LONGEST_LABEL = 60
_BEHIND_DATE = re.compile(pattern("behind_date"), re.IGNORECASE)
_CJK_BYLINE = re.compile(pattern("cjk_byline"))
# Words, not a name: "a founder of".
_SENTENCE = re.compile(r"(?:a|an|the|in|and|to|ein|der|die|das|un|une|le|la) (?-i:[a-zß-ÿ])")
_PERSON = re.compile(pattern("person"))
_NO_PERSON = re.compile(pattern("no_person"), re.IGNORECASE)
_SEPARATORS = " \t|,;·•⋅●/–—-:»›"
_BETWEEN = re.compile(r"[|·•⋅●/]|\s[–—-]\s")
_MOST_WORDS, MOST_CHARACTERS, _LONGEST_MARKUP, _MOST_BOXES = 30, 240, 4_000, 60
_BOX_BYTES, _LONGEST_ADDRESS = 30_000, 300


def visible_authors(place: Place, *, title: str) -> Candidates:
    """Return the names near the headline, else at the end of the text, else of the page's only author box.

    Names stand in elements named for authors, in links to authors' pages, behind words such as "By", or beside a date.
    """
    claims = Candidates("byline")
    known = folded(title)
    for finder in (_authors_in_elements, _in_lines, _authors_at_end, _in_box):
        for text in finder(place):
            names = [name for name in split_byline(text) if folded(name) not in known and not _SENTENCE.match(name)]
            if names:
                claims.add("author", *names)
                return claims
    return claims


def _authors_in_elements(place: Place) -> Iterator[str]:
    tags = place.blocks.tags
    for element in place.elements(_AUTHOR_MARKS):
        names = _NAMES.findall(tags.start_tag(element))
        named = " ".join(names)
        if _is_author(tags, element, named) and not _NOT_AN_AUTHOR.search(named):
            yield from _names_in(short_text(tags, element))


def _is_author(tags: Tags, element: int, named: str) -> bool:
    """Return whether an element is named for authors, or links to an author's page."""
    if _NAMED_AUTHOR.search(named):
        return True
    address = tags.attributes(element, most=LONGEST_ATTRIBUTE).get("href", "")
    return _AUTHOR_ADDRESS.search(address[:_LONGEST_ADDRESS]) is not None


def _in_lines(place: Place) -> Iterator[str]:
    """Return what stands behind words such as "By", and names beside dates, in the blocks near the headline."""
    for index, text in place.near.items():
        yield from _in_line(place.blocks, index, text)
    for index, text in place.near.items():
        if len(text) > 120:
            continue
        span = find_span(text)
        if span:
            for part in (text[: span[0]], *_BETWEEN.split(text[span[1] :])):
                yield from _only_person(part)
            # Many pages put the name into a line of its own above or below the date.
            for other in (index - 1, index + 1):
                if place.headline < other < place.end:
                    yield from _only_person(place.blocks.text(other))


def _in_line(blocks: Blocks, index: int, text: str) -> Iterator[str]:
    """Return the names of one block that is a byline, or of the block behind one that is a label."""
    if len(text) > MOST_CHARACTERS or len(text.split()) > _MOST_WORDS:
        return
    if _may_begin(text) and index + 1 < len(blocks) and len(text) < _LONGEST_LABEL and _LABEL.match(text):
        following = blocks.text(index + 1)
        if len(following) < 80 and not following[:1].islower():
            yield from _names_in(following)
    yield from _byline(text)


def _may_begin(text: str) -> bool:
    """Return whether a text may begin with one of the words before names; far cheaper than the pattern of all."""
    if not text.isascii():
        return True
    first = _FIRST_WORD.match(text)
    return first is not None and (first[1].lower() in _FIRST_WORDS or first[1].startswith("By"))


def _byline(text: str) -> Iterator[str]:
    """Return the names of a line such as "By Ann Lee" or "Posted on 2 May 2024 by Ann Lee"."""
    asian = _CJK_BYLINE.search(text) if not text.isascii() else None
    if asian:
        yield asian["names"] or asian["korean"]
    found = _BYLINE.match(text) if _may_begin(text) else None
    if found is None:
        span = find_span(text)
        found = _BEHIND_DATE.search(text, span[1]) if span and span[0] < 40 else None
    if found and not found["names"][0].islower() and len(found["names"]) < 120:
        yield _until_date(found["names"])


def _authors_at_end(place: Place) -> Iterator[str]:
    for index, text in place.at_end.items():
        if len(text) < 100:
            yield from _byline(text)
            if index == place.last:
                yield from _only_person(text.strip("()"))


def _in_box(place: Place) -> Iterator[str]:
    """Return the author of the page's author box, where all boxes and links name one."""
    tags = place.blocks.tags
    # The box stands close behind the text.
    first, end = place.first_byte, int(place.blocks.end_byte[place.last]) + _BOX_BYTES
    places = islice(places_of(b"author", tags.source, first, end), _MOST_BOXES)
    texts: dict[str, str] = {}
    for element in tags.elements_at([byte for byte in places if not place.is_aside(byte)]):
        attributes = tags.attributes(element, most=LONGEST_ATTRIBUTE)
        address = attributes.get("href", "")[:_LONGEST_ADDRESS]
        named = f"{attributes.get('rel', '')} {attributes.get('class', '')}"
        if attributes.get("rel") == "author" or "author-name" in named or _AUTHOR_ADDRESS.search(address):
            for text in _names_in(short_text(tags, element)):
                for name in _only_person(text):
                    texts.setdefault(folded(name), name)
    if len(texts) == 1:
        yield from texts.values()


def _names_in(text: str) -> Iterator[str]:
    """Return the names of an element's text without its label and date."""
    if not text or _LABEL.match(text):
        return
    span = find_span(text)
    if span is None:
        yield text
        return
    behind = _BEHIND_DATE.search(text, span[1])
    before = text[: span[0]].strip(_SEPARATORS)
    if behind:
        yield _until_date(behind["names"])
    elif before and not _LABEL.match(before):
        yield before


def _only_person(text: str) -> Iterator[str]:
    """Return a text that is nothing but the name of a person."""
    text = text.strip(_SEPARATORS)
    if len(text) < 40 and _PERSON.fullmatch(text) and not is_job(text) and not _NO_PERSON.search(text):
        yield text


def short_text(tags: Tags, element: int) -> str:
    """Return the text of an element, its parts apart; empty where it is long."""
    first, last = int(tags.stop[tags.opened[element]]), int(tags.start[tags.closed[element]])
    if not 0 < last - first < _LONGEST_MARKUP:
        return ""
    text = unescape(re.sub(r"<[^>]*>", "\n", tags.source[first:last].decode("utf-8", "replace")))
    text = re.sub(r"\s*\n\s*", " ", text).strip()
    return text if len(text) < MOST_CHARACTERS else ""


def _until_date(text: str) -> str:
    span = find_span(text)
    text = text[: span[0]] if span else text
    return re.split(r"\s+(?:\||on|am|le|il|el|op|⋅|●|•|·)\s?|(?<!\w)\d", text, maxsplit=1)[0]
