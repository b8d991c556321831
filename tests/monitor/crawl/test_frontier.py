"""Which page is next, and when a feed is polled or a page fetched the next time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("feedparser", reason="needs the extra monitor")

from blockfeat.monitor.config import PageSettings
from blockfeat.monitor.crawl.frontier import (
    Frontier,
    after_failed_poll,
    after_failed_visit,
    after_poll,
    after_visit,
    next_poll,
    poll_policy_of,
)
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.store.records import DueFeed, DuePage, PollPolicy


def _pages(*names: str) -> list[DuePage]:
    """Pages named by host and number, such as a1."""
    return [
        replace(_PAGE, id=number, url=f"https://{name[0]}.example/{name[1:]}", host=f"{name[0]}.example")
        for number, name in enumerate(names, start=1)
    ]


def _frontier(*, per_host: int) -> Frontier[DuePage]:
    return Frontier(per_host=per_host, host_of=lambda page: page.host)


def _name(page: DuePage) -> str:
    return page.host[0] + page.url.rpartition("/")[2]


def _taken(frontier: Frontier[DuePage]) -> list[str]:
    names = []
    while (page := frontier.take()) is not None:
        names.append(_name(page))
    return names


def test_hosts_take_turns() -> None:
    frontier = _frontier(per_host=9)
    frontier.add(_pages("a1", "a2", "a3", "b1", "c1", "c2"))
    assert _taken(frontier) == ["a1", "b1", "c1", "a2", "c2", "a3"]


@pytest.mark.parametrize("per_host", [1, 2])
def test_no_host_has_more_than_its_share_in_hand(per_host: int) -> None:
    frontier = _frontier(per_host=per_host)
    pages = _pages("a1", "a2", "a3", "b1")
    frontier.add(pages)
    assert sorted(_taken(frontier)) == sorted([*["a1", "a2", "a3"][:per_host], "b1"])
    assert (len(frontier), frontier.in_hand) == (3 - per_host, per_host + 1)
    frontier.finish(pages[0])
    assert _taken(frontier) == [["a2", "a3"][per_host - 1]]
    assert frontier.in_hand == per_host + 1


def test_a_place_that_is_given_back_is_one_place() -> None:
    frontier = _frontier(per_host=2)
    pages = _pages("a1", "a2", "a3", "a4", "a5")
    frontier.add(pages)
    assert _taken(frontier) == ["a1", "a2"]
    frontier.finish(pages[0])
    assert _taken(frontier) == ["a3"]
    frontier.finish(pages[1])
    frontier.finish(pages[2])
    assert _taken(frontier) == ["a4", "a5"]


def test_the_store_is_asked_for_hosts_with_free_places_in_turn() -> None:
    frontier = _frontier(per_host=1)
    frontier.add_hosts(["a.example", "b.example", "c.example"])
    assert frontier.hosts_to_load(2) == ["a.example", "b.example"]
    assert frontier.hosts_to_load(2) == ["c.example", "a.example"]
    frontier.add(_pages("a1", "a2", "b1"))
    assert frontier.hosts_to_load(9) == ["c.example"]
    assert _taken(frontier) == ["a1", "b1"]
    assert frontier.numbers_in_hand == [1, 3]
    assert frontier.numbers == [1, 3, 2]
    assert frontier.hosts_to_load(9) == ["c.example"]
    frontier.finish(_pages("a1", "a2", "b1")[2])
    frontier.exhausted("c.example")
    assert frontier.hosts_to_load(9) == ["b.example"]


def test_a_host_that_is_to_be_left_alone_waits_and_keeps_what_is_in_hand() -> None:
    frontier = _frontier(per_host=1)
    frontier.add(_pages("a1", "a2", "b1"))
    first = frontier.take()
    assert first is not None
    assert frontier.hold("a.example", 50.0)
    assert not frontier.hold("a.example", 40.0)
    frontier.look_again("c.example", 60.0)
    assert (len(frontier), frontier.in_hand, frontier.next_moment) == (1, 1, 50.0)
    assert _taken(frontier) == ["b1"]
    frontier.finish(first)
    frontier.wake(49.9)
    frontier.add_hosts(["a.example"])
    assert (_taken(frontier), frontier.hosts_to_load(9)) == ([], [])
    frontier.wake(50.0)
    assert (frontier.hosts_to_load(9), frontier.next_moment) == (["a.example"], 60.0)
    frontier.wake(60.0)
    assert (sorted(frontier.hosts_to_load(9)), frontier.next_moment) == (["a.example", "c.example"], None)


def test_a_host_that_was_dropped_stays_so() -> None:
    frontier = _frontier(per_host=1)
    frontier.add(_pages("a1"))
    frontier.hold("a.example", 50.0)
    frontier.drop("a.example")
    frontier.wake(50.0)
    frontier.add_hosts(["a.example"])
    assert (_taken(frontier), frontier.hosts_to_load(9), frontier.next_moment) == ([], [], None)


def test_what_waits_of_a_host_is_dropped_with_it() -> None:
    frontier = _frontier(per_host=9)
    frontier.add(_pages("a1", "a2", "b1"))
    frontier.add_hosts(["a.example"])
    frontier.look_again("a.example", 50.0)
    frontier.drop("a.example")
    frontier.drop("unknown.example")
    assert (len(frontier), _taken(frontier)) == (1, ["b1"])
    assert (frontier.hosts_to_load(9), frontier.next_moment) == ([], None)


def test_the_later_moment_of_a_host_that_is_left_alone_counts_and_the_earlier_of_what_failed() -> None:
    frontier = _frontier(per_host=1)
    frontier.hold("a.example", 40.0)
    frontier.hold("a.example", 50.0)
    assert frontier.next_moment == 50.0
    frontier.look_again("b.example", 30.0)
    frontier.look_again("b.example", 35.0)
    assert frontier.next_moment == 30.0
    frontier.look_again("b.example", 20.0)
    assert frontier.next_moment == 20.0


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
        (600, {"retry_at": NOW + 10_000}, 10_000),
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
    assert next_poll(now=NOW, every=every, **wishes) == NOW + wait


@given(st.sets(st.integers(0, 23)), st.sets(st.integers(0, 6)), st.floats(0, 1e6))
def test_a_poll_is_never_early(hours: set[int], days: set[int], every: float) -> None:
    due = next_poll(now=NOW, every=every, skip_hours=hours, skip_days=days)
    moment = datetime.fromtimestamp(due, UTC)
    assert due >= NOW + every
    assert (moment.hour not in hours and moment.weekday() not in days) or len(hours) == 24 or len(days) == 7


_NOON = 1_767_614_400.0  # 2026-01-05 12:00 UTC, a Monday
_PAGE = DuePage(1, "https://example.org/1", "example.org", None, None, None, 0, 0, "2026-01-05T10:00:00Z")
_FEED = DueFeed(1, "https://example.org/feed", 0, None, None, None, None, 0)


def _failed(**values: object) -> Fetched:
    return Fetched(_PAGE.url, _PAGE.url, error="no", **values)  # type: ignore[arg-type]


def test_a_feed_is_asked_as_seldom_as_it_wishes() -> None:
    feed = Feed("rss", ttl_seconds=3600, skip_hours=(13, 14), skip_days=())
    assert after_poll(_NOON, _FEED, every=60, headers={}, manners=poll_policy_of(feed)) == _NOON + 3 * 3600
    headers = {"cache-control": "public, max-age=900"}
    assert after_poll(_NOON, _FEED, every=60, headers=headers, manners=PollPolicy()) == _NOON + 900


def test_the_configuration_wins_over_what_a_feed_wishes() -> None:
    wish = PollPolicy(86400, tuple(range(24)), ())
    feed = replace(_FEED, every=300.0)
    assert after_poll(_NOON, feed, every=60, headers={"cache-control": "max-age=900"}, manners=wish) == _NOON + 300


def test_a_feed_that_fails_is_asked_more_and_more_seldom() -> None:
    week = 7 * 86400
    waits = [after_failed_poll(0, replace(_FEED, failures=failures)) for failures in (0, 3, 30)]
    assert waits == [60, 480, week]
    gone = _failed(status=410, permanent=True)
    assert [after_failed_poll(0, replace(_FEED, failures=n), gone) for n in (0, 1, 9)] == [86400, 2 * 86400, week]


def test_a_page_that_fails_is_tried_again_unless_that_is_of_no_use() -> None:
    settings = PageSettings(attempts=2)
    assert after_failed_visit(_NOON, _PAGE, _failed(permanent=True), settings) is None
    assert after_failed_visit(_NOON, _PAGE, _failed(), settings) == _NOON + 60
    refused = [after_failed_visit(_NOON, _PAGE, _failed(permanent=True, status=s), settings) for s in (403, 404, 410)]
    assert refused == [_NOON + 900, _NOON + 900, None]
    tried = replace(_PAGE, attempts=1)
    assert after_failed_visit(_NOON, tried, _failed(), settings) is None


def test_a_host_that_names_a_time_is_believed_while_the_page_is_young() -> None:
    settings = PageSettings(attempts=1, max_age=86400)
    assert after_failed_visit(_NOON, _PAGE, _failed(retry_at=_NOON + 5), settings) == _NOON + 5
    assert after_failed_visit(_NOON, _PAGE, _failed(retry_at=_NOON + 200_000), settings) is None


def test_pages_are_looked_at_again_while_they_are_young() -> None:
    assert after_visit(_NOON, _PAGE, PageSettings()) is None
    assert after_visit(_NOON, _PAGE, PageSettings(revisit=3600)) == _NOON + 3600
    assert after_visit(_NOON, _PAGE, PageSettings(revisit=3600, revisit_for=7200)) is None


def test_a_host_that_names_a_time_after_a_failure_is_believed_also_by_a_feed() -> None:
    answer = _failed(retry_at=5000.0)
    assert [after_failed_poll(at, _FEED, answer) for at in (0, 10_000)] == [5000, 10_060]
    assert after_failed_poll(0, _FEED, _failed()) == 60


def test_a_page_that_fails_again_waits_four_times_as_long() -> None:
    settings = PageSettings(attempts=20)

    def wait(attempts: int) -> float:
        tried = replace(_PAGE, attempts=attempts)
        return (after_failed_visit(_NOON, tried, _failed(), settings) or 0.0) - _NOON

    assert [wait(attempts) for attempts in (0, 1, 2, 15)] == [60, 240, 960, 86400]


def test_the_last_moment_at_which_a_page_is_young_counts() -> None:
    # It was first seen two hours before.
    settings = PageSettings(attempts=1, max_age=7300)
    assert after_failed_visit(_NOON, _PAGE, _failed(retry_at=_NOON + 100), settings) == _NOON + 100
    assert after_failed_visit(_NOON, _PAGE, _failed(retry_at=_NOON + 101), settings) is None
    forever = PageSettings(attempts=1, max_age=None)
    assert after_failed_visit(_NOON, _PAGE, _failed(retry_at=_NOON + 9e6), forever) == _NOON + 9e6
    assert after_visit(_NOON, _PAGE, PageSettings(revisit=3600, revisit_for=10_800)) == _NOON + 3600
    assert after_visit(_NOON, _PAGE, PageSettings(revisit=3601, revisit_for=10_800)) is None


@pytest.mark.parametrize(
    ("status", "wait"), [(400, None), (401, 900), (402, 900), (403, 900), (404, 900), (405, None), (410, None)]
)
def test_refusals_and_pages_that_are_not_there_yet_are_tried_again(status: int, wait: float | None) -> None:
    due = after_failed_visit(_NOON, _PAGE, _failed(permanent=True, status=status), PageSettings(attempts=3))
    assert due == (None if wait is None else _NOON + wait)


def test_a_feed_that_says_nothing_of_itself_wishes_nothing() -> None:
    assert poll_policy_of(Feed("rss")) == PollPolicy(0.0, (), ())
