"""Cut what never holds text out of the bytes of a page: comments, scripts, styles, drawings."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

import numpy as np

__all__ = ["TAG", "Cut", "cut_raw_text"]

# A tag by HTML's rules: quotes count behind "=" only. Possessive, so that every byte is looked at once.
TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?+)*+)(>?)")
# Elements that the parser reads as raw text, or that tag tables prune: unclosed, they swallow the page.
_SWALLOWING = (
    rb"title|textarea|xmp|iframe|noembed|noframes|noscript|button|select|object|template|canvas"
    rb"|datalist|math|del|applet"
)
_NAMES = rb"(script|style|svg|body|html|" + _SWALLOWING + rb")(?=[\s/>])"
_TOKEN = re.compile(rb"<(?:(!--)|/" + _NAMES + rb"|" + _NAMES + rb")", re.IGNORECASE)
_COMMENT, _END_TAG = 1, 2
_WRAPPERS = (b"body", b"html")
_CUT_WHOLE = (b"script", b"style")
_RAW_KEPT = frozenset((b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes"))
_COMMENT_END = re.compile(rb"--!?>")
_SCRIPT_TOKEN = re.compile(rb"<!--(?:-?>)?|-->|<(/?)script(?=[\s/>])", re.IGNORECASE)
_TEXT_IN_SVG = re.compile(rb"<(?:p|div|article|section)[\s>]", re.IGNORECASE)
_OPTION_TAG = re.compile(rb"</?opt(?:ion|group)[^<>]{0,1000}>", re.IGNORECASE)
_LOOK_BACK = 4_000
_EMPTY_NOSCRIPT = b"<noscript></noscript>"
_LESS, _EQUALS = b"<="
_QUOTES = (b'"', b"'")
# The three bytes behind "<" of all tokens, hashed: rejects nearly all other tags at once.
_BEGINNINGS = (
    b"!-- scr sty svg tit tex xmp ifr noe nof nos but sel obj tem can dat mat /sc /st /sv /ti /te /xm /if /no /bu /se "
    b"/ob /ca /da /ma /bo /ht del app /de /ap"
).split()
_LOWER, _HASH, _SHIFT = np.uint32(0x20202000), np.uint32(0x9E3779B1), np.uint32(20)


def _likely_beginnings() -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    table = np.zeros(1 << (32 - int(_SHIFT)), dtype=np.bool_)
    words = np.array([int.from_bytes(b"\0" + three, "little") for three in _BEGINNINGS], dtype=np.uint32)
    table[((words | _LOWER) * _HASH) >> _SHIFT] = True
    return table


_IS_LIKELY = _likely_beginnings()


class Cut(NamedTuple):
    """Markup after a cut, and what was repaired on the way."""

    data: bytes
    warnings: tuple[str, ...]


def cut_raw_text(data: bytes, *, keep: bool = False) -> Cut:
    """Return UTF-8 markup without comments, scripts, styles, drawings and the end tags of body and html.

    Follows HTML's rules for raw text: what looks like markup inside a script is not. Without the end tags the
    parser reads on after ``</html>``. Start tags of other elements that would swallow the page, as they have
    no end tag, go too; what noscript elements hold moves to the end. Linear in the size of the page; more than
    half of the bytes of a page of today go.

    Parameters
    ----------
    data : bytes
        The page.
    keep : bool
        Keep comments, scripts, styles and drawings; only the single tags go.
    """
    scan = _Scan(data)
    find, rfind = data.find, data.rfind
    kept: list[bytes] = []
    position = resume = 0
    for start, opened_end, name in scan.tokens():
        if start < resume:
            continue
        # The usual cases in line, as a page has a hundred of them: not inside an attribute value, and closed.
        # The last quote before a place opens a value if it stands behind "=".
        low = max(position, start - _LOOK_BACK)
        double, single = rfind(b'"', low, start), rfind(b"'", low, start)
        is_quoted = (double > low and data[double - 1] == _EQUALS) or (single > low and data[single - 1] == _EQUALS)
        resume = 0
        if not is_quoted:
            if name == b"script" or name == b"style":
                end = scan.end_of_raw_text(name, opened_end)
                resume = find(b">", end) + 1 if end >= 0 else 0
            elif name == b"!--" and data[opened_end : opened_end + 1] not in b">-":
                end = scan.end_of_plain_comment(opened_end)
                resume = end + 3 if end >= 0 and find(b"--!>", opened_end, end) < 0 else 0
        if resume:
            is_cut = not keep
        else:
            resume, is_cut, is_content = scan.extent(start, opened_end, name, low if is_quoted else None)
            is_cut = is_cut and not (keep and is_content)
        if is_cut:
            kept.append(data[position:start])
            if scan.moved_from == start:
                kept.append(_EMPTY_NOSCRIPT)
            position = resume
    if position:
        data = b"".join((*kept, data[position:], *scan.moved))
    if scan.has_open_select:
        data = _OPTION_TAG.sub(b" ", data)
    return Cut(data, tuple(scan.warnings))


class _Scan:
    """Where the pieces of one page end that may be cut; every look ahead is remembered, so that it stays linear."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.warnings: dict[str, None] = {}
        self.has_open_select = False
        self.moved: list[bytes] = []
        self.moved_from = -1
        self._is_unescapable = False
        self._next_text = 0
        self._comment_end = 0
        self._ends: dict[bytes, list[int]] = {}
        self._comments: list[int] = []

    def tokens(self) -> list[tuple[int, int, bytes]]:
        """Return where comments (named ``!--``) and the tags that matter begin, the position behind the name, the name.

        End tags go into a list of their own, but for those of body and html, which are named ``/``.
        """
        data = self.data
        codes = np.frombuffer(data, dtype=np.uint8)
        places = (codes == _LESS).nonzero()[0]
        places = places[: places.searchsorted(len(data) - 3)]
        if not places.size:
            return []
        words = np.ndarray((len(data) - 3,), dtype="<u4", buffer=data, strides=(1,))[places]
        # Without "<" itself: its byte is blanked out of the number.
        hashed = (((words & ~np.uint32(0xFF)) | _LOWER) * _HASH) >> _SHIFT
        found = []
        match = _TOKEN.match
        for place in places[_IS_LIKELY[hashed]].tolist():
            token = match(data, place)
            if token is None:
                continue
            kind = token.lastindex or 0
            name = token[kind].lower()
            if kind == _COMMENT:
                self._comments.append(place)
            elif kind == _END_TAG:
                if name not in _WRAPPERS:
                    self._ends.setdefault(name, []).append(place)
                    continue
                name = b"/"
            found.append((place, token.end(), name))
        return found

    def extent(self, start: int, opened_end: int, name: bytes, quoted_from: int | None) -> tuple[int, bool, bool]:
        """Return where the scan goes on, whether all up to there goes, and whether that is content.

        ``quoted_from`` is how far back an attribute value may begin that the token stands in, if it may stand in one.
        """
        # A comment that holds no quote cannot reach over the end of an attribute value.
        if quoted_from is not None and (
            name != b"!--" or self._holds_quote(start, self.end_of_plain_comment(opened_end))
        ):
            inside = self._end_of_tag_around(start, quoted_from)
            if inside > start:
                return inside, False, False
        if name == b"!--":
            return self._end_of_comment(opened_end), True, True
        if name == b"/":
            return self._behind_tag(opened_end), True, False
        if name in _WRAPPERS:
            return opened_end, False, False
        end_tag = self.end_of_raw_text(name, opened_end)
        if end_tag < 0:
            return self._unclosed(name, opened_end), True, name in _CUT_WHOLE
        if name in _CUT_WHOLE:
            return self._behind_tag(end_tag), True, True
        if name == b"noscript":
            # A browser reads it as raw text: what it leaves open must not swallow what follows.
            stop = self._behind_tag(end_tag)
            self.moved.append(self.data[start:stop])
            self.moved_from = start
            return stop, True, False
        if name == b"svg":
            return self._end_of_drawing(opened_end, end_tag)
        return (end_tag if name in _RAW_KEPT else opened_end), False, False

    def end_of_plain_comment(self, opened_end: int) -> int:
        """Position of the next ``-->``, -1 for none."""
        if 0 <= self._comment_end < opened_end:
            self._comment_end = self.data.find(b"-->", opened_end)
        return self._comment_end

    def _holds_quote(self, start: int, stop: int) -> bool:
        return stop < 0 or self.data.find(b'"', start, stop) >= 0 or self.data.find(b"'", start, stop) >= 0

    def _end_tag(self, name: bytes, start: int) -> int:
        """Position of the next end tag of a name, -1 for none."""
        ends = self._ends.get(name, ())
        place = bisect_left(ends, start)
        return ends[place] if place < len(ends) else -1

    def _unclosed(self, name: bytes, opened_end: int) -> int:
        """End of the cut for an element without an end tag: scripts go to the end, of others the tag goes."""
        if name in _CUT_WHOLE:
            self._warn(f"an unclosed {name.decode()} hides the rest of the page", opened_end)
            return len(self.data)
        self.has_open_select = self.has_open_select or name == b"select"
        self._warn(f"the tag of an unclosed {name.decode()} was removed", opened_end)
        return self._behind_tag(opened_end)

    def _warn(self, warning: str, start: int) -> None:
        if start < len(self.data):
            self.warnings[warning] = None

    def _end_of_drawing(self, opened_end: int, end_tag: int) -> tuple[int, bool, bool]:
        """End of an svg: all of it goes, but where it holds paragraphs nothing does."""
        if 0 <= self._next_text < opened_end:
            found = _TEXT_IN_SVG.search(self.data, opened_end)
            self._next_text = found.start() if found else -1
        if 0 <= self._next_text < end_tag:
            return opened_end, False, False
        return self._behind_tag(end_tag), True, True

    def _end_of_comment(self, opened_end: int) -> int:
        """Position behind a comment; ``<!-->`` and ``<!--->`` are whole, an unclosed one runs to the end."""
        for short in (b">", b"->"):
            if self.data.startswith(short, opened_end):
                return opened_end + len(short)
        found = _COMMENT_END.search(self.data, opened_end)
        if found is None:
            self._warn("an unclosed comment hides the rest of the page", opened_end)
        return found.end() if found else len(self.data)

    def end_of_raw_text(self, name: bytes, opened_end: int) -> int:
        """Position of the end tag; one inside ``<!-- <script>`` of a script is not, unless there is no other."""
        first = self._end_tag(name, opened_end)
        if name != b"script" or not self._comments:
            return first
        comment = bisect_left(self._comments, opened_end)
        has_comment = comment < len(self._comments) and self._comments[comment] < first
        if self._is_unescapable or not has_comment:
            return first
        escaped = doubled = False
        for token in _SCRIPT_TOKEN.finditer(self.data, opened_end):
            text = token.group()
            if text.startswith(b"<!--"):
                escaped = escaped or text == b"<!--"
            elif text == b"-->":
                escaped = doubled = False
            elif not token.group(1):
                doubled = escaped
            elif not doubled:
                return token.start()
            else:
                doubled = False
        self._is_unescapable = True
        self._warn("a script whose comment is never closed was ended at its first end tag", opened_end)
        return first

    def _behind_tag(self, start: int) -> int:
        found = self.data.find(b">", start)
        return found + 1 if found >= 0 else len(self.data)

    def _end_of_tag_around(self, start: int, low: int) -> int:
        """End of the tag in whose attribute value this position stands; -1 if it stands in none."""
        data = self.data
        for quote in _QUOTES:
            opened = data.rfind(quote, low, start) - 1
            if opened < low or data[opened] != _EQUALS:
                continue
            tag = TAG.match(data, max(data.rfind(b"<", low, opened), 0))
            if tag and tag.group(4) and tag.end() > start:
                return tag.end()
        return -1
