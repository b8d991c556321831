"""What the routes of the reader share: worker processes, divided fairly among clients, kept pages, fetching."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from blockfeat._pool import Loaded, Result, WorkerFailed
from blockfeat._tasks import Task
from blockfeat._tasks import Workers as Processes
from blockfeat.errors import InputError, LimitExceeded
from blockfeat.io.inputs import fetch
from blockfeat.web.guard import ServeSettings
from blockfeat.web.problems import Problem
from blockfeat.web.reader.tasks import LoadedExtractors, PageSource, describe_models, load_extractors, model_names

Result_co = TypeVar("Result_co", covariant=True)

_LATER = {"Retry-After": "2"}


class Turns:
    """A fair semaphore: clients get its places in turn, so that many requests of one client do not delay the others.

    Parameters
    ----------
    places : int
        Number of places in all.
    share : int
        Most places of one client at a time.
    """

    def __init__(self, places: int, share: int) -> None:
        self._places = asyncio.Semaphore(places)
        self._share = share
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[None]:
        """Wait for a place, and hold it inside of the block."""
        # Both let in first who has waited longest: of no client more than its share stand before another.
        own = self._own.setdefault(client, asyncio.Semaphore(self._share))
        async with own, self._places:
            yield


class FairWorkers(Processes[Loaded]):
    """Worker processes that are divided fairly among clients; an asynchronous context manager.

    One client occupies at most all processes but one, where there are several, and half of the places for tasks.

    Parameters
    ----------
    load : callable
        Called once in each process; its result is passed to every task. It has to be picklable.
    jobs : int
        Number of processes.
    seconds : float
        Most seconds for one task.
    waiting : int
        Most tasks that wait for a process.
    """

    def __init__(self, load: Callable[[], Loaded], *, jobs: int, seconds: float, waiting: int) -> None:
        super().__init__(load, jobs=jobs, deadline=seconds)
        self._most = waiting + jobs
        self._most_of_one = self._most // 2 + 1
        self._seconds = seconds
        self._turns = Turns(jobs, max(1, jobs - 1))

    async def do(self, task: Task[Loaded, Result_co], *, client: str = "") -> Result_co:
        """Run a task when it is the turn of its client, and return its result.

        Raises
        ------
        BlockfeatError
            The task raised it.
        Problem
            Too many tasks wait (503), or too many of this client (429); or this one took too long (504) or failed
            otherwise (500).
        """
        if self.busy >= self._most:
            raise Problem(503, "too many requests wait; try again later", headers=_LATER)
        if sum(other == client for other in self._running.values()) >= self._most_of_one:
            raise Problem(429, "too many requests from this address wait; try again later", headers=_LATER)
        # The place of a client that disconnects becomes free with the process, not before.
        try:
            result: Result_co = await self._shielded(self._in_turn(task, client), client)
        except WorkerFailed as error:
            raise self._problem(error) from error
        return result

    async def _in_turn(self, task: Task[Loaded, Any], client: str) -> Any:
        async with self._turns.turn(client):
            return await self._done(task)

    def _problem(self, error: WorkerFailed) -> Problem:
        if error.cause == "died":
            return Problem(500, "the process that worked on this page died")
        if error.cause == "deadline":
            return Problem(504, f"the page took longer than {self._seconds:g} s")
        logging.getLogger("blockfeat.web.reader.service").error("a request failed: %s", error)
        if error.cause == "start":
            return Problem(503, "no worker process is ready; try again later", headers=_LATER)
        return Problem(500, "an unexpected error; the service's log has more")


# Memory of an entry beside the page and its address: its name, objects, its place in the dictionary.
_BYTES_OF_AN_ENTRY = 500


class PageCache:
    """A cache of pages by names that nobody can guess; the least recently used pages are dropped first.

    Parameters
    ----------
    most_bytes : int
        Most bytes of memory for all pages together.
    seconds : float
        How long a page is kept after its last use.
    clock : callable
        Returns the time in seconds, from any start.
    """

    def __init__(self, most_bytes: int, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._clock = clock
        self._pages: OrderedDict[str, tuple[PageSource, int, float]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._pages)

    def keep(self, page: PageSource) -> str:
        """Keep a page and return its name.

        Raises
        ------
        LimitExceeded
            The page alone takes more than ``most_bytes``.
        """
        # The size in memory, where a letter may take four bytes.
        size = _BYTES_OF_AN_ENTRY + sum(map(sys.getsizeof, (page.html, page.url, page.charset, page.name)))
        if size > self._most_bytes:
            raise LimitExceeded(f"the page takes {size:,} bytes, more than the {self._most_bytes:,} that can be kept")
        name = secrets.token_urlsafe(18)
        self._pages[name] = page, size, self._clock()
        self._bytes += size
        self._forget()
        return name

    def get(self, name: str) -> PageSource | None:
        """Return the page of a name; None where there is none, or it is not kept any more."""
        self._forget()
        found = self._pages.pop(name, None)
        if found is None:
            return None
        page, size, _ = found
        self._pages[name] = page, size, self._clock()
        return page

    def _forget(self) -> None:
        """Drop pages that are too old, and the least recently used ones while all take too many bytes."""
        oldest_kept = self._clock() - self._seconds
        while self._pages:
            name, (_, size, used) = next(iter(self._pages.items()))
            if used >= oldest_kept and self._bytes <= self._most_bytes:
                return
            del self._pages[name]
            self._bytes -= size


_FETCHES_AT_ONCE, _FETCHES_OF_ONE_CLIENT = 32, 8


@dataclass
class Service:
    """The state that the routes of the reader share.

    Attributes
    ----------
    settings : ServeSettings
        Limits.
    workers : FairWorkers
        Worker processes that extract pages.
    kept : PageCache
        Pages that are kept for later requests.
    fetches : Turns
        Places for concurrent fetches.
    models : list of dict
        Descriptions of the models that are offered.
    client : str
        Address of the client; each request has a copy of the service with its client.
    """

    settings: ServeSettings
    workers: FairWorkers[LoadedExtractors]
    kept: PageCache
    fetches: Turns
    models: list[dict[str, Any]] = field(default_factory=list)
    client: str = ""

    @classmethod
    def of(cls, settings: ServeSettings) -> Service:
        """Create a service that is not yet started.

        Raises
        ------
        ModelError
            A model file cannot be used.
        """
        from blockfeat.models import load_model

        sources = model_names(settings.models)
        for file in settings.models:
            load_model(file)
        workers = FairWorkers(
            partial(load_extractors, sources, settings.max_bytes),
            jobs=settings.jobs,
            seconds=settings.deadline,
            waiting=settings.waiting,
        )
        kept = PageCache(settings.kept_bytes, settings.kept_seconds)
        return cls(settings, workers, kept, Turns(_FETCHES_AT_ONCE, _FETCHES_OF_ONE_CLIENT))

    async def describe_models(self) -> list[dict[str, Any]]:
        """Return the descriptions of the models, created at first use."""
        if not self.models:
            self.models[:] = await self.do(describe_models)
        return self.models

    async def do(self, task: Task[LoadedExtractors, Result]) -> Result:
        """Run a task in a worker process; see `FairWorkers.do`."""
        return await self.workers.do(task, client=self.client)

    async def source(self, *, html: str | None = None, url: str | None = None, page: str | None = None) -> PageSource:
        """Return a page: as it was sent, kept, or fetched.

        Raises
        ------
        Problem
            The page is kept no longer (404).
        InputError
            The page is too large, or cannot be fetched.
        """
        if page is not None:
            found = self.kept.get(page)
            if found is None:
                raise Problem(404, f"page {page[:40]!r} is not kept any more; send it again")
            return found
        if html is not None:
            return self.checked(PageSource(html, url or None))
        if not url:
            raise InputError("an address is needed, such as https://www.example.org/")
        return await self.fetched(url)

    def checked(self, source: PageSource) -> PageSource:
        """Return a page; raise LimitExceeded for one that is too large."""
        size, most = source.size, self.settings.max_bytes
        if size > most:
            raise LimitExceeded(f"the page has {size:,} bytes, more than the limit of {most:,}")
        return source

    async def fetched(self, url: str) -> PageSource:
        """Fetch a page; nothing of the client's request but the address is passed on."""
        from anyio import to_thread

        # People type addresses without a scheme.
        address = url.strip() if "://" in url else f"https://{url.strip()}"

        def fetch_page() -> PageSource:
            document = fetch(
                address,
                timeout=self.settings.fetch_deadline,
                max_bytes=self.settings.max_bytes,
                allow_private=self.settings.allow_private,
                networks=self.settings.networks,
            )
            return PageSource(document.data or b"", document.url or address, document.charset)

        async with self.fetches.turn(self.client):
            return await to_thread.run_sync(fetch_page, abandon_on_cancel=True)
