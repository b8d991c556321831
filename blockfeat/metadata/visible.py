"""Authors and dates that readers see near the headline or at the end of the text, where the page declares none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import unescape
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.metadata.dates import find_span
from blockfeat.metadata.metadata import LONGEST_ATTRIBUTE, Candidates, folded, listed, pattern, words
from blockfeat.metadata.names import PREFIX, is_job, split_byline
from blockfeat.page.tags import Places, Tags, are_among, name_keys
from blockfeat.page.utf_8 import Marks, places_of

_BEFORE, _BEFORE_TEXT, _BEHIND, _KEPT = 4, 8, 14, 2
_AROUND_END = 4
_SHORT = 240
_MOST_BYTES = 25_000
# Names and dates inside these belong to pictures, embedded posts and menus.
_ASIDE = name_keys(["blockquote", "figcaption", "figure", "footer", "nav"])


@dataclass(frozen=True, eq=False)
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
    aside : pair of int arrays
        Where in the source elements begin and end whose names and dates are not the article's: pictures, quotes, menus;
        the outermost ones, in order. The first end is that of none.
    kept : bool array, n
        Which blocks of the page are text.
    """

    blocks: Blocks
    first: int
    end: int
    headline: int
    first_byte: int
    end_byte: int
    last: int
    aside: tuple[Places, Places]
    kept: NDArray[np.bool_]

    def whole(self) -> Place:
        """Return the whole page."""
        blocks = self.blocks
        first_byte, end_byte = int(blocks.first_byte[0]), int(blocks.end_byte[-1])
        aside = _aside(blocks.tags, first_byte, end_byte, int(blocks.first_byte[self.headline]))
        return replace(self, first=0, end=len(blocks), first_byte=first_byte, end_byte=end_byte, aside=aside)

    def _are_about(self, places: Places) -> NDArray[np.bool_]:
        """Return which places in the source are not inside an element that is not about the article."""
        starts, ends = self.aside
        return np.asarray(places >= ends[starts.searchsorted(places, side="right")])

    @cached_property
    def near(self) -> dict[int, str]:
        """The short blocks of the stretch with their texts, those behind the headline first."""
        near = self._short(np.array([*range(self.headline, self.end), *range(self.headline - 1, self.first - 1, -1)]))
        return self._texts(near[self._are_about(self.blocks.first_byte[near])])

    @cached_property
    def at_end(self) -> dict[int, str]:
        """The short blocks around the end of the text with their texts."""
        return self._texts(self._short(np.arange(max(self.headline + 1, self.last), self.last + _AROUND_END)))

    @property
    def short(self) -> memoryview[int]:
        """The short blocks from the headline to the end of the text."""
        # A list of them takes five times as much memory.
        return self._short(np.arange(self.first, self.last + _AROUND_END)).data

    def _short(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        chosen = indices[indices < len(self.blocks)]
        lengths = self.blocks.page_text.block_ends[chosen] - self.blocks.block_starts[chosen]
        return chosen[lengths <= _SHORT]

    def _texts(self, indices: NDArray[np.int64]) -> dict[int, str]:
        return dict(zip(indices.tolist(), self.blocks.texts(indices), strict=True))

    @cached_property
    def _marked(self) -> list[tuple[int, bytes]]:
        """The elements about the article in whose start tags words of authors and dates stand, and what stands so."""
        tags = self.blocks.tags
        first, end = tags.opened.searchsorted(tags.start.searchsorted((self.first_byte, self.end_byte)))
        starts, ends = (column[tags.opened[first:end]] for column in (tags.start, tags.stop))
        places = _MARKS.places_in(tags.source, starts, ends)
        if not places:
            return []
        owners = starts.searchsorted(places, side="right") - 1
        rows = zip(places, (first + owners).tolist(), self._are_about(starts[owners]).tolist(), strict=True)
        return [(one, tags.source[at : at + _MARKS.longest].lower()) for at, one, is_about in rows if is_about]

    def elements(self, words: tuple[bytes, ...]) -> Iterator[int]:
        """Return the elements in this stretch whose start tags hold one of some words, in order."""
        return (element for element, _ in groupby(one for one, found in self._marked if found.startswith(words)))

    def elements_at(self, places: list[int]) -> list[int]:
        """Return the elements about the article whose start tags hold one of some places in the source, in order."""
        tags = self.blocks.tags
        elements = np.array(tags.elements_at(places), dtype=np.int64)
        return list[int](elements[self._are_about(tags.start[tags.opened[elements]])].tolist())


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


def _aside(tags: Tags, first: int, end: int, about: int) -> tuple[Places, Places]:
    """Return where elements of a stretch begin and end that are not about the article, without those around a place."""
    elements, outermost = are_among(tags.key, _ASIDE).nonzero()[0], [(0, 0)]
    columns = (tags.start[column[elements]].tolist() for column in (tags.opened, tags.closed))
    for start, stop in zip(*columns, strict=True):
        # Elements are nested: one that begins inside another ends there too.
        if start < end and stop > first and not start <= about < stop and start >= outermost[-1][1]:
            outermost.append((start, stop))
    spans = np.array(outermost, dtype=np.int32)
    return spans[1:, 0], spans[:, 1]


# Looked for in start tags in lower case; the names of class and id, or the address, are checked afterwards.
_AUTHOR_WORDS, DATE_WORDS = (tuple(word.encode() for word in listed(name)) for name in ("author_marks", "date_marks"))
_MARKS = Marks.of((*_AUTHOR_WORDS, *DATE_WORDS))
_NAMED_AUTHOR = re.compile(pattern("author_names"), re.IGNORECASE)
_AUTHOR_ADDRESS = re.compile(pattern("author_address"), re.IGNORECASE)
_NOT_AN_AUTHOR = re.compile(pattern("no_author"), re.IGNORECASE)
_NAMES = re.compile(r'\s(?:class|id|rel|itemprop|data-testid|data-qa|data-component)="([^"]*)"')
_LABEL = re.compile(rf"\A\W*(?:{PREFIX}|veröffentlicht am|posted on|published on)\s*[:：]?\W*\Z", re.IGNORECASE)
_BEHIND_PREFIX = r"(?:\s*[:：/／|-]\s*|\s+|(?<=By)(?=[A-Z]))(?P<names>[^\W\d_].{1,120})\Z"
_BYLINE = re.compile(rf"\A\W{{0,3}}(?:{PREFIX}){_BEHIND_PREFIX}", re.IGNORECASE | re.DOTALL)
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
    for element in place.elements(_AUTHOR_WORDS):
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
        if len(text) <= 120 and (span := find_span(text)):
            for part in (text[: span[0]], *_BETWEEN.split(text[span[1] :])):
                yield from _only_person(part)
            # Many pages put the name into a line of its own above or below the date.
            for other in (index - 1, index + 1):
                if place.headline < other < place.end:
                    yield from _only_person(place.blocks.text(other))


def _in_line(blocks: Blocks, index: int, text: str) -> Iterator[str]:
    """Return the names of one block that is a byline, or of the block behind one that is a label."""
    if len(text) > MOST_CHARACTERS or text.count(" ") >= _MOST_WORDS:
        return
    if len(text) < _LONGEST_LABEL and index + 1 < len(blocks) and _may_begin(text) and _LABEL.match(text):
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
    if not text.isascii() and (asian := _CJK_BYLINE.search(text)):
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
    places = places_of(b"author", tags.source, first, end, most=_MOST_BOXES)
    texts: dict[str, str] = {}
    for element in place.elements_at(places):
        attributes = tags.attributes(element, most=LONGEST_ATTRIBUTE)
        address = attributes.get("href", "")[:_LONGEST_ADDRESS]
        named = f"{attributes.get('rel', '')} {attributes.get('class', '')}"
        if attributes.get("rel") == "author" or "author-name" in named or _AUTHOR_ADDRESS.search(address):
            for text in _names_in(short_text(tags, element)):
                for name in _only_person(text):
                    texts.setdefault(folded(name), name)
    yield from texts.values() if len(texts) == 1 else ()


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
    text = text[: span[0]] if (span := find_span(text)) else text
    return re.split(r"\s+(?:\||on|am|le|il|el|op|⋅|●|•|·)\s?|(?<!\w)\d", text, maxsplit=1)[0]
