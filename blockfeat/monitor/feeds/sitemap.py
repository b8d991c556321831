"""Sitemaps and sitemap indexes (sitemaps.org), with the news extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.feeds.gathering import Gathering, absolute
from blockfeat.monitor.feeds.plain_text import plain_text
from blockfeat.monitor.feeds.xml_source import cut_at_last, parse_xml

if TYPE_CHECKING:
    from lxml import etree


def read_sitemap(text: str, *, url: str) -> Feed:
    """Read a sitemap; raise FeedError where it cannot be parsed."""
    text, is_cut = cut_at_last(text, "url", "urlset")
    gathering = Gathering(url)
    gathering.cut_off(is_cut)
    for element in parse_xml(text, url):
        if _name(element) == "url":
            fields = _fields(element)
            gathering.add(
                fields.get("loc"),
                title=plain_text(fields.get("title"), html=False),
                published=gathering.date(fields.get("publication_date")),
                updated=gathering.date(fields.get("lastmod")),
                lang=fields.get("language"),
            )
    return Feed(kind="sitemap", entries=gathering.entries, warnings=gathering.warnings)


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
