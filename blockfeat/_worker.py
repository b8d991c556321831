"""A worker process, and the line to it.

Each process has a line of its own: what is killed while it answers damages no other answer. It notes which item it has
begun, and when, in memory shared with this process: what dies or hangs costs that item alone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, MutableSequence
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from queue import SimpleQueue
from typing import Any, Generic, Literal, TypeVar, cast

from blockfeat.errors import BlockfeatError

Item = TypeVar("Item")
StartMethod = Literal["fork", "spawn", "forkserver"]
Cause = Literal["died", "deadline", "broke", "start"]

READY, DONE, REFUSED, BROKE = "ready", "done", "refused", "broke"
NO_START = (
    "a worker process ended while it started; a script that starts processes must do so under if __name__ == '__main__'"
)
# A line that ends in the middle of a message raises a plain OSError.
LINE_ENDED = (EOFError, OSError)
_SECONDS_TO_START = 60.0
# Places in the memory that a process shares: how many items it has begun, and when the last.
_BEGUN, _SINCE = 0, 1


class WorkerFailed(BlockfeatError):
    """A task that has no result; ``cause`` says whether its process died, was too slow, broke, or never started."""

    def __init__(self, reason: str, cause: Cause) -> None:
        super().__init__(reason)
        self.cause = cause


def _serve(
    line: Connection,
    parents: Connection | None,
    notes: MutableSequence[float],
    load: Callable[[], Callable[[Any], Any]],
) -> None:
    """Loop of a worker process: take batches, send back one result after the other.

    The parent's end of the line is closed here: while any process holds it, the line does not end with the parent.
    A thread takes the batches, so that the next one is there in time, and the two sides never wait for each other.
    """
    # Ctrl-C reaches every process; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parents is not None:
        parents.close()
    waiting: SimpleQueue[list[Any]] = SimpleQueue()
    threading.Thread(target=_receive_batches, args=(line, waiting), daemon=True).start()
    status, work = _outcome(load)
    _answer(line, status, None if status == DONE else work)
    while status == DONE:
        for item in waiting.get():
            notes[_SINCE] = time.monotonic()
            notes[_BEGUN] += 1
            _answer(line, *_outcome(work, item))


def _receive_batches(line: Connection, waiting: SimpleQueue[list[Any]]) -> None:
    try:
        while True:
            waiting.put(line.recv())
    except LINE_ENDED:
        # The program has died, or it kills this process anyway: an item that never ends must not outlive it.
        os._exit(0)


def _outcome(work: Callable[..., Any], *items: Any) -> tuple[str, Any]:
    try:
        return DONE, work(*items)
    except BlockfeatError as error:
        return REFUSED, error
    except Exception as error:
        return BROKE, "".join(traceback.format_exception(error))


def _answer(line: Connection, status: str, value: Any) -> None:
    try:
        line.send((status, value))
    except BrokenPipeError:
        os._exit(0)
    except Exception as error:
        line.send((BROKE, "".join(traceback.format_exception(error))))


def _start_method() -> StartMethod:
    """Return how a process starts: not as a copy of this one while other threads run, whose locks it would copy."""
    known = multiprocessing.get_all_start_methods()
    if "fork" in known and threading.active_count() == 1:
        return "fork"
    return "forkserver" if "forkserver" in known else "spawn"


class Worker(Generic[Item]):
    """A process, and the line to it."""

    def __init__(self, load: Callable[[], Callable[[Item], Any]], start: StartMethod | None) -> None:
        method = start or _start_method()
        context = cast(SpawnContext, multiprocessing.get_context(method))
        self.line, theirs = context.Pipe()
        self._notes = context.RawArray("d", 2)
        parents = self.line if method == "fork" else None
        self._process = context.Process(
            target=_serve, args=(theirs, parents, self._notes, load), daemon=True, name="blockfeat-worker"
        )
        try:
            self._process.start()
        finally:
            theirs.close()
        self.is_ready = False
        self.answered = 0

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid or 0

    @property
    def is_at_work(self) -> bool:
        """Whether an item was begun that is not answered."""
        return int(self._notes[_BEGUN]) > self.answered

    def left(self, deadline: float | None) -> float | None:
        """Return the seconds that remain for the item at work; all of them where none is."""
        if deadline is None or not self.is_at_work:
            return deadline
        return float(self._notes[_SINCE]) + deadline - time.monotonic()

    def give(self, items: list[Item]) -> bool:
        """Send items; return whether the process is there to take them."""
        try:
            self.line.send(items)
        except ConnectionError:
            return False
        return True

    def receive(self) -> tuple[str, Any]:
        """Return the next answer; raise EOFError or OSError where the line has ended."""
        status, value = self.line.recv()
        if not self.is_ready:
            if status != DONE:
                raise value if status == REFUSED else WorkerFailed(str(value), "start")
            self.is_ready = True
            return READY, None
        self.answered += 1
        return status, value

    def wait_until_ready(self) -> None:
        """Wait until the process has loaded what it needs; raise where it cannot."""
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
