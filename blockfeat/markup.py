"""Work on the bytes of a page before the parse: cut what never holds text, survive what stops the parser."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["cut_raw_text", "flatten", "strip_title_tags"]

_CUT = re.compile(rb"<(?:!--|(?:script|style|svg|title|textarea|xmp)(?=[\s/>])|/(?:body|html)(?=[\s/>]))")
_KEPT_RAW = (b"<title", b"<textarea", b"<xmp")
_COMMENT_END = re.compile(rb"--!?>")
_TEXT_IN_SVG = re.compile(rb"<(?:p|div|article|section)[\s>]")
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]{0,60})[^<>]{0,5000}>")
_TITLE_TAG = re.compile(rb"</?title[^<>]{0,300}>", re.I)
_VOID = frozenset(b"area base br col embed frame hr img input link meta param source track wbr basefont keygen".split())


def cut_raw_text(data: bytes) -> bytes:
    """Return UTF-8 markup without comments, scripts, styles, drawings and the end tags of body and html.

    Follows HTML's rules for raw text: what looks like markup inside a script is not. An svg without an end
    tag, or one that holds paragraphs, stays. Without the end tags the parser reads on after ``</html>``.
    Linear in the size of the page; more than half of the bytes of a page of today go.
    """
    lowered = data.lower()
    kept: list[bytes] = []
    position = 0
    match = _CUT.search(lowered)
    while match is not None:
        start, opened = match.start(), match.group()
        stop = _end_of_cut(lowered, opened, start, match.end())
        if opened in _KEPT_RAW or stop < 0:
            match = _CUT.search(lowered, max(stop, match.end()))
            continue
        kept.append(data[position:start])
        position = stop
        match = _CUT.search(lowered, position)
    if not kept:
        return data
    kept.append(data[position:])
    return b"".join(kept)


def _end_of_cut(lowered: bytes, opened: bytes, start: int, opened_end: int) -> int:
    """Position behind the element that starts here; -1 for an svg or raw text that has to stay."""
    if opened == b"<!--":
        return _end_of_comment(lowered, opened_end)
    if opened.startswith(b"</"):
        return _behind(lowered, b">", opened_end)
    name = opened[1:]
    end_tag = lowered.find(b"</" + name, opened_end)
    if end_tag < 0:
        return len(lowered) if name in (b"script", b"style") else -1
    if name == b"svg" and _TEXT_IN_SVG.search(lowered, start, end_tag):
        return -1
    return _behind(lowered, b">", end_tag)


def _end_of_comment(lowered: bytes, opened_end: int) -> int:
    """Position behind a comment; ``<!-->`` and ``<!--->`` are whole, an unclosed one runs to the end."""
    for short in (b">", b"->"):
        if lowered.startswith(short, opened_end):
            return opened_end + len(short)
    found = _COMMENT_END.search(lowered, opened_end)
    return found.end() if found else len(lowered)


def _behind(data: bytes, mark: bytes, start: int) -> int:
    found = data.find(mark, start)
    return found + len(mark) if found >= 0 else len(data)


def strip_title_tags(data: bytes) -> bytes:
    """Remove all title tags: for pages whose unclosed title swallowed the body."""
    return _TITLE_TAG.sub(b" ", data)


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
        if name in _VOID:
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
