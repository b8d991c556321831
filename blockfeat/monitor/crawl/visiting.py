"""One feed, one page: fetched, read in a process of its own, and turned into what is stored."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from itertools import islice
from operator import methodcaller
from typing import Any, Self, cast

from blockfeat._pool import WorkerFailed
from blockfeat._tasks import Workers
from blockfeat.errors import BlockfeatError, InputError
from blockfeat.monitor.config import MonitorConfig, PageSettings
from blockfeat.monitor.crawl import frontier
from blockfeat.monitor.feeds.feed import FeedEntry, plain_text
from blockfeat.monitor.feeds.reading import open_feed
from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.fetching.rendering import Browser
from blockfeat.monitor.fetching.urls import article_address, canonical_url, netloc_of
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings, failed
from blockfeat.monitor.store.records import DueFeed, DuePage, NewEntry, PageRecord, Poll, Visit, iso_of

_logger = logging.getLogger("blockfeat.monitor")
_DEEPEST = 3
# Longer ones do not fit into an index of PostgreSQL, and are made by traps for crawlers.
_LONGEST_URL = 2000
_LONGEST_COMPARED = 100_000
# Addresses of log-ins and bot checks that redirects lead to; nothing of them belongs to an article.
_LOGIN = re.compile(
    r"//[^/]+/(?:[^?#]*/)?(?:log-?in|sign-?in|logon|anmelden|connexion|sso|captcha|challenge)"
    r"(?:-(?:form|page|platform|required))?(?![\w-])",
    re.I,
)
# Kinds of pages that a site shows in place of an article.
_WALLS = frozenset({"consent wall", "paywall stub", "login", "bot check"})
_ENTRIES_AT_ONCE = 1000
# Dates of entries that are within so many seconds of each other and of now say only when the feed was made.
_NOW_SPREAD, _NOW_SECONDS = 120.0, 3600.0
# What changes in a feed at each request: when it was built, and comments.
_VOLATILE = re.compile(rb"<lastBuildDate>[^<]{0,100}</lastBuildDate>|<!--[^>]{0,1000}-->")


OwnText = tuple[str | None, str]
"""Title and HTML of a feed's own text for a page."""
OwnTexts = Callable[[DuePage], Awaitable[OwnText | None]]
"""Returns the feed's own text for a page, or None."""


@dataclass(frozen=True)
class PolledFeed:
    """What came of a poll: its outcome in a word, and what it named, some pages at a time."""

    outcome: str
    poll: Poll
    batches: Iterator[tuple[NewEntry, ...]] = field(default_factory=lambda: iter(()))
    feeds: tuple[str, ...] = ()


def page_entry(url: str, *, lang: str | None = None, entry: FeedEntry | None = None) -> NewEntry:
    """Return the page that an address stands for."""
    if entry is None:
        key = canonical_url(url)
        return NewEntry(url=url, key=key, host=netloc_of(key), lang=lang)
    # Where a search hides the article's address, what the feed says of it is all there is.
    article = article_address(url) if entry.linked else None
    url = article or url
    key = canonical_url(url) if article else url
    stamp = iso_of(entry.updated or entry.published)
    said = (entry.title, entry.summary, plain_text(entry.content, longest=_LONGEST_COMPARED))
    return NewEntry(
        url=url,
        key=key,
        host=netloc_of(key),
        lang=lang,
        published=entry.published or entry.updated,
        stamp=stamp,
        digest=_digest(repr((*said, stamp)).encode("utf-8", "replace")) if any(said) else None,
        title=entry.title,
        text=entry.content,
        linked=article is not None,
    )


def _digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


async def poll(
    feed: DueFeed, fetcher: Fetcher, config: MonitorConfig, *, every: float, environment: str = ""
) -> PolledFeed:
    """Poll a feed.

    Parameters
    ----------
    every : float
        Least seconds until the next poll, unless the feed has an interval of its own in the configuration.
    environment : str
        Digest of the installed software, stored where the program itself fails.
    """
    fetched = await fetcher.fetch(feed.url, etag=feed.etag, last_modified=feed.last_modified, kind="feed")
    at = time.time()
    known = Poll(
        at=at,
        due_at=frontier.after_failed_poll(at, feed, fetched),
        http_status=fetched.status,
        host=fetched.host or netloc_of(feed.url),
        retry_at=fetched.retry_at,
    )
    if fetched.error is not None:
        fault = environment if fetched.is_fault else None
        return PolledFeed("failed", replace(known, error=fetched.error, fault=fault))
    # A redirect counts once a feed was read behind it.
    known = replace(
        known,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
        moved_to=fetched.moved_permanently_to,
        due_at=frontier.after_poll(at, feed, every=every, headers=fetched.headers, manners=feed.manners),
    )
    digest = None if fetched.not_modified else _digest(fetched.final_url.encode(), _VOLATILE.sub(b"", fetched.data))
    if fetched.not_modified or digest == feed.digest:
        return PolledFeed("unchanged", known)
    try:
        content_type = fetched.headers.get("content-type")
        found, entries = await asyncio.to_thread(
            open_feed, fetched.data, url=fetched.final_url, content_type=content_type
        )
    except InputError as error:
        # Without its validators: an answer that could not be read is asked for again as a whole.
        due_at = frontier.after_failed_poll(at, feed)
        failed = replace(known, due_at=due_at, etag=None, last_modified=None, moved_to=None, error=str(error))
        return PolledFeed("failed", failed)
    for warning in found.warnings:
        _logger.info("%s: %s", feed.url, warning, extra={"url": feed.url, "event": "feed warning"})
    manners = frontier.poll_policy_of(found)
    due_at = frontier.after_poll(at, feed, every=every, headers=fetched.headers, manners=manners)
    known = replace(known, kind=found.kind, title=found.title, manners=manners, due_at=due_at, digest=digest)
    feeds = tuple(url for url in found.feeds if len(url) <= _LONGEST_URL) if feed.depth < _DEEPEST else ()
    return PolledFeed("read", replace(known, retired=found.expired), _batches(entries, config.pages.max_age, at), feeds)


def _batches(entries: Iterable[FeedEntry], max_age: float | None, at: float) -> Iterator[tuple[NewEntry, ...]]:
    """Yield the pages that a feed names and that are young enough, at most a thousand at a time."""
    left = iter(entries)
    while some := tuple(islice(left, _ENTRIES_AT_ONCE)):
        dated = _truly_dated(some, at)
        yield tuple(page_entry(entry.url, entry=entry) for entry in dated if _is_young(entry, max_age, at))


def _truly_dated(entries: Sequence[FeedEntry], at: float) -> Sequence[FeedEntry]:
    """Return entries, their dates left out where all are nearly the same and of now: when the feed was made."""
    for name in ("published", "updated"):
        dates = [date for entry in entries if (date := getattr(entry, name)) is not None]
        if not dates:
            continue
        spread = (max(dates) - min(dates)).total_seconds()
        age = at - max(dates).timestamp()
        if abs(age) <= (_NOW_SECONDS if len(dates) > 1 else _NOW_SPREAD) and spread <= _NOW_SPREAD:
            undated: dict[str, Any] = {name: None}
            entries = [replace(entry, **undated) for entry in entries]
    return entries


def _is_young(entry: FeedEntry, max_age: float | None, at: float) -> bool:
    """Return whether an entry is young enough, as one without a date is, and its address is not too long."""
    moment = entry.updated or entry.published
    is_old = max_age is not None and moment is not None and moment.timestamp() < at - max_age
    return not is_old and len(entry.url) <= _LONGEST_URL


async def visit(
    page: DuePage,
    fetcher: Fetcher,
    readers: Readers,
    config: MonitorConfig,
    *,
    entry_text: OwnTexts | None = None,
    renderer: Browser | None = None,
    environment: str = "",
) -> tuple[Visit, PageRecord | None]:
    """Fetch and read a page; where it cannot be fetched, or is a wall, use the feed's own text instead.

    Parameters
    ----------
    page, fetcher, readers, config
        The page, what fetches and reads it, and how.
    entry_text : callable, optional
        Returns title and HTML of the feed's own text, or None.
    renderer : Browser, optional
        Shows pages that have no text without their scripts.
    environment : str
        Digest of the installed software, stored where the program itself fails.

    Returns
    -------
    Visit, PageRecord or None
        What came of it; the record is None where the page failed or has not changed.
    """
    own_text = partial(_own_text, page, readers, entry_text)
    if not page.linked:
        seen = Visit(page=page, at=time.time(), due_at=None, canonical_url=page.url)
        return _judged(seen, await own_text(), environment)
    fetched = await fetcher.fetch(page.url, etag=page.etag, last_modified=page.last_modified)
    is_login = fetched.error is None and _LOGIN.search(fetched.final_url) and not _LOGIN.search(page.url)
    if is_login:
        fetched = replace(fetched, error=f"{page.url}: redirected to {fetched.final_url}: a login")
    seen = _visit_of(page, fetched, config.pages, environment)
    if fetched.error is not None:
        is_lent = seen.due_at is None and page.version == 0 and (is_login or fetched.status in frontier.REFUSALS)
        own = await own_text() if is_lent else None
        if own is None or own.is_fault:
            return _judged(seen, own, environment)
        return _at_own_address(seen), replace(own, error=fetched.error)
    if fetched.not_modified:
        return seen, None
    seen, record = await _read(seen, fetched, readers, renderer)
    if record.status == "error":
        return _judged(seen, record, environment)
    if record.status != "ok" and record.kind in _WALLS and page.version > 0:
        # What was read before still holds, and its validators: those of the wall would confirm the wall.
        return replace(seen, etag=page.etag, last_modified=page.last_modified), None
    if record.status != "ok" and page.version == 0 and (own := await own_text()):
        return _judged(_at_own_address(seen), own, environment)
    return seen, _with_own_host(record, fetched.final_url)


def _visit_of(page: DuePage, fetched: Fetched, settings: PageSettings, environment: str) -> Visit:
    """Return what came of fetching a page, and when it is fetched again."""
    at = time.time()
    seen = Visit(
        page=page,
        at=at,
        due_at=frontier.after_visit(at, page, settings),
        final_url=fetched.final_url[:_LONGEST_URL],
        canonical_url=canonical_url(fetched.final_url)[:_LONGEST_URL],
        http_status=fetched.status,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
        retry_at=fetched.retry_at,
        retry_host=fetched.host,
    )
    if fetched.error is None:
        return seen
    return replace(
        seen,
        error=fetched.error,
        due_at=frontier.after_failed_visit(at, page, fetched, settings),
        tried=fetched.retry_at is None,
        etag=None,
        last_modified=None,
        fault=environment if fetched.is_fault else None,
    )


async def _read(seen: Visit, fetched: Fetched, readers: Readers, renderer: Browser | None) -> tuple[Visit, PageRecord]:
    """Read a page, as a browser shows it where it has no text without its scripts."""
    lang = seen.page.lang
    record = await readers.read(FetchedPage(fetched.data, fetched.final_url, fetched.charset, lang))
    if renderer is not None and record.status in ("empty", "no content") and record.kind not in _WALLS:
        shown = await _rendered(fetched, renderer, readers, lang)
        if shown is not None:
            # The validators are those of the page without its scripts: what these fetch may change all the same.
            return replace(seen, etag=None, last_modified=None), shown
    return seen, record


def _with_own_host(record: PageRecord, url: str) -> PageRecord:
    """Return a record without the address that its page declares, where that is of another host or too long."""
    if record.canonical_url is None:
        return record
    declared = canonical_url(record.canonical_url)
    is_credible = netloc_of(declared) == netloc_of(url) and len(declared) <= _LONGEST_URL
    return replace(record, canonical_url=declared if is_credible else None)


def _judged(seen: Visit, record: PageRecord | None, environment: str) -> tuple[Visit, PageRecord | None]:
    """Return a visit and what was read; where reading failed, the visit has the error and the fault."""
    if record is None or record.status != "error":
        return seen, record
    return replace(seen, error=record.error, due_at=None, fault=environment if record.is_fault else None), None


async def _rendered(fetched: Fetched, renderer: Browser, readers: Readers, lang: str | None) -> PageRecord | None:
    """Return what a browser shows of a page without a text; None where that is none either."""
    if b"<script" not in fetched.data.lower() or not renderer.is_worth(fetched.final_url):
        return None
    data = await renderer.render(fetched)
    record = None if data is None else await readers.read(FetchedPage(data, fetched.final_url, "utf-8", lang))
    has_text = record is not None and record.status == "ok"
    renderer.note(fetched.final_url, has_text=has_text)
    if record is None or not (has_text or record.is_fault):
        return None
    return replace(record, warnings=(*record.warnings, "the page has its text by scripts: read as a browser shows it"))


async def _own_text(page: DuePage, readers: Readers, entry_text: OwnTexts | None) -> PageRecord | None:
    """Return the record of the feed's own text for a page; None where it has none."""
    found = None if entry_text is None else await entry_text(page)
    if found is None:
        return None
    title, text = escape(found[0] or ""), found[1]
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><article>{text}</article></body></html>"
    record = await readers.read(FetchedPage(html, page.url, lang=page.lang, origin="feed"))
    return replace(record, canonical_url=None) if record.text or record.is_fault else None


def _at_own_address(seen: Visit) -> Visit:
    """Return a visit without the address that a redirect led to, such as a login that many pages lead to."""
    return replace(seen, final_url=None, canonical_url=canonical_url(seen.page.url), etag=None, last_modified=None)


class Readers:
    """Reads pages in ``jobs`` processes, or in a thread of this one with 0; an asynchronous context manager.

    Parameters
    ----------
    settings : ReaderSettings
        Model and brands.
    jobs : int
        Number of processes.
    deadline : float
        Most seconds for one page.
    """

    def __init__(self, settings: ReaderSettings, *, jobs: int = 1, deadline: float = 30.0) -> None:
        self._settings = settings
        self._here = PageReader.of(settings) if jobs == 0 else None
        self._turn = asyncio.Semaphore(1)
        self.processes = Workers(partial(_load, settings), jobs=jobs, deadline=deadline) if jobs else None

    async def __aenter__(self) -> Self:
        """Start the processes, so that the first page does not wait for them; raise BlockfeatError where none can."""
        if self.processes is not None:
            try:
                await self.processes.__aenter__()
            except WorkerFailed as error:
                raise InputError(f"pages cannot be read: {error}, or with jobs = 0") from error
        return self

    async def __aexit__(self, *error: object) -> None:
        """End the processes."""
        if self.processes is not None:
            await self.processes.__aexit__(*error)

    @property
    def busy(self) -> int:
        """Number of pages that are read or wait for it."""
        return int(self._turn.locked()) if self.processes is None else self.processes.busy

    async def read(self, page: FetchedPage) -> PageRecord:
        """Read one page; a record with an error where it took too long, or its process died."""
        if self.processes is None:
            async with self._turn:
                assert self._here is not None
                return await asyncio.to_thread(self._here.read, page)
        try:
            return cast("PageRecord", await self.processes.do(methodcaller("read", page)))
        except BlockfeatError as error:
            _logger.warning("%s: %s", page.url, error, extra={"url": page.url, "event": "page failed"})
            return failed(error)


def _load(settings: ReaderSettings) -> PageReader:
    """Prepare a worker process; a signal to end is left to its parent, which lets it finish its page."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return PageReader.of(settings)
