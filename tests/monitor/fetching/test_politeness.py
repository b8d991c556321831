"""robots.txt, and turns at a host."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.fetching import Fetched, Fetcher
from blockfeat.monitor.fetching.politeness import LONGEST_WAIT, HostTurns, RobotsRules, retry_at
from fake_clock import FakeClock
from fetching import OPTIONS, fetch, run
from small_site import PAGE, Answer, Site

ROBOTS = b"User-agent: blockfeat\nDisallow: /private/\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n"


def test_robots_rules_are_read_once_and_kept_on_every_hop(site: Site) -> None:
    site.answers |= {"/robots.txt": (200, {"Content-Type": "text/plain"}, ROBOTS), "/a": (200, {}, PAGE)}
    site.answers["/b"] = 302, {"Location": "/private/b"}, b""
    clock = FakeClock()

    async def work(fetcher: Fetcher) -> list[Fetched]:
        return await asyncio.gather(*(fetcher.fetch(f"{site.url}{path}") for path in ("/a", "/private/a", "/b", "/a")))

    first, private, redirected, second = run(work, clock=clock)
    assert ((first.data, second.data), (private.permanent, redirected.permanent)) == ((PAGE, PAGE), (True, True))
    assert "robots.txt does not allow it" in str(private.error)
    assert sorted(site.seen) == ["/a", "/a", "/b", "/robots.txt"]
    assert clock.slept == [7.0, 7.0], "the crawl delay stands between two pages"


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_without_a_robots_file_everything_is_allowed(site: Site, status: int) -> None:
    site.answers |= {"/robots.txt": (status, {}, b""), "/a": (200, {}, PAGE)}
    assert fetch(f"{site.url}/a").data == PAGE


@pytest.mark.parametrize(
    ("answer", "wait"), [((500, {}, b""), 600), ((503, {"Retry-After": "60"}, b""), 60), ((429, {}, b""), 300)]
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


class _Robots(RobotsRules):
    """Rules of hosts that answer all alike; ``asked`` has the addresses."""

    def __init__(self, answer: Fetched | Callable[[], Awaitable[Fetched]]) -> None:
        self.asked: list[str] = []
        self.clock = FakeClock()

        async def get(url: str) -> Fetched:
            self.asked.append(url)
            return replace(answer, url=url, final_url=url) if isinstance(answer, Fetched) else await answer()

        super().__init__(get, self.clock)

    async def asks_after(self, seconds: float) -> int:
        """Ask for the rules of a host after some time; return how often it was asked until now."""
        self.clock.now += seconds
        await self.of("http://a.example/y")
        return len(self.asked)


_RULES = Fetched("", "", status=200, data=ROBOTS)


@pytest.mark.parametrize("permanent", [False, True])
async def test_a_robots_file_that_never_answered_allows_nothing(permanent: bool) -> None:
    robots = _Robots(Fetched("", "", error="no route to the host", permanent=permanent))
    assert not (await robots.of("http://a.example/x")).allows("http://a.example/x", "blockfeat")
    robots.clock.set_by = -86_400.0
    assert [await robots.asks_after(wait) for wait in (0, 601)] == [1, 2]
    assert set(robots.asked) == {"http://a.example/robots.txt"}


@pytest.mark.parametrize("answer", [_RULES, replace(_RULES, status=404, error="answered 404", permanent=True)])
async def test_rules_are_kept_for_a_day(answer: Fetched) -> None:
    robots = _Robots(answer)
    assert [await robots.asks_after(wait) for wait in (0, 24 * 3600 - 1, 1)] == [1, 1, 2]


async def test_the_host_asked_for_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._ANSWERS_KEPT", 2)
    robots = _Robots(_RULES)
    for host in "ababcbca":
        await robots.of(f"http://{host}.example/")
    assert [url[7] for url in robots.asked] == ["a", "b", "c", "a"]


async def test_closing_ends_what_is_still_being_read() -> None:
    robots = _Robots(asyncio.get_running_loop().create_future)
    reading = asyncio.create_task(robots.of("http://a.example/"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await asyncio.wait_for(robots.aclose(), 60)
    with pytest.raises(asyncio.CancelledError):
        await reading


@pytest.mark.parametrize(("line", "delay"), [("", 0), ("0.5", 0.5), ("1", 1), ("-1", 0), ("inf", 0)])
async def test_crawl_delays(line: str, delay: float) -> None:
    rules = f"User-agent: *\n{line and f'Crawl-delay: {line}'}\n".encode()
    assert (await _Robots(replace(_RULES, data=rules)).of("http://a.example/")).crawl_delay("blockfeat") == delay


def test_a_refused_connection_for_robots_keeps_the_page_from_being_fetched(site: Site) -> None:
    site.answers |= {"/a": (200, {}, PAGE), "/robots.txt": (200, {"Content-Length": "9999"}, b"")}
    answer = fetch(f"{site.url}/a", replace(OPTIONS, timeout=1.0, attempts=1))
    assert (answer.data, answer.permanent, "/a" in site.seen) == (b"", False, False)
    assert "robots.txt of" in str(answer.error)


def test_robots_can_be_left_out(site: Site) -> None:
    site.answers |= {"/robots.txt": (200, {}, b"User-agent: *\nDisallow: /"), "/a": (200, {}, PAGE)}
    assert (fetch(f"{site.url}/a", replace(OPTIONS, robots=False)).data, site.seen) == (PAGE, ["/a"])


@pytest.mark.parametrize(("per_host", "concurrency", "most"), [(1, 9, 1), (2, 9, 2), (5, 2, 2)])
def test_requests_at_once(site: Site, per_host: int, concurrency: int, most: int) -> None:
    site.answers |= {f"/{n}": (200, {"X-Wait": "0.3"}, PAGE) for n in range(5)}
    options = replace(OPTIONS, per_host=per_host, concurrency=concurrency, robots=False)
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
        *((value, NOW + LONGEST_WAIT) for value in ("9" * 5_000, "Tue, 14 Nov 2090 22:23:20 GMT")),
        *((value, None) for value in ("Tue, 14 Nov 2023 21:00:00 GMT", "-5", "soon", "", None)),
    ],
)
def test_values(value: str | None, expected: float | None) -> None:
    assert retry_at(value, now=NOW) == expected


@given(st.text(max_size=40))
def test_any_value_waits_at_most_a_week(value: str) -> None:
    found = retry_at(value, now=NOW)
    assert found is None or NOW <= found <= NOW + LONGEST_WAIT


class _Turns(HostTurns):
    """Turns on a clock that stands still but for waiting."""

    def __init__(self, *, per_host: int = 1, concurrency: int = 1) -> None:
        self.clock = FakeClock()
        super().__init__(per_host=per_host, concurrency=concurrency, clock=self.clock)

    async def visit(self, host: str, *, delay: float = 0.0, takes: float = 0.0) -> None:
        async with self.turn(host, delay=delay):
            self.clock.now += takes


async def test_a_turn_that_fails_is_given_on() -> None:
    turns = _Turns()
    with pytest.raises(ValueError, match="broken"):
        async with turns.turn("a", delay=0.0):
            raise ValueError("broken")
    await asyncio.wait_for(turns.visit("a"), 60)


async def test_only_what_is_left_of_a_delay_is_waited_for() -> None:
    turns = _Turns()
    await turns.visit("a", delay=10.0, takes=4.0)
    assert turns.clock.slept == [], "the first turn at a host does not wait"
    await turns.visit("a", delay=1.0, takes=1.0)
    await turns.visit("a")
    assert turns.clock.slept == [6.0]


async def test_a_host_is_not_forgotten_before_its_delay_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._REMEMBERED", 2)
    turns = _Turns(concurrency=4)
    for host, delay in [("a", 10.0), ("b", 0.0), ("c", 0.0), ("d", 0.0), ("a", 0.0)]:
        await turns.visit(host, delay=delay)
    assert turns.clock.slept == [10.0]


async def test_a_host_is_not_forgotten_while_it_is_visited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._REMEMBERED", 1)
    turns = _Turns(concurrency=4)
    async with turns.turn("a", delay=0.0):
        await turns.visit("b")
        second = asyncio.create_task(turns.visit("a"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not second.done(), "two turns at a host of one turn"
    await asyncio.wait_for(second, 60)


@pytest.mark.parametrize("fails", [False, True])
async def test_hosts_that_nobody_waits_for_are_forgotten(fails: bool) -> None:
    turns = _Turns()
    for number in range(3000):
        with suppress(ValueError):
            async with turns.turn(f"host{number}", delay=0.0):
                if fails:
                    raise ValueError("broken")
    gc.collect()
    assert sum(isinstance(each, asyncio.Semaphore) for each in gc.get_objects()) < 2000


@pytest.mark.parametrize("set_by", [0.0, 86_400.0, -86_400.0])
def test_a_host_is_held_until_the_later_of_two_times_however_the_clock_is_set(set_by: float) -> None:
    turns = _Turns()
    now = turns.clock.now
    assert turns.held_until("a") is None
    turns.hold("a", now + 20.0)
    turns.hold("a", now + 10.0)
    turns.clock.set_by = set_by
    held = [turns.held_until("a"), turns.held_until("b")]
    for turns.clock.now in (now + 19.0, now + 20.0, now + 20.0):
        held.append(turns.held_until("a"))
    assert held == [now + 20.0 + set_by, None, now + 20.0 + set_by, None, None]


def test_a_host_that_is_held_is_not_forgotten_for_many_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.monitor.fetching.politeness._REMEMBERED", 2)
    turns = _Turns()
    until = turns.clock.now + 20.0
    for host in "abcd":
        turns.hold(host, until)
    assert [turns.held_until(host) for host in "abcd"] == [until] * 4
