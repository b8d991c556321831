"""Lists of feeds (OPML), plain lists of addresses, and sitemaps (sitemaps.org) with the news extension."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds.feed import Feed, FeedEntry, Gathering, absolute, plain_text
from blockfeat.monitor.feeds.xml_source import cut_at_last, parse_xml

if TYPE_CHECKING:
    from lxml import etree


_LARGE = 1_000_000
_HEAD, _PIECE = 4096, 65_536
_URLSET = re.compile(rb"<(?:[\w.-]{1,40}:)?urlset[\s>]")


def read_opml(text: str, *, url: str) -> Feed:
    """Read the feeds of an OPML outline, at whatever depth; raise FeedError where it cannot be parsed."""
    root = parse_xml(text, url)
    gathering = Gathering(url)
    gathering.cut_off("</opml" not in text[-2_000:].lower())
    feeds: dict[str, None] = {}
    for outline in root.iter("outline"):
        attributes = {str(name).lower(): str(value) for name, value in outline.attrib.items()}
        # A cut-off file ends in an outline whose address may be a part of one; the parser leaves that out.
        if "xmlurl" in attributes:
            address = absolute(attributes["xmlurl"], url)
            if address is None:
                gathering.warn(f"no address of a feed: {attributes['xmlurl'][:60]!r}")
            else:
                feeds[address] = None
    title = root.findtext("head/title")
    return Feed(kind="opml", title=plain_text(title), feeds=tuple(feeds), warnings=gathering.warnings)


def read_url_list(text: str, *, url: str) -> Feed:
    """Read a list of addresses, one a line; empty lines and those after ``#`` do not count.

    Raises
    ------
    FeedError
        No line is an address.
    """
    gathering = Gathering(url)
    for line in text.splitlines():
        word = line.strip().lstrip("\ufeff")
        if word and not word.startswith("#"):
            is_address = word.lower().startswith(("http://", "https://")) and len(word.split()) == 1
            gathering.add(word if is_address else None)
    if not gathering.entries:
        raise FeedError(f"{url}: neither a feed nor a list of addresses")
    return Feed(kind="list", entries=gathering.entries, warnings=gathering.warnings)


def read_sitemap(text: str, *, url: str) -> Feed:
    """Read a sitemap; raise FeedError where it cannot be parsed."""
    text, is_cut = cut_at_last(text, "url", "urlset")
    gathering = Gathering(url)
    gathering.cut_off(is_cut)
    for element in parse_xml(text, url):
        if _name(element) == "url":
            _add_page(gathering, element)
    return Feed(kind="sitemap", entries=gathering.entries, warnings=gathering.warnings)


def open_sitemap(data: bytes, *, url: str) -> Iterator[FeedEntry] | None:
    """Return the pages of a large sitemap, parsed as they are taken; None for a small one, and for anything else."""
    head = data[:_HEAD]
    if len(data) <= _LARGE or not _URLSET.search(head) or b"<!DOCTYPE" in head.upper():
        return None
    return _pages(data, url)


def _pages(data: bytes, url: str) -> Iterator[FeedEntry]:
    """Yield the complete entries of a sitemap; of its tree there is one entry in memory at a time."""
    from lxml import etree

    parser = etree.XMLPullParser(
        ("end",), tag="{*}url", recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    for start in range(0, len(data), _PIECE):
        parser.feed(data[start : start + _PIECE])
        gathering = Gathering(url)
        for _, found in parser.read_events():
            element = cast("etree._Element", found)
            parent = element.getparent()
            if parent is not None and _name(parent) == "urlset":
                _add_page(gathering, element)
                element.clear()
                del parent[: parent.index(element)]
        yield from gathering.entries


def _add_page(gathering: Gathering, element: etree._Element) -> None:
    fields = _fields(element)
    gathering.add(
        fields.get("loc"),
        title=plain_text(fields.get("title"), html=False),
        published=gathering.date(fields.get("publication_date")),
        updated=gathering.date(fields.get("lastmod")),
        lang=fields.get("language"),
    )


def read_sitemap_index(text: str, *, url: str) -> Feed:
    """Read a list of sitemaps; raise FeedError where it cannot be parsed."""
    text, is_cut = cut_at_last(text, "sitemap", "sitemapindex")
    gathering = Gathering(url)
    gathering.cut_off(is_cut)
    sitemaps = [_fields(element).get("loc") for element in parse_xml(text, url) if _name(element) == "sitemap"]
    addresses = [absolute(sitemap, url) for sitemap in sitemaps]
    if None in addresses:
        gathering.warn("sitemaps without an address left out")
    feeds = dict.fromkeys(address for address in addresses if address and address != url)
    return Feed(kind="sitemapindex", feeds=tuple(feeds), warnings=gathering.warnings)


def _fields(element: etree._Element) -> dict[str, str]:
    """Return the texts below an element by local name, the first of each name; those of images and videos not."""
    found: dict[str, str] = {}
    for child in element.iterchildren():
        name = _name(child)
        if name == "news":
            for part in child.iterdescendants():
                _put(found, part)
        elif name not in ("image", "video"):
            _put(found, child)
    return found


def _put(found: dict[str, str], element: etree._Element) -> None:
    text = (element.text or "").strip()
    if text:
        found.setdefault(_name(element), text)


def _name(element: etree._Element) -> str:
    """Return the local name; "" for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""
