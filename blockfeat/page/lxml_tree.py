"""A page's tags as a tree of lxml."""

from __future__ import annotations

from html import unescape

from lxml import etree

from blockfeat.page.elements import RAW_TEXT, REFERENCES
from blockfeat.page.tags import Tags

__all__ = ["lxml_tree"]


def lxml_tree(tags: Tags) -> etree._Element:
    """Return the tree of a page with tags, made anew.

    It has the elements of the tags in the same order, so that an XPath of one holds in the other.
    """
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, collect_ids=False)
    root = etree.fromstring(tags.source, parser)
    for element in root.iter("plaintext"):
        # lxml reads it up to the end of the markup, its own end tag too.
        element.text = (element.text or "").rpartition("</plaintext>")[0]
    for element in root.iter(*RAW_TEXT - REFERENCES):
        element.text = unescape(element.text or "")
    return root
