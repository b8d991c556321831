"""The code of every element of a page: its name in the tag table, changed by its context on the page.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import tagtable
from blockfeat.page.formulas import FORMULA
from blockfeat.page.tags import Tags, name_key, name_keys

Places = NDArray[np.int32]

_OPERATION, _BOUNDARY, _PRUNE = tagtable.OPERATION, tagtable.BOUNDARY, tagtable.PRUNE
_KEEPABLE, _REMOVE, _REMOVE_BETWEEN_WORDS = tagtable.KEEPABLE, tagtable.REMOVE, tagtable.REMOVE_BETWEEN_WORDS

_BLANK, _HYPHEN, _COLON, _B, _D, _F, _G = ord(" "), ord("-"), ord(":"), ord("b"), ord("d"), ord("f"), ord("g")
_I, _P, _T, _Y = ord("i"), ord("p"), ord("t"), ord("y")
# Part of classes for screen readers only: sr-only (but not not-sr-only), visually-hidden, screen-reader-text.
_ONLY = cython.declare(cython.const[cython.uchar][::1], b"sr-only")
_HIDDEN = cython.declare(cython.const[cython.uchar][::1], b"lly-hid")
_READER = cython.declare(cython.const[cython.uchar][::1], b"een-rea")

_R, _QUOTE, _EQUALS, _SLASH, _TAB, _RETURN = ord("r"), ord('"'), ord("="), ord("/"), ord("\t"), ord("\r")
_PARAGRAPH, _NOSCRIPT, _SPAN = name_key("p"), name_key("noscript"), name_key("span")

TABLE, DEFINITIONS, PREFORMATTED, SCRIPTS, TECHNICAL, TITLES, HEADINGS = (1 << bit for bit in range(7))
"""Bits of `Blocks.names`: groups of elements that rules look for. Where no element of a page has one of the names of a
group, its bit is not set."""
ALL_NAMES = (1 << 7) - 1
"""All of these bits: of a page whose elements were not looked at."""

_GROUPS = {
    TABLE: ("table",),
    DEFINITIONS: ("dl",),
    PREFORMATTED: ("listing", "pre", "xmp"),
    SCRIPTS: ("sub", "sup"),
    TECHNICAL: ("code", "kbd", FORMULA, "mjx-container", "pre", "samp", "tt"),
    TITLES: ("h1", "h2"),
    HEADINGS: ("h1", "h2", "h3", "h4", "h5", "h6"),
}
KEYS = {group: name_keys(names) for group, names in _GROUPS.items()}
"""The keys of the names of each group."""

_ALL_BITS = cython.declare(cython.ulonglong, 2**64 - 1)
# An odd number whose product spreads keys over all bits (2**64 over the golden ratio; Knuth 1998, 6.4).
_SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_SLOT_BITS, _FREE = 10, -1


@dataclass(frozen=True, eq=False)
class CodeTable:
    """Codes of tags by `blockfeat.page.tags.name_key`, in open addressing.

    Attributes
    ----------
    keys : uint64 array, slots
        The key in each slot.
    codes : int16 array, slots
        Its code; -1 in a free slot.
    groups : uint8 array, slots
        The groups that the name belongs to, `TABLE` and the like.
    other : int
        The code of all other tags.
    """

    keys: NDArray[np.uint64]
    codes: NDArray[np.int16]
    groups: NDArray[np.uint8]
    other: int

    @classmethod
    def of(cls, codes: Mapping[str, int], other: int) -> CodeTable:
        """Make the table of some tags, and of those of the groups; twice as many slots as tags or more."""
        codes = {**{name: other for names in _GROUPS.values() for name in names}, **codes}
        bits = max(_SLOT_BITS, (2 * len(codes)).bit_length())
        keys, groups = np.zeros(1 << bits, dtype=np.uint64), np.zeros(1 << bits, dtype=np.uint8)
        slots = np.full(1 << bits, _FREE, dtype=np.int16)
        for name, code in codes.items():
            slot = _first_slot(name_key(name), bits)
            while slots[slot] != _FREE:
                slot = (slot + 1) % slots.size
            keys[slot], slots[slot] = name_key(name), code
            groups[slot] = sum(group for group, names in _GROUPS.items() if name in names)
        return cls(keys, slots, groups, other)

    def codes_of(self, tags: Tags, *, changes: CodeChanges | None = None) -> tuple[NDArray[np.uint8], int]:
        """Return the code of each element of a page, and the groups of names that it has.

        Codes are changed as `CodeChanges` describes.
        """
        found = np.empty(tags.key.size, dtype=np.uint8)
        groups = _look_up(tags.key, self.keys, self.codes, self.groups, self.other, found)
        if changes is not None:
            _change(tags.source, tags.start, tags.stop, tags.opened, tags.closed, tags.key, found, changes)
        return found, groups


@dataclass(frozen=True, eq=False)
class CodeChanges:
    """Rules that change the code of an element by its attributes and its content.

    Attributes
    ----------
    parts_words : bool
        Elements do not join words that may be laid out as blocks though their tags are removed: custom elements (their
        names have a hyphen), and those with such a ``display`` in their style. Elements that a class shows to screen
        readers alone are pruned.
    line_break : int
        The code of empty spans that style sheets break the line at, by the class ``br``; -1 to leave them.
    keeps_holders : bool
        Elements that could be pruned are boundaries if they hold a paragraph: the keepable ones, and pruned ones that
        the parser has put the rest of the page inside (nothing but end tags stands behind them).
    """

    parts_words: bool
    line_break: int
    keeps_holders: bool


def _first_slot(key: cython.ulonglong, bits: cython.int) -> cython.Py_ssize_t:
    """Return where to look for a key first, in two to the power of ``bits`` slots."""
    return ((key * _SPREAD) & _ALL_BITS) >> (64 - bits)


def _look_up(
    names: NDArray[np.uint64],
    slot_names: NDArray[np.uint64],
    codes_of_slots: NDArray[np.int16],
    groups_of_slots: NDArray[np.uint8],
    other: cython.int,
    codes: NDArray[np.uint8],
) -> int:
    """Write the code of each name; return the groups of all."""
    keys: cython.const[cython.ulonglong][::1] = names if cython.compiled else names.data
    slot_keys: cython.const[cython.ulonglong][::1] = slot_names if cython.compiled else slot_names.data
    slot_codes: cython.const[cython.short][::1] = codes_of_slots if cython.compiled else codes_of_slots.data
    slot_groups: cython.const[cython.uchar][::1] = groups_of_slots if cython.compiled else groups_of_slots.data
    found: cython.uchar[::1] = codes if cython.compiled else codes.data
    groups: cython.uchar = 0
    last: cython.Py_ssize_t = slot_codes.shape[0] - 1
    bits: cython.int = last.bit_length()
    element: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    key: cython.ulonglong
    with cython.nogil:
        for element in range(keys.shape[0]):
            key = keys[element]
            slot = _first_slot(key, bits)
            while slot_codes[slot] != _FREE and slot_keys[slot] != key:
                slot = (slot + 1) & last
            found[element] = other if slot_codes[slot] == _FREE else slot_codes[slot]
            groups |= slot_groups[slot]
    return int(groups)


def _change(
    markup: bytes,
    starts: Places,
    stops: Places,
    start_tags: Places,
    end_tags: Places,
    names: NDArray[np.uint64],
    found: NDArray[np.uint8],
    changes: CodeChanges,
) -> None:
    """Change codes as `CodeChanges` says: element by element, then from the last with the next paragraph at hand."""
    source: cython.const[cython.uchar][::1] = markup
    start: cython.const[cython.int][::1] = starts if cython.compiled else starts.data
    stop: cython.const[cython.int][::1] = stops if cython.compiled else stops.data
    opened: cython.const[cython.int][::1] = start_tags if cython.compiled else start_tags.data
    closed: cython.const[cython.int][::1] = end_tags if cython.compiled else end_tags.data
    keys: cython.const[cython.ulonglong][::1] = names if cython.compiled else names.data
    codes: cython.uchar[::1] = found if cython.compiled else found.data
    parts_words: cython.bint = changes.parts_words
    line_break: cython.int = changes.line_break
    keeps_holders: cython.bint = changes.keeps_holders
    element: cython.Py_ssize_t
    tag: cython.longlong
    with cython.nogil:
        for element in range(codes.shape[0]):
            tag = opened[element]
            if parts_words and codes[element] == _REMOVE:
                codes[element] = _code_of_removed(source, start[tag] + 1, stop[tag] - 1)
            if (
                keys[element] == _SPAN
                and closed[element] == tag
                and line_break >= 0
                and _has_break_class(source, start[tag], stop[tag])
            ):
                codes[element] = line_break
        if keeps_holders and codes.shape[0]:
            _keep_holders(opened, closed, keys, codes, _last_text_tag(source, start, stop))


def _has_break_class(
    source: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.bint:
    """Return whether a value of a start tag is ``br``, or ends in that word."""
    place: cython.Py_ssize_t
    for place in range(start + 2, stop - 3):
        if (
            source[place] == _B
            and source[place + 1] == _R
            and source[place + 2] == _QUOTE
            and (source[place - 1] == _BLANK or (source[place - 1] == _QUOTE and source[place - 2] == _EQUALS))
        ):
            return True
    return False


def _code_of_removed(
    source: cython.const[cython.uchar][::1], place: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.int:
    """Return the code of an element that is to be removed, by its tag: its name and the bytes of its attributes.

    It does not join words if its name has a hyphen, or ``display:`` stands there with anything but inline.
    """
    code: cython.int = _REMOVE
    while place < end and source[place] > _BLANK:
        if source[place] == _HYPHEN:
            return _REMOVE_BETWEEN_WORDS
        place += 1
    # Behind the first letters of ` style="display`.
    place += 9
    while place < end:
        if source[place] == _HYPHEN:
            if _stands_at(source, place - 2, end, _ONLY):
                return _REMOVE if source[place - 3] == _HYPHEN and source[place - 4] == _T else _PRUNE
            if _stands_at(source, place - 3, end, _HIDDEN) or _stands_at(source, place - 3, end, _READER):
                return _PRUNE
        elif (
            source[place] == _COLON and source[place - 1] == _Y and source[place - 7] == _D and source[place - 4] == _P
        ):
            place += 1
            while place < end and source[place] == _BLANK:
                place += 1
            # None, inline and inherit say nothing; inline-block does.
            if (
                source[place] == _B
                or source[place] == _F
                or source[place] == _G
                or (place + 6 < end and source[place] == _I and source[place + 6] == _HYPHEN)
            ):
                code = _REMOVE_BETWEEN_WORDS
        place += 1
    return code


def _stands_at(
    source: cython.const[cython.uchar][::1],
    place: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    mark: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Return whether the seven bytes of a mark stand at a place."""
    number: cython.int = 0
    while number < 7 and place + number < end and source[place + number] == mark[number]:
        number += 1
    return number == 7


def _last_text_tag(
    source: cython.const[cython.uchar][::1], start: cython.const[cython.int][::1], stop: cython.const[cython.int][::1]
) -> cython.longlong:
    """Return the last tag that is a start tag or has text other than white space behind it."""
    tag: cython.Py_ssize_t = start.shape[0] - 1
    place: cython.longlong
    while tag > 0 and source[start[tag] + 1] == _SLASH:
        for place in range(stop[tag - 1], start[tag]):
            if source[place] != _BLANK and not _TAB <= source[place] <= _RETURN:
                return tag - 1
        tag -= 1
    return tag


def _keep_holders(
    opened: cython.const[cython.int][::1],
    closed: cython.const[cython.int][::1],
    keys: cython.const[cython.ulonglong][::1],
    codes: cython.uchar[::1],
    last_text: cython.longlong,
) -> cython.void:
    """Decide which elements that could be pruned are boundaries."""
    never: cython.longlong = 2 * keys.shape[0] + 1
    next_paragraph: cython.longlong = never
    element: cython.Py_ssize_t
    operation: cython.int
    swallows: cython.bint
    for element in range(keys.shape[0] - 1, -1, -1):
        if keys[element] == _PARAGRAPH:
            next_paragraph = opened[element]
        operation = codes[element] & _OPERATION
        swallows = operation == _PRUNE and closed[element] > last_text and opened[element] < last_text
        if operation == _KEEPABLE or (swallows and keys[element] != _NOSCRIPT):
            operation = _BOUNDARY if next_paragraph < closed[element] else _PRUNE
            codes[element] = (codes[element] & ~_OPERATION) | operation


def blocks_named(
    container: NDArray[np.int32], keys: NDArray[np.uint64], names: NDArray[np.uint64], end: int | None = None
) -> list[int]:
    """Return which of the first blocks, or of all, stand in an innermost container that has one of a few names.

    Parameters
    ----------
    container : int array
        The innermost container of each block, -1 for none.
    keys : uint64 array
        The name of each container.
    names : uint64 array
        The names, as `blockfeat.page.tags.name_keys` has them.
    end : int, optional
        The number of the block behind the last one.
    """
    found = np.empty(container[:end].size, dtype=np.int32)
    count = _find_blocks(container[:end], keys, names, found)
    return list(found[:count].tolist())


def _find_blocks(
    container: cython.const[cython.int][::1],
    keys: cython.const[cython.ulonglong][::1],
    wanted: cython.const[cython.ulonglong][::1],
    found: cython.int[::1],
) -> cython.Py_ssize_t:
    count: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    name: cython.Py_ssize_t
    with cython.nogil:
        for block in range(container.shape[0]):
            for name in range(wanted.shape[0]):
                if container[block] >= 0 and keys[container[block]] == wanted[name]:
                    found[count] = block
                    count += 1
                    break
    return count
