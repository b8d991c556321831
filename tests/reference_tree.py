"""Trees as lists of events, by lxml and by the scanner, without what both leave out: to compare one with the other."""

import re
from collections.abc import Iterator

from lxml import etree

from blockfeat.page.tags import Tags

__all__ = ["events_of_lxml", "events_of_tags"]

Event = tuple[str, ...]

# Left out by one or by both: raw text, drawings, and noscript, which the scanner moves to the end and the reference
# loses before the parse, also inside of iframe and noframes.
_LEFT_OUT = frozenset(("iframe", "noframes", "noscript", "script", "style", "svg"))
_COMPARED = ("class", "href", "id")
# The scanner goes on behind these ends; noscript is cut out before lxml sees what it leaves open.
_END_OF_PAGE = re.compile(rb"</(?:body|html)(?=[\s/>])[^>]*>?", re.IGNORECASE)
_NOSCRIPT = re.compile(rb"<noscript(?=[\s/>]).*?</noscript(?=[\s/>])[^>]*>?", re.IGNORECASE | re.DOTALL)


def events_of_lxml(data: bytes) -> list[Event]:
    """Return the start tags with some attributes, the end tags and the words of the tree that lxml makes of a page."""
    data = _NOSCRIPT.sub(b"", _END_OF_PAGE.sub(b"", data))
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(data, parser) if data.strip() else None
    return _folded(_walked(root)) if root is not None else []


def events_of_tags(tags: Tags) -> list[Event]:
    """Return the same of the tags of a scanner."""
    return _folded(_read(tags))


def _walked(root: etree._Element) -> Iterator[Event]:
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            yield ("<", _name(element.tag), *(element.get(name) or "" for name in _COMPARED))
            yield ("", element.text or "")
        else:
            yield ("</", _name(element.tag))
            yield ("", element.tail or "")


def _read(tags: Tags) -> Iterator[Event]:
    element_of = {tag: element for element, tag in enumerate(tags.opened.tolist())}
    ended = {tag: element for element, tag in enumerate(tags.closed.tolist())}
    stops = tags.stop.tolist()
    for tag, start in enumerate(tags.start.tolist()):
        if tag:
            yield ("", _unescaped(tags.source[stops[tag - 1] : start]))
        if tag in element_of:
            attributes = tags.attributes(element_of[tag])
            yield ("<", tags.name(element_of[tag]), *(attributes.get(name, "") for name in _COMPARED))
        if tag in ended:
            yield ("</", tags.name(ended[tag]))


def _unescaped(text: bytes) -> str:
    return text.replace(b"&lt;", b"<").replace(b"&gt;", b">").replace(b"&amp;", b"&").decode()


def _name(name: str) -> str:
    """Return a name as the scanner writes it."""
    return re.sub("[\"&'<=]", "_", name)


def _folded(events: Iterator[Event]) -> list[Event]:
    """Leave out what is left out, join neighbouring texts, fold white space and control characters."""
    folded: list[Event] = []
    texts: list[str] = []
    inside = 0
    for event in events:
        if event[0] == "":
            if not inside:
                texts.append(event[1])
            continue
        if event[1] in _LEFT_OUT:
            inside += 1 if event[0] == "<" else -1
            continue
        if inside:
            continue
        text = " ".join(re.sub("[\x00-\x20\x7f\ufffd]+", " ", "".join(texts)).split(" ")).strip()
        if text:
            folded.append(("", text))
        texts.clear()
        folded.append(tuple(" ".join(re.sub("[\x00-\x20\x7f\ufffd]+", " ", part).split(" ")) for part in event))
    return folded
