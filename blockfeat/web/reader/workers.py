"""Worker processes for single requests, each with a time limit: a page that hangs or kills its process fails alone."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Generic, Protocol, Self, TypeVar

from blockfeat.errors import BlockfeatError
from blockfeat.web.problems import Problem

Loaded = TypeVar("Loaded")
Result_co = TypeVar("Result_co", covariant=True)
LoadedOf_contra = TypeVar("LoadedOf_contra", contravariant=True)

_logger = logging.getLogger("blockfeat.web.reader.workers")
_DONE, _REFUSED, _BROKEN = "done", "refused", "broken"
# A process is replaced after so many tasks: what libraries leave behind does not add up.
_TASKS_OF_A_PROCESS = 5_000
_SECONDS_TO_START = 60.0


class Task(Protocol[LoadedOf_contra, Result_co]):
    """Something to be done in a worker process; it has to be picklable, and so has its result."""

    def __call__(self, loaded: LoadedOf_contra, /) -> Result_co:
        """Do it, with what the process has loaded."""
        ...


def _serve(connection: Connection, load: Callable[[], Any]) -> None:
    """Loop of a worker process: load, then do one task after the other."""
    try:
        loaded = load()
        connection.send((_DONE, None))
        while True:
            task = connection.recv()
            connection.send(_result(task, loaded))
    except (KeyboardInterrupt, EOFError, OSError):
        return


def _result(task: Callable[[Any], Any], loaded: Any) -> tuple[str, Any]:
    try:
        return _DONE, task(loaded)
    except BlockfeatError as error:
        return _REFUSED, error
    except Exception as error:
        return _BROKEN, "".join(traceback.format_exception(error))


class _Worker:
    """A process and the line to it; `ask` blocks and is called in a thread."""

    def __init__(self, load: Callable[[], Any]) -> None:
        # Not a copy of this process: it has threads.
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, load), daemon=True, name="blockfeat-worker")
        self._process.start()
        theirs.close()
        self._is_ready = False
        self.tasks = 0

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def wait_until_ready(self) -> None:
        """Wait until the process has loaded what it needs; raise RuntimeError where it cannot."""
        if self._is_ready:
            return
        try:
            if not self._line.poll(_SECONDS_TO_START):
                raise RuntimeError("a worker process did not start in time")
            self._line.recv()
        except (EOFError, OSError) as error:
            raise RuntimeError("a worker process ended while it started") from error
        self._is_ready = True

    def ask(self, task: Callable[[Any], Any], seconds: float) -> tuple[str, Any] | None:
        """Return the result of a task; None where the process died, TimeoutError where it took too long."""
        self.wait_until_ready()
        self.tasks += 1
        try:
            self._line.send(task)
            if not self._line.poll(seconds):
                raise TimeoutError
            answer: tuple[str, Any] = self._line.recv()
            return answer
        except (EOFError, ConnectionError):
            return None

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._line.close()


class Workers(Generic[Loaded]):
    """Some processes that wait for tasks; an asynchronous context manager.

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
        self._load = load
        self._jobs = jobs
        self._seconds = seconds
        self._most_waiting = waiting
        self._waiting = 0
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="blockfeat-worker")
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._every: list[_Worker] = []
        self._running: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        """Start the processes and wait until they are ready.

        Raises
        ------
        RuntimeError
            A process cannot start.
        """
        self._every = [_Worker(self._load) for _ in range(self._jobs)]
        try:
            for worker in self._every:
                await asyncio.get_running_loop().run_in_executor(self._threads, worker.wait_until_ready)
                self._idle.put_nowait(worker)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        """End the processes."""
        for worker in self._every:
            worker.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def pids(self) -> Sequence[int]:
        """The process ids of the workers."""
        return [worker.pid for worker in self._every]

    @property
    def busy(self) -> int:
        """Number of tasks that are done or wait."""
        return len(self._running)

    async def do(self, task: Task[Loaded, Result_co]) -> Result_co:
        """Return the result of a task.

        Raises
        ------
        BlockfeatError
            The task raised it.
        Problem
            Too many tasks wait (503), or this one took too long (504) or failed otherwise (500).
        """
        if self._waiting >= self._most_waiting + self._jobs:
            raise Problem(503, "too many requests wait; try again later", headers={"Retry-After": "2"})
        self._waiting += 1
        # A client that goes away does not leave a process that still owes an answer.
        running = asyncio.ensure_future(self._done(task))
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        result: Result_co = await asyncio.shield(running)
        return result

    async def _done(self, task: Task[Loaded, Any]) -> Any:
        try:
            worker = await self._idle.get()
            try:
                answer = await self._asked(worker, task)
            finally:
                self._idle.put_nowait(self._replaced(worker) if worker.tasks >= _TASKS_OF_A_PROCESS else worker)
        finally:
            self._waiting -= 1
        if answer is None:
            raise Problem(500, "the process that worked on this page died")
        status, value = answer
        if status == _REFUSED:
            raise value
        if status == _BROKEN:
            _logger.error("a request failed: %s", value)
            raise Problem(500, "an unexpected error; the service's log has more")
        return value

    async def _asked(self, worker: _Worker, task: Task[Loaded, Any]) -> tuple[str, Any] | None:
        loop = asyncio.get_running_loop()
        try:
            answer = await loop.run_in_executor(self._threads, worker.ask, task, self._seconds)
        except TimeoutError as error:
            worker.tasks = _TASKS_OF_A_PROCESS
            raise Problem(504, f"the page took longer than {self._seconds:g} s") from error
        except RuntimeError as error:
            worker.tasks = _TASKS_OF_A_PROCESS
            _logger.error("%s", error)
            raise Problem(503, "no worker process is ready; try again later", headers={"Retry-After": "2"}) from error
        if answer is None:
            worker.tasks = _TASKS_OF_A_PROCESS
        return answer

    def _replaced(self, worker: _Worker) -> _Worker:
        """End a process and start another in its place."""
        worker.end()
        another = _Worker(self._load)
        self._every[self._every.index(worker)] = another
        return another
