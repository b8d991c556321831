"""Process many items in worker processes: results in order, memory bounded, hung and dead workers replaced."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableSequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import islice
from mmap import mmap
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from queue import SimpleQueue
from typing import Any, Generic, Literal, TypeVar, cast

from blockfeat.errors import BlockfeatError

Item = TypeVar("Item")
StartMethod = Literal["fork", "spawn", "forkserver"]
Cause = Literal["died", "deadline", "broke", "start"]

DONE, REFUSED, BROKE = "done", "refused", "broke"
NO_START = (
    "a worker process ended while it started; a script that starts processes must do so under if __name__ == '__main__'"
)
# A connection that ends in the middle of a message raises a plain OSError.
LINE_ENDED = (EOFError, OSError)
_SECONDS_TO_START = 60.0
# Longer ones do not fit into what the system takes.
_LONGEST_WAIT = 86_400.0
# Places in the memory that a process shares: how many items it has begun, when the last, and the batches received.
_BEGUN, _SINCE, _RECEIVED = 0, 1, 2
# What is so large is handed to a forked process in memory, of so many bytes, that it shares with this one.
_LARGE, _BYTES_SHARED = 1 << 12, 1 << 22
# Results of a batch go together, which costs both sides less, but not where they are large or one of them has to wait.
_SECONDS_HELD, _BYTES_HELD = 0.05, 1 << 16


class WorkerFailed(BlockfeatError):
    """A task has no result; ``cause``: its process died, passed the deadline, raised an error or did not start."""

    def __init__(self, reason: str, cause: Cause) -> None:
        super().__init__(reason)
        self.cause = cause


class _Packer(pickle.Pickler):
    """Pickles items, with large bytes and strings beside them in shared memory as far as it reaches."""

    def __init__(self, written: BytesIO, shared: mmap | None) -> None:
        super().__init__(written, pickle.HIGHEST_PROTOCOL)
        self.shared, self.end = shared, 0

    def persistent_id(self, value: object) -> tuple[int, int, bool] | None:
        """Return where a value lies in the shared memory, and whether it is a string; None for what is pickled."""
        if self.shared is None or not isinstance(value, (bytes, str)) or len(value) < _LARGE:
            return None
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        first, end = self.end, self.end + len(data)
        if end > _BYTES_SHARED:
            return None
        self.shared[first:end], self.end = data, end
        return first, end, data is not value


class _Unpacker(pickle.Unpickler):
    """Reads what `_Packer` has written."""

    def __init__(self, message: bytes, shared: mmap | None) -> None:
        super().__init__(BytesIO(message))
        self.shared = shared or b""

    def persistent_load(self, place: tuple[int, int, bool]) -> bytes | str:
        """Return a copy of what lies in the shared memory."""
        first, end, is_text = place
        data = self.shared[first:end]
        return data.decode("utf-8", "surrogatepass") if is_text else data


def _serve(
    line: Connection,
    parents: Connection | None,
    notes: MutableSequence[float],
    shared: mmap | None,
    load: Callable[[], Callable[[Any], Any]],
) -> None:
    """Run the main loop of a worker process: receive batches of items and send back their results.

    The parent's end of the connection is closed here, else the connection would stay open when the parent dies.
    A thread receives the batches, so that the next one is there in time and the two sides cannot deadlock.
    """
    # Ctrl-C is sent to every process; only the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parents is not None:
        parents.close()
    waiting: SimpleQueue[list[Any]] = SimpleQueue()
    threading.Thread(target=_receive_batches, args=(line, notes, shared, waiting), daemon=True).start()
    status, work = _outcome(load)
    _send(line, [_answer(status, None if status == DONE else work)])
    while status == DONE:
        batch, answers, sent = waiting.get(), list[bytes](), time.monotonic()
        for item in batch:
            notes[_SINCE] = time.monotonic()
            notes[_BEGUN] += 1
            answers.append(_answer(*_outcome(work, item)))
            if item is batch[-1] or len(answers[-1]) > _BYTES_HELD or time.monotonic() - sent > _SECONDS_HELD:
                _send(line, answers)
                answers, sent = [], time.monotonic()


def _receive_batches(
    line: Connection, notes: MutableSequence[float], shared: mmap | None, waiting: SimpleQueue[list[Any]]
) -> None:
    try:
        while True:
            waiting.put(_Unpacker(line.recv_bytes(), shared).load())
            notes[_RECEIVED] += 1
    except LINE_ENDED:
        # The parent has died or is ending this process: exit at once, even during an item that never ends.
        os._exit(0)


def _outcome(work: Callable[..., Any], *items: Any) -> tuple[str, Any]:
    try:
        return DONE, work(*items)
    except BlockfeatError as error:
        return REFUSED, error
    except Exception as error:
        return BROKE, "".join(traceback.format_exception(error))


def _answer(status: str, value: Any) -> bytes:
    try:
        return pickle.dumps((status, value), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pickle.dumps((BROKE, "".join(traceback.format_exception(error))))


def _send(line: Connection, answers: list[bytes]) -> None:
    try:
        line.send_bytes(pickle.dumps(answers, pickle.HIGHEST_PROTOCOL))
    except OSError:
        os._exit(0)


def _start_method() -> StartMethod:
    """Return the start method: no fork while other threads run, since a fork copies the locks that they hold."""
    known = multiprocessing.get_all_start_methods()
    if "fork" in known and threading.active_count() == 1:
        return "fork"
    return "forkserver" if "forkserver" in known else "spawn"


class Worker(Generic[Item]):
    """A worker process, and the connection to it."""

    def __init__(self, load: Callable[[], Callable[[Item], Any]], start: StartMethod | None) -> None:
        method = start or _start_method()
        context = cast(SpawnContext, multiprocessing.get_context(method))
        self.line, theirs = context.Pipe()
        # A file of shared memory, of which processes of other methods know, may be left where the program is killed.
        self._notes = memoryview(mmap(-1, 24)).cast("d") if method == "fork" else context.RawArray("d", 3)
        parents = self.line if method == "fork" else None
        try:
            self._shared = mmap(-1, _BYTES_SHARED) if method == "fork" else None
            arguments = (theirs, parents, self._notes, self._shared, load)
            self._process = context.Process(target=_serve, args=arguments, daemon=True, name="blockfeat-worker")
            self._process.start()
        except OSError as error:
            raise WorkerFailed(f"a worker process cannot be started: {error.strerror or error}", "start") from error
        finally:
            theirs.close()
        self.is_ready = False
        self.given = self.answered = 0

    @property
    def begun(self) -> int:
        """Number of items that it has begun, and whose results have not been received; all but the last are done."""
        return int(self._notes[_BEGUN]) - self.answered

    def left(self, deadline: float | None) -> float | None:
        """Return the seconds left for the current item; the whole deadline if there is none."""
        if deadline is None or self.begun <= 0:
            return deadline
        return float(self._notes[_SINCE]) + deadline - time.monotonic()

    def give(self, items: list[Item]) -> bool:
        """Send items; return whether the process still accepts them."""
        message = BytesIO()
        # What was given last lies in the memory until it is received.
        is_free = self._notes[_RECEIVED] == self.given
        _Packer(message, self._shared if is_free else None).dump(items)
        self.given += 1
        try:
            self.line.send_bytes(message.getbuffer())
        except ConnectionError:
            return False
        return True

    def receive(self) -> list[tuple[str, Any]]:
        """Return status and value of the next results, of none where the process says that it is ready.

        Raise EOFError or OSError if the connection has ended.
        """
        answers: list[tuple[str, Any]] = list(map(pickle.loads, pickle.loads(self.line.recv_bytes())))
        if self.is_ready:
            self.answered += len(answers)
            return answers
        status, value = answers[0]
        if status != DONE:
            raise value if status == REFUSED else WorkerFailed(str(value), "start")
        self.is_ready = True
        return []

    def wait_until_ready(self) -> None:
        """Wait until the process has loaded what it needs; raise an error if it cannot."""
        if self.is_ready:
            return
        try:
            if not self.line.poll(_SECONDS_TO_START):
                raise WorkerFailed("a worker process did not start in time", "start")
            self.receive()
        except LINE_ENDED as error:
            raise WorkerFailed(NO_START, "start") from error

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()


Result = TypeVar("Result")
Loaded = TypeVar("Loaded")

DIED = "its worker process died"

_BATCH = 16
_WINDOW = 8
STARTS = 3


def took_longer(seconds: float) -> str:
    """Return the failure reason of an item that passed its deadline."""
    return f"it took longer than {seconds:g} s"


def in_order(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    jobs: int,
    failure: Callable[[Item, str], Result],
    deadline: float | None = None,
    start: StartMethod | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, in order.

    Parameters
    ----------
    work : callable
        Called with one item; pickled and sent to each worker once.
    items : iterable
        Consumed lazily: a bounded number is held in memory at a time.
    jobs : int
        Number of processes; with 1 and no deadline the work is done in this one.
    failure : callable
        Makes the result of an item whose worker died or passed the deadline, or whose work raised an error in its
        process, from the item and the reason.
    deadline : float, optional
        Seconds that one item may take; its worker is then killed and replaced.
    start : str, optional
        Start method of the processes; by default ``"fork"`` if the system has it and no other thread runs.

    Raises
    ------
    WorkerFailed
        Worker processes repeatedly end before they are ready.
    """
    if jobs <= 1 and deadline is None:
        for item in items:
            yield item, work(item)
        return
    with closing(_Pool(work, max(1, jobs), failure, deadline, start)) as pool:
        yield from pool.run(items)


def _same(value: Loaded) -> Loaded:
    """Return a value; with it, a function that can be pickled to another process."""
    return value


@dataclass
class _Pool(Generic[Item, Result]):
    """A pool of workers, with the items to send again and the results that wait for earlier ones."""

    work: Callable[[Item], Result]
    jobs: int
    failure: Callable[[Item, str], Result]
    deadline: float | None
    start: StartMethod | None
    done: dict[int, tuple[Item, Result]] = field(default_factory=dict)
    again: deque[tuple[int, Item]] = field(default_factory=deque)
    owed: dict[Worker[Item], deque[tuple[int, Item]]] = field(default_factory=dict)
    failed_starts: int = 0
    taken: int = 0

    def _add(self) -> None:
        self.owed[Worker(partial(_same, self.work), self.start)] = deque()

    def run(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Feed the workers and yield each item with its result, in order."""
        for _ in range(self.jobs):
            self._add()
        numbered = enumerate(items)
        turn, exhausted = 0, False
        while True:
            window = turn + _WINDOW * _BATCH * len(self.owed)
            exhausted = self._feed(numbered, window, exhausted)
            while turn in self.done:
                yield self.done.pop(turn)
                turn += 1
            if exhausted and not self.again and not any(self.owed.values()):
                return
            self._collect()

    def _feed(self, numbered: Iterator[tuple[int, Item]], window: int, exhausted: bool) -> bool:
        """Send a batch to each worker that will soon be idle; return whether the items are exhausted.

        At most ``window`` items are taken in total.
        """
        for worker, owed in list(self.owed.items()):
            if len(owed) > _BATCH // 2:
                continue
            batch: list[tuple[int, Item]] = []
            # The first ones are small: of a few items each worker gets its share.
            size = min(_BATCH, 1 + self.taken // (4 * len(self.owed)))
            while self.again and len(batch) < size:
                batch.append(self.again.popleft())
            wanted = min(size - len(batch), window - self.taken)
            fresh = list(islice(numbered, wanted))
            exhausted = exhausted or len(fresh) < wanted
            self.taken += len(fresh)
            batch += fresh
            if batch:
                owed.extend(batch)
                if not worker.give([item for _, item in batch]):
                    worker.end()  # else nobody knows whether it waits for more
                    self._receive(worker)
        return exhausted

    def _collect(self) -> None:
        """Wait for results, a dead worker or a deadline, and handle them."""
        busy = {worker.line: worker for worker, owed in self.owed.items() if owed}
        if not busy:
            return
        patience = None
        if self.deadline is not None:
            left = min(worker.left(self.deadline) or 0.0 for worker in busy.values())
            patience = min(max(0.0, left), _LONGEST_WAIT)
        for line in wait(list(busy), timeout=patience):
            self._receive(busy[cast(Connection, line)])
        if self.deadline is not None:
            for worker in busy.values():
                is_late = worker in self.owed and worker.begun > 0 and (worker.left(self.deadline) or 0.0) <= 0.0
                # Results that wait here may be those of the item.
                if is_late and not worker.line.poll():
                    self._replace(worker, took_longer(self.deadline))

    def _receive(self, worker: Worker[Item]) -> None:
        """Take results that have arrived; replace a worker whose connection has ended."""
        try:
            self._take(worker)
        except LINE_ENDED:
            self._replace(worker, DIED)

    def _take(self, worker: Worker[Item]) -> None:
        answers = worker.receive()
        self.failed_starts = 0
        for status, value in answers:
            number, item = self.owed[worker].popleft()
            if status != DONE:
                logging.getLogger("blockfeat.pool").debug("an item failed: %s", value)
                value = self.failure(item, str(value).strip().rpartition("\n")[2])
            self.done[number] = (item, value)

    def _replace(self, worker: Worker[Item], reason: str) -> None:
        """Kill a worker and start another; the item that it was working on fails, its other items are sent again.

        So are those that it had done, if their results had not been sent.
        """
        worker.end()
        # Results that it sent before are valid; a line that has failed may have ended inside one.
        with suppress(*LINE_ENDED):
            while reason != DIED and worker.line.poll():
                self._take(worker)
        if not worker.is_ready:
            self.failed_starts += 1
            if self.failed_starts >= STARTS:
                raise WorkerFailed(NO_START, "start")
        worker.line.close()
        owed = self.owed.pop(worker)
        if 0 < worker.begun <= len(owed):
            number, item = owed[worker.begun - 1]
            del owed[worker.begun - 1]
            self.done[number] = (item, self.failure(item, reason))
        self.again.extend(owed)
        self._add()

    def close(self) -> None:
        """Kill the workers."""
        for worker in self.owed:
            worker.end()
            worker.line.close()
