"""Reading pages in processes of their own: a page that hangs or kills its process fails alone."""

from __future__ import annotations

import asyncio
import logging
import signal
from dataclasses import dataclass
from typing import Self

from blockfeat._pool import WorkerFailed
from blockfeat._tasks import Workers
from blockfeat.errors import BlockfeatError
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings, failed
from blockfeat.monitor.store.records import PageRecord

_logger = logging.getLogger("blockfeat.monitor.rounds.readers")


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
        self.processes = Workers(_Load(settings), jobs=jobs, deadline=deadline) if jobs else None

    async def __aenter__(self) -> Self:
        """Start the processes, so that the first page does not wait for them; raise BlockfeatError where none can."""
        if self.processes is not None:
            try:
                await self.processes.__aenter__()
            except WorkerFailed as error:
                raise BlockfeatError(f"pages cannot be read: {error}, or with jobs = 0") from error
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
            return await self.processes.do(_Read(page))
        except BlockfeatError as error:
            _logger.warning("%s: %s", page.url, error, extra={"url": page.url, "event": "page failed"})
            return failed(error)


@dataclass(frozen=True)
class _Load:
    """Prepares a worker process; a signal to end is left to its parent, which lets it finish its page."""

    settings: ReaderSettings

    def __call__(self) -> PageReader:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return PageReader.of(self.settings)


@dataclass(frozen=True)
class _Read:
    page: FetchedPage

    def __call__(self, reader: PageReader, /) -> PageRecord:
        return reader.read(self.page)
