"""Turns at hosts, and hosts that are held back, on a clock that does not wait."""

from __future__ import annotations

import asyncio
import gc

import pytest

from blockfeat.monitor.fetching.politeness import HostTurns
from fake_clock import FakeClock


@pytest.mark.parametrize(("per_host", "concurrency", "most"), [(5, 2, 2), (1, 5, 3), (2, 5, 5)])
def test_turns_are_given_to_so_many_at_once(per_host: int, concurrency: int, most: int) -> None:
    turns = HostTurns(per_host=per_host, concurrency=concurrency, clock=FakeClock())
    now, seen = 0, 0

    async def visit(host: str) -> None:
        nonlocal now, seen
        async with turns.turn(host, delay=0.0):
            now += 1
            seen = max(seen, now)
            for _ in range(20):
                await asyncio.sleep(0)
            now -= 1

    async def main() -> None:
        await asyncio.gather(*(visit(host) for host in "aaabbbccc"))

    asyncio.run(main())
    assert seen == most


def test_a_turn_that_fails_is_given_on() -> None:
    turns = HostTurns(per_host=1, concurrency=1, clock=FakeClock())

    async def main() -> None:
        with pytest.raises(ValueError, match="broken"):
            async with turns.turn("a", delay=0.0):
                raise ValueError("broken")
        async with turns.turn("a", delay=0.0):
            pass

    asyncio.run(asyncio.wait_for(main(), 60))


def test_only_what_is_left_of_a_delay_is_waited_for() -> None:
    clock = FakeClock()
    turns = HostTurns(per_host=1, concurrency=1, clock=clock)

    async def main() -> None:
        async with turns.turn("a", delay=10.0):
            clock.now += 4.0
        async with turns.turn("a", delay=1.0):
            clock.now += 1.0
        async with turns.turn("a", delay=0.0):
            pass

    asyncio.run(main())
    assert clock.slept == [6.0]


def test_a_host_is_not_forgotten_before_its_delay_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._REMEMBERED", 2)
    clock = FakeClock()
    turns = HostTurns(per_host=1, concurrency=4, clock=clock)

    async def main() -> None:
        for host, delay in [("a", 10.0), ("b", 0.0), ("c", 0.0), ("d", 0.0), ("a", 0.0)]:
            async with turns.turn(host, delay=delay):
                pass

    asyncio.run(main())
    assert clock.slept == [10.0]


def test_a_host_is_not_forgotten_while_it_is_visited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._REMEMBERED", 1)
    turns = HostTurns(per_host=1, concurrency=4, clock=FakeClock())

    async def visit(host: str) -> None:
        async with turns.turn(host, delay=0.0):
            pass

    async def main() -> None:
        async with turns.turn("a", delay=0.0):
            await visit("b")
            second = asyncio.create_task(visit("a"))
            for _ in range(20):
                await asyncio.sleep(0)
            assert not second.done(), "two turns at a host of one turn"
        await asyncio.wait_for(second, 60)

    asyncio.run(main())


def test_the_first_turn_at_a_host_does_not_wait() -> None:
    clock = FakeClock(0.0)
    turns = HostTurns(per_host=1, concurrency=1, clock=clock)

    async def main() -> None:
        async with turns.turn("a", delay=5.0):
            pass

    asyncio.run(main())
    assert clock.slept == []


@pytest.mark.parametrize("fails", [False, True])
def test_hosts_that_nobody_waits_for_are_forgotten(fails: bool) -> None:
    turns = HostTurns(per_host=1, concurrency=1, clock=FakeClock())

    async def main() -> None:
        for number in range(3000):
            try:
                async with turns.turn(f"host{number}", delay=0.0):
                    assert not fails
            except AssertionError:
                continue

    asyncio.run(main())
    gc.collect()
    assert sum(isinstance(each, asyncio.Semaphore) for each in gc.get_objects()) < 2000


def test_a_host_is_held_until_the_later_of_two_times() -> None:
    clock = FakeClock()
    turns = HostTurns(per_host=1, concurrency=1, clock=clock)
    assert turns.held_until("a") is None
    turns.hold("a", clock.now + 20.0)
    turns.hold("a", clock.now + 10.0)
    assert (turns.held_until("a"), turns.held_until("b")) == (clock.now + 20.0, None)
    clock.now += 19.0
    assert turns.held_until("a") == clock.now + 1.0
    clock.now += 1.0
    assert turns.held_until("a") is None
    assert turns.held_until("a") is None


def test_a_host_that_is_held_is_not_forgotten_for_many_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._REMEMBERED", 2)
    clock = FakeClock()
    turns = HostTurns(per_host=1, concurrency=1, clock=clock)
    for host in "abcd":
        turns.hold(host, clock.now + 20.0)
    assert [turns.held_until(host) for host in "abcd"] == [clock.now + 20.0] * 4
