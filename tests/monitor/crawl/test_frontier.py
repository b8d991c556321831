"""Which page is next, and when a feed is polled or a page fetched the next time."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.config import PageSettings
from blockfeat.monitor.crawl.frontier import Frontier, after_failed_poll, after_failed_visit, after_poll, after_visit
from blockfeat.monitor.crawl.frontier import poll_policy_of as policy_of
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.store.records import DueFeed, DuePage, PollPolicy


def _pages(*names: str) -> list[DuePage]:
    """Pages named by host and number, such as a1."""
    hosts = (f"{name[0]}.example" for name in names)
    places = enumerate(zip(hosts, names, strict=True), start=1)
    return [replace(_PAGE, id=number, url=f"https://{host}/{name[1:]}", host=host) for number, (host, name) in places]


def _frontier(*names: str, per_host: int) -> Frontier[DuePage]:
    made: Frontier[DuePage] = Frontier(per_host=per_host, host_of=lambda page: page.host)
    made.add(_pages(*names))
    return made


def _taken(frontier: Frontier[DuePage]) -> str:
    """Return the names of the pages that can be taken now."""
    pages = iter(frontier.take, None)
    return " ".join(page.host[0] + page.url.rpartition("/")[2] for page in pages)


def test_hosts_take_turns() -> None:
    assert _taken(_frontier("a1", "a2", "a3", "b1", "c1", "c2", per_host=9)) == "a1 b1 c1 a2 c2 a3"


@pytest.mark.parametrize(("per_host", "first", "then"), [(1, "a1 b1", "a2"), (2, "a1 b1 a2", "a3")])
def test_no_host_has_more_than_its_share_in_hand(per_host: int, first: str, then: str) -> None:
    names = ("a1", "a2", "a3", "b1")
    frontier = _frontier(*names, per_host=per_host)
    assert (_taken(frontier), (len(frontier), frontier.in_hand)) == (first, (3 - per_host, per_host + 1))
    frontier.finish(_pages(*names)[0])
    assert (_taken(frontier), frontier.in_hand) == (then, per_host + 1)


def test_a_place_that_is_given_back_is_one_place() -> None:
    names = ("a1", "a2", "a3", "a4", "a5")
    frontier, pages = _frontier(*names, per_host=2), _pages(*names)
    assert _taken(frontier) == "a1 a2"
    frontier.finish(pages[0])
    assert _taken(frontier) == "a3"
    frontier.finish(pages[1])
    frontier.finish(pages[2])
    assert _taken(frontier) == "a4 a5"


def test_the_store_is_asked_for_hosts_with_free_places_in_turn() -> None:
    frontier = _frontier(per_host=1)
    frontier.add_hosts(["a.example", "b.example", "c.example"])
    assert frontier.hosts_to_load(2) == ["a.example", "b.example"]
    assert frontier.hosts_to_load(2) == ["c.example", "a.example"]
    pages = _pages("a1", "a2", "b1")
    frontier.add(pages)
    assert (frontier.hosts_to_load(9), _taken(frontier)) == (["c.example"], "a1 b1")
    assert (frontier.numbers_in_hand, frontier.numbers) == ([1, 3], [1, 3, 2])
    assert frontier.hosts_to_load(9) == ["c.example"]
    frontier.finish(pages[2])
    frontier.exhausted("c.example")
    assert frontier.hosts_to_load(9) == ["b.example"]


def test_a_host_that_is_to_be_left_alone_waits_and_keeps_what_is_in_hand() -> None:
    frontier = _frontier("a1", "a2", "b1", per_host=1)
    first = frontier.take()
    assert first is not None
    assert [frontier.hold("a.example", until) for until in (50.0, 40.0)] == [True, False]
    frontier.look_again("c.example", 60.0)
    assert ((len(frontier), frontier.in_hand, frontier.next_moment), _taken(frontier)) == ((1, 1, 50.0), "b1")
    frontier.finish(first)
    frontier.wake(49.9)
    frontier.add_hosts(["a.example"])
    assert (_taken(frontier), frontier.hosts_to_load(9)) == ("", [])
    frontier.wake(50.0)
    assert (frontier.hosts_to_load(9), frontier.next_moment) == (["a.example"], 60.0)
    frontier.wake(60.0)
    assert (sorted(frontier.hosts_to_load(9)), frontier.next_moment) == (["a.example", "c.example"], None)


def test_a_host_that_was_dropped_stays_so() -> None:
    frontier = _frontier("a1", per_host=1)
    frontier.hold("a.example", 50.0)
    frontier.drop("a.example")
    frontier.wake(50.0)
    frontier.add_hosts(["a.example"])
    assert (_taken(frontier), frontier.hosts_to_load(9), frontier.next_moment) == ("", [], None)


def test_what_waits_of_a_host_is_dropped_with_it() -> None:
    frontier = _frontier("a1", "a2", "b1", per_host=9)
    frontier.add_hosts(["a.example"])
    frontier.look_again("a.example", 50.0)
    for host in ("a.example", "unknown.example"):
        frontier.drop(host)
    assert (len(frontier), _taken(frontier), frontier.hosts_to_load(9)) == (1, "b1", [])
    assert frontier.next_moment is None


def test_the_later_moment_of_a_host_that_is_left_alone_counts_and_the_earlier_of_what_failed() -> None:
    frontier = _frontier(per_host=1)
    frontier.hold("a.example", 40.0)
    frontier.hold("a.example", 50.0)
    moments = [frontier.next_moment]
    for moment in (30.0, 35.0, 20.0):
        frontier.look_again("b.example", moment)
        moments.append(frontier.next_moment)
    assert moments == [50.0, 30.0, 30.0, 20.0]


NOW = datetime(2024, 3, 14, 10, 30, tzinfo=UTC).timestamp()  # a Thursday


def _at(day: int, hour: int = 0) -> float:
    """Return the seconds from NOW to an hour of March 2024."""
    return datetime(2024, 3, day, hour, tzinfo=UTC).timestamp() - NOW


def _cached(control: str, age: str | None = None) -> dict[str, dict[str, str]]:
    return {"headers": {"cache-control": control} | ({} if age is None else {"age": age})}


@pytest.mark.parametrize(
    ("every", "wishes", "wait"),
    [
        # The longest interval holds.
        (600, {}, 600),
        (600, {"ttl_seconds": 3600}, 3600),
        (600, _cached("public, max-age=1800"), 1800),
        (600, _cached("max-age=1800", "1000"), 800),
        (600, _cached("no-cache, s-maxage=9000"), 600),
        # No feed silences itself for more than a day.
        (600, {"ttl_seconds": 10**9, **_cached("max-age=999999999")}, 86_400),
        (172_800, {"ttl_seconds": 10**9}, 172_800),
        # An answer that is older than it may be, and ages that are none.
        (600, _cached("max-age=100", "5000"), 600),
        *((600, _cached("max-age=1800", age), 1800) for age in ("soon", "9" * 10, "²", "")),
        (600, _cached("max-age=200000000", "9" * 9), 600),
        # Hours and days that are skipped: the next begins at its first second.
        (60, {"skip_hours": (10, 11)}, _at(14, 12)),
        (60, {"skip_days": (3, 4)}, _at(16)),
        (60, {"skip_hours": range(24)}, 60),
        (1, {"skip_hours": (10,)}, _at(14, 11)),
        (_at(14, 11), {"skip_hours": (10,)}, _at(14, 11)),
        (60, {"skip_days": (3,), "skip_hours": range(5)}, _at(15, 5)),
        (60, {"skip_days": (0, 1, 3, 4, 5, 6), "skip_hours": range(23)}, _at(20, 23)),
    ],
)
def test_when_a_feed_is_polled_next(every: float, wishes: dict[str, Any], wait: float) -> None:
    assert _polled_next(every, **wishes) == NOW + wait


def _polled_next(every: float, **wishes: Any) -> float:
    return after_poll(NOW, _FEED, every=every, headers=wishes.pop("headers", {}), manners=PollPolicy(**wishes))


@given(st.sets(st.integers(0, 23)), st.sets(st.integers(0, 6)), st.floats(0, 1e6))
def test_a_poll_is_never_early(hours: set[int], days: set[int], every: float) -> None:
    due = _polled_next(every, skip_hours=tuple(hours), skip_days=tuple(days))
    moment = datetime.fromtimestamp(due, UTC)
    assert due >= NOW + every
    assert (moment.hour not in hours and moment.weekday() not in days) or len(hours) == 24 or len(days) == 7


_NOON = 1_767_614_400.0  # 2026-01-05 12:00 UTC, a Monday
_PAGE = DuePage(1, "https://example.org/1", "example.org", None, None, None, 0, 0, "2026-01-05T10:00:00Z")
_FEED = DueFeed(1, "https://example.org/feed", 0, None, None, None, None, 0)


def _failed(**values: Any) -> Fetched:
    return Fetched(_PAGE.url, _PAGE.url, error="no", **values)


def _wait(settings: PageSettings, page: DuePage = _PAGE, **answer: Any) -> float | None:
    """Return for how long a page waits that has failed."""
    moment = after_failed_visit(_NOON, page, _failed(**answer), settings)
    return None if moment is None else moment - _NOON


def test_a_feed_is_asked_as_seldom_as_it_wishes() -> None:
    feed = Feed("rss", ttl_seconds=3600, skip_hours=(13, 14), skip_days=())
    assert after_poll(_NOON, _FEED, every=60, headers={}, manners=policy_of(feed)) == _NOON + 3 * 3600
    assert policy_of(Feed("rss")) == PollPolicy(0.0, (), ())


def test_the_configuration_wins_over_what_a_feed_wishes() -> None:
    wish = PollPolicy(86400, tuple(range(24)), ())
    feed = replace(_FEED, every=300.0)
    assert after_poll(_NOON, feed, every=60, headers={"cache-control": "max-age=900"}, manners=wish) == _NOON + 300


def test_a_feed_that_fails_is_asked_more_and_more_seldom() -> None:
    def waits(failures: tuple[int, ...], answer: Fetched | None = None) -> list[float]:
        return [after_failed_poll(0, replace(_FEED, failures=number), answer) for number in failures]

    week = 7 * 86400
    assert waits((0, 3, 30)) == [60, 480, week]
    assert waits((0, 1, 9), _failed(status=410, permanent=True)) == [86400, 2 * 86400, week]


def test_a_host_that_names_a_time_after_a_failure_is_believed_also_by_a_feed() -> None:
    answer = _failed(retry_at=5000.0)
    assert [after_failed_poll(at, _FEED, answer) for at in (0, 10_000)] == [5000, 10_060]
    assert after_failed_poll(0, _FEED, _failed()) == 60


def test_a_page_that_fails_waits_four_times_as_long_each_time_unless_that_is_of_no_use() -> None:
    twice, often = PageSettings(attempts=2), PageSettings(attempts=20)
    assert _wait(twice, permanent=True) is None
    assert [_wait(twice, replace(_PAGE, attempts=attempts)) for attempts in (0, 1)] == [60, None]
    assert [_wait(often, replace(_PAGE, attempts=n)) for n in (0, 1, 2, 15)] == [60, 240, 960, 86400]


def test_the_last_moment_at_which_a_page_is_young_counts() -> None:
    # It was first seen two hours before.
    young = partial(PageSettings, attempts=1)
    assert [_wait(young(max_age=86400), retry_at=_NOON + wait) for wait in (5, 200_000)] == [5, None]
    assert [_wait(young(max_age=7300), retry_at=_NOON + wait) for wait in (100, 101)] == [100, None]
    assert _wait(young(max_age=None), retry_at=_NOON + 9e6) == 9e6


@pytest.mark.parametrize(
    ("revisit", "revisit_for", "wait"),
    [(None, None, None), (3600, None, 3600), (3600, 7200, None), (3600, 10_800, 3600), (3601, 10_800, None)],
)
def test_pages_are_looked_at_again_while_they_are_young(revisit: int, revisit_for: int, wait: int | None) -> None:
    chosen = {"revisit": revisit, "revisit_for": revisit_for}
    settings = PageSettings(**{name: value for name, value in chosen.items() if value})
    assert after_visit(_NOON, _PAGE, settings) == (wait and _NOON + wait)


@pytest.mark.parametrize("status", range(400, 412))
def test_refusals_and_pages_that_are_not_there_yet_are_tried_again(status: int) -> None:
    wait = 900 if 401 <= status <= 404 else None
    assert _wait(PageSettings(attempts=3), permanent=True, status=status) == wait
