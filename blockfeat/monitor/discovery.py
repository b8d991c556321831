"""Feeds and news sitemaps of a site: those that its front page and robots.txt name, and those at usual addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urljoin, urlsplit

from blockfeat.errors import BlockfeatError, InputError
from blockfeat.monitor.feeds.reading import open_feed
from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.page import Page

_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_USUAL = ("/feed", "/rss", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml", "/feed.json", "/news-sitemap.xml")
_SITEMAP = re.compile(rb"^\s*sitemap\s*:\s*(\S{1,2000})\s*$", re.IGNORECASE | re.MULTILINE)
_MOST_TRIED, _MOST_COUNTED = 40, 1000


@dataclass(frozen=True, slots=True)
class FoundFeed:
    """A feed of a site.

    Attributes
    ----------
    kind : str
        ``"rss"``, ``"atom"``, ``"sitemap"`` and so on.
    entries : int
        How many it names; the pages of a sitemap are counted up to a thousand.
    named_by : str
        ``"page"``, ``"robots.txt"`` or ``"usual address"``.
    """

    url: str
    kind: str
    title: str | None
    entries: int
    named_by: str


async def discover(site: str, fetcher: Fetcher) -> list[FoundFeed]:
    """Return the feeds of a site that can be read, those with the most entries first.

    Parameters
    ----------
    site : str
        A host, ``"example.org"``, or the address of a page.
    fetcher : Fetcher
        What fetches; it obeys robots.txt.

    Raises
    ------
    InputError
        It is no host and no address, or neither the page nor robots.txt nor any feed can be had.
    """
    start = site if "://" in site else f"https://{site}/"
    if not urlsplit(start).hostname:
        raise InputError(f"{site}: is no host and no address")
    page = await fetcher.fetch(start)
    home = page.final_url if page.error is None else start
    robots = await fetcher.fetch(urljoin(home, "/robots.txt"), kind="feed")
    named = dict.fromkeys(feed_links(page.data, url=home), "page") if page.error is None else {}
    for url in _SITEMAP.findall(robots.data):
        named.setdefault(urljoin(home, url.decode("utf-8", "replace")), "robots.txt")
    for path in _USUAL:
        named.setdefault(urljoin(home, path), "usual address")
    found: dict[str, FoundFeed] = {}
    for url, by in list(named.items())[:_MOST_TRIED]:
        if (feed := await _read(url, by, fetcher)) is not None:
            found.setdefault(feed.url, feed)
    if not found and page.error is not None:
        raise InputError(page.error)
    return sorted(found.values(), key=lambda feed: (-feed.entries, feed.url))


def feed_links(data: bytes, *, url: str) -> Iterator[str]:
    """Yield the addresses of the feeds that a page links to as its alternates."""
    tags = Page.parse(data, url=url).tags if data else None
    if tags is None:
        return
    for element in tags.named("link").tolist():
        attributes = tags.attributes(element)
        relations = attributes.get("rel", "").lower().split()
        kind = attributes.get("type", "").lower().partition(";")[0].strip()
        if "alternate" in relations and kind in _FEED_TYPES and attributes.get("href"):
            yield urljoin(url, attributes["href"].strip())


async def _read(url: str, named_by: str, fetcher: Fetcher) -> FoundFeed | None:
    """Return the feed at an address; None where there is none, or it is empty."""
    fetched = await fetcher.fetch(url, kind="feed")
    if fetched.error is not None:
        return None
    try:
        feed, entries = open_feed(fetched.data, url=fetched.final_url, content_type=fetched.headers.get("content-type"))
        count = sum(1 for _ in islice(entries, _MOST_COUNTED))
    except BlockfeatError:
        return None
    if not count and not feed.feeds:
        return None
    return FoundFeed(fetched.final_url, feed.kind, feed.title, count or len(feed.feeds), named_by)
