r"""The text between two tags as code points: UTF-8, references, white space; compiled (C types in ``text_reader.pxd``).

White space is folded to one character, which says where it comes from: "\n" for an element that breaks the line or
ends a block, "\r" for a line end of the source, a blank for all else.
"""

from __future__ import annotations

import re

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import ALPHANUMERIC, MARK, SPACE, UNSPACED, character_classes

if not cython.compiled:

    def text_of(codes: memoryview, size: int) -> str:
        """Return the text of some code points."""
        return str(codes[:size], "utf-32-le", "surrogatepass")

    def find_not_plain_text(source: bytes, place: int, stop: int) -> int:
        """Return where plain text from a character on that is no blank ends."""
        found = re.compile(rb"[^ -\x7f]|&|(?<= ) ").search(source, place, stop)
        return found.start() if found else stop

    def copy_plain_text(text: NDArray[np.uint32], at: int, source: bytes, start: int, stop: int) -> int:
        """Write bytes as code points; return how many of them are blanks."""
        text[at : at + stop - start] = np.frombuffer(source[start:stop], dtype=np.uint8)
        return source.count(b" ", start, stop)


_IS_SPACE = SPACE
_IS_WORD = ALPHANUMERIC | MARK
_IS_UNSPACED = UNSPACED
_NEW_LINE, _RETURN, _BLANK, _AMPERSAND = (ord(character) for character in "\n\r &")
_FIRST_NOT_ASCII = 0x80
_SOFT_HYPHEN = 0xAD
_REPLACEMENT = 0xFFFD


class TextReader:
    """Reads texts one behind the other. Positions are characters of the page's text, except where they are named bytes.

    Attributes
    ----------
    characters : int
        Characters written so far.
    solid : int
        Those other than white space.
    stretch_text : int
        Position of the first of them since it was set to -1.
    follows_white : bool
        Whether the last one written is white space, so that no more is written.
    is_border : bool
        Whether a blank is written next if the words on both sides would be joined.
    has_marks : bool
        Whether marks without width were read: of direction, joiners, breaks.
    """

    def __init__(self, source: bytes) -> None:
        """Set up a reader of some markup; the caller keeps the bytes alive."""
        self.source = source
        self.size = len(source)
        self.class_of = character_classes() if cython.compiled else character_classes().data
        if not cython.compiled:
            self.text = np.empty(0, dtype=np.uint32)
        self.characters = self.solid = 0
        self.stretch_text = -1
        self.follows_white = self.is_border = self.has_marks = False

    def string(self) -> str:
        """Return the text."""
        return text_of(self.text, self.characters)  # type: ignore[arg-type]

    def classes(self) -> NDArray[np.uint8]:
        """Return the class bits of the text."""
        found = np.empty(self.characters, dtype=np.uint8)
        classes: cython.uchar[::1] = found if cython.compiled else found.data
        place: cython.Py_ssize_t
        with cython.nogil:
            for place in range(self.characters):
                classes[place] = self.class_of[self.text[place]]
        return found

    def write_space(self, character: cython.uint) -> cython.int:
        """Write a white space character that no text stands for."""
        self.text[self.characters] = character
        self.characters += 1
        self.follows_white = True
        return 0

    def read_text(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """Write the text between two tags: references decoded, white space folded, no soft hyphens."""
        while byte < end:
            if self.source[byte] <= _BLANK:
                byte = self._fold_white(byte, end)
                continue
            self.follows_white = False
            if self.source[byte] >= _FIRST_NOT_ASCII:
                byte = self._copy_letters(self._read_sequence(byte, end), end)
            elif self.source[byte] == _AMPERSAND:
                byte = self._read_reference(byte, end)
            else:
                byte = self._copy_plain(byte, end)
        return 0

    def _fold_white(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write one character for some white space unless there is one already; a line end counts more than blanks."""
        has_line_end: cython.bint = False
        while byte < end and self.source[byte] <= _BLANK:
            has_line_end = has_line_end or self.source[byte] == _NEW_LINE
            byte += 1
        if not self.follows_white:
            self.write_space(_RETURN if has_line_end else _BLANK)
        elif has_line_end and self.text[self.characters - 1] == _BLANK:
            self.text[self.characters - 1] = _RETURN
        return byte

    def _copy_plain(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write ASCII characters and single blanks between them, as they stand; return the byte behind them.

        Most of a page's text: this loop decides how fast pages are cut.
        """
        behind: cython.Py_ssize_t = find_not_plain_text(self.source, byte, end)
        if self.is_border:
            self._part_words(self.source[byte])
        self._note_solid(behind - byte - copy_plain_text(self.text, self.characters, self.source, byte, behind))
        self.characters += cython.cast(cython.int, behind - byte)
        self.follows_white = self.source[behind - 1] == _BLANK
        return behind

    def _copy_letters(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write letters beyond ASCII of two bytes, and ideographs, behind another; return the byte behind them.

        No white space is among them, and no mark without width.
        """
        place: cython.Py_ssize_t = self.characters
        lead: cython.uint
        while not self.is_border and byte + 2 < end and self.source[byte + 1] & 0xC0 == 0x80:
            lead = self.source[byte]
            if 0xC3 <= lead < 0xE0 and lead != 0xD8:
                self.text[place] = (lead & 0x1F) << 6 | self.source[byte + 1] & 0x3F
                byte += 2
            elif 0xE4 <= lead < 0xEA and self.source[byte + 2] & 0xC0 == 0x80:
                self.text[place] = (
                    (lead & 0x0F) << 12 | (self.source[byte + 1] & 0x3F) << 6 | self.source[byte + 2] & 0x3F
                )
                byte += 3
            else:
                break
            place += 1
        if place > self.characters:
            self._note_solid(place - self.characters)
            self.characters = cython.cast(cython.int, place)
        return byte

    def _part_words(self, following: cython.uint) -> cython.int:
        """Write a blank at a border if a word stands on both sides, of scripts that put spaces between words."""
        before: cython.uchar = self.class_of[self.text[self.characters - 1]] if self.characters else 0
        own: cython.uchar = self.class_of[following]
        self.is_border = False
        if before & own & _IS_WORD and not (before | own) & _IS_UNSPACED:
            self.text[self.characters] = _BLANK
            self.characters += 1
        return 0

    def _write(self, character: cython.uint) -> cython.int:
        """Write a character of the text."""
        if self.is_border:
            self._part_words(character)
        if not self.class_of[character] & _IS_SPACE:
            self._note_solid(1)
        self.text[self.characters] = character
        self.characters += 1
        return 0

    def _note_solid(self, count: cython.Py_ssize_t) -> cython.int:
        """Note that characters other than white space will be written."""
        self.solid += cython.cast(cython.int, count)
        if self.stretch_text < 0:
            self.stretch_text = self.characters
        return 0

    def _read_reference(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write the character of a reference; only these stand in well-formed markup. Return the byte behind it."""
        if self._stands_at(byte, end, b"&amp;", 5):
            self._write(_AMPERSAND)
            return byte + 5
        if self._stands_at(byte, end, b"&lt;", 4):
            self._write(0x3C)
            return byte + 4
        if self._stands_at(byte, end, b"&gt;", 4):
            self._write(0x3E)
            return byte + 4
        if self._stands_at(byte, end, b"&quot;", 6):
            self._write(0x22)
            return byte + 6
        if self._stands_at(byte, end, b"&#13;", 5):
            self._write(_BLANK)
            return byte + 5
        # Stands for a control character that XML does not allow.
        if self._stands_at(byte, end, b"&#xFFFD;", 8):
            self._write(_BLANK)
            return byte + 8
        self._write(_AMPERSAND)
        return byte + 1

    def _stands_at(
        self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t, wanted: cython.p_const_uchar, length: cython.Py_ssize_t
    ) -> cython.bint:
        """Return whether some bytes stand here."""
        place: cython.Py_ssize_t = 0
        if byte + length > end:
            return False
        while place < length and self.source[byte + place] == wanted[place]:
            place += 1
        return place == length

    def _read_sequence(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write a character of two to four bytes in UTF-8 unless it is a soft hyphen; return the byte behind it."""
        lead: cython.uint = self.source[byte]
        character: cython.uint
        behind: cython.Py_ssize_t
        if lead < 0xE0:
            character, behind = lead & 0x1F, byte + 2
        elif lead < 0xF0:
            character, behind = lead & 0x0F, byte + 3
        else:
            character, behind = lead & 0x07, byte + 4
        byte += 1
        while byte < behind:
            if byte == end or self.source[byte] & 0xC0 != 0x80:
                # Cut short: not UTF-8.
                self._write(_REPLACEMENT)
                return byte
            character = character << 6 | self.source[byte] & 0x3F
            byte += 1
        if character > 0x10FFFF:
            character = _REPLACEMENT
        if character != _SOFT_HYPHEN:
            self.has_marks = self.has_marks or _is_mark(character)
            self._write(character)
        return behind


def _is_mark(character: cython.uint) -> cython.bint:
    """Return whether a character may be one of `blockfeat.content.links` that output leaves out."""
    return (
        0x200B <= character <= 0x200F
        or 0x202A <= character <= 0x202E
        or 0x2060 <= character <= 0x206F
        or character == 0xFEFF
        or character == 0x061C
        or character == 0x180E
    )
