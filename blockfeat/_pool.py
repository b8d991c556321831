"""Work over many items in processes: in order, with bounded memory, surviving hung and killed workers."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_BATCH = 8
_FEW_OWED = 4
_WINDOW = 16


def in_order(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    jobs: int,
    failure: Callable[[Item, str], Result],
    deadline: float | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, in order.

    Parameters
    ----------
    work : callable
        Made for one item; sent to each worker once.
    items : iterable
        Taken lazily: a bounded number waits at a time.
    jobs : int
        Number of processes; with 1 and no deadline the work is done in this one.
    failure : callable
        Makes the result of an item whose worker died or passed the deadline, from the item and the reason.
    deadline : float, optional
        Seconds that one item may take; its worker is then killed and replaced.
    """
    if jobs <= 1 and deadline is None:
        for item in items:
            yield item, work(item)
        return
    pool = _Pool(work, max(1, jobs), failure, deadline)
    try:
        yield from pool.run(items)
    finally:
        pool.close()


def _serve(connection: Connection, parents: Connection, work: Callable[[Item], Result]) -> None:
    """Loop of a worker process: take batches, send back one result after the other.

    The parent's end of the line is closed here: while any process holds it, the line does not end with the parent.
    A thread takes the batches, so that the next one is there in time, and the two sides never wait for each other.
    """
    parents.close()
    waiting: SimpleQueue[list[Item]] = SimpleQueue()
    Thread(target=_receive_batches, args=(connection, waiting), daemon=True).start()
    try:
        while True:
            for item in waiting.get():
                connection.send(work(item))
    except (KeyboardInterrupt, BrokenPipeError):
        return


def _receive_batches(connection: Connection, waiting: SimpleQueue[list[Item]]) -> None:
    try:
        while True:
            waiting.put(connection.recv())
    except (EOFError, OSError):
        # The program has died, or it kills this process anyway: an item that never ends must not outlive it.
        os._exit(0)


@dataclass
class _Worker(Generic[Item]):
    """A process, the line to it, and the numbered items that it still owes."""

    process: BaseProcess
    connection: Connection
    owed: deque[tuple[int, Item]] = field(default_factory=deque)
    since: float = 0.0


class _Pool(Generic[Item, Result]):
    """Some workers, the items that wait, and the results that are not yet their turn."""

    def __init__(
        self,
        work: Callable[[Item], Result],
        jobs: int,
        failure: Callable[[Item, str], Result],
        deadline: float | None,
    ) -> None:
        self.work = work
        self.failure = failure
        self.deadline = deadline
        self.done: dict[int, tuple[Item, Result]] = {}
        self.again: deque[tuple[int, Item]] = deque()
        self.workers: list[_Worker[Item]] = [self._start() for _ in range(jobs)]

    def _start(self) -> _Worker[Item]:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_serve, args=(theirs, ours, self.work), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def run(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Feed the workers and yield what is done, in order."""
        numbered = enumerate(items)
        turn = 0
        exhausted = False
        while True:
            window = turn + _WINDOW * _BATCH * len(self.workers)
            exhausted = self._feed(numbered, window, exhausted)
            while turn in self.done:
                yield self.done.pop(turn)
                turn += 1
            if exhausted and not self.again and not any(worker.owed for worker in self.workers):
                if turn not in self.done:
                    return
                continue
            self._collect()

    def _feed(self, numbered: Iterator[tuple[int, Item]], window: int, exhausted: bool) -> bool:
        """Give each worker that will soon be idle a batch; return whether the items have come to their end."""
        for worker in self.workers:
            if len(worker.owed) > _FEW_OWED:
                continue
            batch: list[tuple[int, Item]] = []
            while self.again and len(batch) < _BATCH:
                batch.append(self.again.popleft())
            while not exhausted and len(batch) < _BATCH:
                pair = next(numbered, None)
                if pair is None:
                    exhausted = True
                    break
                batch.append(pair)
                if pair[0] >= window:
                    break
            if batch:
                self._give(worker, batch)
        return exhausted

    def _give(self, worker: _Worker[Item], batch: list[tuple[int, Item]]) -> None:
        if not worker.owed:
            worker.since = time.monotonic()
        worker.owed.extend(batch)
        try:
            worker.connection.send([item for _, item in batch])
        except (BrokenPipeError, ConnectionError):
            self._replace(worker, "its worker process died")

    def _collect(self) -> None:
        """Wait for results, a dead worker or a deadline."""
        busy = {worker.connection: worker for worker in self.workers if worker.owed}
        patience = None
        if self.deadline is not None:
            oldest = min(worker.since for worker in busy.values())
            patience = max(0.0, oldest + self.deadline - time.monotonic())
        for connection in wait(list(busy), timeout=patience):
            self._receive(busy[connection])  # type: ignore[index]
        if self.deadline is not None:
            now = time.monotonic()
            for worker in list(self.workers):
                if worker.owed and now - worker.since > self.deadline:
                    self._replace(worker, f"it took longer than {self.deadline:g} s")

    def _receive(self, worker: _Worker[Item]) -> None:
        try:
            while worker.owed and worker.connection.poll():
                result = worker.connection.recv()
                number, item = worker.owed.popleft()
                self.done[number] = (item, result)
                worker.since = time.monotonic()
        except (EOFError, ConnectionError):
            self._replace(worker, "its worker process died")

    def _replace(self, worker: _Worker[Item], reason: str) -> None:
        """Fail the item that a worker was at, keep the rest of its batch, start another worker."""
        worker.process.kill()
        worker.process.join()
        worker.connection.close()
        number, item = worker.owed.popleft()
        self.done[number] = (item, self.failure(item, reason))
        self.again.extend(worker.owed)
        self.workers[self.workers.index(worker)] = self._start()

    def close(self) -> None:
        """End the workers."""
        for worker in self.workers:
            worker.process.kill()
            worker.connection.close()
        for worker in self.workers:
            worker.process.join()
