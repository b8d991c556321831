"""Repair the bytes of a page before the parse: survive what stops the parser or takes it quadratic time."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator

from blockfeat.page.raw_text import TAG, Cut

__all__ = ["flatten", "limit_attributes", "strip_title_tags", "without_open_tag"]

_ATTRIBUTE = re.compile(rb"[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+")
_TITLE_TAG = re.compile(rb"</?title[^<>]{0,300}>", re.I)
_STRIDE = 2_048
_LARGE = 200_000
_MANY_VALUES = 4_000
_VALUES_OF_AN_ELEMENT = 6
_VOID = frozenset(b"area base br col embed frame hr img input link meta param source track wbr basefont keygen".split())
# Elements that tag tables prune unless they hold a paragraph, which flattening might take out of them.
_PRUNED = frozenset(b"applet button canvas datalist del iframe math noscript object select svg template".split())
_CLOSED_BY_SIBLING = frozenset(b"p li dt dd tr td th option a".split())


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
    for tag in TAG.finditer(data) if is_dense else _long_tags(data):
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
        tag = TAG.match(data, opened) if opened >= 0 else None
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
    last = next(iter(deque(TAG.finditer(data), maxlen=1)), None)
    if last is None or last.group(4):
        return data
    stop = data.find(b">", last.start())
    return data[: last.start()] + (data[stop + 1 :] if stop >= 0 else b"")


def flatten(data: bytes, depth: int = 512) -> bytes:
    """Drop the tags of elements nested deeper than ``depth``, and of all that are often pruned; their text stays.

    libxml2 stops reading at 2,048 levels without an error. One pass over the tags, amortised linear.
    """
    opened: list[bytes] = []
    count: Counter[bytes] = Counter()
    dropped: Counter[bytes] = Counter()
    kept: list[bytes] = []
    position = 0
    for match in TAG.finditer(data):
        name = match.group(2).lower()
        if name in _VOID or not match.group(4):
            continue
        if name in _PRUNED:
            kept += (data[position : match.start()], b" ")
            position = match.end()
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
