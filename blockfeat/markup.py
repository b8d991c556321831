"""Work on the bytes of a page before the parse: cut what never holds text, survive what stops the parser."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Cut", "cut_raw_text", "flatten", "limit_attributes", "strip_title_tags", "without_open_tag"]

# Elements that the parser reads as raw text, or that tag tables prune: unclosed, they swallow the page.
_SWALLOWING = rb"title|textarea|xmp|iframe|noembed|noframes|noscript|button|select|object|template|canvas|datalist|math"
# By first letters, so that the scan rejects most tags at one look.
_CUT = re.compile(
    rb"<(?:!--|(?:s(?:cript|tyle|vg|elect)|t(?:itle|extarea|emplate)|no(?:script|embed|frames)|button|iframe|object"
    rb"|xmp|math|canvas|datalist)(?=[\s/>])|/(?:body|html)(?=[\s/>]))",
)
_END_TAGS = {
    name: re.compile(rb"</" + name + rb"(?=[\s/>])") for name in (b"script", b"style", b"svg", *_SWALLOWING.split(b"|"))
}
_RAW_KEPT = frozenset((b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes"))
_COMMENT_END = re.compile(rb"--!?>")
_SCRIPT_TOKEN = re.compile(rb"<!--(?:-?>)?|-->|<(/?)script(?=[\s/>])")
_TEXT_IN_SVG = re.compile(rb"<(?:p|div|article|section)[\s>]")
_QUOTES = (b'="', b"='")
_LOOK_BACK = 4_000
# A tag by HTML's rules: quotes count behind "=" only. Possessive, so that every byte is looked at once.
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?+)*+)(>?)")
_ATTRIBUTE = re.compile(rb"[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+")
_OPTION_TAG = re.compile(rb"</?opt(?:ion|group)[^<>]{0,1000}>", re.I)
_TITLE_TAG = re.compile(rb"</?title[^<>]{0,300}>", re.I)
_STRIDE = 2_048
_LARGE = 200_000
_MANY_VALUES = 4_000
_VALUES_OF_AN_ELEMENT = 6
_VOID = frozenset(b"area base br col embed frame hr img input link meta param source track wbr basefont keygen".split())
_CLOSED_BY_SIBLING = frozenset(b"p li dt dd tr td th option a".split())


class Cut(NamedTuple):
    """Markup after a cut, and what was repaired on the way."""

    data: bytes
    warnings: tuple[str, ...]


def cut_raw_text(data: bytes, *, keep: bool = False) -> Cut:
    """Return UTF-8 markup without comments, scripts, styles, drawings and the end tags of body and html.

    Follows HTML's rules for raw text: what looks like markup inside a script is not. Without the end tags the
    parser reads on after ``</html>``. Start tags of other elements that would swallow the page, as they have
    no end tag, go too. Linear in the size of the page; more than half of the bytes of a page of today go.

    Parameters
    ----------
    data : bytes
        The page.
    keep : bool
        Keep comments, scripts, styles and drawings; only the single tags go.
    """
    scan = _Scan(data)
    kept: list[bytes] = []
    position = 0
    match = _CUT.search(scan.lowered)
    while match is not None:
        start, stop, is_cut = scan.extent(match, position)
        if is_cut and not (keep and scan.is_content):
            kept.append(data[position:start])
            position = stop
        match = _CUT.search(scan.lowered, stop)
    kept.append(data[position:])
    if len(kept) > 1:
        data = b"".join(kept)
    if scan.has_open_select:
        data = _OPTION_TAG.sub(b" ", data)
    return Cut(data, tuple(scan.warnings))


class _Scan:
    """Where the pieces of one page end that may be cut; remembers end tags, so that it stays linear."""

    def __init__(self, data: bytes) -> None:
        self.lowered = data.lower()
        self.warnings: dict[str, None] = {}
        self.is_content = False
        self.has_open_select = False
        self._is_unescapable = False
        self._known: dict[re.Pattern[bytes], int] = {}

    def extent(self, match: re.Match[bytes], position: int) -> tuple[int, int, bool]:
        """Start and end of what begins here, and whether it goes; with False, the scan goes on at its end."""
        opened, start = match.group(), match.start()
        if opened == b"<!--":
            stop = self.lowered.find(b"-->", match.end())
            if stop > 0 and self.lowered[match.end()] not in b">-" and not self._holds_quote(start, stop):
                self.is_content = True
                return start, self._end_of_comment(match.end()), True
        inside = self._end_of_tag_around(start, position)
        if inside > start:
            return start, inside, False
        self.is_content = not opened.startswith(b"</")
        if opened == b"<!--":
            return start, self._end_of_comment(match.end()), True
        if not self.is_content:
            return start, self._behind_tag(match.end()), True
        name = opened[1:]
        end_tag = self._end_of_script(match.end()) if name == b"script" else self._next(_END_TAGS[name], match.end())
        if end_tag < 0:
            return start, self._unclosed(name, match.end()), True
        if name in (b"script", b"style"):
            return start, self._behind_tag(end_tag), True
        if name == b"svg":
            return start, *self._end_of_drawing(match.end(), end_tag)
        return start, end_tag if name in _RAW_KEPT else match.end(), False

    def _holds_quote(self, start: int, stop: int) -> bool:
        """Tell whether a stretch holds a quote; one without cannot reach over the end of an attribute value."""
        return self.lowered.find(b'"', start, stop) >= 0 or self.lowered.find(b"'", start, stop) >= 0

    def _next(self, pattern: re.Pattern[bytes], start: int) -> int:
        """Position of the next match, -1 for none; a page's end is searched for only once."""
        known = self._known.get(pattern, 0)
        if 0 <= known < start:
            found = pattern.search(self.lowered, start)
            known = self._known[pattern] = found.start() if found else -1
        return known

    def _unclosed(self, name: bytes, opened_end: int) -> int:
        """End of the cut for an element without an end tag: scripts go to the end, of others the tag goes."""
        if name in (b"script", b"style"):
            self._warn(f"an unclosed {name.decode()} hides the rest of the page", opened_end)
            return len(self.lowered)
        self.is_content = False
        self.has_open_select = self.has_open_select or name == b"select"
        self._warn(f"the tag of an unclosed {name.decode()} was removed", opened_end)
        return self._behind_tag(opened_end)

    def _warn(self, warning: str, start: int) -> None:
        if start < len(self.lowered):
            self.warnings[warning] = None

    def _end_of_drawing(self, opened_end: int, end_tag: int) -> tuple[int, bool]:
        """End of an svg: all of it goes, but where it holds paragraphs nothing does."""
        text = self._next(_TEXT_IN_SVG, opened_end)
        if 0 <= text < end_tag:
            return opened_end, False
        return self._behind_tag(end_tag), True

    def _end_of_comment(self, opened_end: int) -> int:
        """Position behind a comment; ``<!-->`` and ``<!--->`` are whole, an unclosed one runs to the end."""
        for short in (b">", b"->"):
            if self.lowered.startswith(short, opened_end):
                return opened_end + len(short)
        found = _COMMENT_END.search(self.lowered, opened_end)
        if found is None:
            self._warn("an unclosed comment hides the rest of the page", opened_end)
        return found.end() if found else len(self.lowered)

    def _end_of_script(self, opened_end: int) -> int:
        """Position of a script's end tag; one inside ``<!-- <script>`` is not, unless there is no other."""
        first = self._next(_END_TAGS[b"script"], opened_end)
        if self.lowered.find(b"<!--", opened_end, max(first, opened_end)) < 0:
            return first
        if self._is_unescapable:
            return first
        escaped = doubled = False
        for token in _SCRIPT_TOKEN.finditer(self.lowered, opened_end):
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
        found = self.lowered.find(b">", start)
        return found + 1 if found >= 0 else len(self.lowered)

    def _end_of_tag_around(self, start: int, position: int) -> int:
        """End of the tag in whose attribute value this position stands; -1 if it stands in none."""
        low = max(position, start - _LOOK_BACK)
        for quote in _QUOTES:
            opened = self.lowered.rfind(quote, low, start)
            if opened < 0 or self.lowered.find(quote[1:], opened + 2, start) >= 0:
                continue
            tag = _TAG.match(self.lowered, max(self.lowered.rfind(b"<", low, opened), 0))
            if tag and tag.group(4) and tag.end() > start:
                return tag.end()
        return -1


def strip_title_tags(data: bytes) -> bytes:
    """Remove all title tags: for pages whose unclosed title swallowed the body."""
    return _TITLE_TAG.sub(b" ", data)


def limit_attributes(data: bytes, most: int = 500) -> Cut:
    """Drop the attributes of a tag beyond so many: libxml2 takes quadratic time over them.

    Looks closely only at tags of some thousand bytes, and at large pages with many more attribute values (which
    may hold ``>``) than elements.
    """
    values = data.count(b"=") if len(data) > _LARGE else 0
    is_dense = values > _MANY_VALUES and values > _VALUES_OF_AN_ELEMENT * data.count(b"</")
    kept: list[bytes] = []
    position = 0
    for tag in _TAG.finditer(data) if is_dense else _long_tags(data):
        start, end = tag.span(3)
        if end - start > 2 * most:
            stop = _end_of_attributes(data, start, end, most)
            if stop < end:
                kept.append(data[position:stop])
                position = end
    if not kept:
        return Cut(data, ())
    kept.append(data[position:])
    return Cut(b"".join(kept), (f"attributes beyond {most} on one element were dropped",))


def _long_tags(data: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the tags that reach over a stretch of 2,048 bytes without ``>``; hardly looks at other bytes."""
    place = 0
    while place < len(data):
        if data.find(b">", place, place + _STRIDE) >= 0:
            place += _STRIDE
            continue
        opened = data.rfind(b"<", max(0, place - _STRIDE), place + 1)
        tag = _TAG.match(data, opened) if opened >= 0 else None
        if tag and tag.end() > place:
            yield tag
            place = tag.end()
        else:
            closed = data.find(b">", place)
            place = closed if closed >= 0 else len(data)


def _end_of_attributes(data: bytes, start: int, end: int, most: int) -> int:
    """Position behind so many attributes, or ``end`` if there are fewer."""
    for number, attribute in enumerate(_ATTRIBUTE.finditer(data, start, end), 1):
        if number == most:
            return attribute.end()
    return end


def without_open_tag(data: bytes) -> bytes:
    """Remove the tag at the end whose attribute value is never closed, so that the text behind it stays."""
    last = next(iter(deque(_TAG.finditer(data), maxlen=1)), None)
    if last is None or last.group(4):
        return data
    stop = data.find(b">", last.start())
    return data[: last.start()] + (data[stop + 1 :] if stop >= 0 else b"")


def flatten(data: bytes, depth: int = 512) -> bytes:
    """Drop the tags of elements that are nested deeper than ``depth``; their text stays.

    libxml2 stops reading at 2,048 levels without an error. One pass over the tags, amortised linear.
    """
    opened: list[bytes] = []
    count: Counter[bytes] = Counter()
    dropped: Counter[bytes] = Counter()
    kept: list[bytes] = []
    position = 0
    for match in _TAG.finditer(data):
        name = match.group(2).lower()
        if name in _VOID or not match.group(4):
            continue
        if opened and opened[-1] == name and name in _CLOSED_BY_SIBLING and not match.group(1):
            continue
        if match.group(1):
            drop = _close(name, opened, count, dropped)
        else:
            drop = len(opened) >= depth
            if drop:
                dropped[name] += 1
            else:
                opened.append(name)
                count[name] += 1
        if drop:
            kept.append(data[position : match.start()])
            kept.append(b" ")
            position = match.end()
    kept.append(data[position:])
    return b"".join(kept)


def _close(name: bytes, opened: list[bytes], count: Counter[bytes], dropped: Counter[bytes]) -> bool:
    """Take an end tag: True if it belongs to a dropped start tag or to none."""
    if dropped[name] > 0:
        dropped[name] -= 1
        return True
    if count[name] == 0:
        return True
    while opened:
        last = opened.pop()
        count[last] -= 1
        if last == name:
            break
    return False
