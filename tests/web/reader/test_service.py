"""Worker processes: what takes too long, dies or is too much fails alone."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from blockfeat._pool import WorkerFailed
from blockfeat.errors import InputError
from blockfeat.web.problems import Problem
from blockfeat.web.reader.service import FairWorkers, Turns
from pool_tasks import End, Raise, Say, Sleep, ends, ready


def _with_workers(work: Any, **options: Any) -> Any:
    async def run() -> Any:
        async with FairWorkers(ready, **{"jobs": 1, "seconds": 30.0, "waiting": 10, **options}) as workers:
            return await work(workers)

    return asyncio.run(run())


async def _outcome(doing: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await doing
    except Problem as problem:
        return problem.status
    except InputError as error:
        return str(error)


def test_each_failure_stays_alone() -> None:
    async def work(workers: FairWorkers[str]) -> list[Any]:
        tasks = (Say("a"), Raise(InputError("the page is bad")), Raise(RuntimeError("unexpected")), End(), Say("b"))
        return [await _outcome(workers.do(task)) for task in tasks]

    assert _with_workers(work) == ["ready: a", "the page is bad", 500, 500, "ready: b"]


def test_a_task_that_takes_too_long_is_ended() -> None:
    async def work(workers: FairWorkers[str]) -> tuple[Any, Any, bool]:
        before = list(workers.pids)
        late = await _outcome(workers.do(Sleep(60)))
        return late, await _outcome(workers.do(Say("c"))), before != list(workers.pids)

    assert _with_workers(work, seconds=3.0) == (504, "ready: c", True)


def test_too_many_that_wait_are_refused() -> None:
    async def work(workers: FairWorkers[str]) -> list[Any]:
        return await asyncio.gather(*(_outcome(workers.do(Sleep(0.2), client=str(number))) for number in range(5)))

    assert _with_workers(work, waiting=2) == ["slept 0.2"] * 3 + [503, 503]


def test_a_client_that_goes_away_leaves_a_usable_process() -> None:
    async def work(workers: FairWorkers[str]) -> Any:
        left = asyncio.ensure_future(workers.do(Sleep(0.3)))
        await asyncio.sleep(0.05)
        left.cancel()
        return await workers.do(Say("d")), workers.busy

    assert _with_workers(work) == ("ready: d", 0)


def test_a_client_waits_for_itself_and_others_not_for_it() -> None:
    async def work(workers: FairWorkers[str]) -> list[str]:
        done: list[str] = []

        async def ask(client: str, task: Sleep) -> None:
            await workers.do(task, client=client)
            done.append(client)

        heavy = [asyncio.ensure_future(ask("heavy", Sleep(2.0))) for _ in range(4)]
        await asyncio.sleep(0)
        await asyncio.gather(*(ask("light", Sleep(0.0)) for _ in range(3)))
        before = list(done)
        for each in heavy:
            each.cancel()
        return before

    assert _with_workers(work, jobs=2) == ["light"] * 3


def test_a_client_that_goes_away_frees_its_place_with_the_process() -> None:
    async def work(workers: FairWorkers[str]) -> tuple[str, int]:
        left = [asyncio.ensure_future(workers.do(Sleep(0.5), client="gone")) for _ in range(2)]
        await asyncio.sleep(0.1)
        for each in left:
            each.cancel()
        return await workers.do(Say("here"), client="here"), workers.busy

    assert _with_workers(work, jobs=2) == ("ready: here", 2)


def test_one_client_may_not_take_all_places_to_wait() -> None:
    async def work(workers: FairWorkers[str]) -> list[Any]:
        asked = (workers.do(Sleep(0.2), client="many") for _ in range(5))
        return [*await asyncio.gather(*map(_outcome, asked))]

    assert _with_workers(work, waiting=4) == ["slept 0.2"] * 3 + [429, 429]


def test_clients_take_turns() -> None:
    async def run() -> list[str]:
        turns, order = Turns(1, 1), []

        async def take(client: str) -> None:
            async with turns.turn(client):
                order.append(client)
                await asyncio.sleep(0)

        asked = [asyncio.ensure_future(take(client)) for client in "aaaabbc"]
        asked[1].cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        return order

    assert asyncio.run(run()) == ["a", "a", "b", "c", "a", "b"]


def test_processes_that_cannot_start_are_an_error() -> None:
    async def run() -> None:
        async with FairWorkers(ends, jobs=1, seconds=30, waiting=1):
            raise AssertionError

    with pytest.raises(WorkerFailed, match="ended while it started"):
        asyncio.run(run())
