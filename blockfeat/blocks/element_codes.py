"""The code of every element of a page: what the tag table says of its name, and what its place on the page changes.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import tagtable
from blockfeat.page.tags import Tags, name_key

_OPERATION = cython.declare(cython.int, tagtable.OPERATION)
_BOUNDARY = cython.declare(cython.int, tagtable.BOUNDARY)
_PRUNE = cython.declare(cython.int, tagtable.PRUNE)
_KEEPABLE = cython.declare(cython.int, tagtable.KEEPABLE)
_REMOVE = cython.declare(cython.int, tagtable.REMOVE)
_REMOVE_BETWEEN_WORDS = cython.declare(cython.int, tagtable.REMOVE_BETWEEN_WORDS)

_BLANK = cython.declare(cython.uchar, ord(" "))
_HYPHEN = cython.declare(cython.uchar, ord("-"))
_COLON = cython.declare(cython.uchar, ord(":"))
_B = cython.declare(cython.uchar, ord("b"))
_D = cython.declare(cython.uchar, ord("d"))
_F = cython.declare(cython.uchar, ord("f"))
_G = cython.declare(cython.uchar, ord("g"))
_I = cython.declare(cython.uchar, ord("i"))
_P = cython.declare(cython.uchar, ord("p"))
_T = cython.declare(cython.uchar, ord("t"))
_Y = cython.declare(cython.uchar, ord("y"))
# Of classes that show text to screen readers alone: sr-only (but not not-sr-only), visually-hidden, screen-reader-text.
_ONLY = cython.declare(cython.const[cython.uchar][::1], b"sr-only")
_HIDDEN = cython.declare(cython.const[cython.uchar][::1], b"lly-hid")
_READER = cython.declare(cython.const[cython.uchar][::1], b"een-rea")

_SLASH = ord("/")
_PARAGRAPH, _NOSCRIPT = name_key("p"), name_key("noscript")

_ALL_BITS = cython.declare(cython.ulonglong, 2**64 - 1)
# An odd number whose product spreads keys over all bits (2**64 over the golden ratio; Knuth 1998, 6.4).
_SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_SLOT_BITS = cython.declare(cython.int, 10)
_FREE = cython.declare(cython.int, -1)


@dataclass(frozen=True, eq=False)
class CodeTable:
    """Codes of tags by `blockfeat.page.tags.name_key`, in open addressing.

    Attributes
    ----------
    keys : uint64 array, slots
        The key in each slot.
    codes : int16 array, slots
        Its code; -1 in a free slot.
    other : int
        The code of all other tags.
    """

    keys: NDArray[np.uint64]
    codes: NDArray[np.int16]
    other: int

    @classmethod
    def of(cls, codes: Mapping[str, int], other: int) -> CodeTable:
        """Make the table of some tags; twice as many slots as tags or more."""
        bits = max(_SLOT_BITS, (2 * len(codes)).bit_length())
        keys = np.zeros(1 << bits, dtype=np.uint64)
        slots = np.full(1 << bits, _FREE, dtype=np.int16)
        for name, code in codes.items():
            slot = _first_slot(name_key(name), bits)
            while slots[slot] != _FREE:
                slot = (slot + 1) % slots.size
            keys[slot], slots[slot] = name_key(name), code
        return cls(keys, slots, other)

    def codes_of(self, tags: Tags) -> NDArray[np.uint8]:
        """Return the code of each element of a page."""
        keys = np.ascontiguousarray(tags.key, dtype=np.uint64)
        found = np.empty(keys.size, dtype=np.uint8)
        _look_up(keys.data, self.keys.data, self.codes.data, self.other, found.data)
        return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _first_slot(key: cython.ulonglong, bits: cython.int) -> cython.Py_ssize_t:
    """Return where to look for a key first, in two to the power of ``bits`` slots."""
    return ((key * _SPREAD) & _ALL_BITS) >> (64 - bits)


@cython.cfunc
def _look_up(
    keys: cython.const[cython.ulonglong][::1],
    slot_keys: cython.const[cython.ulonglong][::1],
    slot_codes: cython.const[cython.short][::1],
    other: cython.int,
    found: cython.uchar[::1],
) -> cython.void:
    """Write the code of each key."""
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


def part_words(tags: Tags, codes: NDArray[np.uint8]) -> None:
    """Let, in place, elements not join words that may be laid out as blocks though their tags are removed.

    These are custom elements (their names have a hyphen) and those with such a ``display`` in their style. Elements
    that a class shows to screen readers alone are pruned.
    """
    starts, stops = (np.ascontiguousarray(column, dtype=np.int64) for column in (tags.start, tags.stop))
    _part_words(
        tags.source, starts.data, stops.data, np.ascontiguousarray(tags.opened, dtype=np.int64).data, codes.data
    )


@cython.cfunc
def _part_words(
    source: cython.const[cython.uchar][::1],
    start: cython.const[cython.longlong][::1],
    stop: cython.const[cython.longlong][::1],
    opened: cython.const[cython.longlong][::1],
    codes: cython.uchar[::1],
) -> cython.void:
    """Change the code of elements without a role that are to be removed, where they may be blocks."""
    element: cython.Py_ssize_t
    tag: cython.longlong
    with cython.nogil:
        for element in range(codes.shape[0]):
            if codes[element] == _REMOVE:
                tag = opened[element]
                codes[element] = _code_of_removed(source, start[tag] + 1, stop[tag] - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
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


def keep_holders_of_paragraphs(tags: Tags, codes: NDArray[np.uint8]) -> None:
    """Decide, in place, which elements that could be pruned are boundaries instead, for they hold a paragraph.

    These are the keepable elements, and pruned elements that the parser has put the rest of the page inside: nothing
    but end tags stands behind them.
    """
    _keep_holders(
        np.ascontiguousarray(tags.opened, dtype=np.int64).data,
        np.ascontiguousarray(tags.closed, dtype=np.int64).data,
        np.ascontiguousarray(tags.key, dtype=np.uint64).data,
        codes.data,
        _last_text_tag(tags),
        _PARAGRAPH,
        _NOSCRIPT,
    )


def _last_text_tag(tags: Tags) -> int:
    """Return the last tag that is a start tag or has text other than white space behind it."""
    tag = int(tags.start.size) - 1
    while tag > 0 and tags.source[tags.start[tag] + 1] == _SLASH:
        if tags.source[tags.stop[tag - 1] : tags.start[tag]].strip():
            return tag - 1
        tag -= 1
    return tag


@cython.cfunc
def _keep_holders(
    opened: cython.const[cython.longlong][::1],
    closed: cython.const[cython.longlong][::1],
    keys: cython.const[cython.ulonglong][::1],
    codes: cython.uchar[::1],
    last_text: cython.longlong,
    paragraph: cython.ulonglong,
    noscript: cython.ulonglong,
) -> cython.void:
    """Go through the elements from the last, with the next paragraph at hand."""
    never: cython.longlong = 2 * keys.shape[0] + 1
    next_paragraph: cython.longlong = never
    element: cython.Py_ssize_t
    operation: cython.int
    swallows: cython.bint
    with cython.nogil:
        for element in range(keys.shape[0] - 1, -1, -1):
            if keys[element] == paragraph:
                next_paragraph = opened[element]
            operation = codes[element] & _OPERATION
            swallows = operation == _PRUNE and closed[element] > last_text and opened[element] < last_text
            if operation == _KEEPABLE or (swallows and keys[element] != noscript):
                operation = _BOUNDARY if next_paragraph < closed[element] else _PRUNE
                codes[element] = (codes[element] & ~_OPERATION) | operation


def has_key(keys: NDArray[np.uint64], names: NDArray[np.uint64]) -> bool:
    """Return whether one of some elements, given by their keys, has one of a few names."""
    return bool(_has_any(np.ascontiguousarray(keys, dtype=np.uint64).data, names.data))


@cython.cfunc
def _has_any(keys: cython.const[cython.ulonglong][::1], wanted: cython.const[cython.ulonglong][::1]) -> cython.bint:
    found: cython.bint = False
    element: cython.Py_ssize_t
    name: cython.Py_ssize_t
    with cython.nogil:
        for element in range(keys.shape[0]):
            for name in range(wanted.shape[0]):
                found |= keys[element] == wanted[name]
            if found:
                break
    return found


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
    ordered = np.ascontiguousarray(container[:end]), np.ascontiguousarray(keys)
    count = _find_blocks(ordered[0].data, ordered[1].data, names.data, found.data)
    named: list[int] = found[:count].tolist()
    return named


@cython.cfunc
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
