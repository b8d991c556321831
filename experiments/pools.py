"""Which pools of processes hold the promises that batches make, and how fast they are.

Usage::

    pip install pebble loky
    python -m experiments.pools --corpora ../shared/corpora --every 10

The promises: results in order; a deadline for each page, whose process is then replaced; a process that dies costs its
page alone; of a long stream, a bounded number of pages waits in memory. Each is tried with small items. Then of 2,000
items every twentieth has its process killed while it answers, and what is lost of the other 1,900 is counted.

Speed is measured with two processes: over pages of four corpora with the model ``default``, the start of the processes
counted, best of some rounds; and as the CPU time that a pool itself takes for an item, a small one and one of 180 KB,
which is the mean page of these corpora, where the work is to count its bytes.

`blockfeat._pool` is beside pebble and loky as one would use them: tasks are scheduled one by one, in a window, since
their own ``map`` takes all items at once.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from blockfeat._pool import in_order
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.many import WithoutEvidence
from blockfeat.page.document import Document
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import Corpora
from experiments.timed_pages import cpu_seconds, sampled_bytes

__all__ = ["POOLS", "lost_beside_the_killed", "main", "overhead", "promises"]

_WINDOW = 64
_DEADLINE = 3.0
_STREAM = 20_000
_ITEMS = 2_000
_PAGE = 180_000

Work = Callable[[Any], Any]
Pool = Callable[[Work, Iterable[Any], float | None], Iterator[Any]]


def with_blockfeat(work: Work, items: Iterable[Any], deadline: float | None) -> Iterator[Any]:
    """Yield results by `blockfeat._pool`."""
    for _, result in in_order(work, items, jobs=2, failure=_failed, deadline=deadline):
        yield result


def with_pebble(work: Work, items: Iterable[Any], deadline: float | None) -> Iterator[Any]:
    """Yield results by pebble."""
    from pebble import ProcessPool

    with ProcessPool(max_workers=2, initializer=_keep, initargs=(work,)) as pool:
        try:
            yield from _windowed(lambda item: pool.schedule(_work, args=(item,), timeout=deadline), items)
        finally:
            pool.stop()


def with_loky(work: Work, items: Iterable[Any], deadline: float | None) -> Iterator[Any]:
    """Yield results by loky, which knows no deadline."""
    from loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(max_workers=2, initializer=_keep, initargs=(work,))
    try:
        yield from _windowed(lambda item: pool.submit(_work, item), items, patience=deadline)
    finally:
        pool.shutdown(wait=True, kill_workers=True)


POOLS: dict[str, Pool] = {"blockfeat._pool": with_blockfeat, "pebble": with_pebble, "loky": with_loky}


def _windowed(
    submit: Callable[[Any], Future[Any]], items: Iterable[Any], *, patience: float | None = None
) -> Iterator[Any]:
    """Yield the results of tasks in order, with a bounded number of them under way."""
    rest = iter(items)
    waiting = deque(_submitted(submit, item) for item in itertools.islice(rest, _WINDOW))
    while waiting:
        future = waiting.popleft()
        try:
            result = future.result(None if patience is None else 2 * patience)
        except Exception as error:
            result = f"failed: {type(error).__name__}"
        for item in itertools.islice(rest, 1):
            waiting.append(_submitted(submit, item))
        yield result


def _submitted(submit: Callable[[Any], Future[Any]], item: Any) -> Future[Any]:
    try:
        return submit(item)
    except Exception as error:
        refused: Future[Any] = Future()
        refused.set_exception(error)
        return refused


# The work of a process of these pools: they would send it with each task otherwise.
_kept: list[Work] = []


def _keep(work: Work) -> None:
    _kept[:] = [work]


def _work(item: Any) -> Any:
    return _kept[0](item)


def _failed(item: Any, reason: str) -> str:
    return f"failed: {reason}"


def hostile(item: int) -> str:
    """Do nothing for most numbers; hang at 11 and 12, as many as there are processes, and die at 25."""
    if item in (11, 12):
        time.sleep(600)
    if item == 25:
        os.kill(os.getpid(), signal.SIGKILL)
    return str(item)


def interrupted(item: int) -> bytes:
    """Answer at once; every twentieth process is killed while it sends a large answer."""
    if not _is_killed(item):
        return b"done"
    answer = os.urandom(3_000_000)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.0005 * (1 + item // 20 % 10))
    return answer


def _is_killed(item: int) -> bool:
    return item % 20 == 7


def lost_beside_the_killed(pool: Pool, count: int = _ITEMS) -> int:
    """Return how many items are lost of those whose process is not killed."""
    results = enumerate(pool(interrupted, range(count), None))
    return sum(result != b"done" for item, result in results if not _is_killed(item))


def promises(pool: Pool) -> dict[str, bool]:
    """Return which promises a pool holds."""
    quick = list(pool(str, range(300), None))
    hung = list(pool(hostile, range(20), _DEADLINE))
    died = list(pool(hostile, range(20, 400), None))
    return {
        "order": quick == [str(number) for number in range(300)],
        "deadline": _failures(hung) == [11, 12],
        "killed process": _failures(died) == [25 - 20],
        "bounded memory": _taken_ahead(pool) < _STREAM // 4,
    }


def _failures(results: Sequence[str]) -> list[int]:
    return [number for number, result in enumerate(results) if result.startswith("failed")]


def _taken_ahead(pool: Pool) -> int:
    """Return how many items of a stream a pool takes until its first result is read."""
    count = 0

    def items() -> Iterator[int]:
        nonlocal count
        for number in range(_STREAM):
            count = number
            yield number

    results = pool(str, items(), None)
    next(results)
    time.sleep(0.5)
    ahead = count
    results.close()  # type: ignore[attr-defined]
    return ahead


def _seconds(pool: Pool, work: Work, documents: Sequence[Document], rounds: int) -> tuple[float, float]:
    """Return wall and CPU seconds of the fastest round."""
    found = []
    for _ in range(rounds):
        start, cpu = time.perf_counter(), cpu_seconds()
        results = list(pool(work, documents, 60.0))
        found.append((time.perf_counter() - start, cpu_seconds() - cpu))
        if len(results) != len(documents) or any(isinstance(result, str) for result in results):
            return float("nan"), float("nan")
    return min(found)


def overhead(pool: Pool, size: int, *, count: int = 500) -> float:
    """Return the CPU seconds that a pool takes for an item of some bytes, its start not counted."""
    seconds = []
    for number in (1, count + 1):
        # The least of three: what starts at the same time on the machine counts, too.
        seconds.append(min(_cpu_of(pool, size, number) for _ in range(3)))
    return (seconds[1] - seconds[0]) / count


def _cpu_of(pool: Pool, size: int, number: int) -> float:
    cpu = cpu_seconds()
    # Each another object: one that comes twice in a message is sent once.
    if any(result != size for result in pool(len, (b"x" * size for _ in range(number)), 60.0)):
        return float("nan")
    return cpu_seconds() - cpu


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Corpora.add_options(parser)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    corpora = Corpora.of_options(options)
    pages = sampled_bytes(corpora)
    documents = [Document(id=str(number), data=page) for number, page in enumerate(pages)]
    extractor = Extractor.load("default")
    for document in documents[::10]:
        extractor.extract_document(document)
    rows = []
    for name, pool in POOLS.items():
        try:
            held = promises(pool)
            lost = lost_beside_the_killed(pool)
        except ImportError:
            sys.stderr.write(f"{name} is not installed\n")
            continue
        wall, cpu = _seconds(pool, WithoutEvidence(extractor), documents, options.rounds)
        own = [f"{1e6 * overhead(pool, size):.0f}" for size in (1, _PAGE)]
        rows.append(
            [name, *("yes" if kept else "no" for kept in held.values()), f"{lost:,}", f"{wall:.2f}", f"{cpu:.2f}", *own]
        )
    columns = [
        "pool",
        "order",
        "deadline",
        "killed process",
        "bounded memory",
        "lost of 1,900 innocent items",
        "seconds",
        "CPU seconds",
    ]
    columns += ["µs a small item", "µs an item of 180 KB"]
    sys.stdout.write(f"{len(documents)} pages\n\n{markdown_table(columns, rows)}\n")
    return 0


if __name__ == "__main__":
    # Not this module under another name: loky would send its functions by value, each with variables of its own.
    from experiments.pools import main as of_the_package

    sys.exit(of_the_package())
