"""The run: feeds are polled, their pages fetched, read and stored, new mentions delivered."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import platform
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from blockfeat import __version__
from blockfeat.monitor.config import MonitorConfig
from blockfeat.monitor.crawl.cycle import CrawlContext, Cycle, Summary
from blockfeat.monitor.crawl.store_thread import StoreThread
from blockfeat.monitor.crawl.visiting import Readers, page_entry
from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.monitor.fetching.rendering import Browser
from blockfeat.monitor.notify.queue import Receiver, deliver, receivers_of
from blockfeat.monitor.reading import ReaderSettings
from blockfeat.monitor.store.schema import SQL
from blockfeat.monitor.store.store import Store

_DELIVER_SECONDS = 2.0
_AFTER_FAILURE = 30.0
_SPIKES_EVERY = 300.0
_ALIVE_EVERY = 60.0
_SHORTEST_NAP = 1.0
_LONGEST_NAP = 60.0


def environment() -> str:
    """Return a hash of the installed software: the versions of blockfeat, Python and all that is installed."""
    # By their names alone, which have the versions: reading each file takes forty times as long.
    installed = {info.name for folder in sys.path for info in Path(folder).glob("*.*-info")}
    whole = "\n".join((__version__, sys.version, *sorted(installed)))
    return hashlib.blake2b(whole.encode("utf-8", "replace"), digest_size=6).hexdigest()


class Monitor:
    """Runs rounds over one store: what is due is done once in a round.

    Parameters
    ----------
    config : MonitorConfig
        What to do.
    store : Store
        Its lock is held by the caller.
    renderer : Browser, optional
        Shows pages that have no text without their scripts.
    fetcher, readers
        What fetches and what reads; open already.
    receivers : sequence of Receiver
        Receivers of new mentions.
    grace : float
        Seconds that pages that were begun may still take once the round is to end.
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
        renderer: Browser | None = None,
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
        self._renderer = renderer
        self._zone = ZoneInfo(config.timezone)
        self._environment = environment()
        self._thread = StoreThread(store, readers, copies=config.copies, announce=bool(receivers), zone=self._zone)

    def stop(self) -> None:
        """End the round when the pages that were begun are done."""
        self.stopping.set()

    def close(self) -> None:
        """End the thread of the store."""
        self._thread.close()

    async def prepare(self) -> None:
        """Put sources and receivers into the store."""
        entries = [page_entry(source.url, lang=source.lang) for source in self.config.sources if source.kind == "page"]
        await self._thread.call(self.store.add_sources, self.config.sources, entries, now=time.time())
        await self._thread.call(self.store.set_timezone, self._zone)
        await self._thread.call(self.store.set_sinks, [receiver.name for receiver in self.receivers])

    async def round(self, *, every: float = 0.0, deadline: float | None = None) -> Summary:
        """Poll the feeds that are due, and fetch and read the pages that are due, until nothing is.

        Parameters
        ----------
        every : float
            Least seconds between two polls of a feed that has no interval of its own.
        deadline : float, optional
            Seconds after which no more is begun.
        """
        by = (self._thread, self.fetcher, self._renderer, self.readers)
        tools = CrawlContext(self.config, *by, self._environment, self.stopping, self.grace, self.on_progress)
        work = Cycle(tools, every=every, end=None if deadline is None else time.monotonic() + deadline)
        process, call, store = f"{platform.node()} {os.getpid()}", self._thread.call, self.store
        number = await call(store.begin_run, now=time.time(), process=process, environment=self._environment)
        for name, until in (await call(store.held_hosts, now=time.time())).items():
            self.fetcher.hold(name, until)
        delivering = asyncio.create_task(self._deliver_often(work.summary))
        try:
            await work.run()
        finally:
            delivering.cancel()
            await asyncio.gather(delivering, return_exceptions=True)
        keep = self.config.retention
        ages = {"pages": keep.pages, "evidence": keep.evidence, "versions": keep.versions}
        await call(store.forget_old, now=time.time(), **ages)
        await self._look_for_spikes()
        await self._deliver(work.summary, is_end=True)
        if number == 1:
            rows = await call(store.query, SQL["written"]["by_brand"])
            work.summary.written = [*{row["brand"]: row for row in rows}.values()]
        work.summary.left = (await call(store.status, now=time.time(), limit=1)).due
        await call(store.end_run, number, now=time.time(), summary=work.summary.to_dict())
        self.on_progress(work.summary)
        logging.getLogger("blockfeat.monitor").info("round done", extra={"event": "round", **work.summary.to_dict()})
        return work.summary

    async def _deliver_often(self, summary: Summary) -> None:
        looked = told = time.monotonic()
        while True:
            await asyncio.sleep(_DELIVER_SECONDS)
            if time.monotonic() - told > _ALIVE_EVERY:
                told = time.monotonic()
                await asyncio.shield(self._thread.call(self.store.keep_alive, now=time.time()))
            if time.monotonic() - looked > _SPIKES_EVERY:
                looked = time.monotonic()
                await asyncio.shield(self._look_for_spikes())
            if not await asyncio.shield(self._deliver(summary)):
                await asyncio.sleep(_AFTER_FAILURE)

    async def _look_for_spikes(self) -> None:
        if any("spikes" in alert.tell for alert in self.config.alerts):
            await self._thread.call(self.store.note_spikes, now=time.time())

    async def _deliver(self, summary: Summary, *, is_end: bool = False) -> bool:
        """Deliver what waits; return whether every receiver has it all."""
        async with self._delivering:
            arrived, failed = await deliver(self.store, self.receivers, call=self._thread.call, is_end=is_end)
        summary.delivered += arrived
        for receiver in self.receivers:
            summary.failures.pop(receiver.name, None)
        for name, reason in failed:
            summary.fail(name, reason)
        return not failed

    async def nap(self) -> None:
        """Wait until something is due, a minute at most, or until the run is stopped."""
        due = await self._thread.call(self.store.next_due)
        wait = _LONGEST_NAP if due is None else due - time.time()
        try:
            await asyncio.wait_for(self.stopping.wait(), min(max(wait, _SHORTEST_NAP), _LONGEST_NAP))
        except TimeoutError:
            return


@asynccontextmanager
async def _rendering(config: MonitorConfig, fetcher: Fetcher) -> AsyncIterator[Browser | None]:
    """Yield what renders pages; None where the configuration wants none."""
    if config.fetch.render == "off":
        yield None
        return
    async with Browser(partial(fetcher.fetch, kind="part"), max_bytes=config.fetch.max_bytes) as renderer:
        yield renderer


async def stay(
    config: MonitorConfig,
    *,
    every: float | None,
    deadline: float | None = None,
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
    deadline : float, optional
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
        settings = ReaderSettings.of(config, store.lessons())
        readers = Readers(settings, jobs=config.pages.jobs, deadline=config.pages.deadline)
        async with Fetcher(config.fetch) as fetcher, _rendering(config, fetcher) as renderer, readers:
            receivers = receivers_of(config)
            monitor = Monitor(
                config, store, fetcher, readers, renderer=renderer, receivers=receivers, on_progress=on_progress
            )
            try:
                on_start(monitor)
                await monitor.prepare()
                while True:
                    summary = await monitor.round(every=every or 0.0, deadline=deadline)
                    on_round(summary)
                    if every is None or monitor.stopping.is_set():
                        return summary
                    await monitor.nap()
            finally:
                monitor.close()


run_once = partial(stay, every=None)
"""Do everything that is due, once; see `stay`."""
