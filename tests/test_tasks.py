"""Processes that wait for single tasks."""

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from blockfeat._pool import DIED, WorkerFailed
from blockfeat._tasks import Workers
from blockfeat.errors import InputError
from pool_tasks import End, Number, Raise, Say, Sleep, breaks, ends, is_slow_to_start, ready, worker_pids


def refuses() -> str:
    raise InputError("there is no model")


@dataclass(frozen=True)
class Function:
    """Returns what cannot be sent."""

    def __call__(self, loaded: str) -> Any:
        return lambda: None


def _workers(*, jobs: int = 1, deadline: float = 60.0) -> Workers[str]:
    return Workers(ready, jobs=jobs, deadline=deadline)


async def test_tasks_are_done_by_so_many_processes_which_end_with_the_block() -> None:
    async with _workers(jobs=2) as workers:
        assert (len(set(worker_pids())), workers.busy) == (2, 0)
        both = [asyncio.create_task(workers.do(Sleep(0.5))) for _ in range(3)]
        await asyncio.sleep(0)
        assert (workers.busy, await asyncio.gather(*both)) == (3, ["slept 0.5"] * 3)
        await asyncio.sleep(0)
        assert workers.busy == 0
        assert {await workers.do(Number()) for _ in range(8)} <= set(worker_pids())
    assert worker_pids() == []


async def test_a_task_that_raises_costs_no_process() -> None:
    async with _workers() as workers:
        (before,) = worker_pids()
        with pytest.raises(InputError, match=r"^no page$"):
            await workers.do(Raise(InputError("no page")))
        for task, reason in [(Raise(ValueError("what is it?")), "ValueError: what is it"), (Function(), "(?i)pickle")]:
            with pytest.raises(WorkerFailed, match=reason) as raised:
                await workers.do(task)
            assert raised.value.cause == "broke"
        assert await workers.do(Number()) == before


async def test_a_task_that_ends_its_process_or_is_too_slow_costs_the_process() -> None:
    async with _workers(deadline=3.0) as workers:
        (before,) = worker_pids()
        with pytest.raises(WorkerFailed, match=f"^{DIED}$") as raised:
            await workers.do(End())
        assert raised.value.cause == "died"
        with pytest.raises(WorkerFailed, match=r"^it took longer than 3 s$") as raised:
            await workers.do(Sleep(600))
        assert raised.value.cause == "deadline"
        after = await workers.do(Number())
        assert [after] == worker_pids()
        assert after != before


async def test_a_process_that_died_while_it_waited_costs_no_task() -> None:
    async with _workers() as workers:
        (before,) = worker_pids()
        os.kill(before, signal.SIGKILL)
        assert await workers.do(Number()) != before


async def test_who_goes_away_leaves_no_answer_to_the_next() -> None:
    async with _workers() as workers:
        waiting = asyncio.create_task(workers.do(Sleep(0.5)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (workers.busy, await workers.do(Sleep(0.01))) == (1, "slept 0.01")


async def test_a_process_is_replaced_after_so_many_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat._tasks._TASKS_OF_A_PROCESS", 2)
    async with _workers() as workers:
        first, second, third = [await workers.do(Number()) for _ in range(3)]
        assert first == second != third


@pytest.mark.parametrize(
    ("load", "kind", "reason", "cause"),
    [
        (breaks, WorkerFailed, "ValueError: a broken model", "start"),
        (ends, WorkerFailed, "ended while it started", "start"),
        (refuses, InputError, r"^there is no model$", None),  # an error of our own comes through
    ],
)
async def test_what_cannot_load_is_named(
    load: Callable[[], str], kind: type[Exception], reason: str, cause: Any
) -> None:
    with pytest.raises(kind, match=reason) as raised:
        async with Workers(load, jobs=1, deadline=60.0):
            pytest.fail("it has not loaded")
    assert getattr(raised.value, "cause", None) == cause


async def test_the_time_that_a_process_takes_to_start_is_no_part_of_the_deadline() -> None:
    async with Workers(is_slow_to_start, jobs=1, deadline=1.5) as workers:
        with pytest.raises(WorkerFailed, match="died"):
            await workers.do(End())
        assert await workers.do(Say("again")) == "ready: again"
