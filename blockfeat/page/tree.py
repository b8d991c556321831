"""Which elements are open, and what each tag opens and ends; compiled (C types stand in ``tree.pxd``).

The rules are libxml2's: a start tag ends the innermost element as `tables.ENDED_BY` says and may imply html, head or
body; an end tag ends the nearest element of its name unless one of a higher rank stands between. Every step takes
constant time for each element that it opens or ends.
"""

from __future__ import annotations

import os
from array import array
from itertools import accumulate

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.page import tables
from blockfeat.page.markup import grown

if not cython.compiled:
    from blockfeat.page.markup import Markup


_SLOTS = 512
_SHIFT = 64 - 9
# Random, so that no page can choose names that fall into one slot.
_SPREAD = int.from_bytes(os.urandom(8), "little") | 1
_MOST_DEPTH = 512
_RANKS = len(tables.PRIORITY) + 1

VOID, RAW_TEXT, REFERENCES, NEEDS_END_TAG, HEAD_CONTENT, OUTSIDE_BODY, PHRASING = 1, 2, 4, 8, 16, 32, 64
_FLAGGED = {
    VOID: tables.VOID,
    RAW_TEXT: tables.RAW_TEXT,
    REFERENCES: tables.REFERENCES,
    NEEDS_END_TAG: tables.NEEDS_END_TAG,
    HEAD_CONTENT: tables.HEAD_CONTENT,
    OUTSIDE_BODY: tables.OUTSIDE_BODY,
    PHRASING: tables.PHRASING,
}
KNOWN = len(tables.NAMES)
NONE = -1
HTML, HEAD, BODY, P = (tables.NAMES.index(name) for name in ("html", "head", "body", "p"))
_NAME_BYTES = "".join(tables.NAMES).encode()
_NAME_AT = array("i", accumulate(map(len, tables.NAMES), initial=0))
_FLAGS = array("i", (sum(flag for flag, names in _FLAGGED.items() if name in names) for name in tables.NAMES))
_RANK = array(
    "i", (sum(rank for rank, names in enumerate(tables.PRIORITY, 1) if name in names) for name in tables.NAMES)
)
_IS_ENDED_BY = bytes(new in tables.ENDED_BY.get(old, ()) for old in tables.NAMES for new in tables.NAMES)


def name_key(name: str) -> int:
    """Return the number of a name, by its first 16 bytes."""
    data = name.encode()
    return (int.from_bytes(data[:8], "little") + int.from_bytes(data[8:16], "little") * 0x9E3779B97F4A7C15) % (1 << 64)


def parents_of(opened: NDArray[np.integer], closed: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return for each nested span (in the order of their starts) the index of the innermost one around it, or -1.

    That is the first of the span before it and those around that one that is still open.
    """
    found = np.empty(opened.size, dtype=np.int32)
    start: cython.const[cython.int][::1] = np.ascontiguousarray(opened, dtype=np.int32).data
    end: cython.const[cython.int][::1] = np.ascontiguousarray(closed, dtype=np.int32).data
    parent: cython.int[::1] = found.data
    around: cython.int
    span: cython.Py_ssize_t
    with cython.nogil:
        for span in range(parent.shape[0]):
            around = span - 1
            while around >= 0 and end[around] < start[span]:
                around = parent[around]
            parent[span] = around
    return found


def first_with(keys: NDArray[np.uint64], key: int) -> int:
    """Return the place of the first of some keys that is a given one; -1 where none is."""
    own: cython.const[cython.ulonglong][::1] = keys if cython.compiled else keys.data
    wanted: cython.ulonglong = key
    place: cython.Py_ssize_t
    for place in range(own.shape[0]):
        if own[place] == wanted:
            return int(place)
    return NONE


def are_among(keys: NDArray[np.uint64], names: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which keys are one of a few names; several times as fast as `numpy.isin`."""
    found: NDArray[np.bool_] = (keys == names[:, None]).any(axis=0)
    return found


def _slot(key: cython.ulonglong, shift: cython.int) -> cython.int:
    """Return the slot of a hash table in which the search for a key begins."""
    product: cython.ulonglong = key * _SPREAD
    if not cython.compiled:
        product &= 0xFFFFFFFFFFFFFFFF
    return cython.cast(cython.int, product >> shift)


def _name_slots() -> tuple[array[int], array[int]]:
    """Return a hash table with open addresses: keys, and numbers of the names, -1 for free slots."""
    keys, numbers = array("Q", bytes(8 * _SLOTS)), array("i", [NONE]) * _SLOTS
    for number, name in enumerate(tables.NAMES):
        _put_name(keys, numbers, name_key(name), number, _SHIFT)
    return keys, numbers


def _put_name(keys: array[int], numbers: array[int], key: int, number: int, shift: int) -> None:
    slot = _slot(key, shift)
    while numbers[slot] >= 0:
        slot = (slot + 1) % len(numbers)
    keys[slot], numbers[slot] = key, number


_SLOT_KEYS, _SLOT_NAMES = _name_slots()
_LEVELS, _LEVELS_AT = 128, _SLOTS + _SLOTS // 2
# What the columns of `Tree` hold before the first tag, one behind the other.
_NUMBERS = _SLOT_NAMES + array("i", [NONE] * (_SLOTS // 2) + [0] * 4 * _LEVELS + [NONE] * _RANKS)


class Tree(Markup):
    """The open elements above the markup that they have been written to.

    Elements below a depth of 512 are not written inside each other but one behind the other, phrasing elements not at
    all, so that no text is lost.

    Attributes
    ----------
    depth : int
        Number of open elements, also of those that are not written inside each other.
    deepest : int
        Depth of the deepest element so far.
    level_name, level_element : int array, ``depth`` entries
        Name and element of each open element, from the outermost.
    last_open : int array, one entry for each name
        Level of the innermost open element of a name, -1 for none.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.slots, self.shift, self.names, self.name_room = _SLOTS, _SHIFT, KNOWN, _SLOTS // 2
        number: cython.int[::1] = _NUMBERS[:]
        self.slot_key, self.slot_name, self.last_open = _SLOT_KEYS[:], number[:_SLOTS], number[_SLOTS:_LEVELS_AT]
        self.level_room = _LEVELS
        self.level_name = number[_LEVELS_AT : _LEVELS_AT + _LEVELS]
        self.level_element = number[_LEVELS_AT + _LEVELS : _LEVELS_AT + 2 * _LEVELS]
        self.same_name_below = number[_LEVELS_AT + 2 * _LEVELS : _LEVELS_AT + 3 * _LEVELS]
        self.same_rank_below = number[_LEVELS_AT + 3 * _LEVELS : _LEVELS_AT + 4 * _LEVELS]
        self.last_of_rank = number[_LEVELS_AT + 4 * _LEVELS :]
        self.depth = self.deepest = self.discarded = 0
        self.capped = NONE
        self.has_head = self.has_body = False

    def find_name(self, key: cython.ulonglong) -> cython.int:
        """Return the number of a name that has occurred, -1 for all others."""
        slot: cython.int = _slot(key, self.shift)
        while self.slot_name[slot] >= 0:
            if self.slot_key[slot] == key:
                return self.slot_name[slot]
            slot = (slot + 1) & (self.slots - 1)
        return NONE

    def name_of(self, key: cython.ulonglong) -> cython.int:
        """Return the number of a name; a new one where it has not occurred."""
        name: cython.int = self.find_name(key)
        slot: cython.int
        if name >= 0:
            return name
        if self.names == self.name_room:
            self._grow_names()
        slot = _slot(key, self.shift)
        while self.slot_name[slot] >= 0:
            slot = (slot + 1) & (self.slots - 1)
        self.slot_key[slot] = key
        self.slot_name[slot] = self.names
        self.names += 1
        return self.names - 1

    def _grow_names(self) -> cython.int:
        """Double the room for names."""
        old_keys, old_names, old_open = list(self.slot_key), list(self.slot_name), list(self.last_open)
        self.slots, self.shift, self.name_room = 2 * self.slots, self.shift - 1, 2 * self.name_room
        keys, names = array("Q", bytes(8 * self.slots)), array("i", [NONE]) * self.slots
        for key, name in zip(old_keys, old_names, strict=True):
            if name >= 0:
                _put_name(keys, names, key, name, self.shift)
        self.slot_key, self.slot_name = keys, names
        self.last_open = array("i", old_open + [NONE] * (self.name_room - len(old_open)))
        return 0

    def innermost(self) -> cython.int:
        """Return the name of the innermost open element, -1 where there is none."""
        return self.level_name[self.depth - 1] if self.depth else NONE

    def prepare_start_tag(self, name: cython.int, origin: cython.Py_ssize_t) -> cython.bint:
        """End and open what a start tag implies; return False for one that is out of place: a second html or body."""
        self._end_implied(name, origin)
        self._imply(name, origin)
        if (
            (name == HTML and self.depth > 0)
            or (name == HEAD and self.depth != 1)
            or (name == BODY and self.last_open[BODY] >= 0)
        ):
            self.discarded += 1
            return False
        return True

    def prepare_text(self, origin: cython.Py_ssize_t) -> cython.int:
        """Open what text implies."""
        if self.innermost() == HEAD:
            self._end_implied(P, origin)
        return self._imply(P, origin)

    def _end_implied(self, name: cython.int, origin: cython.Py_ssize_t) -> cython.int:
        """End the innermost elements as far as a start tag of this name implies it."""
        top: cython.int
        if name >= KNOWN:
            return 0
        while self.depth:
            top = self.level_name[self.depth - 1]
            if top >= KNOWN or not _IS_ENDED_BY[top * KNOWN + name]:
                break
            self._pop(origin)
        return 0

    def _imply(self, name: cython.int, origin: cython.Py_ssize_t) -> cython.int:
        """Open html, head or body where a start tag of this name implies it."""
        flags: cython.int = _FLAGS[name] if name < KNOWN else 0
        if name == HTML:
            return 0
        if self.depth == 0:
            self._open_implied(HTML, origin)
        if name in (HEAD, BODY):
            return 0
        if self.depth <= 1 and flags & HEAD_CONTENT:
            if not self.has_head:
                self._open_implied(HEAD, origin)
        elif not flags & OUTSIDE_BODY and not self.has_body and self.last_open[HEAD] < 0:
            self._open_implied(BODY, origin)
        return 0

    def _open_implied(self, name: cython.int, origin: cython.Py_ssize_t) -> cython.int:
        """Open html, head or body without a tag in the page."""
        place: cython.int
        key: cython.ulonglong = 0
        self.begin_element(origin)
        for place in range(_NAME_AT[name], _NAME_AT[name + 1]):
            key |= cython.cast(cython.ulonglong, _NAME_BYTES[place]) << 8 * (place - _NAME_AT[name])
            self.put(_NAME_BYTES[place])
        return self.end_of_start_tag(name, key, False)

    def begin_element(self, origin: cython.Py_ssize_t) -> cython.int:
        """Write the ``<`` of a start tag; below the greatest depth, the element before it ends first."""
        if self.depth >= _MOST_DEPTH and self.capped >= 0 and self.closed[self.capped] < 0:
            self.write_end_tag(self.capped, origin)
        return self.begin_start_tag(origin)

    def end_of_start_tag(self, name: cython.int, key: cython.ulonglong, is_empty: cython.bint) -> cython.int:
        """Write the end of a start tag and take the element as open unless it is empty."""
        self.end_start_tag(key, is_empty)
        if name in (HEAD, BODY):
            self.has_head = True
            self.has_body = self.has_body or name == BODY
        self.deepest = max(self.deepest, self.depth + 1)
        return 0 if is_empty else self._push(name, self.elements - 1)

    def is_too_deep(self, name: cython.int) -> cython.bint:
        """Return whether a start tag of this name is not written here."""
        return self.depth >= _MOST_DEPTH and name < KNOWN and _FLAGS[name] & PHRASING != 0

    def open_unwritten(self, name: cython.int) -> cython.int:
        """Take an element as open that is not written."""
        self.deepest = max(self.deepest, self.depth + 1)
        return self._push(name, NONE)

    def _push(self, name: cython.int, element: cython.int) -> cython.int:
        rank: cython.int = _RANK[name] if name < KNOWN else 0
        if self.depth == self.level_room:
            self._grow_levels()
        self.level_name[self.depth] = name
        self.level_element[self.depth] = element
        self.same_name_below[self.depth] = self.last_open[name]
        self.same_rank_below[self.depth] = self.last_of_rank[rank]
        self.last_open[name] = self.last_of_rank[rank] = self.depth
        self.depth += 1
        if self.depth >= _MOST_DEPTH and element >= 0:
            self.capped = element
        return 0

    def _grow_levels(self) -> cython.int:
        """Double the room for open elements."""
        self.level_room = 2 * self.level_room
        self.level_name = grown(self.level_name, self.level_room)
        self.level_element = grown(self.level_element, self.level_room)
        self.same_name_below = grown(self.same_name_below, self.level_room)
        self.same_rank_below = grown(self.same_rank_below, self.level_room)
        return 0

    def _pop(self, origin: cython.Py_ssize_t) -> cython.int:
        """End the innermost open element."""
        self.depth -= 1
        name: cython.int = self.level_name[self.depth]
        element: cython.int = self.level_element[self.depth]
        self.last_open[name] = self.same_name_below[self.depth]
        self.last_of_rank[_RANK[name] if name < KNOWN else 0] = self.same_rank_below[self.depth]
        if element >= 0 and self.closed[element] < 0:
            self.write_end_tag(element, origin)
        return 0

    def close_to(self, depth: cython.int, origin: cython.Py_ssize_t) -> cython.int:
        """End the innermost elements until so many are open."""
        while self.depth > depth:
            self._pop(origin)
        return 0

    def end_element(self, name: cython.int, origin: cython.Py_ssize_t) -> cython.int:
        """Take an end tag: end the nearest open element of its name, if there is one that it reaches."""
        level: cython.int
        if name == HEAD and self.discarded:
            self.discarded -= 1
            return 0
        # What follows </body> and </html> still belongs to the page.
        if name < 0 or name in (HTML, BODY):
            return 0
        level = self.last_open[name]
        if level >= 0 and self._reaches(name, level):
            self.close_to(level, origin)
        return 0

    def _reaches(self, name: cython.int, level: cython.int) -> cython.bint:
        """Return whether no element of a higher rank stands above a level."""
        rank: cython.int = (_RANK[name] if name < KNOWN else 0) + 1
        while rank < _RANKS and self.last_of_rank[rank] <= level:
            rank += 1
        return rank == _RANKS
