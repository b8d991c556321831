"""Write well-formed markup, tag by tag, with the place of every tag; compiled (C types stand in ``markup.pxd``)."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import LimitExceeded
from blockfeat.page import tables

_TEXT, _VALUE = 0, 1
_AMPERSAND, _HASH, _SLASH, _SEMICOLON, _LESS, _EQUALS, _GREATER, _QUOTE = b'&#/;<=>"'
_SPACE, _LETTER_A, _LETTER_F, _LETTER_X, _LETTER_Z, _DIGIT_0, _DIGIT_9 = b" afxz09"
_LOWER = 0x20
# Positions are numbers of four bytes.
_MOST_BYTES = 2**31 - 1
# Of nearly all pages an element has more.
_BYTES_OF_ELEMENT = 24
_REPLACEMENT = 0xFFFD
_LONGEST_REFERENCE, _LONGEST_UNTERMINATED = 32, 6
_SLOTS = tables.SLOTS
_FNV_START, _FNV_PRIME, _MASK = tables.FNV_START, tables.FNV_PRIME, tables.MASK
_IS_PLAIN, _ESCAPES, _ESCAPE_AT = tables.IS_PLAIN, tables.ESCAPES, tables.ESCAPE_AT
_NAME_BYTE, _C1 = tables.NAME_BYTE, tables.C1
_REFERENCE_NAMES, _REFERENCE_NAME_AT = tables.REFERENCE_NAMES, tables.REFERENCE_NAME_AT
_REFERENCE_TEXTS, _REFERENCE_TEXT_AT = tables.REFERENCE_TEXTS, tables.REFERENCE_TEXT_AT
_REFERENCE_SLOTS = tables.REFERENCE_SLOTS


class Markup:
    """Markup that grows at its end, and a column entry for each tag and element.

    Attributes
    ----------
    data : bytes
        The page that is read, UTF-8.
    out : memoryview
        The markup; ``size`` bytes of it are written.
    tag_start, tag_stop, tag_origin : int32 array, ``tags`` entries
        Where each tag begins and ends in the markup, and where it stands in the page.
    opened, closed : int32 array, ``elements`` entries
        The start tag of each element, and its end tag: its start tag where it is empty, -1 while it is open.
    key : uint64 array, ``elements`` entries
        The name of each (see `blockfeat.page.tags.name_key`).
    replaced : int
        References to no character, for which U+FFFD is written.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = 0
        # Most markup is shorter than its page; what is not written to takes no memory.
        self.room = len(data) + 1024
        self.out = _view(np.empty(self.room, dtype=np.uint8))
        self.tags = self.elements = self.replaced = 0
        # A guess, from which the columns grow: to count the tags takes longer.
        self.element_room = room = len(data) // _BYTES_OF_ELEMENT + 64
        self.tag_room = 2 * room
        places, keys = np.empty(8 * room, dtype=np.int32), np.empty(room, dtype=np.uint64)
        place: cython.int[::1] = _view(places)
        self.tag_start, self.tag_stop, self.tag_origin = place, place[2 * room :], place[4 * room :]
        self.opened, self.closed, self.key = place[6 * room :], place[7 * room :], _view(keys)
        of_tags = [places[: 2 * room], places[2 * room : 4 * room], places[4 * room : 6 * room]]
        self.arrays: list[NDArray[Any]] = [*of_tags, places[6 * room : 7 * room], places[7 * room :], keys]

    def reserve(self, count: cython.Py_ssize_t) -> cython.int:
        """Make room for ``count`` more bytes."""
        if self.size + count > self.room:
            self._grow(count)
        return 0

    def _grow(self, count: cython.Py_ssize_t) -> cython.int:
        self.room = min(self.size + self.size // 2 + count + 1024, _MOST_BYTES)
        if self.size + count > self.room:
            raise LimitExceeded(f"the page has more than {_MOST_BYTES:,} bytes of markup")
        grown = _view(np.empty(self.room, dtype=np.uint8))
        grown[: self.size] = self.out[: self.size]
        self.out = grown
        return 0

    def reserve_tag(self) -> cython.int:
        """Make room for one more tag and element."""
        if self.tags == self.tag_room or self.elements == self.element_room:
            self._grow_columns()
        return 0

    def _grow_columns(self) -> cython.int:
        self.element_room += self.element_room // 2
        self.tag_room = 2 * self.element_room
        # One after the other, so that few stand twice.
        self.tag_start, self.tag_stop = self._grown(0), self._grown(1)
        self.tag_origin, self.opened = self._grown(2), self._grown(3)
        self.closed, self.key = self._grown(4), self._grown(5)
        return 0

    def _grown(self, number: int) -> Any:
        """Put a column with room for more entries in place of one, and return a view of it."""
        column = self.arrays[number]
        self.arrays[number] = longer = np.empty(self.tag_room if number < 3 else self.element_room, column.dtype)
        longer[: column.size] = column
        return _view(longer)

    def columns(self) -> list[NDArray[Any]]:
        """Return where each tag begins, ends and stands in the page; start and end tag of each element; its key."""
        return [column[: self.tags if number < 3 else self.elements] for number, column in enumerate(self.arrays)]

    def put(self, byte: cython.int) -> cython.int:
        """Write one byte."""
        self.reserve(1)
        self.out[self.size] = byte
        self.size += 1
        return 0

    def copy(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Write a stretch of the page as it is."""
        self.reserve(stop - start)
        copy_bytes(self.out, self.size, self.data, start, stop - start)
        self.size += stop - start
        return 0

    def write_text(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, has_references: cython.bint) -> cython.int:
        """Write a stretch of the page as text; in raw text character references have no meaning."""
        return self._write_escaped(start, stop, _TEXT, has_references)

    def write_attribute(
        self,
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        value_start: cython.Py_ssize_t,
        value_stop: cython.Py_ssize_t,
    ) -> cython.int:
        """Write an attribute: where its name and its value, without quotes, stand in the page."""
        size: cython.Py_ssize_t
        self.reserve(stop - start + value_stop - value_start + 4)
        size = self.size
        self.out[size] = _SPACE
        size = self._put_name(size + 1, start, stop)
        self.out[size] = _EQUALS
        self.out[size + 1] = _QUOTE
        self.size = size + 2
        self._write_escaped(value_start, value_stop, _VALUE, True)
        return self.put(_QUOTE)

    def write_name(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Write a stretch of the page as a name."""
        self.reserve(stop - start)
        self.size = self._put_name(self.size, start, stop)
        return 0

    def _put_name(
        self, size: cython.Py_ssize_t, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Write a name at a place for which there is room; return the place behind it."""
        place: cython.Py_ssize_t
        for place in range(start, stop):
            self.out[size + place - start] = _NAME_BYTE[self.data[place]]
        return size + stop - start

    def _write_escaped(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, kind: cython.int, has_references: cython.bint
    ) -> cython.int:
        plain: cython.Py_ssize_t
        byte: cython.int
        while start < stop:
            plain = start
            start = behind_plain(self.data, start, stop, kind)
            self.copy(plain, start)
            if start == stop:
                break
            byte = self.data[start]
            if byte == _AMPERSAND and has_references:
                start = self._write_reference(start, stop, kind)
            else:
                # Of a carriage return and a line feed only the second counts.
                if byte != 0x0D or start + 1 == stop or self.data[start + 1] != 0x0A:
                    self._write_escape(byte, kind)
                start += 1
        return 0

    def _write_escape(self, byte: cython.int, kind: cython.int) -> cython.int:
        place: cython.int
        for place in range(_ESCAPE_AT[kind * 256 + byte], _ESCAPE_AT[kind * 256 + byte + 1]):
            self.put(_ESCAPES[place])
        return 0

    def _write_reference(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, kind: cython.int
    ) -> cython.Py_ssize_t:
        """Resolve what begins with an ampersand; return the position behind it."""
        behind: cython.Py_ssize_t
        if start + 1 < stop and self.data[start + 1] == _HASH:
            behind = self._write_number(start, stop, kind)
        else:
            behind = self._write_named(start, stop, kind)
        if behind == start:
            self._write_escape(_AMPERSAND, kind)
            behind = start + 1
        return behind

    def _write_number(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, kind: cython.int) -> cython.Py_ssize_t:
        """Resolve a numeric reference; return ``start`` where there is none."""
        place: cython.Py_ssize_t = start + 2
        code: cython.int = 0
        base: cython.int = 10
        digit: cython.int
        first: cython.Py_ssize_t
        if place < stop and self.data[place] | _LOWER == _LETTER_X:
            base = 16
            place += 1
        first = place
        while place < stop:
            digit = self.data[place]
            if _DIGIT_0 <= digit <= _DIGIT_9:
                digit -= _DIGIT_0
            elif base == 16 and _LETTER_A <= digit | _LOWER <= _LETTER_F:
                digit = (digit | _LOWER) - _LETTER_A + 10
            else:
                break
            code = min(code * base + digit, 0x110000)
            place += 1
        if place == first:
            return start
        if place < stop and self.data[place] == _SEMICOLON:
            place += 1
        if 0x80 <= code < 0xA0:
            code = _C1[code - 0x80]
        elif code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            code = _REPLACEMENT
            self.replaced += 1
        self._write_character(code, kind)
        return place

    def _write_named(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, kind: cython.int) -> cython.Py_ssize_t:
        """Resolve a named reference; return ``start`` where there is none.

        A name of HTML 4 needs no semicolon, and in text the longest one counts that the letters begin with.
        """
        first: cython.Py_ssize_t = start + 1
        place: cython.Py_ssize_t = first
        number: cython.int = -1
        byte: cython.int
        while place < stop and place - first < _LONGEST_REFERENCE and _is_alphanumeric(self.data[place]):
            place += 1
        if place < stop and self.data[place] == _SEMICOLON:
            place += 1
            number = self._reference(first, place)
        if number < 0:
            place = min(place, first + _LONGEST_UNTERMINATED)
            while place > first + 1:
                number = self._reference(first, place)
                if number >= 0:
                    break
                place -= 1
            if number < 0:
                return start
            if kind == _VALUE and place < stop and (_is_alphanumeric(self.data[place]) or self.data[place] == _EQUALS):
                return start
        at: cython.int
        for at in range(_REFERENCE_TEXT_AT[number], _REFERENCE_TEXT_AT[number + 1]):
            byte = _REFERENCE_TEXTS[at]
            if _IS_PLAIN[kind * 256 + byte]:
                self.put(byte)
            else:
                self._write_escape(byte, kind)
        return place

    def _reference(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Return the number of the character reference whose name (with its semicolon, if any) stands here, or -1."""
        hashed: cython.ulonglong = _FNV_START
        place: cython.Py_ssize_t
        for place in range(start, stop):
            hashed = ((hashed ^ self.data[place]) * _FNV_PRIME) & _MASK
        slot: cython.int = hashed & (_SLOTS - 1)
        while _REFERENCE_SLOTS[slot] >= 0:
            number: cython.int = _REFERENCE_SLOTS[slot]
            begin: cython.int = _REFERENCE_NAME_AT[number]
            if _REFERENCE_NAME_AT[number + 1] - begin == stop - start:
                place = start
                while place < stop and self.data[place] == _REFERENCE_NAMES[begin + place - start]:
                    place += 1
                if place == stop:
                    return number
            slot = (slot + 1) & (_SLOTS - 1)
        return -1

    def _write_character(self, code: cython.int, kind: cython.int) -> cython.int:
        """Write the character of a code point."""
        if code < 0x80:
            if _IS_PLAIN[kind * 256 + code]:
                return self.put(code)
            # As a carriage return is none of the line ends of the page, it is a control character here.
            return self._write_escape(code if code != 0x0D else 0x01, kind)
        if code < 0x800:
            self.put(0xC0 | code >> 6)
        else:
            if code < 0x10000:
                self.put(0xE0 | code >> 12)
            else:
                self.put(0xF0 | code >> 18)
                self.put(0x80 | code >> 12 & 0x3F)
            self.put(0x80 | code >> 6 & 0x3F)
        return self.put(0x80 | code & 0x3F)

    def begin_start_tag(self, origin: cython.Py_ssize_t) -> cython.int:
        """Write the ``<`` of a start tag that stands at this place of the page; its name comes next."""
        self.reserve_tag()
        self.tag_start[self.tags] = self.size
        self.tag_origin[self.tags] = origin
        return self.put(_LESS)

    def end_start_tag(self, key: cython.ulonglong, is_empty: cython.bint) -> cython.int:
        """Write the end of a start tag; the element is open now unless it is empty."""
        if is_empty:
            self.put(_SLASH)
        self.put(_GREATER)
        self.tag_stop[self.tags] = self.size
        self.opened[self.elements] = self.tags
        self.closed[self.elements] = self.tags if is_empty else -1
        self.key[self.elements] = key
        self.tags += 1
        self.elements += 1
        return 0

    def write_end_tag(self, element: cython.Py_ssize_t, origin: cython.Py_ssize_t) -> cython.int:
        """Write the end tag of an open element, which ends at this place of the page; one without content is empty."""
        opened: cython.Py_ssize_t = self.opened[element]
        place: cython.Py_ssize_t = self.tag_start[opened] + 1
        byte: cython.int = self.out[place]
        if self.tag_stop[opened] == self.size:
            self.out[self.size - 1] = _SLASH
            self.put(_GREATER)
            self.tag_stop[opened] = self.size
            self.closed[element] = opened
            return 0
        self.reserve_tag()
        self.reserve(self.tag_stop[opened] - place + 3)
        self.tag_start[self.tags] = self.size
        self.tag_origin[self.tags] = origin
        self.out[self.size] = _LESS
        self.out[self.size + 1] = _SLASH
        self.size += 2
        while byte != _SPACE and byte != _GREATER:
            self.out[self.size] = byte
            self.size += 1
            place += 1
            byte = self.out[place]
        self.out[self.size] = _GREATER
        self.size += 1
        self.tag_stop[self.tags] = self.size
        self.closed[element] = self.tags
        self.tags += 1
        return 0


def _is_alphanumeric(byte: cython.int) -> cython.bint:
    return _DIGIT_0 <= byte <= _DIGIT_9 or _LETTER_A <= byte | _LOWER <= _LETTER_Z


def grown(column: Any, room: int, code: str = "i") -> Any:
    """Return a copy of a column, an array or a view of one, with room for more entries."""
    longer = np.zeros(room, dtype=code)
    longer[: len(column)] = column
    return _view(longer)


def _view(column: NDArray[Any]) -> Any:
    """Return an array where C types read it, and what plain Python reads faster where they do not."""
    return column if cython.compiled else column.data


if not cython.compiled:
    Bytes = bytes

    def behind_plain(data: bytes, start: int, stop: int, kind: int) -> int:
        """Return the position of the next byte that is not written as it is, or the end."""
        return next((place for place in range(start, stop) if not _IS_PLAIN[kind * 256 + data[place]]), stop)

    def find_byte(data: bytes, byte: int, start: int, stop: int) -> int:
        """Return the position of a byte, or -1."""
        return data.find(byte, start, stop)

    def bytes_of(data: memoryview, size: int) -> bytes:
        """Return the first bytes of a view."""
        return bytes(data[:size])

    def copy_bytes(out: memoryview, place: int, data: bytes, start: int, count: int) -> None:
        """Copy a stretch of bytes."""
        out[place : place + count] = data[start : start + count]
