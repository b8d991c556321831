"""Asynchronous single tasks in worker processes, each with a deadline; hung and dead processes are replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, Self, cast

from blockfeat._pool import BROKE, DIED, LINE_ENDED, REFUSED, STARTS, Loaded, Result, Worker, WorkerFailed, took_longer

# A process is replaced after this many tasks, so that memory leaked by libraries does not add up.
_TASKS_OF_A_PROCESS = 5_000


Task = Callable[[Loaded], Result]
"""Runs in a worker process, with what that has loaded; it has to be picklable, and so has its result."""


def _doing(load: Callable[[], Loaded]) -> Callable[[Task[Loaded, Any]], Any]:
    """Load what tasks need, in a worker process, and return a function that runs one task."""
    loaded = load()
    return lambda task: task(loaded)


class Workers(Generic[Loaded]):
    """A pool of processes for single tasks, each with a deadline; an asynchronous context manager.

    Parameters
    ----------
    load : callable
        Called once in each process; its result is passed to every task. It has to be picklable.
    jobs : int
        Number of processes.
    deadline : float
        Time limit in seconds for one task; the time that a process takes to start does not count.
    """

    def __init__(self, load: Callable[[], Loaded], *, jobs: int, deadline: float) -> None:
        self._load = partial(_doing, load)
        self._jobs = jobs
        self._deadline = deadline
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="blockfeat-worker")
        self._idle: asyncio.Queue[Worker[Task[Loaded, Any]]] = asyncio.Queue()
        self._every: list[Worker[Task[Loaded, Any]]] = []
        self._running: dict[asyncio.Task[Any], str] = {}

    @contextmanager
    def begun(self) -> Iterator[Self]:
        """Start the processes ahead, forked where no other thread runs: they load while this one goes on."""
        try:
            self._every = [Worker(self._load, None) for _ in range(self._jobs)]
            yield self
        finally:
            self._end()

    async def __aenter__(self) -> Self:
        """Start the processes and wait until they are ready.

        Raises
        ------
        WorkerFailed
            A process cannot start.
        BlockfeatError
            ``load`` raised it.
        """
        self._every = self._every or [self._started() for _ in range(self._jobs)]
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
        self._end()

    def _end(self) -> None:
        for worker in self._every:
            worker.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _started(self) -> Worker[Task[Loaded, Any]]:
        # Not forked: this process has threads and sockets.
        return Worker(self._load, "spawn")

    @property
    def busy(self) -> int:
        """Number of tasks that run or wait."""
        return len(self._running)

    async def do(self, task: Task[Loaded, Result]) -> Result:
        """Return the result of a task.

        Raises
        ------
        BlockfeatError
            The task raised it.
        WorkerFailed
            Its process died, it took too long, it raised another error, or no process can start.
        """
        return cast("Result", await self._shielded(self._done(task)))

    async def _shielded(self, work: Coroutine[Any, Any, Any], client: str = "") -> Any:
        """Do work for a client; if that is cancelled, a process still finishes its task before it gets another."""
        running = asyncio.ensure_future(work)
        self._running[running] = client
        running.add_done_callback(self._running.pop)
        return await asyncio.shield(running)

    async def _done(self, task: Task[Loaded, Any]) -> Any:
        # If a process died before it began the task, the task is not the cause: another process tries it.
        for _ in range(STARTS):
            worker = await self._idle.get()
            is_good = False
            try:
                answer = await asyncio.get_running_loop().run_in_executor(self._threads, self._asked, worker, task)
                is_good = answer is not None and worker.answered < _TASKS_OF_A_PROCESS
            finally:
                self._idle.put_nowait(worker if is_good else self._replaced(worker))
            if answer is not None:
                status, value = answer
                if status == REFUSED:
                    raise value
                if status == BROKE:
                    raise WorkerFailed(value, "broke")
                return value
        raise WorkerFailed(DIED, "died")

    def _asked(self, worker: Worker[Task[Loaded, Any]], task: Task[Loaded, Any]) -> tuple[str, Any] | None:
        """Return status and value of a task; blocks its thread. None if the process ended before it began the task."""
        worker.wait_until_ready()
        try:
            if worker.give([task]):
                # The deadline counts from the start of the task, not from its sending.
                while (left := worker.left(self._deadline) or 0.0) > 0.0:
                    if worker.line.poll(left):
                        return worker.receive()[0]
                    if not worker.begun:
                        break
                raise WorkerFailed(took_longer(self._deadline), "deadline")
        except LINE_ENDED as error:
            if worker.begun:
                raise WorkerFailed(DIED, "died") from error
        return None

    def _replaced(self, worker: Worker[Task[Loaded, Any]]) -> Worker[Task[Loaded, Any]]:
        """Kill a process and start another in its place."""
        worker.end()
        another = self._started()
        self._every[self._every.index(worker)] = another
        return another
