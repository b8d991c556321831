"""A feed from its bytes, of whatever kind it is; JSON Feed itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds.feed import Feed, FeedEntry, Gathering, absolute, own_text, plain_text
from blockfeat.monitor.feeds.lists import open_sitemap, read_opml, read_sitemap, read_sitemap_index, read_url_list
from blockfeat.monitor.feeds.syndication import read_syndication
from blockfeat.monitor.feeds.xml_source import first_word, safe_text, unpacked

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
    gathering = Gathering(url)
    try:
        document = json.loads(text)
    except RecursionError as error:
        raise FeedError(f"{url}: JSON that is nested too deeply") from error
    except ValueError:
        document = _salvaged(text)
        gathering.cut_off(True)
    if not isinstance(document, dict):
        raise FeedError(f"{url}: JSON, but not a JSON Feed")
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
    data = unpacked(data, url)
    sitemap = open_sitemap(data, url=url)
    if sitemap is not None:
        return Feed(kind="sitemap"), sitemap
    feed = read_feed(data, url=url, content_type=content_type)
    return feed, feed.entries


def read_feed(data: bytes, *, url: str, content_type: str | None = None) -> Feed:
    """Read a feed, a sitemap, an OPML file or a list of addresses; what it is, is seen by its content.

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
    data = unpacked(data, url)
    text = safe_text(data, declared[1] if declared else None, url)
    start = first_word(text)
    if text.startswith(("{", "["), start):
        return read_json_feed(text[start:], url=url, declared="feed+json" in (content_type or "").lower())
    if not text.startswith("<", start):
        return read_url_list(text, url=url)
    root = _ROOT.match(text, start)
    name = root[1].lower() if root else ""
    if name in _SYNDICATION:
        return read_syndication(text, kind=_SYNDICATION[name], url=url)
    if name in _XML_READERS:
        return _XML_READERS[name](text, url=url)
    raise FeedError(f"{url}: {'a web page' if name == 'html' else f'<{name}>'}, not a feed")
