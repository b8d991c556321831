"""Every tag of a page as columns: the tree, written out well-formed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import QueryError
from blockfeat.page.scanner import scanned
from blockfeat.page.tables import RAW_TEXT, REFERENCES
from blockfeat.page.tree import are_among as are_among
from blockfeat.page.tree import first_with
from blockfeat.page.tree import name_key as name_key
from blockfeat.page.tree import parents_of as parents_of
from blockfeat.page.utf_8 import Marks, places_of

if TYPE_CHECKING:
    from lxml import etree

Indices = NDArray[np.int64]
Places = NDArray[np.int32]
Keys = NDArray[np.uint64]

MARKS = (1, 2, 127)
"""Bytes that never occur in the markup of `Tags`: free to stand for tags in text."""

_ATTRIBUTE = re.compile(r"\s([^\s=]+)=\"([^\"]*)\"")
_TAG, _NAME_END = re.compile(r"<[^>]*>"), re.compile(rb"[\s/>]")
_BODY = name_key("body")


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
        The key of each one's name (`name_keys`).
    depth : int
        Depth of the deepest element; the outermost has 1.
    origin : int array, t tags
        Where each tag stands in the page as it was read (UTF-8); for one that is implied, what implied it.
    """

    source: bytes
    start: Places
    stop: Places
    opened: Places
    closed: Places
    key: Keys = field(repr=False)
    depth: int
    origin: Places = field(repr=False)

    @classmethod
    def read(cls, data: bytes, *, keeps_raw_text: bool = False, keeps_drawings: bool = False) -> Reading:
        """Read a page in UTF-8; `blockfeat.page.scanner` says what is left out and mended."""
        scanner = scanned(data, keeps_raw_text=keeps_raw_text, keeps_drawings=keeps_drawings)
        source, depth, noted = scanner.written(), scanner.greatest_depth(), scanner.noted()
        start, stop, origin, opened, closed, key = scanner.columns()
        tags = cls(source, start, stop, opened, closed, key, depth, origin)
        return Reading(tags, noted, tuple(scanner.linked_data), scanner.replaced, scanner.may_have_formulas)

    @classmethod
    def of_markup(cls, data: bytes) -> Tags:
        """Return the tags of markup."""
        return cls.read(data).tags

    def __len__(self) -> int:
        """Return the number of elements."""
        return int(self.opened.size)

    def name(self, element: int) -> str:
        """Return the name of an element."""
        tag = self.opened[element]
        return _NAME_END.split(self.source[self.start[tag] + 1 : self.stop[tag]], 1)[0].decode("utf-8", "replace")

    def start_tag(self, element: int) -> str:
        """Return the start tag of an element as it is written in ``source``."""
        tag = int(self.opened[element])
        return self.source[int(self.start[tag]) : int(self.stop[tag])].decode("utf-8", "replace")

    def start_tags(self, elements: NDArray[np.integer[Any]]) -> list[bytes]:
        """Return the start tags of some elements as they are written in ``source``."""
        opened = self.opened[elements]
        spans = zip(self.start[opened].tolist(), self.stop[opened].tolist(), strict=True)
        return [self.source[start:stop] for start, stop in spans]

    def attributes(self, element: int, *, most: int | None = None) -> dict[str, str]:
        """Return the attributes of an element; of two with one name the first counts.

        Values of ``most`` characters or more hold data for scripts: references in them are not resolved, as that can
        take longer than all else on a page.
        """
        return attributes_of(self.start_tag(element), most=most)

    def named(self, name: str) -> Indices:
        """Return the elements of one name."""
        return np.asarray((self.key == name_key(name)).nonzero()[0])

    def first(self, key: int) -> int:
        """Return the first element of a name, given by its key; -1 where there is none."""
        return first_with(self.key, key)

    def body(self) -> int:
        """Return where the start tag of the body stands in ``source``; 0 where there is none."""
        body = self.first(_BODY)
        return int(self.start[self.opened[body]]) if body >= 0 else 0

    def elements_at(self, places: list[int]) -> list[int]:
        """Return the elements whose start tags hold one of the bytes at these places, in order."""
        if not places:
            return []
        owners = self.start.searchsorted(places, side="right") - 1
        is_inside = self.stop[owners] > places
        elements = self.opened.searchsorted(owners)
        is_start = self.opened[elements.clip(max=len(self) - 1)] == owners
        return list(dict.fromkeys(elements[is_inside & is_start].tolist()))

    def marked(self, elements: NDArray[np.integer[Any]], marks: Marks) -> tuple[list[int], list[int]]:
        """Return where marks stand in start tags of some elements, in order, and the index of the element of each."""
        opened = self.opened[elements]
        starts = self.start[opened]
        places = marks.places_in(self.source, starts, self.stop[opened])
        return places, (starts.searchsorted(places, side="right") - 1).tolist() if places else []

    def text(self, element: int) -> str:
        """Return all text inside an element as it stands on the page."""
        first, last = int(self.stop[self.opened[element]]), int(self.start[self.closed[element]])
        return unescape(_TAG.sub("", self.source[first:last].decode("utf-8", "replace"))) if last > first else ""

    def all_text(self) -> str:
        """Return every text node, in order, joined by spaces."""
        before = (self.stop[:-1] < self.start[1:]).nonzero()[0]
        inside = zip(self.stop[before].tolist(), self.start[before + 1].tolist(), strict=True)
        texts = (self.source[first:last] for first, last in inside)
        return unescape(b" ".join(texts).decode("utf-8", "replace"))

    def parents(self) -> Places:
        """Return the parent of each element, -1 for the outermost; linear."""
        return parents_of(self.opened, self.closed)


def attributes_of(start_tag: str, *, most: int | None = None) -> dict[str, str]:
    """Return the attributes of a start tag, as `Tags.attributes` does."""
    pairs = _ATTRIBUTE.findall(start_tag)
    pairs.reverse()
    if "&" not in start_tag:
        return dict(pairs)
    return {name: unescape(value) if most is None or len(value) < most else value for name, value in pairs}


class Reading(NamedTuple):
    """The result of reading a page.

    Attributes
    ----------
    tags : Tags
        Its tags.
    warnings : tuple of str
        What was capped or repaired.
    linked_data : tuple of (int, int)
        Where its JSON-LD scripts begin and end.
    replaced : int
        Number of character references that name no character and became U+FFFD.
    may_have_formulas : bool
        Whether there may be elements that hold formulas.
    """

    tags: Tags
    warnings: tuple[str, ...]
    linked_data: tuple[tuple[int, int], ...]
    replaced: int
    may_have_formulas: bool


# Of these scripts, and of those that have one of these signs, something is read; of others what stands behind types.
_READ = re.compile(rb"ld\+json|math/|template", re.IGNORECASE)
_SIGNS, _TYPES, _FAR = (b"<link", b"<meta", b"<base"), (b'@type"', b"schema.org/"), 90


def with_blanks(data: bytes, *, keeps_drawings: bool = False) -> bytes:
    """Return a page in UTF-8 as long as it was, with spaces for scripts and drawings of which nothing is read.

    Drawings stay, or the page is as it is, where it would be read in another way.
    """
    tags, *before = Tags.read(data, keeps_drawings=keeps_drawings)
    blank = bytearray(data)
    found = [data]
    for name in (b"script", b"svg"):
        end = 0
        while (place := data.find(b"<" + name, end)) >= 0 and (end := data.find(b"</" + name, place)) >= 0:
            start = data.find(b">", place, end) + 1
            is_read = _READ.search(data, place, start) or any(data.find(sign, start, end) >= 0 for sign in _SIGNS)
            if start and not is_read:
                blank[start:end] = b" " * (end - start)
        for place in (place for sign in _TYPES for place in places_of(sign, data)):
            blank[place : place + _FAR] = data[place : place + _FAR]
        others, *after = Tags.read(bytes(blank), keeps_drawings=keeps_drawings)
        if (tags.source, before) != (others.source, after):
            break
        found.append(bytes(blank))
    return found[-1]


def name_keys(names: Iterable[str]) -> Keys:
    """Return a number for each name of an element, by its first 16 bytes; names differ where their keys do."""
    return np.array([name_key(name) for name in names], dtype=np.uint64)


_UNWRITABLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"
FLATTENED = 512
"""From this depth on, elements stand side by side in trees."""
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


def lxml_tree(tags: Tags) -> etree._Element:
    """Return the tree of a page with tags, made anew.

    It has the elements of the tags in the same order, so that an XPath of one holds in the other.
    """
    from lxml import etree

    if tags.depth >= FLATTENED:
        # Elements that stand one behind the other there would end each other for lxml, such as rows.
        return _built(tags)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, collect_ids=False)
    root = etree.fromstring(tags.source, parser)
    if sum(1 for _ in root.iter(etree.Element)) != len(tags):
        # Such as an html element that is closed at once, behind which lxml reads no further.
        return _built(tags)
    for element in root.iter("plaintext"):
        # lxml reads it up to the end of the markup, its own end tag too.
        element.text = (element.text or "").rpartition("</plaintext>")[0]
    for element in root.iter(*RAW_TEXT - REFERENCES):
        element.text = unescape(element.text or "")
    return root


def _built(tags: Tags) -> etree._Element:
    """Put the tree together tag by tag; further outermost elements stand in the first."""
    from lxml import etree

    elements: list[etree._Element] = []
    for element, parent in enumerate(tags.parents().tolist()):
        name = tags.name(element)
        name = name if _NAME.fullmatch(name) else "span"
        made = etree.SubElement(elements[max(parent, 0)], name) if elements else etree.Element(name)
        for key, value in tags.attributes(element).items():
            if _NAME.fullmatch(key):
                made.set(key, re.sub(_UNWRITABLE, "\ufffd", value))
        elements.append(made)
    ends = [*tags.start[1:].tolist(), len(tags.source)]
    behind: dict[int, str] = {}
    for tag, (start, end) in enumerate(zip(tags.stop.tolist(), ends, strict=True)):
        if end > start:
            behind[tag] = re.sub(_UNWRITABLE, "\ufffd", unescape(tags.source[start:end].decode("utf-8", "replace")))
    for made, opened, closed in zip(elements, tags.opened.tolist(), tags.closed.tolist(), strict=True):
        made.tail = behind.get(closed)
        if opened != closed:
            made.text = behind.get(opened)
    return elements[0]


# An id or a class; or an attribute, with how its value has to compare.
_CONDITION = r"([#.])([\w-]+)|\[\s*([\w:-]+)\s*(?:([~^$*|]?=)\s*(?:\"([^\"\[\]]*)\"|'([^'\[\]]*)'|([\w-]+))\s*)?\]"
_COMPOUND = rf"(\*|[A-Za-z][\w-]*|(?=[#.\[]))((?:{_CONDITION})*)"
_OUTSIDE = r"(?![^\[]*\])"
_WORD = r"(?:.*\s)?{}(?:\s.*)?"
_COMPARED = {"": ".*", "=": "{}", "~=": _WORD, "^=": "{}.*", "$=": ".*{}", "*=": ".*{}.*", "|=": "{}(?:-.*)?"}
_LONGEST_SELECTOR, _LONGEST_VALUE = 1_000, 2_000
_NONE = np.empty(0, dtype=np.int64)


@lru_cache(maxsize=64)
def parsed_selector(selector: str) -> list[list[tuple[str, str, list[tuple[str, str, bytes]]]]]:
    """Return what a CSS selector selects: for each of a list, combinator, element and conditions of its compounds.

    A condition is the name of an attribute, a pattern that its value has to match, and what has to stand in it.
    Pseudo-classes are not known.

    Raises
    ------
    QueryError
        It is no such selector, or has more than 1,000 characters.
    """
    found = []
    for one in re.split(f",{_OUTSIDE}", selector) if len(selector) <= _LONGEST_SELECTOR else [""]:
        pieces = ["", *re.split(rf"\s*([>+~\s])\s*{_OUTSIDE}", one.strip())]
        compounds = []
        for combinator, compound in zip(pieces[::2], pieces[1::2], strict=True):
            if (match := re.fullmatch(_COMPOUND, compound)) is None:
                raise QueryError(f"not a CSS selector of elements, classes, ids and attributes: {selector[:200]!r}")
            conditions = [_condition(*parts) for parts in re.findall(_CONDITION, match[2])]
            compounds.append((combinator, match[1].lower() or "*", conditions))
        found.append(compounds)
    return found


def _condition(mark: str, name: str, attribute: str, how: str, *values: str) -> tuple[str, str, bytes]:
    if mark:
        attribute, how, values = ("id", "=", (name,)) if mark == "#" else ("class", "~=", (name,))
    value = "".join(values)
    # Tabs stand in values as references.
    is_written = value and value.isprintable()
    written = escape(value, quote=False).replace('"', "&quot;") if is_written else f' {attribute.lower()}="'
    return attribute.lower(), _COMPARED[how].format(re.escape(value)), written.encode()


def selected(tags: Tags, selector: str) -> NDArray[np.bool_]:
    """Return which elements a CSS selector selects (`parsed_selector`); linear in the page."""
    found = np.zeros(len(tags), dtype=np.bool_)
    for compounds in parsed_selector(selector):
        chosen = np.ones(len(tags), dtype=np.bool_)
        for combinator, name, conditions in compounds:
            chosen = _related(tags, chosen, combinator) if combinator else chosen
            if name != "*":
                chosen &= tags.key == name_key(name)
            # Attributes are read where the tag holds the value, or else the name.
            for _, _, written in conditions:
                holding = np.zeros(len(tags), dtype=np.bool_)
                holding[tags.elements_at(places_of(written, tags.source))] = True
                chosen &= holding
            elements = chosen.nonzero()[0] if conditions else _NONE
            starts = tags.start_tags(elements)
            fulfilling = {start for start in set(starts) if _fulfils(start, conditions)}
            chosen[elements] = [start in fulfilling for start in starts]
        found |= chosen
    return found


def _fulfils(start_tag: bytes, conditions: list[tuple[str, str, bytes]]) -> bool:
    """Return whether the attributes of a start tag fulfil some conditions."""
    given = attributes_of(start_tag.decode("utf-8", "replace"), most=_LONGEST_VALUE)
    return all(key in given and re.fullmatch(pattern, given[key], re.DOTALL) for key, pattern, _ in conditions)


def _related(tags: Tags, given: NDArray[np.bool_], combinator: str) -> NDArray[np.bool_]:
    """Return which elements stand to one of the given as a combinator says."""
    if combinator not in "+~>":
        opened = np.zeros(tags.start.size, dtype=np.int32)
        opened[tags.opened[given]] = 1
        opened[tags.closed[given]] -= 1
        return np.asarray((opened.cumsum() - opened)[tags.opened] > 0)
    parents = tags.parents()
    if combinator == ">":
        return (parents >= 0) & given[parents]
    found, last, chosen = [False] * len(tags), {-1: -1}, given.tolist()
    for element, parent in enumerate(parents.tolist()):
        other = last.get(parent, -1)
        found[element] = other >= 0 and (chosen[other] or (combinator == "~" and found[other]))
        last[parent] = element
    return np.array(found, dtype=np.bool_)
