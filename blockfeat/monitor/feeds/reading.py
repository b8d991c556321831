"""A feed from its bytes, of whatever kind: JSON Feed, OPML, lists of addresses and sitemaps are read here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds import syndication
from blockfeat.monitor.feeds.feed import Feed, FeedEntry, Gathering, absolute, own_text, plain_text

if TYPE_CHECKING:
    from lxml import etree

_LARGE = 1_000_000
_START, _PIECE = 4096, 65_536
_URLSET = re.compile(rb"<(?:[\w.-]{1,40}:)?urlset[\s>]")


def read_opml(text: str, *, url: str) -> Feed:
    """Read the feeds of an OPML outline, at whatever depth; raise FeedError where it cannot be parsed."""
    root = syndication.parse_xml(text, url)
    gathering = Gathering(url, is_cut="</opml" not in text[-2_000:].lower())
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
    text, is_cut = syndication.cut_at_last(text, "url", "urlset")
    gathering = Gathering(url, is_cut=is_cut)
    for element in syndication.parse_xml(text, url):
        if _local_name(element) == "url":
            _add_page(gathering, element)
    return Feed(kind="sitemap", entries=gathering.entries, warnings=gathering.warnings)


def _pages(data: bytes, url: str) -> Iterator[FeedEntry]:
    """Yield the complete entries of a sitemap; of its tree there is one entry in memory at a time."""
    from lxml import etree

    parser = etree.XMLPullParser(("end",), tag="{*}url", recover=True, **syndication.SAFE)
    for start in range(0, len(data), _PIECE):
        parser.feed(data[start : start + _PIECE])
        gathering = Gathering(url)
        for _, found in parser.read_events():
            element = cast("etree._Element", found)
            parent = element.getparent()
            if parent is not None and _local_name(parent) == "urlset":
                _add_page(gathering, element)
                element.clear()
                del parent[: parent.index(element)]
        yield from gathering.entries


def _add_page(gathering: Gathering, element: etree._Element) -> None:
    fields = _fields_of(element)
    gathering.add(
        fields.get("loc"),
        title=plain_text(fields.get("title"), html=False),
        published=gathering.date(fields.get("publication_date")),
        updated=gathering.date(fields.get("lastmod")),
        lang=fields.get("language"),
    )


def read_sitemap_index(text: str, *, url: str) -> Feed:
    """Read a list of sitemaps; raise FeedError where it cannot be parsed."""
    text, is_cut = syndication.cut_at_last(text, "sitemap", "sitemapindex")
    gathering = Gathering(url, is_cut=is_cut)
    sitemaps = (each for each in syndication.parse_xml(text, url) if _local_name(each) == "sitemap")
    addresses = [absolute(_fields_of(sitemap).get("loc"), url) for sitemap in sitemaps]
    if None in addresses:
        gathering.warn("sitemaps without an address left out")
    feeds = dict.fromkeys(address for address in addresses if address and address != url)
    return Feed(kind="sitemapindex", feeds=tuple(feeds), warnings=gathering.warnings)


def _fields_of(element: etree._Element) -> dict[str, str]:
    """Return the texts below an element by local name, the first of each name; those of images and videos not."""
    found: dict[str, str] = {}
    for child in element.iterchildren():
        name = _local_name(child)
        for part in child.iterdescendants() if name == "news" else (child,):
            if name not in ("image", "video") and (text := (part.text or "").strip()):
                found.setdefault(_local_name(part), text)
    return found


def _local_name(element: etree._Element) -> str:
    """Return the local name; "" for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""


# Slashes may be escaped, as PHP writes them.
_VERSION = re.compile(r'"version"\s{0,20}:\s{0,20}"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/version\\?/')
_ITEMS = re.compile(r'"items"\s{0,20}:\s{0,20}\[')
_HEAD = re.compile(r'"(title|language)"\s{0,20}:\s{0,20}("(?:[^"\\]|\\.){0,500}")')
_BETWEEN = re.compile(r"[\s,]*")


def read_json_feed(text: str, *, url: str, declared: bool = False) -> Feed:
    """Read a JSON Feed.

    Parameters
    ----------
    declared : bool
        Whether the server calls it one; else it must do so itself.

    Raises
    ------
    FeedError
        It is no JSON Feed.
    """
    if not declared and not _VERSION.search(text):
        raise FeedError(f"{url}: JSON, but not a JSON Feed (no version of jsonfeed.org)")
    try:
        document, is_cut = json.loads(text), False
    except RecursionError as error:
        raise FeedError(f"{url}: JSON that is nested too deeply") from error
    except ValueError:
        document, is_cut = _salvaged(text), True
    if not isinstance(document, dict):
        raise FeedError(f"{url}: JSON, but not a JSON Feed")
    gathering = Gathering(url, is_cut=is_cut)
    items = document.get("items")
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            _add(gathering, item, document.get("language"))
    after = absolute(document.get("next_url"), url)
    return Feed(
        kind="json",
        title=plain_text(document.get("title"), html=False),
        entries=gathering.entries,
        feeds=(after,) if after and after != url else (),
        expired=document.get("expired") is True,
        warnings=gathering.warnings,
    )


def _add(gathering: Gathering, item: dict[str, Any], lang: object) -> None:
    summary = item.get("summary") or item.get("content_text")
    identity = item.get("id")
    own = item.get("language") or lang
    gathering.add(
        item.get("url") or item.get("external_url") or (absolute(identity, "") and identity),
        id=str(identity) if isinstance(identity, str | int) else None,
        title=plain_text(item.get("title"), html=False),
        published=gathering.date(item.get("date_published")),
        updated=gathering.date(item.get("date_modified")),
        lang=own if isinstance(own, str) else None,
        summary=plain_text(summary, html=False) or plain_text(item.get("content_html")),
        content=own_text((item.get("content_html"), True), (item.get("content_text"), False), (summary, False)),
    )


def _salvaged(text: str) -> dict[str, Any]:
    """Return title, language and the complete items of JSON that is cut off."""
    found: dict[str, Any] = {"items": []}
    start = _ITEMS.search(text)
    if start is None:
        return found
    for match in _HEAD.finditer(text, 0, start.start()):
        found.setdefault(match[1], json.loads(match[2], strict=False))
    decoder, at = json.JSONDecoder(), start.end()
    while True:
        blank = _BETWEEN.match(text, at)
        at = blank.end() if blank else at
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found
        found["items"].append(item)


_CHARSET = re.compile(r"charset\s{0,20}=\s{0,20}[\"']?([\w.:+-]{1,40})", re.I)
_ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?([A-Za-z][\w.-]{0,40})")
_SYNDICATION = {"rss": "rss", "feed": "atom", "rdf": "rdf"}
_XML_READERS = {"urlset": read_sitemap, "sitemapindex": read_sitemap_index, "opml": read_opml}


def open_feed(data: bytes, *, url: str, content_type: str | None = None) -> tuple[Feed, Iterable[FeedEntry]]:
    """Read a feed as `read_feed` does, the pages of a sitemap as they are asked for: there may be a million."""
    data = syndication.unpacked(data, url)
    head = data[:_START]
    if len(data) > _LARGE and _URLSET.search(head) and b"<!DOCTYPE" not in head.upper():
        return Feed(kind="sitemap"), _pages(data, url)
    feed = read_feed(data, url=url, content_type=content_type)
    return feed, feed.entries


def read_feed(data: bytes, *, url: str, content_type: str | None = None) -> Feed:
    """Read a feed, a sitemap, an OPML file or a list of addresses; the kind is detected from the content.

    Nothing is loaded from the network and no entity is expanded. Of a feed that is cut off, the complete entries are
    read; what is wrong stands in ``warnings``.

    Parameters
    ----------
    data : bytes
        The file, gzip or not.
    url : str
        Its address, after redirects; relative links refer to it.
    content_type : str, optional
        The header, for its charset; the bytes win over a wrong one.

    Raises
    ------
    FeedError
        It is none of these, declares entities, or is larger than 50 MB; the message names the address and the reason.
    """
    declared = _CHARSET.search(content_type or "")
    data = syndication.unpacked(data, url)
    text = syndication.safe_text(data, declared[1] if declared else None, url)
    start = syndication.first_word(text)
    if text.startswith(("{", "["), start):
        return read_json_feed(text[start:], url=url, declared="feed+json" in (content_type or "").lower())
    if not text.startswith("<", start):
        return read_url_list(text, url=url)
    root = _ROOT.match(text, start)
    name = root[1].lower() if root else ""
    if name in _SYNDICATION:
        return syndication.read_syndication(text, kind=_SYNDICATION[name], url=url)
    if name in _XML_READERS:
        return _XML_READERS[name](text, url=url)
    raise FeedError(f"{url}: {'a web page' if name == 'html' else f'<{name}>'}, not a feed")
