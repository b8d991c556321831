"""Store calls in one worker thread, so that the event loop never blocks on disk access."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar
from zoneinfo import ZoneInfo

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.crawl.visiting import Readers
from blockfeat.monitor.store.records import PageRecord, Saved, Visit
from blockfeat.monitor.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")

# Visits that end while others are being read are saved together, after so many seconds at the latest.
_GATHER_SECONDS, _GATHER_STEP = 0.5, 0.05
_SAVED_AT_ONCE = 32


class StoreThread:
    """Calls a store in a thread of its own, and saves visits that end at nearly the same time together.

    Parameters
    ----------
    store : Store
        The store.
    readers : Readers
        What reads pages; while they are busy, visits that have ended wait for others.
    copies : CopySettings
        What a copy is.
    announce : bool
        Whether new mentions go into the outbox.
    zone : ZoneInfo
        Where the days of pages are counted.
    """

    def __init__(self, store: Store, readers: Readers, *, copies: CopySettings, announce: bool, zone: ZoneInfo) -> None:
        self.store = store
        self._readers = readers
        self._copies = copies
        self._announce = announce
        self._zone = zone
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._unsaved: list[tuple[Visit, PageRecord | None, asyncio.Future[Saved]]] = []
        self._saving: asyncio.Task[None] | None = None

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

    async def call(self, call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Call a method of the store in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(call, *args, **options))

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
            while self._readers.busy and len(self._unsaved) < _SAVED_AT_ONCE and time.monotonic() < end:
                await asyncio.sleep(_GATHER_STEP)
            some, self._unsaved = self._unsaved[:_SAVED_AT_ONCE], self._unsaved[_SAVED_AT_ONCE:]
            try:
                await self._save_together(some)
            except Exception:
                # One of them failed: save each on its own, so that the others are kept.
                for one in some:
                    try:
                        await self._save_together([one])
                    except Exception as error:
                        if not one[2].done():
                            one[2].set_exception(error)

    async def _save_together(self, some: Sequence[tuple[Visit, PageRecord | None, asyncio.Future[Saved]]]) -> None:
        visits = [(seen, record) for seen, record, _ in some]
        saved = await self.call(
            self.store.save_visits, visits, copies=self._copies, announce=self._announce, zone=self._zone
        )
        for (_, _, future), outcome in zip(some, saved, strict=True):
            if not future.done():
                future.set_result(outcome)
