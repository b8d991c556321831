"""robots.txt, and turns at a host."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.fetching import Fetched, Fetcher
from blockfeat.monitor.fetching.politeness import LONGEST_WAIT, HostTurns, RobotsRules, retry_at
from fake_clock import FakeClock
from small_site import OPTIONS, PAGE, Answer, Site, fetch, run

ROBOTS = b"User-agent: blockfeat\nDisallow: /private/\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n"


def test_robots_rules_are_read_once_and_kept_on_every_hop(site: Site) -> None:
    site.answers |= {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, ROBOTS),
        "/a": (200, {}, PAGE),
        "/b": (302, {"Location": "/private/b"}, b""),
    }
    clock = FakeClock()

    async def work(fetcher: Fetcher) -> list[Fetched]:
        return await asyncio.gather(*(fetcher.fetch(f"{site.url}{path}") for path in ("/a", "/private/a", "/b", "/a")))

    first, private, redirected, second = run(work, clock=clock)
    assert (first.data, second.data) == (PAGE, PAGE)
    assert (private.permanent, redirected.permanent) == (True, True)
    assert "robots.txt does not allow it" in str(private.error)
    assert sorted(site.seen) == ["/a", "/a", "/b", "/robots.txt"]
    assert clock.slept == [7.0, 7.0], "the crawl delay stands between two pages"


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_without_a_robots_file_everything_is_allowed(site: Site, status: int) -> None:
    site.answers |= {"/robots.txt": (status, {}, b""), "/a": (200, {}, PAGE)}
    assert fetch(f"{site.url}/a").data == PAGE


@pytest.mark.parametrize(
    ("answer", "wait"), [((500, {}, b""), 600.0), ((503, {"Retry-After": "60"}, b""), 60.0), ((429, {}, b""), 300.0)]
)
def test_an_unreadable_robots_file_means_waiting(site: Site, answer: Answer, wait: float) -> None:
    site.answers |= {"/robots.txt": answer, "/a": (200, {}, PAGE)}
    clock = FakeClock()

    async def work(fetcher: Fetcher) -> tuple[Fetched, Fetched]:
        first = await fetcher.fetch(f"{site.url}/a")
        clock.now += wait + 1
        site.answers["/robots.txt"] = (404, {}, b"")
        return first, await fetcher.fetch(f"{site.url}/a")

    first, later = run(work, clock=clock)
    assert (first.retry_at, first.permanent, later.data) == (1_700_000_000 + wait, False, PAGE)
    assert "robots.txt of" in str(first.error)


@pytest.mark.parametrize("permanent", [False, True])
def test_a_robots_file_that_never_answered_allows_nothing(permanent: bool) -> None:
    clock, asked = FakeClock(), []

    async def get(url: str) -> Fetched:
        asked.append(url)
        return Fetched(url=url, final_url=url, error=f"{url}: no route to the host", permanent=permanent)

    async def main() -> None:
        robots = RobotsRules(get, clock)
        assert not (await robots.of("http://a.example/x")).allows("http://a.example/x", "blockfeat")
        await robots.of("http://a.example/y")
        assert asked == ["http://a.example/robots.txt"]
        clock.now += 601
        await robots.of("http://a.example/y")
        assert len(asked) == 2

    asyncio.run(main())


@pytest.mark.parametrize("status", [200, 404])
def test_rules_are_kept_for_a_day(status: int) -> None:
    clock, asked = FakeClock(), []

    async def get(url: str) -> Fetched:
        asked.append(url)
        wrong = None if status == 200 else f"{url}: the server answered {status}"
        return Fetched(url=url, final_url=url, status=status, error=wrong, permanent=wrong is not None, data=ROBOTS)

    async def main() -> None:
        robots = RobotsRules(get, clock)
        await robots.of("http://a.example/x")
        clock.now += 24 * 3600 - 1
        await robots.of("http://a.example/x")
        assert len(asked) == 1
        clock.now += 1
        await robots.of("http://a.example/x")
        assert len(asked) == 2

    asyncio.run(main())


def test_the_host_asked_for_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._ANSWERS_KEPT", 2)
    asked = []

    async def get(url: str) -> Fetched:
        asked.append(url[7])
        return Fetched(url=url, final_url=url, status=200, data=ROBOTS)

    async def main() -> None:
        robots = RobotsRules(get, FakeClock())
        for host in "ababcbca":
            await robots.of(f"http://{host}.example/")

    asyncio.run(main())
    assert asked == ["a", "b", "c", "a"]


def test_closing_ends_what_is_still_being_read() -> None:
    async def get(url: str) -> Fetched:
        return await asyncio.get_running_loop().create_future()

    async def main() -> None:
        robots = RobotsRules(get, FakeClock())
        reading = asyncio.create_task(robots.of("http://a.example/"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.wait_for(robots.aclose(), 60)
        with pytest.raises(asyncio.CancelledError):
            await reading

    asyncio.run(main())


@pytest.mark.parametrize(
    ("line", "delay"),
    [
        ("", 0.0),
        ("Crawl-delay: 0.5", 0.5),
        ("Crawl-delay: 1", 1.0),
        ("Crawl-delay: -1", 0.0),
        ("Crawl-delay: inf", 0.0),
    ],
)
def test_crawl_delays(line: str, delay: float) -> None:
    async def get(url: str) -> Fetched:
        return Fetched(url=url, final_url=url, status=200, data=f"User-agent: *\n{line}\n".encode())

    async def main() -> float:
        return (await RobotsRules(get, FakeClock()).of("http://a.example/")).crawl_delay("blockfeat")

    assert asyncio.run(main()) == delay


def test_a_refused_connection_for_robots_keeps_the_page_from_being_fetched(site: Site) -> None:
    site.answers["/a"] = (200, {}, PAGE)
    site.answers["/robots.txt"] = (200, {"Content-Length": "9999"}, b"")
    options = replace(OPTIONS, timeout=1.0, attempts=1)
    answer = fetch(f"{site.url}/a", options)
    assert (answer.data, answer.permanent) == (b"", False)
    assert "robots.txt of" in str(answer.error)
    assert "/a" not in site.seen


def test_robots_can_be_left_out(site: Site) -> None:
    site.answers |= {"/robots.txt": (200, {}, b"User-agent: *\nDisallow: /"), "/a": (200, {}, PAGE)}
    assert fetch(f"{site.url}/a", replace(OPTIONS, robots=False)).data == PAGE
    assert site.seen == ["/a"]


@pytest.mark.parametrize(("per_host", "most"), [(1, 1), (2, 2)])
def test_requests_to_one_host_at_once(site: Site, per_host: int, most: int) -> None:
    site.answers |= {f"/{n}": (200, {"X-Wait": "0.3"}, PAGE) for n in range(5)}
    options = replace(OPTIONS, per_host=per_host, robots=False)
    run(lambda fetcher: asyncio.gather(*(fetcher.fetch(f"{site.url}/{n}") for n in range(5))), options)
    assert site.most_at_once == most


def test_hosts_do_not_wait_for_one_another(site: Site) -> None:
    site.answers["/x"] = (200, {"X-Wait": "0.5"}, PAGE)
    urls = [f"{site.named(f'host{n}')}/x" for n in range(8)]
    options = replace(OPTIONS, robots=False, delay=30.0)
    run(lambda fetcher: asyncio.gather(*map(fetcher.fetch, urls)), options)
    assert site.most_at_once > 2


def test_the_delay_stands_between_two_requests_to_a_host(site: Site) -> None:
    site.answers |= {f"/{n}": (200, {}, PAGE) for n in range(4)}
    clock = FakeClock()
    options = replace(OPTIONS, delay=2.5, robots=False)
    run(lambda fetcher: asyncio.gather(*(fetcher.fetch(f"{site.url}/{n}") for n in range(4))), options, clock=clock)
    assert clock.slept == [2.5, 2.5, 2.5]


NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", NOW + 120),
        (" 0 ", NOW),
        ("Tue, 14 Nov 2023 22:23:20 GMT", NOW + 600),
        ("Tue, 14 Nov 2023 21:00:00 GMT", None),
        ("9" * 5_000, NOW + LONGEST_WAIT),
        ("Tue, 14 Nov 2090 22:23:20 GMT", NOW + LONGEST_WAIT),
        ("-5", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_values(value: str | None, expected: float | None) -> None:
    assert retry_at(value, now=NOW) == expected


@given(st.text(max_size=40))
def test_any_value_waits_at_most_a_week(value: str) -> None:
    found = retry_at(value, now=NOW)
    assert found is None or NOW <= found <= NOW + LONGEST_WAIT


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
