"""Reading pages in processes of their own: a page that hangs or kills its process fails alone."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import Self

from blockfeat.errors import BlockfeatError
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.store.records import PageRecord

_logger = logging.getLogger("blockfeat.monitor.readers")
_PAGES_OF_A_POOL = 20_000
_TRIES = 2

# The reader of a worker process, set when the process starts; nothing else in it would outlive a page.
_reader: PageReader | None = None


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
        self._jobs = jobs
        self._deadline = deadline
        self._turn = asyncio.Semaphore(max(jobs, 1))
        self._here = PageReader.of(settings) if jobs == 0 else None
        self._pool: ProcessPoolExecutor | None = None
        self._pages_left = _PAGES_OF_A_POOL

    async def __aenter__(self) -> Self:
        """Start the processes, so that the first page does not wait for them."""
        if self._jobs:
            # Raises here, with one line, what would break the processes: an unknown model.
            await asyncio.to_thread(PageReader.of, self._settings)
            await self._start()
        return self

    async def __aexit__(self, *error: object) -> None:
        """End the processes."""
        self._stop()

    async def read(self, page: FetchedPage) -> PageRecord:
        """Read one page; a record with an error where it took too long, or its process died twice."""
        async with self._turn:
            if self._here is not None:
                return await asyncio.to_thread(self._here.read, page)
            for _ in range(_TRIES):
                try:
                    return await self._read_in(await self._ready_pool(), page)
                except BrokenProcessPool:
                    # Perhaps by another page: this one gets a second chance.
                    reason = "its worker process died"
                except TimeoutError:
                    reason = f"it took longer than {self._deadline:g} s"
                    break
            _logger.warning("%s: %s", page.url, reason, extra={"url": page.url, "event": "page failed"})
            return PageRecord("error", error=reason)

    async def _ready_pool(self) -> ProcessPoolExecutor:
        """Return the processes; with one, it is replaced after many pages."""
        if self._pool is not None and self._pages_left <= 0 and self._jobs == 1:
            self._stop()
        if self._pool is None:
            await self._start()
        assert self._pool is not None
        self._pages_left -= 1
        return self._pool

    async def _read_in(self, pool: ProcessPoolExecutor, page: FetchedPage) -> PageRecord:
        try:
            work = asyncio.get_running_loop().run_in_executor(pool, _read, page)
            return await asyncio.wait_for(work, self._deadline)
        except (TimeoutError, BrokenProcessPool):
            if pool is self._pool:
                self._stop()
            raise

    async def _start(self) -> None:
        """Start the processes and wait until the first can read; raise `BlockfeatError` where none can."""
        pool = ProcessPoolExecutor(
            self._jobs, multiprocessing.get_context("spawn"), initializer=_set_up, initargs=(self._settings,)
        )
        self._pool = pool
        self._pages_left = _PAGES_OF_A_POOL
        try:
            await asyncio.get_running_loop().run_in_executor(pool, os.getpid)
        except BrokenProcessPool as error:
            raise BlockfeatError(
                "the processes that read pages end as they start; a script that runs a monitor must do so under "
                "if __name__ == '__main__', or with jobs = 0"
            ) from error

    def _stop(self) -> None:
        """End the processes now, whatever they are at."""
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())
            for process in processes:
                process.kill()
            self._pool.shutdown(wait=False)
            self._pool = None


def _set_up(settings: ReaderSettings) -> None:
    """Prepare a worker process: it ends with its parent, and leaves signals to it."""
    global _reader
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _reader = PageReader.of(settings)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _read(page: FetchedPage) -> PageRecord:
    assert _reader is not None
    return _reader.read(page)
