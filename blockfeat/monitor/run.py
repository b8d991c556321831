"""The run: feeds are polled, their pages fetched, read and stored, new mentions delivered."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from blockfeat.monitor.config.settings import MonitorConfig
from blockfeat.monitor.deliveries import Receiver, deliver, receivers_of
from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.monitor.fetching.urls import host_of
from blockfeat.monitor.frontier import Frontier
from blockfeat.monitor.readers import Readers
from blockfeat.monitor.reading import ReaderSettings
from blockfeat.monitor.schedule import after_failed_poll
from blockfeat.monitor.store.records import DueFeed, DuePage, PageRecord, Poll, Saved, Visit
from blockfeat.monitor.store.store import Store
from blockfeat.monitor.summary import Summary
from blockfeat.monitor.visiting import OwnText, PolledFeed, page_entry, poll, visit

P = ParamSpec("P")
T = TypeVar("T")

_logger = logging.getLogger("blockfeat.monitor")
_FEEDS_AT_ONCE = 20_000
_HOSTS_AT_ONCE = 200
_HOSTS_LOADED = 16
_OF_EACH_HOST = 16
# A run that stays looks for feeds that have become due so often, however long its pages take.
_FEEDS_EVERY = 5.0
# A host that asks to be left alone for so long is waited for, unless it answers so again and again.
_PATIENCE = 60.0
_MOST_HOLDS = 3
# Visits that end while others are being read are saved together, after so many seconds at the latest.
_GATHER_SECONDS, _GATHER_STEP = 0.2, 0.02
_SAVED_AT_ONCE = 32
_DELIVER_SECONDS = 2.0
_AFTER_FAILURE = 30.0
_SHORTEST_NAP = 1.0
_LONGEST_NAP = 60.0


class Monitor:
    """Runs rounds over one store: what is due is done once in a round.

    Parameters
    ----------
    config : MonitorConfig
        What to do.
    store : Store
        Its lock is held by the caller.
    fetcher, readers
        What fetches and what reads; open already.
    receivers : sequence of Receiver
        Who gets new mentions.
    grace : float
        Seconds that pages in hand may still take once the round is to end.
    on_progress : callable, optional
        Called with the summary whenever something is done.
    """

    def __init__(
        self,
        config: MonitorConfig,
        store: Store,
        fetcher: Fetcher,
        readers: Readers,
        *,
        receivers: Sequence[Receiver] = (),
        grace: float = 30.0,
        on_progress: Callable[[Summary], None] = lambda summary: None,
    ) -> None:
        self.config = config
        self.store = store
        self.fetcher = fetcher
        self.readers = readers
        self.receivers = receivers
        self.grace = grace
        self.on_progress = on_progress
        self.stopping = asyncio.Event()
        self._delivering = asyncio.Lock()
        # One thread for the store: the loop never waits for a disk, and transactions never for each other.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._unsaved: list[tuple[Visit, PageRecord | None, asyncio.Future[Saved]]] = []
        self._saving: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """End the round, once the pages in hand are done."""
        self.stopping.set()

    def close(self) -> None:
        """End the thread of the store."""
        self._writer.shutdown()

    async def _stored(self, call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, partial(call, *args, **options))

    async def save(self, seen: Visit, record: PageRecord | None) -> Saved:
        """Save what came of a visit, together with those that end meanwhile: one transaction costs less than many."""
        saved: asyncio.Future[Saved] = asyncio.get_running_loop().create_future()
        self._unsaved.append((seen, record, saved))
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(self._save_all())
        return await saved

    async def _save_all(self) -> None:
        while self._unsaved:
            end = time.monotonic() + _GATHER_SECONDS
            await asyncio.sleep(0)
            while self.readers.busy and len(self._unsaved) < _SAVED_AT_ONCE and time.monotonic() < end:
                await asyncio.sleep(_GATHER_STEP)
            some, self._unsaved = self._unsaved[:_SAVED_AT_ONCE], self._unsaved[_SAVED_AT_ONCE:]
            try:
                await self._save_together(some)
            except Exception:
                # One of them is to blame: the others are saved all the same.
                for one in some:
                    try:
                        await self._save_together([one])
                    except Exception as error:
                        if not one[2].done():
                            one[2].set_exception(error)

    async def _save_together(self, some: Sequence[tuple[Visit, PageRecord | None, asyncio.Future[Saved]]]) -> None:
        visits = [(seen, record) for seen, record, _ in some]
        copies, announce = self.config.copies, bool(self.receivers)
        saved = await self._stored(self.store.save_visits, visits, copies=copies, announce=announce)
        for (_, _, future), outcome in zip(some, saved, strict=True):
            if not future.done():
                future.set_result(outcome)

    async def site_profile(self, host: str) -> str | None:
        """Return what the store knows of a host."""
        return await self._stored(self.store.site_profile, host)

    async def entry_text(self, page: DuePage) -> OwnText | None:
        """Return what the feed itself says of a page."""
        return await self._stored(self.store.entry_text, page)

    async def prepare(self) -> None:
        """Set sources and receivers in the store, and tell the fetcher which hosts are to be left alone."""
        now = time.time()
        entries = [page_entry(source.url, lang=source.lang) for source in self.config.sources if source.kind == "page"]
        await self._stored(self.store.add_sources, self.config.sources, entries, now=now)
        await self._stored(self.store.set_sinks, [receiver.name for receiver in self.receivers])
        for name, until in (await self._stored(self.store.held_hosts, now=now)).items():
            self.fetcher.hold(name, until)

    async def round(self, *, every: float = 0.0, time_limit: float | None = None) -> Summary:
        """Poll the feeds that are due, and fetch and read the pages that are due, until nothing is.

        Parameters
        ----------
        every : float
            Least seconds between two polls of a feed that has no interval of its own.
        time_limit : float, optional
            Seconds after which no more is begun.
        """
        work = _Round(self, every=every, end=None if time_limit is None else time.monotonic() + time_limit)
        number = await self._stored(self.store.begin_run, now=time.time(), process=f"{platform.node()} {os.getpid()}")
        delivering = asyncio.create_task(self._deliver_often(work.summary))
        try:
            await work.run()
        finally:
            delivering.cancel()
            await asyncio.gather(delivering, return_exceptions=True)
        await self._deliver(work.summary)
        work.summary.left = (await self._stored(self.store.status, now=time.time(), limit=1)).due
        await self._stored(self.store.end_run, number, now=time.time(), summary=work.summary.to_dict())
        self.on_progress(work.summary)
        _logger.info("round done", extra={"event": "round", **work.summary.to_dict()})
        return work.summary

    async def _deliver_often(self, summary: Summary) -> None:
        while True:
            await asyncio.sleep(_DELIVER_SECONDS)
            if not await asyncio.shield(self._deliver(summary)):
                await asyncio.sleep(_AFTER_FAILURE)

    async def _deliver(self, summary: Summary) -> bool:
        """Deliver what waits; return whether every receiver has it all."""
        async with self._delivering:
            arrived, failed = await deliver(self.store, self.receivers, call=self._stored)
        summary.delivered += arrived
        for receiver in self.receivers:
            summary.failures.pop(receiver.name, None)
        for name, reason in failed:
            summary.fail(name, reason)
        return not failed

    async def nap(self) -> None:
        """Wait until something is due, a minute at most, or until the run is stopped."""
        due = await self._stored(self.store.next_due)
        wait = _LONGEST_NAP if due is None else due - time.time()
        try:
            await asyncio.wait_for(self.stopping.wait(), min(max(wait, _SHORTEST_NAP), _LONGEST_NAP))
        except TimeoutError:
            return


class _Round:
    """One round: what is in hand, and what it has done."""

    def __init__(self, monitor: Monitor, *, every: float, end: float | None) -> None:
        self.monitor = monitor
        self.every = every
        self.end = end
        self.summary = Summary()
        per_host = monitor.config.fetch.per_host
        self.frontier: Frontier[DuePage] = Frontier(per_host=per_host, host_of=lambda page: page.host)
        self.feeds: Frontier[DueFeed] = Frontier(per_host=per_host, host_of=lambda feed: host_of(feed.url))
        self.tasks: set[asyncio.Task[None]] = set()
        self.polled: set[int] = set()
        self.may_have_feeds = True
        self.feeds_looked_at = time.monotonic()
        # The host after which to look for others with pages that are due; None once all were looked at.
        self.looked_at: str | None = ""
        self.holds: Counter[str] = Counter()
        self.put_off: set[int] = set()

    def is_over(self) -> bool:
        """Return whether nothing more is begun."""
        if self.monitor.stopping.is_set():
            self.summary.stopped = "stopped by a signal"
        elif self.end is not None and time.monotonic() >= self.end:
            self.summary.stopped = "the time was over"
        return self.summary.stopped is not None

    async def run(self) -> None:
        """Work until nothing is due or the round is over; what is in hand then gets some time to finish."""
        stop = asyncio.create_task(self.monitor.stopping.wait())
        try:
            while not self.is_over():
                await self._begin_feeds()
                await self._begin_pages()
                wait = self._seconds_to_wait()
                if not self.tasks and wait is None:
                    return
                await self._finish_some({stop}, timeout=wait)
            await self._finish_all()
        finally:
            stop.cancel()
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

    def _seconds_to_wait(self) -> float | None:
        """Return when to look again for what is to be begun; None where only what is in hand can lead to more."""
        moment = self.frontier.next_moment
        moments = [] if moment is None else [moment - time.time()]
        if not self.tasks and (not moments or moments[0] > _PATIENCE):
            return None
        if self.every:
            moments.append(_FEEDS_EVERY)
        if self.end is not None:
            moments.append(self.end - time.monotonic())
        return max(0.0, min(moments)) if moments else None

    async def _finish_some(self, others: set[asyncio.Task[bool]], *, timeout: float | None) -> None:
        """Wait until something in hand is done; an error of the store ends the round."""
        done, _ = await asyncio.wait(self.tasks | others, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        for task in done & self.tasks:
            self.tasks.discard(task)
            task.result()

    async def _finish_all(self) -> None:
        end = time.monotonic() + self.monitor.grace
        while self.tasks and time.monotonic() < end:
            await self._finish_some(set(), timeout=end - time.monotonic())

    async def _begin_feeds(self) -> None:
        if self.every and time.monotonic() - self.feeds_looked_at > _FEEDS_EVERY:
            # What was polled in this round, and is due again, is polled again.
            self.polled = set(self.feeds.numbers)
            self.may_have_feeds = True
            # So are pages.
            self.looked_at = self.looked_at or ""
        if self.may_have_feeds:
            await self._load_feeds()
        while self.feeds.in_hand < self.monitor.config.fetch.concurrency and (feed := self.feeds.take()) is not None:
            self.tasks.add(asyncio.create_task(self._poll(feed)))

    async def _load_feeds(self) -> None:
        self.may_have_feeds = False
        self.feeds_looked_at = time.monotonic()
        now = time.time()
        stored, store = self.monitor._stored, self.monitor.store
        due = await stored(store.due_feeds, now=now, limit=_FEEDS_AT_ONCE)
        wanted = [feed for feed in due if feed.id not in self.polled]
        self.polled.update(feed.id for feed in wanted)
        held = await stored(store.held_hosts, now=now) if wanted else {}
        for feed in wanted:
            if (until := held.get(host_of(feed.url))) is not None:
                await stored(store.delay_feed, feed, until)
            else:
                self.feeds.add([feed])

    async def _begin_pages(self) -> None:
        self.frontier.wake(time.time())
        while self.frontier.in_hand < self.monitor.config.fetch.concurrency:
            page = self.frontier.take()
            if page is not None:
                self.tasks.add(asyncio.create_task(self._visit(page)))
            elif not await self._load_pages():
                return

    async def _load_pages(self) -> bool:
        """Load some pages of hosts with free places; return whether there may be more to load."""
        frontier, stored, store = self.frontier, self.monitor._stored, self.monitor.store
        now = time.time()
        hosts = frontier.hosts_to_load(_HOSTS_LOADED)
        if not hosts and self.looked_at is not None:
            found, self.looked_at = await stored(store.due_hosts, now=now, after=self.looked_at, limit=_HOSTS_AT_ONCE)
            frontier.add_hosts(found)
            return bool(found) or self.looked_at is not None
        if not hosts:
            return False
        pages = await stored(
            store.due_pages,
            now=now,
            limit=_HOSTS_LOADED * _OF_EACH_HOST,
            of_each_host=_OF_EACH_HOST,
            besides=frontier.numbers_in_hand,
            hosts=hosts,
        )
        frontier.add(pages)
        loaded = Counter(page.host for page in pages)
        for name in hosts:
            if loaded[name] < _OF_EACH_HOST:
                frontier.exhausted(name)
        return True

    async def _poll(self, feed: DueFeed) -> None:
        monitor = self.monitor
        try:
            found = await poll(feed, monitor.fetcher, monitor.config, every=self.every)
            new = await self._saved(feed, found)
        except Exception as error:
            reason = f"unexpected {type(error).__name__}: {error}"
            at = time.time()
            found = PolledFeed("failed", Poll(at=at, due_at=after_failed_poll(at, feed), error=reason))
            new = await monitor._stored(monitor.store.save_poll, feed, found.poll)
            _logger.exception("%s", _named(feed.url, reason), extra={"event": "feed failed", "url": feed.url})
        finally:
            self.feeds.finish(feed)
        self.summary.feeds[found.outcome] += 1
        self.summary.found += new
        if new:
            self.looked_at = ""
        self.may_have_feeds |= bool(found.feeds)
        extra = {"event": f"feed {found.outcome}", "url": feed.url, "pages": new}
        if found.outcome == "failed":
            self.summary.fail(feed.url, found.poll.error or "failed")
            _logger.warning("%s", _named(feed.url, found.poll.error), extra=extra)
        else:
            _logger.info("%s: %s, %d pages", feed.url, found.outcome, new, extra=extra)
        monitor.on_progress(self.summary)

    async def _saved(self, feed: DueFeed, found: PolledFeed) -> int:
        """Save a poll; the pages of a large sitemap in transactions of their own before it."""
        stored, store = self.monitor._stored, self.monitor.store
        new, last = 0, await asyncio.to_thread(next, found.batches, ())
        while some := await asyncio.to_thread(next, found.batches, ()):
            new += await stored(store.add_entries, feed, last, now=found.poll.at)
            last = some
        return new + await stored(store.save_poll, feed, found.poll, last, found.feeds)

    async def _visit(self, page: DuePage) -> None:
        is_counted = page.id in self.put_off
        self.put_off.discard(page.id)
        try:
            saved, reason = await self._visited(page)
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
        extra = {"event": f"page {saved.outcome}", "url": page.url, "mentions": saved.mentions, "copy": saved.copy}
        if saved.outcome == "failed":
            self.summary.fail(page.url, reason or "failed")
            _logger.warning("%s", _named(page.url, reason), extra=extra)
        else:
            _logger.info("%s: %s, %d mentions", page.url, saved.outcome, saved.mentions, extra=extra)
        self.monitor.on_progress(self.summary)

    def _put_off(self, page: DuePage, host: str, until: float) -> None:
        """Leave a host alone until a moment, and fetch its pages then, if the round is still at work."""
        if self.frontier.hold(host, until):
            self.holds[host] += 1
        if self.holds[host] > _MOST_HOLDS:
            # It never lets a page through: the next round may have more luck.
            self.frontier.drop(host)
            return
        self.put_off.add(page.id)
        self.frontier.look_again(page.host, until)

    async def _visited(self, page: DuePage) -> tuple[Saved, str | None]:
        """Fetch, read and store a page; whatever is wrong with this one ends neither the run nor the next."""
        monitor = self.monitor
        try:
            profile_of = monitor.site_profile if monitor.config.pages.site_profile else None
            tools = (monitor.fetcher, monitor.readers, monitor.config)
            seen, record = await visit(page, *tools, site_profile=profile_of, entry_text=monitor.entry_text)
            if seen.retry_at is not None:
                self._put_off(page, seen.retry_host or page.host, seen.retry_at)
            if record is not None and record.status == "error":
                record = None
            return await monitor.save(seen, record), seen.error if record is None else None
        except Exception as error:
            reason = f"unexpected {type(error).__name__}: {error}"
            failed = Visit(page=page, at=time.time(), due_at=None, error=reason)
            # Where the store itself is broken, or its lock was lost, this raises, and the run ends.
            saved = await monitor.save(failed, None)
            _logger.exception("%s", _named(page.url, reason), extra={"event": "page failed", "url": page.url})
            return saved, reason


def _named(url: str, reason: str | None) -> str:
    """Return a message that begins with its address."""
    reason = reason or "failed"
    return reason if reason.startswith(url) else f"{url}: {reason}"


async def run_once(
    config: MonitorConfig,
    *,
    time_limit: float | None = None,
    on_start: Callable[[Monitor], None] = lambda monitor: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Do everything that is due, once; see `stay`."""
    return await stay(config, every=None, time_limit=time_limit, on_start=on_start, on_progress=on_progress)


async def stay(
    config: MonitorConfig,
    *,
    every: float | None,
    time_limit: float | None = None,
    on_start: Callable[[Monitor], None] = lambda monitor: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
    on_round: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Do what is due, again and again, until the monitor is stopped.

    Parameters
    ----------
    config : MonitorConfig
        What to do.
    every : float or None
        Least seconds between two polls of a feed; None ends after one round.
    time_limit : float, optional
        Seconds of a round after which no more is begun.
    on_start : callable
        Called with the `Monitor`, whose ``stop`` ends the run.
    on_progress, on_round : callable
        Called with the summary of a round whenever something is done, and when it has ended.

    Returns
    -------
    Summary
        That of the last round.

    Raises
    ------
    StoreError
        The store cannot be opened or written, or another run has its lock.
    ModelError
        There is no such model.
    """
    with Store.open(config.store) as store, store.lock():
        readers = Readers(ReaderSettings.of(config), jobs=config.pages.jobs, deadline=config.pages.deadline)
        async with Fetcher(config.fetch) as fetcher, readers:
            monitor = Monitor(config, store, fetcher, readers, receivers=receivers_of(config), on_progress=on_progress)
            try:
                on_start(monitor)
                await monitor.prepare()
                while True:
                    summary = await monitor.round(every=every or 0.0, time_limit=time_limit)
                    on_round(summary)
                    if every is None or monitor.stopping.is_set():
                        return summary
                    await monitor.nap()
            finally:
                monitor.close()
