"""Work over processes: order, failures, deadlines."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from blockfeat._pool import DIED, in_order
from blockfeat._tasks import Workers
from blockfeat._worker import WorkerFailed
from pool_tasks import End, Say, is_slow_to_start


def work(item: int) -> str:
    if item == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    if item == 11:
        time.sleep(60)
    return f"done {item}"


def failure(item: int, reason: str) -> str:
    return f"failed {item}: {reason}"


def test_one_job_works_in_this_process() -> None:
    assert list(in_order(str, range(3), jobs=1, failure=failure)) == [(0, "0"), (1, "1"), (2, "2")]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 500])
def test_results_come_in_order(count: int) -> None:
    assert list(in_order(str, range(count), jobs=2, failure=failure)) == [(n, str(n)) for n in range(count)]


def test_a_killed_worker_and_a_deadline_cost_one_item_each() -> None:
    found = dict(in_order(work, range(40), jobs=2, failure=failure, deadline=5.0))
    assert found[5] == "failed 5: its worker process died"
    assert found[11] == "failed 11: it took longer than 5 s"
    assert [item for item in found if found[item].startswith("done")] == [n for n in range(40) if n not in (5, 11)]
    assert list(found) == list(range(40))


def slow(item: int) -> str:
    time.sleep(0.5)
    return f"done {item}"


def test_the_deadline_is_that_of_one_item_however_many_are_sent_at_once() -> None:
    found = dict(in_order(slow, range(8), jobs=1, failure=failure, deadline=3.0))
    assert found == {item: f"done {item}" for item in range(8)}


def test_items_are_taken_as_they_are_needed() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(100_000):
            taken = number
            yield number

    results = in_order(str, items(), jobs=2, failure=failure)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert taken < 2_000


def test_an_error_in_the_items_comes_through() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(in_order(str, items(), jobs=2, failure=failure))


def dies_when_it_has_answered(item: int) -> str:
    if item == 7:
        threading.Timer(0.1, os._exit, (1,)).start()
    return str(item)


def test_a_process_that_dies_when_it_has_answered_costs_no_item() -> None:
    def items() -> Iterator[int]:
        yield from range(8)
        # All are answered, and the process has died, before the next is sent.
        time.sleep(1.0)
        yield from range(8, 12)

    found = in_order(dies_when_it_has_answered, items(), jobs=1, failure=failure, deadline=60.0)
    assert [result for _, result in found] == [str(number) for number in range(12)]


def dies_while_it_answers(item: int) -> bytes:
    if item % 20 != 7:
        return b"done"
    answer = os.urandom(4_000_000)
    # By a signal of the system: Python would wait until the answer is sent.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.0005 * (1 + item // 20))
    return answer


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
def test_a_process_that_is_killed_while_it_answers_costs_no_other_item() -> None:
    found = in_order(dies_while_it_answers, range(200), jobs=2, failure=lambda item, reason: b"failed", deadline=60.0)
    assert [item for item, result in found if item % 20 != 7 and result != b"done"] == []


_LOCK = threading.Lock()


def takes_the_lock(item: int) -> str:
    if item == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return "free" if _LOCK.acquire(timeout=0.5) and _LOCK.release() is None else "held"


def test_a_process_is_no_copy_of_this_one_while_threads_hold_locks() -> None:
    over = threading.Event()

    def items() -> Iterator[int]:
        holds = threading.Event()

        def hold() -> None:
            with _LOCK:
                holds.set()
                over.wait()

        threading.Thread(target=hold, daemon=True).start()
        holds.wait()
        yield from range(3)

    try:
        found = [result for _, result in in_order(takes_the_lock, items(), jobs=1, failure=failure, deadline=60.0)]
    finally:
        over.set()
    assert found == [f"failed 0: {DIED}", "free", "free"]


def raises(item: int) -> str:
    if item == 3:
        raise ValueError("what is three?")
    return str(item)


def test_an_error_in_a_process_costs_its_item_and_is_named() -> None:
    found = dict(in_order(raises, range(9), jobs=2, failure=failure))
    assert found.pop(3) == "failed 3: ValueError: what is three?"
    assert list(found.values()) == [str(item) for item in found]


def test_the_time_that_a_process_takes_to_start_is_no_part_of_the_deadline() -> None:
    async def run() -> str:
        async with Workers(is_slow_to_start, jobs=1, deadline=1.5) as workers:
            with pytest.raises(WorkerFailed, match="died"):
                await workers.do(End())
            return await workers.do(Say("again"))

    assert asyncio.run(run()) == "ready: again"


_HANGING = """
import os, time
from blockfeat._pool import DIED, in_order
from blockfeat._tasks import Workers

def work(item):
    print(os.getpid(), flush=True)
    time.sleep(600)

list(in_order(work, range(2), jobs=2, failure=lambda item, reason: None, deadline=500.0))
"""


def test_processes_end_with_the_program_that_is_killed_also_where_an_item_never_ends() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    program = subprocess.Popen([sys.executable, "-c", _HANGING], stdout=subprocess.PIPE, text=True, env=environment)
    assert program.stdout is not None
    worker = int(program.stdout.readline())
    program.kill()
    program.wait()
    for _ in range(600):
        if not _runs(worker):
            return
        time.sleep(0.1)
    pytest.fail("the process of the pool is still there")


def _runs(process: int) -> bool:
    """Return whether a process is there and no zombie, which waits to be read by whoever adopted it."""
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
