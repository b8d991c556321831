"""A round of a run: feeds and pages that are due, host by host, until nothing is; and what it has done."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from blockfeat.errors import failure_reason
from blockfeat.monitor.config import MonitorConfig
from blockfeat.monitor.crawl.frontier import Frontier, after_failed_poll
from blockfeat.monitor.crawl.store_thread import StoreThread
from blockfeat.monitor.crawl.visiting import PolledFeed, Readers, poll, visit
from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.monitor.fetching.rendering import Browser
from blockfeat.monitor.fetching.urls import netloc_of
from blockfeat.monitor.store.engine import is_of_database
from blockfeat.monitor.store.feeds import CLOCK_SECONDS
from blockfeat.monitor.store.records import DueFeed, DuePage, Poll, Saved, Visit

_MOST_KEPT = 1000


@dataclass
class Summary:
    """Counts of a round, and every address that failed.

    Attributes
    ----------
    feeds, pages : Counter of str
        How many feeds were "read", "unchanged", "retired" or "failed", and pages "new", "updated", "unchanged",
        "same" (another address of a page) or "failed".
    found : int
        Pages that feeds named, new or updated.
    mentions, copies, delivered : int
        Mentions in the pages that were read; pages that are copies; mentions that arrived at a receiver.
    failures : dict of str to str
        Addresses and receivers that failed, each with the reason.
    unexpected : int
        How many of them are pages and feeds on which the program itself failed.
    left : int
        Pages that are still due: the time was over, or the run was stopped.
    stopped : str or None
        Why the round ended before its work did.
    written : list of mapping
        Of the first round of a store: how each brand is mostly written (``match``), the ``number`` of mentions that are
        counted and ``of_all`` of them.
    """

    feeds: Counter[str] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    found: int = 0
    mentions: int = 0
    copies: int = 0
    delivered: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    more_failures: int = 0
    unexpected: int = 0
    left: int = 0
    stopped: str | None = None
    written: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def is_fruitless(self) -> bool:
        """Whether something was tried and nothing of it could be read."""
        read = self.feeds.total() - self.feeds["failed"] + self.pages.total() - self.pages["failed"]
        return read == 0 and bool(self.failures)

    def fail(self, address: str, reason: str, *, unexpected: bool = False) -> None:
        """Note an address that failed; beyond a thousand they are counted only."""
        self.unexpected += unexpected
        if address in self.failures or len(self.failures) < _MOST_KEPT:
            self.failures[address] = reason
        else:
            self.more_failures += 1

    def to_dict(self) -> Mapping[str, Any]:
        """Return plain values that JSON can hold."""
        values = vars(self) | {"feeds": dict(self.feeds), "pages": dict(self.pages)}
        values["failed"] = len(values.pop("failures")) + values.pop("more_failures")
        return values


_logger = logging.getLogger("blockfeat.monitor")
_HOSTS_AT_ONCE = 200
_FEEDS_AT_ONCE = 20_000
_HOSTS_LOADED = 16
_OF_EACH_HOST = 16
# A run that stays looks for feeds that have become due so often, however long its pages take.
_FEEDS_EVERY = 5.0
# Seconds that a round waits for a host that asks for a pause, and how many such pauses of a host it takes.
_PATIENCE = 60.0
_MOST_HOLDS = 3


@dataclass(frozen=True, slots=True)
class CrawlContext:
    """What a round works with.

    Attributes
    ----------
    stopping : asyncio.Event
        Set when no new poll or visit may start.
    environment : str
        Digest of the installed software; pages on which the program fails are retried when it changes.
    grace : float
        Seconds that running visits may still take after that.
    on_progress : callable
        Called with the summary whenever something is done.
    """

    config: MonitorConfig
    thread: StoreThread
    fetcher: Fetcher
    renderer: Browser | None
    readers: Readers
    environment: str
    stopping: asyncio.Event
    grace: float
    on_progress: Callable[[Summary], None]


class Cycle:
    """One round: the polls and visits that run, and what came of those that are done.

    Parameters
    ----------
    tools : CrawlContext
        What the round works with.
    every : float
        Least seconds between two polls of a feed that has no interval of its own.
    end : float or None
        When nothing more is begun, by `time.monotonic`.
    """

    def __init__(self, tools: CrawlContext, *, every: float, end: float | None) -> None:
        self.tools = tools
        self.every = every
        self.end = end
        self.summary = Summary()
        per_host = tools.config.fetch.per_host
        self.frontier: Frontier[DuePage] = Frontier(per_host=per_host, host_of=lambda page: page.host)
        self.feeds: Frontier[DueFeed] = Frontier(per_host=per_host, host_of=lambda feed: netloc_of(feed.url))
        self.tasks: set[asyncio.Task[None]] = set()
        self.polled: set[int] = set()
        self.may_have_feeds = True
        self.feeds_looked_at = time.monotonic()
        # The host after which to look for others with pages that are due; None once all were looked at.
        self.looked_at: str | None = ""
        self.holds: Counter[str] = Counter()
        self.put_off: set[int] = set()
        self.set_by = _clock_ahead()

    def is_over(self) -> bool:
        """Return whether nothing more is begun."""
        if self.tools.stopping.is_set():
            self.summary.stopped = "stopped by a signal"
        elif self.end is not None and time.monotonic() >= self.end:
            self.summary.stopped = "the time was over"
        return self.summary.stopped is not None

    async def run(self) -> None:
        """Poll and visit until nothing is due or the round is over; what runs then gets some time to finish."""
        stop = asyncio.create_task(self.tools.stopping.wait())
        try:
            while not self.is_over():
                await self._mend_clock()
                await self._begin_feeds()
                await self._begin_pages()
                wait = self._seconds_to_wait()
                if not self.tasks and wait is None:
                    break
                await self._finish_some({stop}, timeout=wait)
            end = time.monotonic() + self.tools.grace
            while self.tasks and time.monotonic() < end:
                await self._finish_some(set(), timeout=end - time.monotonic())
        finally:
            stop.cancel()
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _mend_clock(self) -> None:
        """Make due again what is not due any more because the clock was set back."""
        before, self.set_by = self.set_by, _clock_ahead()
        if before - self.set_by > CLOCK_SECONDS:
            await self.tools.thread.call(self.tools.thread.store.mend_clock, now=time.time())
            self.may_have_feeds, self.looked_at = True, ""

    def _seconds_to_wait(self) -> float | None:
        """Return the seconds until something may be begun again; None where that depends only on what runs."""
        moment = self.frontier.next_moment
        moments = [] if moment is None else [moment - time.monotonic()]
        if not self.tasks and (not moments or min(moments) > _PATIENCE):
            return None
        if self.every:
            moments.append(_FEEDS_EVERY)
        if self.end is not None:
            moments.append(self.end - time.monotonic())
        return max(0.0, min(moments)) if moments else None

    async def _finish_some(self, others: set[asyncio.Task[bool]], *, timeout: float | None) -> None:
        """Wait until a poll or visit is done; an error of the store ends the round."""
        done, _ = await asyncio.wait(self.tasks | others, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        for task in done & self.tasks:
            self.tasks.discard(task)
            task.result()

    async def _begin_feeds(self) -> None:
        if self.every and time.monotonic() - self.feeds_looked_at > _FEEDS_EVERY:
            # Feeds and pages of this round that are due again get another turn.
            self.polled = set(self.feeds.numbers)
            self.may_have_feeds = True
            self.looked_at = self.looked_at or ""
        if self.may_have_feeds and len(self.feeds) < self.tools.config.fetch.concurrency:
            await self._load_feeds()
        while self.feeds.in_hand < self.tools.config.fetch.concurrency and (feed := self.feeds.take()) is not None:
            self.tasks.add(asyncio.create_task(self._poll(feed)))

    async def _load_feeds(self) -> None:
        self.feeds_looked_at = time.monotonic()
        now = time.time()
        stored, store = self.tools.thread.call, self.tools.thread.store
        due = await stored(store.due_feeds, now=now, limit=_FEEDS_AT_ONCE)
        wanted = [feed for feed in due if feed.id not in self.polled]
        self.may_have_feeds = False
        self.polled.update(feed.id for feed in wanted)
        held = await stored(store.held_hosts, now=now) if wanted else {}
        for feed in wanted:
            if (until := held.get(netloc_of(feed.url))) is not None:
                await stored(store.delay_feed, feed, until)
            else:
                self.feeds.add([feed])

    async def _begin_pages(self) -> None:
        self.frontier.wake(time.monotonic())
        while self.frontier.in_hand < self.tools.config.fetch.concurrency:
            page = self.frontier.take()
            if page is not None:
                self.tasks.add(asyncio.create_task(self._visit(page)))
            elif not await self._load_pages():
                return

    async def _load_pages(self) -> bool:
        """Load some pages of hosts with free places; return whether there may be more to load."""
        frontier, stored, store = self.frontier, self.tools.thread.call, self.tools.thread.store
        now = time.time()
        hosts = frontier.hosts_to_load(_HOSTS_LOADED)
        if not hosts and self.looked_at is not None:
            found, self.looked_at = await stored(store.due_hosts, now=now, after=self.looked_at, limit=_HOSTS_AT_ONCE)
            frontier.add_hosts(found)
            return bool(found) or self.looked_at is not None
        if not hosts:
            return False
        share = {"of_each_host": _OF_EACH_HOST, "limit": _OF_EACH_HOST * len(hosts)}
        pages = await stored(store.due_pages, now=now, besides=frontier.numbers_in_hand, hosts=hosts, **share)
        frontier.add(pages)
        loaded = Counter(page.host for page in pages)
        for name in hosts:
            if loaded[name] < _OF_EACH_HOST:
                frontier.exhausted(name)
        return True

    async def _poll(self, feed: DueFeed) -> None:
        tools = self.tools
        try:
            found = await poll(feed, tools.fetcher, tools.config, every=self.every, environment=tools.environment)
            new = await self._saved(feed, found)
        except Exception as error:
            reason = _reason_of(error)
            at = time.time()
            polled = Poll(at=at, due_at=after_failed_poll(at, feed), error=reason, fault=tools.environment)
            found = PolledFeed("failed", polled)
            new = await tools.thread.call(tools.thread.store.save_poll, feed, found.poll)
            _logger.exception("%s", _named(feed.url, reason), extra={"event": "feed failed", "url": feed.url})
        finally:
            self.feeds.finish(feed)
        self.summary.feeds[found.outcome] += 1
        self.summary.found += new
        if new:
            self.looked_at = ""
        self.may_have_feeds |= bool(found.feeds)
        self._note(f"feed {found.outcome}", feed.url, found.poll, pages=new)

    async def _saved(self, feed: DueFeed, found: PolledFeed) -> int:
        """Save a poll; the pages of a large sitemap in transactions of their own before it."""
        stored, store = self.tools.thread.call, self.tools.thread.store
        if found.outcome != "read":
            return await stored(store.save_poll, feed, found.poll)
        new, last = 0, await asyncio.to_thread(next, found.batches, ())
        while some := await asyncio.to_thread(next, found.batches, ()):
            new += await stored(store.add_entries, feed, last, now=found.poll.at)
            last = some
        return new + await stored(store.save_poll, feed, found.poll, last, found.feeds)

    async def _visit(self, page: DuePage) -> None:
        is_counted = page.id in self.put_off
        self.put_off.discard(page.id)
        try:
            saved, seen = await self._visited(page)
        finally:
            self.frontier.finish(page)
        if is_counted:
            self.summary.pages["failed"] -= 1
            self.summary.failures.pop(page.url, None)
        if saved.outcome != "failed":
            self.holds.pop(page.host, None)
        self.summary.pages[saved.outcome] += 1
        self.summary.mentions += saved.mentions
        self.summary.copies += saved.copy
        self._note(f"page {saved.outcome}", page.url, seen, mentions=saved.mentions, copy=saved.copy)

    def _note(self, event: str, url: str, seen: Poll | Visit, **counts: int) -> None:
        """Log what came of a poll or a visit, and tell of the failure."""
        outcome, counted = event.partition(" ")[2], next(iter(counts))
        extra = {"event": event, "url": url, **counts}
        if outcome == "failed":
            self.summary.fail(url, seen.error or "failed", unexpected=seen.fault is not None)
            _logger.warning("%s", _named(url, seen.error), extra=extra)
        else:
            _logger.info("%s: %s, %d %s", url, outcome, counts[counted], counted, extra=extra)
        self.tools.on_progress(self.summary)

    def _put_off(self, page: DuePage, host: str, until: float) -> None:
        """Fetch nothing from a host until a moment, and its pages then, if the round still runs."""
        until += time.monotonic() - time.time()
        if self.frontier.hold(host, until):
            self.holds[host] += 1
        if self.holds[host] > _MOST_HOLDS:
            # The host keeps asking for pauses: leave its pages to the next round.
            self.frontier.drop(host)
            return
        self.put_off.add(page.id)
        self.frontier.look_again(page.host, until)

    async def _visited(self, page: DuePage) -> tuple[Saved, Visit]:
        """Fetch, read and store a page; an error of any kind fails this page only, not the run."""
        tools, thread = self.tools, self.tools.thread
        try:
            by = (tools.fetcher, tools.readers, tools.config)
            lent: dict[str, Any] = {"renderer": tools.renderer, "environment": tools.environment}
            lent["entry_text"] = lambda page: thread.call(thread.store.entry_text, page)
            seen, record = await visit(page, *by, **lent)
            if seen.retry_at is not None:
                self._put_off(page, seen.retry_host or page.host, seen.retry_at)
            return await thread.save(seen, record), seen
        except Exception as error:
            reason = _reason_of(error)
            failed = Visit(page=page, at=time.time(), due_at=None, error=reason, fault=tools.environment)
            # Where the store itself is broken, or its lock was lost, this raises, and the run ends.
            saved = await thread.save(failed, None)
            _logger.exception("%s", _named(page.url, reason), extra={"event": "page failed", "url": page.url})
            return saved, failed


def _clock_ahead() -> float:
    """Return the time of day less that of the clock that nobody sets."""
    return time.time() - time.monotonic()


def _reason_of(error: Exception) -> str:
    """Return why a page or feed failed; raise an error of the database again, which is none of theirs."""
    if is_of_database(error):
        raise error
    return failure_reason(error)


def _named(url: str, reason: str | None) -> str:
    """Return a message that begins with its address."""
    reason = reason or "failed"
    return reason if reason.startswith(url) else f"{url}: {reason}"
