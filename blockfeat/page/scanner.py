"""Scan bytes into the tags and texts of a repaired tree in one pass; compiled (C types stand in ``scanner.pxd``).

The tokens are HTML5's, as libxml2 2.14 reads them; `blockfeat.page.tree` decides what each tag opens and ends. On the
way goes what never holds text, and what would make a parser lose text is mended (``docs/broken-pages.md``). Linear:
every look ahead is remembered, so that no byte is looked at more than a few times.
"""

from __future__ import annotations

from array import array

import cython

from blockfeat.page import tables
from blockfeat.page.markup import grown
from blockfeat.page.tokens import WARNINGS

if not cython.compiled:
    from blockfeat.page.markup import bytes_of, find_byte
    from blockfeat.page.tokens import (
        _BANG,
        _CLASS,
        _DASH,
        _GREATER,
        _IS_LETTER,
        _IS_SPACE,
        _LD_JSON,
        _LESS,
        _MATH_TEX,
        _PLUS_AT,
        _QUESTION,
        _SCRIPT,
        _SLASH,
        _SLASH_AT,
        _SPACE,
        COMMENT_UNCLOSED,
        END_HIDDEN,
        FLATTENED,
        SCRIPT_UNCLOSED,
        STYLE_UNCLOSED,
        TAG_REMOVED,
        TITLE_REMOVED,
        Tokens,
    )
    from blockfeat.page.tree import _FLAGS, HEAD, HTML, KNOWN, NEEDS_END_TAG, NONE, RAW_TEXT, REFERENCES, VOID


_STYLE, _SVG, _NOSCRIPT, _TITLE, _SELECT, _OPTION, _OPTGROUP, _PLAINTEXT, _MATH = (
    tables.NAMES.index(name)
    for name in ("style", "svg", "noscript", "title", "select", "option", "optgroup", "plaintext", "math")
)


class Scanner(Tokens):
    """Reads one page.

    Parameters
    ----------
    data : bytes
        The page, valid UTF-8.
    keeps_raw_text : bool
        Keep scripts and styles.
    keeps_drawings : bool
        Keep svg elements without paragraphs too.
    """

    def __init__(self, data: bytes, keeps_raw_text: bool, keeps_drawings: bool) -> None:
        super().__init__(data)
        self.keeps_raw_text = keeps_raw_text
        self.keeps_drawings = keeps_drawings
        self.is_moved = self.drops_options = self.may_have_formulas = False
        self.unclosed: set[int] = set()
        self.moved_room = 16
        self.moved = array("q", bytes(16 * self.moved_room))
        self.moved_count = 0
        self.linked_data: list[tuple[int, int]] = []

    def noted(self) -> tuple[str, ...]:
        """Return what was capped or repaired."""
        unclosed = [tables.NAMES[name] for name in sorted(self.unclosed)]
        noted = [f"the tag of an unclosed {name} was removed" for name in unclosed]
        return (*noted, *(text for bit, text in WARNINGS.items() if self.warnings & bit))

    def scan(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Read a stretch of the page."""
        place: cython.Py_ssize_t = start
        less: cython.Py_ssize_t
        self.stop = stop
        while place < stop:
            less = find_byte(self.data, _LESS, place, stop)
            if less < 0:
                less = stop
            if less > place:
                self._scan_text(place, less)
            place = self._scan_markup(less) if less < stop else stop
        return 0

    def scan_moved(self) -> cython.int:
        """Read what the noscript elements hold, and end all that is open."""
        end: cython.Py_ssize_t = self.stop
        depth: cython.int = self.depth
        number: cython.int
        self.is_moved = True
        for number in range(self.moved_count):
            # Nothing that one of them leaves open reaches further.
            self.forget()
            self.scan(self.moved[2 * number], self.moved[2 * number + 1])
            self.close_to(depth, self.stop)
        self.close_to(0, end)
        if self.deepest > 512:
            self.warnings |= FLATTENED
        return 0

    def _scan_markup(self, less: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read what begins with ``<``; return the position behind it."""
        following: cython.int = self.data[less + 1] if less + 1 < self.stop else 0
        if _CLASS[following] & _IS_LETTER:
            return self._scan_start_tag(less)
        if following == _SLASH and less + 2 < self.stop:
            following = self.data[less + 2]
            if _CLASS[following] & _IS_LETTER:
                return self._scan_end_tag(less)
            return less + 3 if following == _GREATER else self._scan_declaration(less)
        if following in (_BANG, _QUESTION):
            return self._scan_declaration(less)
        self.prepare_text(less)
        self.write_text(less, less + 1, False)
        return less + 1

    def _scan_text(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Read text; outside of the body, white space in front of it implies nothing."""
        top: cython.int = self.innermost()
        solid: cython.Py_ssize_t = start
        if top in (NONE, HTML, HEAD):
            while solid < stop and _CLASS[self.data[solid]] & _IS_SPACE:
                solid += 1
            if top != NONE:
                self.write_text(start, solid, False)
            if solid == stop:
                return 0
            self.prepare_text(solid)
        return self.write_text(solid, stop, True)

    def _scan_declaration(self, less: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Skip a comment, a document type, a processing instruction or an end tag without a name."""
        end: cython.Py_ssize_t
        if (
            less + 3 < self.stop
            and self.data[less + 1] == _BANG
            and self.data[less + 2] == _DASH
            and self.data[less + 3] == _DASH
        ):
            return self._scan_comment(less + 4)
        end = find_byte(self.data, _GREATER, less, self.stop)
        if end < 0:
            self.warnings |= END_HIDDEN
            return self.stop
        return end + 1

    def _scan_comment(self, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Skip a comment up to ``-->`` or ``--!>``; ``<!-->`` and ``<!--->`` are whole."""
        end: cython.Py_ssize_t = start - 1
        dash: cython.Py_ssize_t
        while True:
            end = find_byte(self.data, _GREATER, end + 1, self.stop)
            if end < 0:
                if start < self.stop:
                    self.warnings |= COMMENT_UNCLOSED
                return self.stop
            if end == start or (end == start + 1 and self.data[start] == _DASH):
                return end + 1
            dash = end - 1
            if dash >= start and self.data[dash] == _BANG:
                dash -= 1
            if dash > start and self.data[dash] == _DASH and self.data[dash - 1] == _DASH:
                return end + 1

    def _scan_start_tag(self, less: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read a start tag with its raw text, or skip the whole of an element that is dropped."""
        name: cython.int
        place: cython.Py_ssize_t
        self._read_name(less + 1)
        name = self.name_of(self.name_key)
        if name < KNOWN:
            place = self._cut(name, less)
            if place >= 0:
                return place
        if not self.prepare_start_tag(name, less):
            return self._behind_tag(self.name_stop)
        if self.is_too_deep(name):
            place = self._behind_tag(self.name_stop)
            if not self.is_self_closing:
                self.open_unwritten(name)
            return place
        return self._open(name, less)

    def _cut(self, name: cython.int, less: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Leave out an element that holds no text or a tag that would swallow the page; return -1 where nothing goes.

        Noscript elements are moved to the end, where nothing that they leave open swallows the page.
        """
        start: cython.Py_ssize_t
        if name in (_SCRIPT, _STYLE):
            start = self._behind_tag(self.name_stop)
            if name == _SCRIPT and self._names_type(_LD_JSON, _PLUS_AT, self.name_stop, start):
                self._remember_linked_data(start)
            if self.keeps_raw_text or (
                name == _SCRIPT and self._names_type(_MATH_TEX, _SLASH_AT, self.name_stop, start)
            ):
                return -1
            return self._cut_script(name, start)
        if name in (_OPTION, _OPTGROUP) and self.drops_options:
            self._scan_dropped_option()
            return self._behind_tag(self.name_stop)
        if not _FLAGS[name] & NEEDS_END_TAG:
            return -1
        start = self._behind_tag(self.name_stop)
        if self._is_swallowing(name, start):
            return start
        if name == _SVG and not self.keeps_drawings:
            return self._cut_drawing(start)
        if name == _NOSCRIPT and not self.is_moved:
            return self._move(less, start)
        return -1

    def _scan_dropped_option(self) -> cython.int:
        """Write a space for a tag of an option: without its select, it only separates texts."""
        if self.depth > 1:
            self.put(_SPACE)
        return 0

    def _cut_script(self, name: cython.int, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Skip the content and the end tag of a script or style."""
        end: cython.Py_ssize_t = self._end_of_script(start) if name == _SCRIPT else self._find_end_tag(name, start)
        if end < 0:
            if start < self.stop:
                self.warnings |= SCRIPT_UNCLOSED if name == _SCRIPT else STYLE_UNCLOSED
            return self.stop
        return self._behind_tag(end + 2)

    def _remember_linked_data(self, start: cython.Py_ssize_t) -> cython.int:
        end: cython.Py_ssize_t = self._find_end_tag(_SCRIPT, start)
        self.linked_data.append((start, end if end >= 0 else self.stop))
        return 0

    def _cut_drawing(self, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Skip an svg that holds no paragraphs; return -1 for others."""
        end: cython.Py_ssize_t
        if self.is_self_closing:
            return start
        end = self._end_tag_of(_SVG, start)
        return -1 if self._holds_paragraph(start, end) else self._behind_tag(end + 2)

    def _move(self, less: cython.Py_ssize_t, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Leave an empty noscript and read its content later."""
        end: cython.Py_ssize_t = (
            start if self.is_self_closing else self._behind_tag(self._end_tag_of(_NOSCRIPT, start) + 2)
        )
        if self.moved_count == self.moved_room:
            self._grow_moved()
        self.moved[2 * self.moved_count] = less
        self.moved[2 * self.moved_count + 1] = end
        self.moved_count += 1
        self.prepare_start_tag(_NOSCRIPT, less)
        self.begin_element(less)
        self.write_name(less + 1, self.name_stop)
        self.end_of_start_tag(_NOSCRIPT, self.name_key, True)
        return end

    def _grow_moved(self) -> cython.int:
        self.moved_room *= 2
        self.moved = grown(self.moved, 2 * self.moved_room, "q")
        return 0

    def _is_swallowing(self, name: cython.int, start: cython.Py_ssize_t) -> cython.bint:
        """Return whether a start tag, which ends here, has no end tag; drop it then with a warning."""
        end: cython.Py_ssize_t = self._end_tag_of(name, start)
        if end < 0:
            self.drops_options = self.drops_options or name == _SELECT
            if start < self.stop:
                self._remember_unclosed(name)
            return True
        if name == _TITLE and not self.is_self_closing and self._is_swallowed(start, end):
            self.warnings |= TITLE_REMOVED
            return True
        return False

    def _remember_unclosed(self, name: cython.int) -> cython.int:
        self.unclosed.add(name)
        return 0

    def _open(self, name: cython.int, less: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write a start tag and read its attributes; return the position behind it and its raw text."""
        flags: cython.int = _FLAGS[name] if name < KNOWN else 0
        key: cython.ulonglong = self.name_key
        size: cython.Py_ssize_t
        place: cython.Py_ssize_t
        self.begin_element(less)
        size = self.size - 1
        self.write_name(less + 1, self.name_stop)
        place = self._scan_attributes(self.name_stop, True)
        if place < 0:
            self.size = size
            self.warnings |= TAG_REMOVED
            return self.stop
        self.may_have_formulas |= name in (_MATH, _SCRIPT)
        self.end_of_start_tag(name, key, self.is_self_closing or flags & VOID)
        if flags & RAW_TEXT and not self.is_self_closing:
            return self._scan_raw_text(name, place)
        return place

    def _scan_raw_text(self, name: cython.int, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write the content of an element that is text up to its end tag."""
        end: cython.Py_ssize_t = self.stop
        if name == _SCRIPT:
            end = self._end_of_script(start)
        elif name != _PLAINTEXT:
            end = self._find_end_tag(name, start)
        if end < 0:
            end = self.stop
        self.write_text(start, end, _FLAGS[name] & REFERENCES)
        return end

    def _scan_end_tag(self, less: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read an end tag and end what it reaches."""
        name: cython.int
        place: cython.Py_ssize_t
        self._read_name(less + 2)
        name = self.find_name(self.name_key)
        place = self._behind_tag(self.name_stop)
        if name in (_OPTION, _OPTGROUP) and self.drops_options:
            self._scan_dropped_option()
        else:
            self.end_element(name, less)
        return place

    def written(self) -> bytes:
        """Return the markup."""
        return bytes_of(self.out, self.size)

    def greatest_depth(self) -> int:
        """Return the depth of the deepest element as it is written."""
        return min(self.deepest, 512)


def scanned(data: bytes, *, keeps_raw_text: bool, keeps_drawings: bool) -> Scanner:
    """Return a scanner that has read a page."""
    scanner = Scanner(data, keeps_raw_text, keeps_drawings)
    stop = len(data)
    with cython.nogil:
        scanner.scan(0, stop)
        scanner.scan_moved()
    return scanner
