"""Processes that wait for single tasks, and how processes start and end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from blockfeat._pool import DIED, WorkerFailed, in_order
from blockfeat._tasks import Workers
from blockfeat.errors import InputError
from pool_tasks import End, Number, Raise, Sleep, breaks, ends, ready


def refuses() -> str:
    raise InputError("there is no model")


@dataclass(frozen=True)
class Function:
    """Returns what cannot be sent."""

    def __call__(self, loaded: str) -> Any:
        return lambda: None


def _with_workers(use: Callable[[Workers[str]], Any], *, jobs: int = 1, deadline: float = 60.0) -> Any:
    async def run() -> Any:
        async with Workers(ready, jobs=jobs, deadline=deadline) as workers:
            return await use(workers)

    return asyncio.run(run())


def test_tasks_are_done_by_so_many_processes_which_end_with_the_block() -> None:
    async def use(workers: Workers[str]) -> None:
        assert (len(set(workers.pids)), workers.busy) == (2, 0)
        both = [asyncio.create_task(workers.do(Sleep(0.5))) for _ in range(3)]
        await asyncio.sleep(0)
        assert workers.busy == 3
        assert await asyncio.gather(*both) == ["slept 0.5"] * 3
        await asyncio.sleep(0)
        assert workers.busy == 0
        assert {await workers.do(Number()) for _ in range(8)} <= set(workers.pids)

    _with_workers(use, jobs=2)
    assert [each.name for each in multiprocessing.active_children() if each.name == "blockfeat-worker"] == []


def test_a_task_that_raises_costs_no_process() -> None:
    async def use(workers: Workers[str]) -> None:
        (before,) = workers.pids
        with pytest.raises(InputError, match=r"^no page$"):
            await workers.do(Raise(InputError("no page")))
        for task, reason in [(Raise(ValueError("what is it?")), "ValueError: what is it"), (Function(), "pickle")]:
            with pytest.raises(WorkerFailed, match=reason) as raised:
                await workers.do(task)
            assert raised.value.cause == "broke"
        assert await workers.do(Number()) == before

    _with_workers(use)


def test_a_task_that_ends_its_process_or_is_too_slow_costs_the_process() -> None:
    async def use(workers: Workers[str]) -> None:
        (before,) = workers.pids
        with pytest.raises(WorkerFailed, match=f"^{DIED}$") as raised:
            await workers.do(End())
        assert raised.value.cause == "died"
        with pytest.raises(WorkerFailed, match=r"^it took longer than 3 s$") as raised:
            await workers.do(Sleep(600))
        assert raised.value.cause == "deadline"
        after = await workers.do(Number())
        assert [after] == workers.pids
        assert after != before

    _with_workers(use, deadline=3.0)


def test_a_process_that_died_while_it_waited_costs_no_task() -> None:
    async def use(workers: Workers[str]) -> None:
        (before,) = workers.pids
        os.kill(before, signal.SIGKILL)
        assert await workers.do(Number()) != before

    _with_workers(use)


def test_who_goes_away_leaves_no_answer_to_the_next() -> None:
    async def use(workers: Workers[str]) -> None:
        waiting = asyncio.create_task(workers.do(Sleep(0.5)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert workers.busy == 1
        assert await workers.do(Sleep(0.01)) == "slept 0.01"

    _with_workers(use)


def test_a_process_is_replaced_after_so_many_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat._tasks._TASKS_OF_A_PROCESS", 2)

    async def use(workers: Workers[str]) -> None:
        first, second, third = [await workers.do(Number()) for _ in range(3)]
        assert first == second != third

    _with_workers(use)


@pytest.mark.parametrize(("load", "reason"), [(breaks, "ValueError: a broken model"), (ends, "ended while it started")])
def test_what_cannot_load_is_named(load: Callable[[], str], reason: str) -> None:
    async def run() -> None:
        async with Workers(load, jobs=1, deadline=60.0):
            pytest.fail("it has not loaded")

    with pytest.raises(WorkerFailed, match=reason) as raised:
        asyncio.run(run())
    assert raised.value.cause == "start"


def test_an_own_error_of_what_is_loaded_comes_through() -> None:
    async def run() -> None:
        async with Workers(refuses, jobs=1, deadline=60.0):
            pytest.fail("it has not loaded")

    with pytest.raises(InputError, match=r"^there is no model$"):
        asyncio.run(run())


class Ends:
    """Ends the process that receives it."""

    def __reduce__(self) -> Any:
        return os._exit, (1,)

    def __call__(self, item: int) -> str:
        return str(item)


def test_processes_that_end_as_they_start_are_not_started_for_ever() -> None:
    with pytest.raises(WorkerFailed, match="ended while it started") as raised:
        list(in_order(Ends(), range(3), jobs=1, failure=lambda item, reason: reason, deadline=60.0, start="spawn"))
    assert raised.value.cause == "start"


@dataclass(frozen=True)
class EndsAtFirst:
    """Ends the first processes that receive it, and counts them in a file."""

    file: str
    many: int

    def __reduce__(self) -> Any:
        return _started, (self.file, self.many)

    def __call__(self, item: int) -> str:
        return str(item)


def _started(file: str, many: int) -> EndsAtFirst:
    with open(file, "a+", encoding="ascii") as starts:
        starts.write("x")
        if starts.tell() <= many:
            starts.close()
            os._exit(1)
    return EndsAtFirst(file, many)


@pytest.mark.parametrize(("many", "starts"), [(2, 3), (9, 3)])
def test_a_process_is_started_three_times(many: int, starts: int, tmp_path: Path) -> None:
    file = tmp_path / "starts"
    work = EndsAtFirst(str(file), many)
    found = in_order(work, range(3), jobs=1, failure=lambda item, reason: reason, deadline=60.0, start="spawn")
    if many < starts:
        assert [result for _, result in found] == ["0", "1", "2"]
    else:
        with pytest.raises(WorkerFailed, match="ended while it started"):
            list(found)
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
    found = in_order(waits_for_another, items, jobs=2, failure=lambda item, reason: reason)
    assert {result for _, result in found} == {"done"}


def sleeps(item: int) -> int:
    time.sleep(2.0)
    return item


def test_who_waits_for_results_takes_no_time() -> None:
    before = time.process_time()
    assert dict(in_order(sleeps, [0], jobs=1, failure=lambda item, reason: -1, deadline=60.0)) == {0: 0}
    assert time.process_time() - before < 1.0


def process_of(item: int) -> int:
    return os.getpid()


@pytest.mark.parametrize(
    ("jobs", "deadline", "here"), [(1, None, True), (0, None, True), (1, 60.0, False), (0, 60.0, False)]
)
def test_work_is_done_here_where_one_process_is_enough(jobs: int, deadline: float | None, here: bool) -> None:
    found = in_order(process_of, range(3), jobs=jobs, deadline=deadline, failure=lambda item, reason: -1)
    processes = {result for _, result in found}
    assert len(processes) == 1
    assert (processes == {os.getpid()}) is here


def refuses_three(item: int) -> str:
    if item == 3:
        raise InputError("three is no page")
    return str(item)


def test_an_own_error_in_a_process_is_named_without_its_kind() -> None:
    found = dict(in_order(refuses_three, range(5), jobs=2, failure=lambda item, reason: f"{item}: {reason}"))
    assert found == {0: "0", 1: "1", 2: "2", 3: "3: three is no page", 4: "4"}


def test_processes_end_where_results_are_no_longer_wanted() -> None:
    results = in_order(process_of, range(500), jobs=2, failure=lambda item, reason: -1)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert [each.name for each in multiprocessing.active_children() if each.name == "blockfeat-worker"] == []
