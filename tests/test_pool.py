"""Work over processes: order, failures, deadlines."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from blockfeat._pool import DIED, WorkerFailed, in_order
from blockfeat.errors import InputError


def failure(item: object, reason: str) -> str:
    return f"failed {item}: {reason}"


def results_of(work: Callable[[Any], Any], items: Iterable[Any], **options: Any) -> list[Any]:
    return [result for _, result in in_order(work, items, failure=failure, **options)]


@pytest.mark.parametrize(("count", "jobs"), [(3, 1), *((count, 2) for count in (0, 1, 7, 8, 9, 500))])
def test_results_come_in_order(count: int, jobs: int) -> None:
    found = list(in_order(str, range(count), jobs=jobs, failure=failure))
    assert found == [(number, str(number)) for number in range(count)]


def work(item: int) -> str:
    if item == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    if item == 11:
        time.sleep(60)
    return f"done {item}"


def test_a_killed_worker_and_a_deadline_cost_one_item_each() -> None:
    expected = [f"done {item}" for item in range(40)]
    expected[5], expected[11] = "failed 5: its worker process died", "failed 11: it took longer than 5 s"
    assert results_of(work, range(40), jobs=2, deadline=5.0) == expected


def test_results_that_were_not_sent_yet_are_made_again_where_their_process_is_killed() -> None:
    items = [*range(20, 90), 5, *range(90, 120)]
    expected = [f"failed 5: {DIED}" if item == 5 else f"done {item}" for item in items]
    assert results_of(work, items, jobs=1, deadline=60.0) == expected


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_items_of_any_size_arrive_as_they_are(start: Any) -> None:
    sizes = [0, 4095, 4096, 70_000, 1 << 20, (1 << 22) - 1, 1 << 22, 5 << 20]
    items = [made * size for size in sizes for made in ("a", "ä\ud800", b"\xff\0")] * 2
    assert results_of(deepcopy, items, jobs=2, start=start) == items


def sleeps(seconds: float) -> str:
    time.sleep(seconds)
    return "done"


def test_the_deadline_is_that_of_one_item_however_many_are_sent_at_once() -> None:
    for deadline in (3.0, float("inf")):
        assert results_of(sleeps, [0.5] * 8, jobs=1, deadline=deadline) == ["done"] * 8
    assert results_of(sleeps, [0.9], jobs=1, deadline=0.1) == ["failed 0.9: it took longer than 0.1 s"]


def test_items_are_taken_as_they_are_needed_and_processes_end_where_results_are_no_longer_wanted() -> None:
    items = iter(range(100_000))
    results = in_order(str, items, jobs=2, failure=failure)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert next(items) < 2_000
    assert [each.name for each in multiprocessing.active_children() if each.name == "blockfeat-worker"] == []


def test_a_bounded_number_waits_for_a_slow_item() -> None:
    items = iter([1.0] + [0.0] * 2_000)
    results = in_order(sleeps, items, jobs=2, failure=failure)
    assert next(results) == (1.0, "done")
    assert len(list(items)) > 1_000
    assert {result for _, result in results} == {"done"}


def test_an_error_in_the_items_comes_through() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        results_of(str, items(), jobs=2)


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

    found = results_of(dies_when_it_has_answered, items(), jobs=1, deadline=60.0)
    assert found == [str(number) for number in range(12)]


def dies_while_it_answers(item: int) -> bytes:
    if item % 20 != 7:
        return b"done"
    # So large that it is not sent before the timer ends.
    answer = bytes(20_000_000)
    # By a signal of the system: Python would wait until the answer is sent.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.0005 * (1 + item // 20))
    return answer


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
def test_a_process_that_is_killed_while_it_answers_costs_no_other_item() -> None:
    found = results_of(dies_while_it_answers, range(200), jobs=2, deadline=60.0)
    assert [item for item, result in enumerate(found) if item % 20 != 7 and result != b"done"] == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
@pytest.mark.parametrize("name", ["_send", "_recv"])
@pytest.mark.parametrize("broken", [0, 1])
def test_a_line_that_breaks_off_within_a_message_costs_an_item_at_the_most(
    monkeypatch: pytest.MonkeyPatch, name: str, broken: int
) -> None:
    real, here, calls = getattr(Connection, name), os.getpid(), multiprocessing.RawValue("i", 0)

    def breaks(line: Connection, given: Any) -> Any:
        # A large message goes in two parts, its size and what it says.
        if (os.getpid() == here) == (broken == 0):
            calls.value += 1
            if calls.value == 4:
                raise ConnectionResetError
        return real(line, given)

    monkeypatch.setattr(Connection, name, breaks)
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it hangs"))
    signal.alarm(60)
    items = ["x" * 20_000] * 100
    found = results_of(deepcopy, items, jobs=2, start="fork")
    signal.alarm(0)
    assert [result for result in found if result != items[0]] in ([], [failure(items[0], DIED)])


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
        found = results_of(takes_the_lock, items(), jobs=1, deadline=60.0)
    finally:
        over.set()
    assert found == [f"failed 0: {DIED}", "free", "free"]


def raises(item: int) -> str:
    if item == 3:
        raise ValueError("what is three?")
    if item == 5:
        raise InputError("five is no page")
    return str(item)


def test_an_error_in_a_process_costs_its_item_and_is_named_with_its_kind_unless_it_is_our_own() -> None:
    expected = [str(item) for item in range(9)]
    expected[3], expected[5] = "failed 3: ValueError: what is three?", "failed 5: five is no page"
    assert results_of(raises, range(9), jobs=2) == expected


_HANGING = """
import os, time
from blockfeat._pool import DIED, in_order
from blockfeat._tasks import Workers

def work(item):
    print(os.getpid(), flush=True)
    time.sleep(600)

list(in_order(work, ["x" * 100_000] * 99, jobs=2, failure=lambda item, reason: None, deadline=500.0))
"""


def test_processes_and_memory_end_with_the_program_that_is_killed_also_where_an_item_never_ends() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    program = subprocess.Popen([sys.executable, "-c", _HANGING], stdout=subprocess.PIPE, text=True, env=environment)
    assert program.stdout is not None
    workers = [int(program.stdout.readline()), int(program.stdout.readline())]
    os.kill(workers[0], signal.SIGKILL)
    # The process that takes its place says so too.
    workers.append(int(program.stdout.readline()))
    program.kill()
    program.wait()
    for _ in range(600):
        if not any(map(_runs, workers)):
            # As multiprocessing names them.
            assert not [path for pid in (program.pid, *workers) for path in Path("/dev/shm").glob(f"pym-{pid}-*")]
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


@dataclass(frozen=True)
class EndsAtStarts:
    """Ends some of the processes that receive it, by the order of their starts, counted in a file."""

    file: str
    ends: frozenset[int]

    def __reduce__(self) -> Any:
        return _started, (self.file, self.ends)

    def __call__(self, item: int) -> str:
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return str(item)


def _started(file: str, ends: frozenset[int]) -> EndsAtStarts:
    with open(file, "a+", encoding="ascii") as starts:
        starts.write("x")
        if starts.tell() in ends:
            starts.close()
            os._exit(1)
    return EndsAtStarts(file, ends)


@pytest.mark.parametrize(
    ("ends", "starts", "is_done"),
    [({1, 2, 4, 5}, 6, True), ({1, 2, 3}, 3, False), ({2, 3, 4}, 4, False)],
    ids=["twice", "at once", "later"],
)
def test_a_process_is_started_three_times(ends: set[int], starts: int, is_done: bool, tmp_path: Path) -> None:
    file = tmp_path / "starts"
    work = EndsAtStarts(str(file), frozenset(ends))
    found = in_order(work, range(3), jobs=1, failure=lambda item, reason: reason, deadline=60.0, start="spawn")
    if is_done:
        assert [result for _, result in found] == ["0", DIED, "2"]
    else:
        with pytest.raises(WorkerFailed, match="ended while it started") as raised:
            list(found)
        assert raised.value.cause == "start"
    assert len(file.read_text(encoding="ascii")) == starts


def waits_for_another(item: tuple[int, str]) -> str:
    number, file = item
    if number == 60:
        Path(file).touch()
    for _ in range(600):
        if number or Path(file).exists():
            return "done"
        time.sleep(0.1)
    return "waited in vain"


def test_a_slow_item_holds_up_no_other(tmp_path: Path) -> None:
    items = [(number, str(tmp_path / "file")) for number in range(80)]
    assert set(results_of(waits_for_another, items, jobs=2)) == {"done"}


def test_who_waits_for_results_takes_no_time() -> None:
    before = time.process_time()
    assert results_of(sleeps, [2.0], jobs=1, deadline=60.0) == ["done"]
    assert time.process_time() - before < 1.0


def process_of(item: int) -> int:
    return os.getpid()


@pytest.mark.parametrize(
    ("jobs", "deadline", "here"), [(1, None, True), (0, None, True), (1, 60.0, False), (0, 60.0, False)]
)
def test_work_is_done_here_where_one_process_is_enough(jobs: int, deadline: float | None, here: bool) -> None:
    processes = set(results_of(process_of, range(60), jobs=jobs, deadline=deadline))
    assert len(processes) == 1
    assert (processes == {os.getpid()}) is here
