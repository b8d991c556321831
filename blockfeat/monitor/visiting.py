"""One feed, one page: fetched, read, and turned into what is stored."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from blockfeat.errors import BlockfeatError
from blockfeat.monitor.config.settings import MonitorConfig
from blockfeat.monitor.feeds import read_feed
from blockfeat.monitor.feeds.feed import Feed, FeedEntry
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.fetching.urls import canonical_url, host_of
from blockfeat.monitor.reading import FetchedPage
from blockfeat.monitor.schedule import after_failed_poll, after_failed_visit, after_poll, after_visit, manners_of
from blockfeat.monitor.store.records import DueFeed, DuePage, NewEntry, PageRecord, Poll, Visit, iso_of

_logger = logging.getLogger("blockfeat.monitor")
_DEEPEST = 3
# Longer ones do not fit into an index of PostgreSQL, and are made by traps for crawlers.
_LONGEST_URL = 2000


class Fetching(Protocol):
    """Fetches addresses; see `blockfeat.monitor.fetching.fetcher.Fetcher`."""

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None, kind: str = "page"
    ) -> Fetched:
        """Fetch one address."""
        ...


class Reading(Protocol):
    """Reads pages; see `blockfeat.monitor.readers.Readers`."""

    async def read(self, page: FetchedPage) -> PageRecord:
        """Read one page."""
        ...


@dataclass(frozen=True)
class PolledFeed:
    """What came of a poll: its outcome in a word, and what it named."""

    outcome: str
    poll: Poll
    entries: tuple[NewEntry, ...] = ()
    feeds: tuple[str, ...] = ()


def page_entry(url: str, *, lang: str | None = None, entry: FeedEntry | None = None) -> NewEntry:
    """Return the page that an address stands for."""
    key = canonical_url(url)
    published = None if entry is None else entry.published or entry.updated
    stamp = None if entry is None else iso_of(entry.updated or entry.published)
    return NewEntry(url=url, key=key, host=host_of(key), lang=lang, published=published, stamp=stamp)


async def poll(feed: DueFeed, fetcher: Fetching, config: MonitorConfig, *, every: float) -> PolledFeed:
    """Poll a feed.

    Parameters
    ----------
    every : float
        Least seconds until the next poll, unless the feed has an interval of its own in the configuration.
    """
    fetched = await fetcher.fetch(feed.url, etag=feed.etag, last_modified=feed.last_modified, kind="feed")
    at = time.time()
    known = Poll(
        at=at,
        due_at=after_failed_poll(at, feed, fetched),
        http_status=fetched.status,
        host=fetched.host or host_of(feed.url),
        moved_to=fetched.moved_permanently_to,
        retry_at=fetched.retry_at,
    )
    if fetched.status == 410:
        return PolledFeed("retired", replace(known, error=fetched.error, retired=True))
    if fetched.error is not None:
        return PolledFeed("failed", replace(known, error=fetched.error))
    every = every if feed.every is None else feed.every
    due_at = after_poll(at, every=every, headers=fetched.headers, manners=feed.manners)
    known = replace(known, etag=fetched.etag, last_modified=fetched.last_modified)
    if fetched.not_modified:
        return PolledFeed("unchanged", replace(known, due_at=due_at))
    try:
        found = await asyncio.to_thread(
            read_feed, fetched.data, url=fetched.final_url, content_type=fetched.headers.get("content-type")
        )
    except BlockfeatError as error:
        # Without its validators: an answer that could not be read is asked for again as a whole.
        failed = replace(known, due_at=after_failed_poll(at, feed), etag=None, last_modified=None)
        return PolledFeed("failed", replace(failed, error=str(error)))
    for warning in found.warnings:
        _logger.info("%s: %s", feed.url, warning, extra={"url": feed.url, "event": "feed warning"})
    manners = manners_of(found)
    due_at = after_poll(at, every=every, headers=fetched.headers, manners=manners)
    known = replace(known, kind=found.kind, title=found.title, manners=manners, due_at=due_at)
    entries = await asyncio.to_thread(_entries, found, config.pages.max_age, at)
    feeds = tuple(url for url in found.feeds if len(url) <= _LONGEST_URL) if feed.depth < _DEEPEST else ()
    return PolledFeed("read", replace(known, retired=found.expired), entries, feeds)


def _entries(found: Feed, max_age: float | None, at: float) -> tuple[NewEntry, ...]:
    """Return the pages that a feed names and that are young enough; those without a date are."""
    return tuple(page_entry(entry.url, entry=entry) for entry in _young(found.entries, max_age, at))


def _young(entries: Iterable[FeedEntry], max_age: float | None, at: float) -> Iterator[FeedEntry]:
    for entry in entries:
        moment = entry.updated or entry.published
        is_young = max_age is None or moment is None or moment.timestamp() >= at - max_age
        if is_young and len(entry.url) <= _LONGEST_URL:
            yield entry


async def visit(
    page: DuePage,
    fetcher: Fetching,
    readers: Reading,
    config: MonitorConfig,
    *,
    site_profile: Callable[[str], Awaitable[str | None]] | None = None,
) -> tuple[Visit, PageRecord | None]:
    """Fetch and read a page.

    Parameters
    ----------
    page, fetcher, readers, config
        The page, what fetches and reads it, and how.
    site_profile : callable, optional
        Returns the profile of a host, or None; without it, none is used.

    Returns
    -------
    Visit, PageRecord or None
        What came of it; the record is None where the page failed or has not changed.
    """
    fetched = await fetcher.fetch(page.url, etag=page.etag, last_modified=page.last_modified)
    at = time.time()
    seen = Visit(
        page=page,
        at=at,
        due_at=after_visit(at, page, config.pages),
        final_url=fetched.final_url[:_LONGEST_URL],
        canonical_url=canonical_url(fetched.final_url)[:_LONGEST_URL],
        http_status=fetched.status,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
        retry_at=fetched.retry_at,
        retry_host=fetched.host,
    )
    if fetched.error is not None:
        due_at = after_failed_visit(at, page, fetched, config.pages)
        is_try = fetched.retry_at is None
        return replace(seen, error=fetched.error, due_at=due_at, tried=is_try, etag=None, last_modified=None), None
    if fetched.not_modified:
        return seen, None
    site = None if site_profile is None else await site_profile(host_of(fetched.final_url))
    record = await readers.read(FetchedPage(fetched.data, fetched.final_url, fetched.charset, page.lang, site))
    if record.status == "error":
        return replace(seen, error=record.error, due_at=None), record
    declared = record.canonical_url
    if declared is not None:
        own = canonical_url(declared)
        is_credible = host_of(own) == host_of(fetched.final_url) and len(own) <= _LONGEST_URL
        record = replace(record, canonical_url=own if is_credible else None)
    return seen, record
