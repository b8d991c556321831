"""What worker processes load and do in tests; imports little, since each process imports it."""

import multiprocessing
import os
import time
from dataclasses import dataclass

__all__ = ["End", "Number", "Raise", "Say", "Sleep", "breaks", "ends", "is_slow_to_start", "ready", "worker_pids"]


def worker_pids() -> list[int]:
    """Return the ids of this process's workers, the oldest first."""
    found = (child.pid for child in multiprocessing.active_children() if child.name == "blockfeat-worker")
    return sorted(pid for pid in found if pid)


def ready() -> str:
    return "ready"


def is_slow_to_start() -> str:
    time.sleep(2.0)
    return "ready"


def breaks() -> str:
    raise ValueError("a broken model")


def ends() -> str:
    os._exit(1)


@dataclass(frozen=True)
class Say:
    text: str

    def __call__(self, loaded: str) -> str:
        return f"{loaded}: {self.text}"


@dataclass(frozen=True)
class Number:
    """Returns the number of the process."""

    def __call__(self, loaded: str) -> int:
        return os.getpid()


@dataclass(frozen=True)
class Sleep:
    seconds: float

    def __call__(self, loaded: str) -> str:
        time.sleep(self.seconds)
        return f"slept {self.seconds:g}"


@dataclass(frozen=True)
class Raise:
    error: Exception

    def __call__(self, loaded: str) -> None:
        raise self.error


@dataclass(frozen=True)
class End:
    """Ends its process."""

    def __call__(self, loaded: str) -> None:
        os._exit(3)
