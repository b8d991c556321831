"""What is due for a run: all of it where it is alone, the hosts that it gets where several share a store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager

from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.monitor.rounds.store_thread import StoreThread
from blockfeat.monitor.store.leases import Claimed
from blockfeat.monitor.store.records import DueFeed, DuePage

_FEEDS_AT_ONCE, _FEEDS_OF_SHARED = 20_000, 64
# Hosts are given back together, and those that another run has looked at again, so often.
_GIVE_BACK_EVERY = 1.0
_LOOK_AGAIN_AFTER = 2.0
_TRY_EVERY = 0.2


class Leases:
    """The hosts that a run has to itself.

    Parameters
    ----------
    holder : int or None
        Number of the run where several share the store; None for a run alone, which has every host.
    """

    def __init__(self, thread: StoreThread, fetcher: Fetcher, *, holder: int | None) -> None:
        self._thread = thread
        self._fetcher = fetcher
        self._holder = holder
        self._hosts: set[str] = set()
        self._given_back = time.monotonic()
        self._missed_at: float | None = None

    @property
    def look_again_at(self) -> float | None:
        """When to look for what another run had, by `time.monotonic`; None where there was nothing."""
        return None if self._missed_at is None else self._missed_at + _LOOK_AGAIN_AFTER

    def is_time(self) -> bool:
        """Return once whether it is time to look for what another run had."""
        moment = self.look_again_at
        if moment is None or time.monotonic() < moment:
            return False
        self._missed_at = None
        return True

    async def due_feeds(self, *, now: float, besides: Collection[int]) -> tuple[list[DueFeed], bool]:
        """Return feeds that are due, and whether these are all of them."""
        store = self._thread.store
        if self._holder is None:
            due = await self._thread.call(store.due_feeds, now=now, limit=_FEEDS_AT_ONCE)
            return [feed for feed in due if feed.id not in besides], True
        claimed = await self._thread.call(
            store.claim_feeds, holder=self._holder, now=now, limit=_FEEDS_OF_SHARED, besides=besides
        )
        self._note(claimed.hosts, is_all=claimed.is_all or len(claimed.items) == _FEEDS_OF_SHARED)
        return claimed.items, len(claimed.items) < _FEEDS_OF_SHARED

    async def due_pages(
        self, hosts: Sequence[str], *, now: float, of_each_host: int, besides: Sequence[int]
    ) -> list[DuePage]:
        """Return some pages of each of some hosts that are due."""
        store, limit = self._thread.store, of_each_host * len(hosts)
        options = {"now": now, "limit": limit, "of_each_host": of_each_host, "besides": besides, "hosts": hosts}
        if self._holder is None:
            return await self._thread.call(store.due_pages, **options)  # type: ignore[arg-type]
        claimed: Claimed[DuePage] = await self._thread.call(store.claim_pages, holder=self._holder, **options)  # type: ignore[arg-type]
        self._note(claimed.hosts, is_all=claimed.is_all)
        return claimed.items

    def _note(self, hosts: set[str], *, is_all: bool) -> None:
        self._hosts |= hosts
        if not is_all and self._missed_at is None:
            self._missed_at = time.monotonic()

    async def give_back(self, is_needed: Callable[[str], bool], *, at_once: bool = False) -> None:
        """Give back the hosts that are no longer needed; each is free when it may be asked again."""
        if not self._hosts or not (at_once or time.monotonic() - self._given_back > _GIVE_BACK_EVERY):
            return
        self._given_back = time.monotonic()
        idle = {host: self._fetcher.free_at(host) for host in self._hosts if not is_needed(host)}
        if idle and self._holder is not None:
            self._hosts -= set(idle)
            await self._thread.call(self._thread.store.release, idle, holder=self._holder)

    @asynccontextmanager
    async def alone(self, task: str, *, wait: float = 0.0) -> AsyncIterator[bool]:
        """Do what one run does at a time; yield whether it is this one's, after so many seconds at the most."""
        if self._holder is None:
            yield True
            return
        call, store, name, end = self._thread.call, self._thread.store, f"({task})", time.monotonic() + wait
        while name not in await call(store.claim, [name], holder=self._holder, now=time.time()):
            if time.monotonic() >= end:
                yield False
                return
            await asyncio.sleep(_TRY_EVERY)
        try:
            yield True
        finally:
            await call(store.release, {name: 0.0}, holder=self._holder)
