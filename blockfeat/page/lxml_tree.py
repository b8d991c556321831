"""A page's tags as a tree of lxml."""

from __future__ import annotations

import re
from html import unescape

from lxml import etree

from blockfeat.page.elements import RAW_TEXT, REFERENCES
from blockfeat.page.tags import Tags

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
FLATTENED = 512
"""From this depth on, elements stand side by side in trees."""
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


def lxml_tree(tags: Tags) -> etree._Element:
    """Return the tree of a page with tags, made anew.

    It has the elements of the tags in the same order, so that an XPath of one holds in the other.
    """
    if tags.depth >= FLATTENED:
        # Elements that stand one behind the other there would end each other for lxml, such as rows.
        return _built(tags)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, collect_ids=False)
    root = etree.fromstring(tags.source, parser)
    if sum(1 for _ in root.iter(etree.Element)) != len(tags):
        # Such as an html element that is closed at once, behind which lxml reads no further.
        return _built(tags)
    for element in root.iter("plaintext"):
        # lxml reads it up to the end of the markup, its own end tag too.
        element.text = (element.text or "").rpartition("</plaintext>")[0]
    for element in root.iter(*RAW_TEXT - REFERENCES):
        element.text = unescape(element.text or "")
    return root


def _built(tags: Tags) -> etree._Element:
    """Put the tree together tag by tag; further outermost elements stand in the first."""
    elements: list[etree._Element] = []
    for element, parent in enumerate(tags.parents().tolist()):
        name = tags.name(element)
        name = name if _NAME.fullmatch(name) else "span"
        made = etree.SubElement(elements[max(parent, 0)], name) if elements else etree.Element(name)
        for key, value in tags.attributes(element).items():
            if _NAME.fullmatch(key):
                made.set(key, _UNWRITABLE.sub("\ufffd", value))
        elements.append(made)
    ends = [*tags.start[1:].tolist(), len(tags.source)]
    behind: dict[int, str] = {}
    for tag, (start, end) in enumerate(zip(tags.stop.tolist(), ends, strict=True)):
        if end > start:
            behind[tag] = _UNWRITABLE.sub("\ufffd", unescape(tags.source[start:end].decode("utf-8", "replace")))
    for made, opened, closed in zip(elements, tags.opened.tolist(), tags.closed.tolist(), strict=True):
        made.tail = behind.get(closed)
        if opened != closed:
            made.text = behind.get(opened)
    return elements[0]
