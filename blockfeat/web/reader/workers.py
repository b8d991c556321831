"""Worker processes for single requests: taken in turn by clients; what fails, and too many that wait, as answers."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from blockfeat._pool import WorkerFailed
from blockfeat._tasks import Task
from blockfeat._tasks import Workers as Processes
from blockfeat.web.problems import Problem

Loaded = TypeVar("Loaded")
Result_co = TypeVar("Result_co", covariant=True)

_logger = logging.getLogger("blockfeat.web.reader.workers")
_LATER = {"Retry-After": "2"}


class Turns:
    """Places that clients take in turn: whoever asks much waits for himself, not the others for him.

    Parameters
    ----------
    places : int
        Places for all.
    share : int
        Most places of one client at a time.
    """

    def __init__(self, places: int, share: int) -> None:
        self._free = places
        self._share = share
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[None]:
        """Wait for a place and have it inside of the block."""
        asked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(asked)
        self._let_in()
        try:
            await asked
        except asyncio.CancelledError:
            if not asked.cancelled():
                self._leave(client)
            raise
        try:
            yield
        finally:
            self._leave(client)

    def _leave(self, client: str) -> None:
        self._free += 1
        self._held -= Counter([client])
        self._let_in()

    def _let_in(self) -> None:
        """Give the free places to the clients that have waited longest for their turn."""
        while self._free:
            client = next((name for name in self._waiting if self._held[name] < self._share), None)
            if client is None:
                return
            queue = self._waiting.pop(client)
            asked = queue.popleft()
            if queue:
                self._waiting[client] = queue
            if not asked.done():
                self._free -= 1
                self._held[client] += 1
                asked.set_result(None)


class Workers(Processes[Loaded]):
    """Some processes that wait for tasks; an asynchronous context manager.

    Where there are several, one client has all but one of them at most, and half of the places for tasks.

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
        self._asked_by: dict[asyncio.Task[Any], str] = {}

    @property
    def busy(self) -> int:
        """Number of tasks that are done or wait."""
        return len(self._asked_by)

    async def do(self, task: Task[Loaded, Result_co], *, client: str = "") -> Result_co:
        """Return the result of a task, done when it is the turn of its client.

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
        if sum(other == client for other in self._asked_by.values()) >= self._most_of_one:
            raise Problem(429, "too many requests from this address wait; try again later", headers=_LATER)
        # A client that goes away gives its place back when the process is free again, not before.
        running = asyncio.ensure_future(self._in_turn(task, client))
        self._asked_by[running] = client
        running.add_done_callback(self._asked_by.pop)
        try:
            result: Result_co = await asyncio.shield(running)
        except WorkerFailed as error:
            raise self._problem(error) from error
        return result

    async def _in_turn(self, task: Task[Loaded, Any], client: str) -> Any:
        async with self._turns.turn(client):
            return await super().do(task)

    def _problem(self, error: WorkerFailed) -> Problem:
        if error.cause == "died":
            return Problem(500, "the process that worked on this page died")
        if error.cause == "deadline":
            return Problem(504, f"the page took longer than {self._seconds:g} s")
        _logger.error("a request failed: %s", error)
        if error.cause == "start":
            return Problem(503, "no worker process is ready; try again later", headers=_LATER)
        return Problem(500, "an unexpected error; the service's log has more")
