"""Work over processes: order, failures, deadlines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from blockfeat._pool import in_order


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
    found = dict(in_order(work, range(40), jobs=2, failure=failure, deadline=3.0))
    assert found[5] == "failed 5: its worker process died"
    assert found[11] == "failed 11: it took longer than 3 s"
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


_HANGING = """
import os, time
from blockfeat._pool import in_order

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
