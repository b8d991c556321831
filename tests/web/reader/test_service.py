"""Worker processes: what takes too long, dies or is too much fails alone."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from blockfeat._pool import WorkerFailed
from blockfeat.errors import InputError, LimitExceeded
from blockfeat.web.problems import Problem
from blockfeat.web.reader.service import FairWorkers, PageCache, Turns
from blockfeat.web.reader.tasks import PageSource
from pool_tasks import End, Raise, Say, Sleep, ends, ready, worker_pids


def _with_workers(**options: Any) -> FairWorkers[str]:
    return FairWorkers(ready, **{"jobs": 1, "seconds": 30.0, "waiting": 10, **options})


async def _outcome(doing: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await doing
    except Problem as problem:
        return problem.status
    except InputError as error:
        return str(error)


async def test_each_failure_stays_alone() -> None:
    async with _with_workers() as workers:
        tasks = (Say("a"), Raise(InputError("the page is bad")), Raise(RuntimeError("unexpected")), End(), Say("b"))
        outcomes = [await _outcome(workers.do(task)) for task in tasks]
    assert outcomes == ["ready: a", "the page is bad", 500, 500, "ready: b"]


async def test_a_task_that_takes_too_long_is_ended() -> None:
    async with _with_workers(seconds=3.0) as workers:
        before = worker_pids()
        late = await _outcome(workers.do(Sleep(60)))
        assert (late, await _outcome(workers.do(Say("c"))), before != worker_pids()) == (504, "ready: c", True)


async def test_too_many_that_wait_are_refused() -> None:
    async with _with_workers(waiting=2) as workers:
        asked = (workers.do(Sleep(0.2), client=str(number)) for number in range(5))
        assert await asyncio.gather(*map(_outcome, asked)) == ["slept 0.2"] * 3 + [503, 503]


async def test_a_client_that_goes_away_leaves_a_usable_process() -> None:
    async with _with_workers() as workers:
        left = asyncio.ensure_future(workers.do(Sleep(0.3)))
        await asyncio.sleep(0.05)
        left.cancel()
        assert (await workers.do(Say("d")), workers.busy) == ("ready: d", 0)


async def test_a_client_waits_for_itself_and_others_not_for_it() -> None:
    async with _with_workers(jobs=2) as workers:
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
        assert before == ["light"] * 3


async def test_a_client_that_goes_away_frees_its_place_with_the_process() -> None:
    async with _with_workers(jobs=2) as workers:
        left = [asyncio.ensure_future(workers.do(Sleep(0.5), client="gone")) for _ in range(2)]
        await asyncio.sleep(0.1)
        for each in left:
            each.cancel()
        assert (await workers.do(Say("here"), client="here"), workers.busy) == ("ready: here", 2)


async def test_one_client_may_not_take_all_places_to_wait() -> None:
    async with _with_workers(waiting=4) as workers:
        asked = (workers.do(Sleep(0.2), client="many") for _ in range(5))
        assert [*await asyncio.gather(*map(_outcome, asked))] == ["slept 0.2"] * 3 + [429, 429]


async def test_clients_take_turns() -> None:
    turns, order = Turns(1, 1), []

    async def take(client: str) -> None:
        async with turns.turn(client):
            order.append(client)
            await asyncio.sleep(0)

    asked = [asyncio.ensure_future(take(client)) for client in "aaaabbc"]
    asked[1].cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    assert order == ["a", "b", "c", "a", "b", "a"]


async def test_processes_that_cannot_start_are_an_error() -> None:
    with pytest.raises(WorkerFailed, match="ended while it started"):
        async with FairWorkers(ends, jobs=1, seconds=30, waiting=1):
            raise AssertionError


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pages_are_kept_by_names_that_differ() -> None:
    kept = PageCache(10_000, 10)
    names = [kept.keep(PageSource("abc")), kept.keep(PageSource("abc"))]
    assert len(set(names)) == 2
    assert all(len(name) >= 22 for name in names)
    assert kept.get(names[0]) == PageSource("abc")
    assert kept.get("other") is None


def test_the_page_that_was_not_used_for_longest_goes_first() -> None:
    kept = PageCache(1_500, 10)  # Each takes some hundred bytes beside its letters.
    first, second = kept.keep(PageSource(b"x" * 10)), kept.keep(PageSource(b"y" * 10))
    assert kept.get(first) is not None
    third = kept.keep(PageSource(b"z" * 10))
    assert kept.get(second) is None
    assert kept.get(first) is not None
    assert kept.get(third) is not None
    assert len(kept) == 2


def test_pages_go_when_they_were_not_used_for_a_while() -> None:
    clock = _Clock()
    kept = PageCache(1000, 10, clock=clock)
    name = kept.keep(PageSource("abc"))
    clock.now = 9.0
    assert kept.get(name) is not None
    clock.now = 18.0
    assert kept.get(name) is not None
    clock.now = 29.0
    assert kept.get(name) is None
    assert len(kept) == 0


def test_a_page_larger_than_the_room_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="bytes, more than the 10"):
        PageCache(10, 10).keep(PageSource("x" * 11))


def test_addresses_and_entries_take_room_too() -> None:
    kept = PageCache(100_000, 10)
    for _ in range(500):
        kept.keep(PageSource("", "http://e.invalid/" + "a" * 8000))
    assert len(kept) <= 12
    for _ in range(5000):
        kept.keep(PageSource(""))
    assert len(kept) <= 200
