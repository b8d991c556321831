"""Worker processes for single requests: what fails, and too many that wait, as answers of the service."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, Self, TypeVar

from blockfeat._pool import Task, WorkerFailed
from blockfeat._pool import Workers as Processes
from blockfeat.web.problems import Problem

Loaded = TypeVar("Loaded")
Result_co = TypeVar("Result_co", covariant=True)

_logger = logging.getLogger("blockfeat.web.reader.workers")
_LATER = {"Retry-After": "2"}


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
        self.processes = Processes(load, jobs=jobs, deadline=seconds)
        self._most = waiting + jobs
        self._seconds = seconds

    async def __aenter__(self) -> Self:
        """Start the processes and wait until they are ready; raise `WorkerFailed` where one cannot start."""
        await self.processes.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        """End the processes."""
        await self.processes.__aexit__(*error)

    @property
    def busy(self) -> int:
        """Number of tasks that are done or wait."""
        return self.processes.busy

    async def do(self, task: Task[Loaded, Result_co]) -> Result_co:
        """Return the result of a task.

        Raises
        ------
        BlockfeatError
            The task raised it.
        Problem
            Too many tasks wait (503), or this one took too long (504) or failed otherwise (500).
        """
        if self.busy >= self._most:
            raise Problem(503, "too many requests wait; try again later", headers=_LATER)
        try:
            return await self.processes.do(task)
        except WorkerFailed as error:
            raise self._problem(error) from error

    def _problem(self, error: WorkerFailed) -> Problem:
        if error.cause == "died":
            return Problem(500, "the process that worked on this page died")
        if error.cause == "deadline":
            return Problem(504, f"the page took longer than {self._seconds:g} s")
        _logger.error("a request failed: %s", error)
        if error.cause == "start":
            return Problem(503, "no worker process is ready; try again later", headers=_LATER)
        return Problem(500, "an unexpected error; the service's log has more")
