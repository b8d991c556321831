"""Tokens of tags (names, attributes) and the end of raw text; compiled (C types stand in ``tokens.pxd``).

Every look ahead is remembered, so that no byte is looked at more than a few times.
"""

from __future__ import annotations

from array import array

import cython

from blockfeat.page import tables

if not cython.compiled:
    from blockfeat.page.markup import _FNV_PRIME, _FNV_START, _MASK, _NAME_BYTE, Bytes, find_byte
    from blockfeat.page.tree import _NAME_AT, _NAME_BYTES, BODY, KNOWN, Tree


_BANG, _QUOTE, _APOSTROPHE, _DASH, _SLASH, _LESS, _EQUALS, _GREATER, _QUESTION, _SPACE = b"!\"'-/<=>? "
_SCRIPT = tables.NAMES.index("script")
_P, _DIV, _ARTICLE, _SECTION = (tables.NAMES.index(name) for name in ("p", "div", "article", "section"))
_LD_JSON, _MATH_TEX = b"ld+json", b"math/tex"
# Where in each stands the byte that is rare in other attributes.
_PLUS_AT, _SLASH_AT = 2, 4
_MOST_ATTRIBUTES = 500
_SWALLOWED_TITLE = 5_000
_NOT_SEARCHED = -2
_MIX = 0x9E3779B97F4A7C15

_IS_SPACE, _ENDS_NAME, _ENDS_ATTRIBUTE, _IS_LETTER = 1, 2, 4, 8
_CLASS = bytes(
    (_IS_SPACE if code in b" \t\n\f\r" else 0)
    + (_ENDS_NAME if code in b" \t\n\f\r/>" else 0)
    + (_ENDS_ATTRIBUTE if code in b" \t\n\f\r/>=" else 0)
    + (_IS_LETTER if code < 0x80 and chr(code).isalpha() else 0)
    for code in range(256)
)

(
    ATTRIBUTES_DROPPED,
    FLATTENED,
    TITLE_REMOVED,
    TAG_REMOVED,
    COMMENT_UNCLOSED,
    SCRIPT_UNCLOSED,
    STYLE_UNCLOSED,
    SCRIPT_COMMENT,
    END_HIDDEN,
) = (1 << bit for bit in range(9))
WARNINGS = {
    COMMENT_UNCLOSED: "an unclosed comment hides the rest of the page",
    SCRIPT_UNCLOSED: "an unclosed script hides the rest of the page",
    STYLE_UNCLOSED: "an unclosed style hides the rest of the page",
    SCRIPT_COMMENT: "a script whose comment is never closed was ended at its first end tag",
    ATTRIBUTES_DROPPED: f"attributes beyond {_MOST_ATTRIBUTES} on one element were dropped",
    FLATTENED: "elements nested deeper than 512 levels were flattened",
    TITLE_REMOVED: "an unclosed title element was removed",
    TAG_REMOVED: "a tag that was never closed was removed",
    END_HIDDEN: "an unclosed element hides the end of the page",
}
"""The message for each bit of `Tokens.warnings`."""


class Tokens(Tree):
    """Reads names, attributes and ends of raw text up to ``stop``, where the stretch ends that is read.

    Attributes
    ----------
    name_key, name_stop : int
        The name of the last tag, and where it ends.
    is_self_closing : bool
        Whether the last tag ended with ``/>``.
    warnings : int
        What was capped or repaired, as bits.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.stop = len(data)
        self.warnings = 0
        self.is_unescapable = self.is_self_closing = False
        if not cython.compiled:
            self.has_no_quote, self.attribute_names = [0, 0], [0] * _MOST_ATTRIBUTES
        self.next_end = array("q", bytes(8 * KNOWN))
        self.forget()

    def forget(self) -> cython.int:
        """Discard the results of look-ahead before another stretch is read."""
        name: cython.int
        for name in range(KNOWN):
            self.next_end[name] = _NOT_SEARCHED
        self.next_paragraph = _NOT_SEARCHED
        self.has_no_quote[0] = self.has_no_quote[1] = 0
        return 0

    def _read_name(self, start: cython.Py_ssize_t) -> cython.int:
        """Read the name of a tag: its key and where it ends."""
        place: cython.Py_ssize_t = start
        first: cython.ulonglong = 0
        second: cython.ulonglong = 0
        byte: cython.ulonglong
        while place < self.stop and not _CLASS[self.data[place]] & _ENDS_NAME:
            byte = _NAME_BYTE[self.data[place]]
            if place < start + 8:
                first |= byte << 8 * (place - start)
            elif place < start + 16:
                second |= byte << 8 * (place - start - 8)
            place += 1
        first += second * _MIX
        if not cython.compiled:
            first &= 0xFFFFFFFFFFFFFFFF
        self.name_key = first
        self.name_stop = place
        return 0

    def _behind_tag(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the position behind a tag of which nothing is written."""
        behind: cython.Py_ssize_t = self._scan_attributes(place, False)
        return behind if behind >= 0 else self.stop

    def _scan_attributes(self, place: cython.Py_ssize_t, is_written: cython.bint) -> cython.Py_ssize_t:
        """Read the attributes of a tag; return the position behind the tag, -1 where it is never closed."""
        count: cython.int = 0
        byte: cython.int
        start: cython.Py_ssize_t
        self.is_self_closing = False
        self.attribute_filter = 0
        while place < self.stop:
            byte = self.data[place]
            if byte == _GREATER:
                return place + 1
            if byte == _SLASH:
                place += 1
                if place < self.stop and self.data[place] == _GREATER:
                    self.is_self_closing = True
                    return place + 1
            elif _CLASS[byte] & _IS_SPACE:
                place += 1
            else:
                start = place
                place = self._scan_attribute(place)
                if is_written:
                    if count == _MOST_ATTRIBUTES:
                        self.warnings |= ATTRIBUTES_DROPPED
                    elif self._is_new_attribute(count):
                        count += 1
                        self.write_attribute(start, self.attribute_stop, self.value_start, self.value_stop)
        return -1

    def _scan_attribute(self, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Find the name and the value of an attribute; return the position behind them."""
        place: cython.Py_ssize_t = start
        hashed: cython.ulonglong = _FNV_START
        while True:
            hashed = ((hashed ^ _NAME_BYTE[self.data[place]]) * _FNV_PRIME) & _MASK
            place += 1
            if place >= self.stop or _CLASS[self.data[place]] & _ENDS_ATTRIBUTE:
                break
        self.attribute_hash = hashed
        self.attribute_stop = place
        self.value_start = self.value_stop = place
        while place < self.stop and _CLASS[self.data[place]] & _IS_SPACE:
            place += 1
        if place < self.stop and self.data[place] == _EQUALS:
            return self._scan_value(place + 1)
        return place

    def _scan_value(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Find the value of an attribute; return the position behind it.

        A quote that is never closed is no quote, so that the text behind the tag stays.
        """
        quote: cython.int
        end: cython.Py_ssize_t
        while place < self.stop and _CLASS[self.data[place]] & _IS_SPACE:
            place += 1
        if place == self.stop:
            return place
        quote = self.data[place]
        if quote in (_QUOTE, _APOSTROPHE):
            if not self.has_no_quote[quote == _QUOTE]:
                end = find_byte(self.data, quote, place + 1, self.stop)
                if end >= 0:
                    self.value_start, self.value_stop = place + 1, end
                    return end + 1
                self.has_no_quote[quote == _QUOTE] = 1
            self.warnings |= TAG_REMOVED
        self.value_start = place
        while place < self.stop and not _CLASS[self.data[place]] & _IS_SPACE and self.data[place] != _GREATER:
            place += 1
        self.value_stop = place
        return place

    def _is_new_attribute(self, count: cython.int) -> cython.bint:
        """Return whether an element has no attribute of a name yet, and remember it; of two the first counts."""
        number: cython.int
        bit: cython.ulonglong = 1
        bit <<= (self.attribute_hash ^ self.attribute_hash >> 16) & 63
        if self.attribute_filter & bit:
            for number in range(count):
                if self.attribute_names[number] == self.attribute_hash:
                    return False
        self.attribute_filter |= bit
        self.attribute_names[count] = self.attribute_hash
        return True

    def _end_tag_of(self, name: cython.int, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the position of the next end tag of a name, -1 for none; remembered, so that all are found at once."""
        if self.next_end[name] == _NOT_SEARCHED or 0 <= self.next_end[name] < start:
            self.next_end[name] = self._find_end_tag(name, start)
        return self.next_end[name]

    def _find_end_tag(self, name: cython.int, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        place: cython.Py_ssize_t = start - 1
        while True:
            place = find_byte(self.data, _LESS, place + 1, self.stop)
            if place < 0:
                return -1
            if place + 1 < self.stop and self.data[place + 1] == _SLASH and self._is_name(name, place + 2):
                return place

    def _is_name(self, name: cython.int, place: cython.Py_ssize_t) -> cython.bint:
        """Return whether a tag's name stands here, whole."""
        letter: cython.int
        for letter in range(_NAME_AT[name], _NAME_AT[name + 1]):
            if place >= self.stop or _NAME_BYTE[self.data[place]] != _NAME_BYTES[letter]:
                return False
            place += 1
        return place < self.stop and _CLASS[self.data[place]] & _ENDS_NAME != 0

    def _end_of_script(self, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the position of a script's end tag, -1 for none.

        One inside ``<!-- <script>`` of a script is none, unless there is no other.
        """
        place: cython.Py_ssize_t = start - 1
        end: cython.Py_ssize_t
        has_comment: cython.bint = False
        while True:
            place = find_byte(self.data, _LESS, place + 1, self.stop)
            if place < 0:
                return -1
            if place + 1 < self.stop and self.data[place + 1] == _SLASH and self._is_name(_SCRIPT, place + 2):
                break
            has_comment = has_comment or self._is_comment(place)
        if not has_comment or self.is_unescapable:
            return place
        end = self._end_of_escaped_script(start)
        if end < 0:
            self.is_unescapable = True
            self.warnings |= SCRIPT_COMMENT
            return place
        return end

    def _is_comment(self, place: cython.Py_ssize_t) -> cython.bint:
        """Return whether a comment begins at this ``<``."""
        return (
            place + 3 < self.stop
            and self.data[place + 1] == _BANG
            and self.data[place + 2] == _DASH
            and self.data[place + 3] == _DASH
        )

    def _end_of_escaped_script(self, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the position of a script's end tag by HTML's rules for comments in scripts, -1 for none."""
        place: cython.Py_ssize_t
        byte: cython.int
        is_escaped: cython.bint = False
        is_doubled: cython.bint = False
        for place in range(start, self.stop - 2):
            byte = self.data[place]
            if byte == _DASH and self.data[place + 1] == _DASH and self.data[place + 2] == _GREATER:
                is_escaped = is_doubled = False
            elif byte != _LESS:
                continue
            elif self._is_comment(place):
                is_escaped = True
            elif self._is_name(_SCRIPT, place + 1):
                is_doubled = is_escaped
            elif self.data[place + 1] == _SLASH and self._is_name(_SCRIPT, place + 2):
                if not is_doubled:
                    return place
                is_doubled = False
        return -1

    def _holds_paragraph(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Return whether a p, div, article or section begins here; remembered, so that all searches are linear."""
        place: cython.Py_ssize_t
        if self.next_paragraph == _NOT_SEARCHED or 0 <= self.next_paragraph < start:
            place = start - 1
            while True:
                place = find_byte(self.data, _LESS, place + 1, self.stop)
                if place < 0 or self._is_paragraph(place + 1):
                    break
            self.next_paragraph = place
        return 0 <= self.next_paragraph < stop

    def _is_paragraph(self, place: cython.Py_ssize_t) -> cython.bint:
        return (
            self._is_name(_P, place)
            or self._is_name(_DIV, place)
            or self._is_name(_ARTICLE, place)
            or self._is_name(_SECTION, place)
        )

    def _is_swallowed(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Return whether a title holds what should be the body: it is huge, and the body begins in it or has no tag."""
        place: cython.Py_ssize_t = start - 1
        if stop - start < _SWALLOWED_TITLE:
            return False
        while True:
            place = find_byte(self.data, _LESS, place + 1, stop)
            if place < 0:
                break
            if self._is_name(BODY, place + 1):
                return True
        place = stop
        while True:
            place = find_byte(self.data, _LESS, place + 1, self.stop)
            if place < 0:
                return True
            if place + 1 < self.stop and _CLASS[self.data[place + 1]] & _IS_LETTER:
                return False

    def _names_type(
        self, kind: Bytes, rare: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.bint:
        """Return whether the attributes of a script name a type, of which one byte is rare in other attributes."""
        place: cython.Py_ssize_t = start
        size: cython.Py_ssize_t = len(kind)
        number: cython.Py_ssize_t
        while True:
            place = find_byte(self.data, kind[rare], place + 1, stop)
            if place < 0:
                return False
            if start <= place - rare and place - rare + size <= stop:
                number = 0
                while number < size and self.data[place - rare + number] | 0x20 == kind[number] | 0x20:
                    number += 1
                if number == size:
                    return True
