"""``Blocks``: the text blocks of a page as a table, one array a column."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, chain, starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.block import Link
from blockfeat.lang.characters import CONTROL, SPACE
from blockfeat.lang.counting import Row
from blockfeat.lang.measures import PageText, TextMeasures
from blockfeat.page.page import NOTHING_DECLARED, DeclaredText, check_memory
from blockfeat.page.tags import Keys, Tags, name_key

Indices = NDArray[np.int32]
Mask = NDArray[np.bool_]

ROLES = ("format", "list", "structure")
"""Roles of tags whose elements are counted."""
COLUMNS = ("start", "end", "first_byte", "end_byte", "container", *ROLES)
"""The rows of `Blocks.columns`."""
_START, _, _FIRST_BYTE, _END_BYTE, _CONTAINER, *_COUNTS_OF_ROLES = range(len(COLUMNS))
_BREAK = re.compile(rb"<br[^>]*>")
_TAG = re.compile(rb"<[^>]*>")
_WORD = re.compile(r"\S+")
_LONG, _UNFOLDED = 1 << 16, re.compile(r"[ \n]{2}|[^\S \n]")
# Control characters that are white space: line breaks of old terminals, and separators of information.
_WHITE = {**dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85), "\n"), **dict.fromkeys(range(0x1C, 0x20), " ")}


@dataclass(frozen=True)
class Containers:
    """The boundary elements of a page, in document order.

    Attributes
    ----------
    columns : int array, 4 × c
        Rows for `element`, `parent`, `first_block` and `end_block`.
    key : uint64 array, c
        The key of each one's name (`blockfeat.page.tags.name_keys`).
    """

    columns: Indices
    key: Keys

    element = Row("columns", 0)
    """The element of each, as `Tags` numbers them."""
    parent = Row("columns", 1)
    """Index of the container around each; -1 for the outermost."""
    first_block = Row("columns", 2)
    """The first block inside each container."""
    end_block = Row("columns", 3)
    """The block behind the last one inside each container."""


class Anchors(NamedTuple):
    """The anchors of a page: element, as `Tags` numbers them, and first and end position in the page's text.

    ``signs`` are the anchors of one or two characters that begin with no letter or digit.
    """

    element: Indices
    start: Indices
    end: Indices
    signs: list[int]


@dataclass(frozen=True)
class Blocks:
    """The text blocks of a page in document order.

    Attributes
    ----------
    tags : Tags
        The tags and elements of the page.
    page_text : PageText
        The text of all blocks in one string, white space folded, with the end of each block.
    columns : int array, 8 × n
        `COLUMNS`, a row each: `block_starts`, ends, `first_byte`, `end_byte`, `container`, `role_counts`.
    measures : TextMeasures
        Words, anchor words, format words, sentences and characters of each block.
    containers : Containers
        The boundary elements.
    anchors : Anchors
        The anchors.
    places : int array, one for each tag
        Where each tag stands in the page's text.
    names : int
        Groups of names that elements of the page have; bits of `blockfeat.blocks.element_codes`.
    table : str
        Name of the tag table that cut the page.
    segmenter : str
        Name of the segmenter that counted words and sentences.
    declared : DeclaredText
        What the page's JSON-LD declares to be its text.
    """

    tags: Tags
    page_text: PageText
    columns: Indices
    measures: TextMeasures
    containers: Containers
    anchors: Anchors
    places: Indices
    names: int
    table: str
    segmenter: str
    declared: DeclaredText = NOTHING_DECLARED

    def __len__(self) -> int:
        """Return the number of blocks."""
        return int(self.columns.shape[1])

    block_starts = Row("columns", _START)
    """Where each block begins in the page's text."""
    first_byte = Row("columns", _FIRST_BYTE)
    """Where the markup of each block begins in the source of ``tags``."""
    end_byte = Row("columns", _END_BYTE)
    """Where the markup of each block ends there."""
    container = Row("columns", _CONTAINER)
    """Innermost boundary element around each block."""

    @property
    def role_counts(self) -> dict[str, Indices]:
        """Elements of each of `ROLES`: inline ones that a block held, boundaries opened just before it."""
        return {role: self.columns[row] for role, row in zip(ROLES, _COUNTS_OF_ROLES, strict=True)}

    def text(self, index: int) -> str:
        """Return the text of one block, white space folded to single spaces, without control characters."""
        raw = self.raw_text(index)
        if self.measures.has_controls:
            first = int(self.block_starts[index])
            is_control = self.page_text.classes[first : first + len(raw)] & CONTROL != 0
            raw = "".join(" " if bad else character for bad, character in zip(is_control.tolist(), raw, strict=True))
        return _folded(raw)

    def texts(self, indices: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> list[str]:
        """Return the texts of some blocks, or of all."""
        chosen = slice(None) if indices is None else indices
        if self.measures.has_controls:
            return [self.text(index) for index in np.arange(len(self))[chosen].tolist()]
        return [" ".join(text.split()) if len(text) < _LONG else _folded(text) for text in self.raw_texts(chosen)]

    def raw_texts(self, chosen: Sequence[int] | NDArray[Any] | slice = slice(None)) -> Iterator[str]:
        """Yield the texts of some blocks, or of all, as `raw_text` does; several times as fast as one by one."""
        spans = _in_rows(self.block_starts[chosen], self.page_text.block_ends[chosen] - 1)
        return map(self.page_text.text.__getitem__, starmap(slice, spans))

    def raw_text(self, index: int) -> str:
        """Return the text of one block as it was measured, line breaks folded too."""
        return self.page_text.text[int(self.block_starts[index]) : int(self.page_text.block_ends[index]) - 1]

    def preformatted_text(self, index: int) -> str:
        """Return the text of one block as it stands on the page; folded where elements inside it were pruned."""
        markup = self.tags.source[int(self.first_byte[index]) : int(self.end_byte[index])]
        text = markup_text(markup)
        folded = self.text(index)
        return text.strip("\n") if "".join(text.split()) == "".join(folded.split()) else folded

    def links(self) -> list[tuple[Link, ...]]:
        """Return the links of each block, with their places in its folded text; anchors without a target are none."""
        anchors, owners = self.anchors, self.page_text.block_ends.searchsorted(self.anchors.start, side="right")
        inside = (owners < len(self)).nonzero()[0]
        of_block: dict[int, list[Link]] = {}
        last, first, raw, folded = -1, 0, "", FoldedText.of("")
        columns = (owners, anchors.element, anchors.start, anchors.end)
        for owner, element, start, end in _in_rows(*(column[inside] for column in columns)):
            if href := self.tags.attributes(element).get("href"):
                if owner != last:
                    last, first, raw = owner, int(self.block_starts[owner]), self.raw_text(owner)
                    folded = FoldedText.of(raw)
                link = Link(folded.start(max(start - first, 0)), folded.end(min(end - first, len(raw))), href)
                # Those without words are left out.
                if link.start <= link.end:
                    of_block.setdefault(owner, []).append(link)
        found = (of_block.pop(block, ()) for block in range(len(self)))
        return [tuple(sorted(links, key=lambda link: link[:2])) for links in found]

    def xpaths(self, chosen: Sequence[int] | None = None) -> list[str]:
        """Return the path of the container around some blocks, or all, ``"/"`` for none; linear in the page."""
        containers = self.container if chosen is None else self.container[chosen]
        paths = _paths_of_containers(self, containers)
        return [paths[container] or "/" for (container,) in _in_rows(containers)]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """The words of a text, and where each stands once every gap between them is one space."""

    starts: array[int]
    ends: array[int]
    folded: array[int]

    @classmethod
    def of(cls, text: str) -> FoldedText:
        """Find the words of a text."""
        places = array("i", chain.from_iterable(found.span() for found in _WORD.finditer(text)))
        starts, ends = places[::2], places[1::2]
        folded = accumulate((end - start + 1 for start, end in zip(starts, ends, strict=True)), initial=0)
        return cls(starts, ends, array("i", folded))

    def start(self, place: int) -> int:
        """Return where the first character stands, folded, that is no space and not before a place of the text."""
        word = bisect_right(self.ends, place)
        return self.folded[word] + (max(place - self.starts[word], 0) if word < len(self.starts) else 0)

    def end(self, place: int) -> int:
        """Return where the last character ends, folded, that is no space and before a place of the text; 0 for none."""
        word = bisect_left(self.starts, place) - 1
        return self.folded[word] + min(place, self.ends[word]) - self.starts[word] if word >= 0 else 0


def _folded(text: str) -> str:
    """Return a text with its white space folded; a list of all words of a long one takes many times its bytes."""
    if len(text) >= _LONG and not _UNFOLDED.search(text):
        return text.replace("\n", " ").strip()
    return " ".join(text.split())


def _in_rows(*columns: NDArray[Any]) -> Iterator[tuple[int, ...]]:
    """Return the values of columns row by row: all at once, as Python's numbers, they take ten times as much memory."""
    if len(columns[0]) <= _ROWS:
        return zip(*[column.tolist() for column in columns], strict=True)
    parts = (slice(start, start + _ROWS) for start in range(0, len(columns[0]), _ROWS))
    return chain.from_iterable(zip(*(column[part].tolist() for column in columns), strict=True) for part in parts)


def _with_those_around(chosen: NDArray[np.integer[Any]], parents: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return some containers or elements and all that are around them, in order."""
    found, around = bytearray(parents.size), parents.data
    for (each,) in _in_rows(chosen):
        while each >= 0 and not found[each]:
            found[each] = 1
            each = around[each]
    return np.frombuffer(found, dtype=np.bool_).nonzero()[0]


def _paths_of_containers(blocks: Blocks, chosen: NDArray[np.integer[Any]]) -> dict[int, str]:
    """Return the path of some containers and of all around them, and for none the empty one."""
    tags, containers = blocks.tags, blocks.containers
    parents, wanted = tags.parents(), _with_those_around(chosen, containers.parent)
    is_parent = np.zeros(parents.size + 1, dtype=np.bool_)
    is_parent[parents[_with_those_around(containers.element[wanted], parents)]] = True
    siblings = is_parent[parents].nonzero()[0]
    numbers = np.zeros(parents.size, dtype=np.int64)
    numbers[siblings] = _numbers_among_siblings(parents[siblings], tags.key[siblings])
    found, characters, outer = {-1: ""}, 0, {-1: -1}
    own, number_of = parents.data, numbers.data
    for container, around, innermost in _in_rows(wanted, containers.parent[wanted], containers.element[wanted]):
        outer[container] = element = innermost
        path: list[str] = []
        while element != outer[around]:
            name = tags.name(element)
            path.append(name if own[element] < 0 else f"{name}[{number_of[element]}]")
            element = own[element]
        found[container] = "/".join([found[around], *reversed(path)])
        characters += len(found[container])
        if characters > _MANY_CHARACTERS:
            check_memory(len(blocks.declared.data), _COPIES * characters, "the paths of all blocks")
    return found


_ROWS, _AT_ONCE = 4096, 1 << 16
_MANY_CHARACTERS, _COPIES = 1 << 20, 8


def _numbers_among_siblings(parents: NDArray[np.int32], keys: Keys) -> NDArray[np.int64]:
    """Return the number of every element among those of its name in the same parent, from 1."""
    order = np.lexsort((keys, parents))
    is_other = (np.diff(keys[order]) != 0) | (np.diff(parents[order]) != 0)
    firsts = np.concatenate(([0], is_other.nonzero()[0] + 1))
    numbers = np.empty(order.size, dtype=np.int64)
    numbers[order] = np.arange(1, order.size + 1) - np.repeat(firsts, np.diff(firsts, append=order.size))
    return numbers


def markup_text(markup: bytes) -> str:
    """Return the text of markup without its tags, some at a time: while they are taken out, each takes memory."""
    broken, parts, start = _BREAK.sub(b"\n", markup), [], 0
    while start < len(broken):
        end = broken.find(b">", start + _AT_ONCE) + 1 or len(broken)
        parts.append(_TAG.sub(b"", broken[start:end]))
        start = end
    # Line feeds and blanks for control characters that are white space.
    return unescape(b"".join(parts).decode("utf-8", "replace")).translate(_WHITE)


class TextPlaces(NamedTuple):
    """The characters of a page's blocks, white space aside: the last tag before each, and its block."""

    tag: NDArray[np.int32]
    block: NDArray[np.int32]


def text_places(blocks: Blocks) -> TextPlaces:
    """Return where the characters of a page's blocks stand; linear in the size of the page."""
    if not len(blocks):
        return TextPlaces(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
    # Counted rather than searched for: of a page of one word, an array of places takes eight times the page.
    seen = np.pad(blocks.page_text.classes & SPACE == 0, (1, 0)).cumsum(dtype=np.int32)

    def last_of(starts: NDArray[Any]) -> NDArray[np.int32]:
        return np.repeat(np.arange(-1, starts.size, dtype=np.int32), np.diff(seen[starts], prepend=0, append=seen[-1]))

    return TextPlaces(last_of(blocks.places), last_of(blocks.block_starts))


def elements_behind(blocks: Blocks) -> NDArray[np.int64]:
    """Return the innermost element open after each tag: after an end tag, or an empty element, the one around it."""
    tags = blocks.tags
    behind = np.full(tags.start.size, -1, dtype=np.int64)
    behind[tags.opened] = np.arange(len(tags))
    behind[tags.closed] = tags.parents()
    return behind


class Kind(NamedTuple):
    """What a block is, its level (of headings and list items), and whether its list is numbered."""

    name: str
    level: int
    ordered: bool


_PARAGRAPH = Kind("paragraph", 0, False)
_ITEMS = frozenset({"li", "dd", "dt"})
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_NAMES_OF_KINDS = {
    **dict.fromkeys(("pre", "listing", "xmp"), "preformatted"),
    "blockquote": "quote",
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    **dict.fromkeys(("td", "th"), "table_cell"),
}
_KIND_OF_TAG = {
    **{tag: Kind(name, 0, False) for tag, name in _NAMES_OF_KINDS.items()},
    **{f"h{level}": Kind("heading", level, False) for level in range(1, 7)},
}
_NAMES = {name_key(name): name for name in (*_ITEMS, *_LISTS, *_KIND_OF_TAG)}


def kinds_of_blocks(blocks: Blocks, indices: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> list[Kind]:
    """Return the kind of some blocks, or of all, by the innermost element around each that determines one."""
    containers, own = blocks.containers, blocks.container if indices is None else blocks.container[indices]
    kinds = [_PARAGRAPH] * (containers.key.size + 1)
    # Number of lists around each container and whether the innermost is numbered; last around none.
    lists = [(0, False)] * len(kinds)
    those = _with_those_around(own, containers.parent)
    for container, around, key in _in_rows(those, containers.parent[those], containers.key[those]):
        kinds[container], lists[container] = kinds[around], lists[around]
        if tag := _NAMES.get(key):
            depth, ordered = lists[around]
            if tag in _LISTS:
                lists[container] = depth + 1, tag == "ol"
            else:
                kinds[container] = _KIND_OF_TAG.get(tag) or Kind("list_item", max(1, depth), ordered)
    return [kinds[container] for (container,) in _in_rows(own)]
