"""When feeds and pages are asked again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.rounds.schedule import next_poll

pytest.importorskip("feedparser", reason="needs the extra monitor")

from blockfeat.monitor.config import PageSettings
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.rounds.schedule import after_failed_poll, after_failed_visit, after_poll, after_visit, manners_of
from blockfeat.monitor.store.records import DueFeed, DuePage, FeedManners

_NOON = 1_767_614_400.0  # 2026-01-05 12:00 UTC, a Monday
_PAGE = DuePage(1, "https://example.org/1", "example.org", None, None, None, 0, 0, "2026-01-05T10:00:00Z")
_FEED = DueFeed(1, "https://example.org/feed", 0, None, None, None, None, 0)


def _failed(**values: object) -> Fetched:
    return Fetched(_PAGE.url, _PAGE.url, error="no", **values)  # type: ignore[arg-type]


def test_a_feed_is_asked_as_seldom_as_it_wishes() -> None:
    feed = Feed("rss", ttl_seconds=3600, skip_hours=(13, 14), skip_days=())
    assert after_poll(_NOON, _FEED, every=60, headers={}, manners=manners_of(feed)) == _NOON + 3 * 3600
    headers = {"cache-control": "public, max-age=900"}
    assert after_poll(_NOON, _FEED, every=60, headers=headers, manners=FeedManners()) == _NOON + 900


def test_the_configuration_wins_over_what_a_feed_wishes() -> None:
    wish = FeedManners(86400, tuple(range(24)), ())
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
    tried = DuePage(1, _PAGE.url, _PAGE.host, None, None, None, 1, 0, _PAGE.first_seen)
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
    feed = DueFeed(1, "x", 0, None, None, None, None, 0)
    answer = Fetched("x", "x", error="no", retry_at=5000.0)
    assert after_failed_poll(0, feed, answer) == 5000
    assert after_failed_poll(10_000, feed, answer) == 10_060
    assert after_failed_poll(0, feed, Fetched("x", "x", error="no")) == 60


def test_a_page_that_fails_again_waits_four_times_as_long() -> None:
    settings = PageSettings(attempts=20)

    def wait(attempts: int) -> float:
        tried = DuePage(1, _PAGE.url, _PAGE.host, None, None, None, attempts, 0, _PAGE.first_seen)
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
    assert manners_of(Feed("rss")) == FeedManners(0.0, (), ())


NOW = datetime(2024, 3, 14, 10, 30, tzinfo=UTC).timestamp()  # a Thursday


def test_the_longest_interval_wins() -> None:
    assert next_poll(now=NOW, every=600) == NOW + 600
    assert next_poll(now=NOW, every=600, ttl_seconds=3600) == NOW + 3600
    assert next_poll(now=NOW, every=600, headers={"cache-control": "public, max-age=1800"}) == NOW + 1800
    assert next_poll(now=NOW, every=600, headers={"cache-control": "max-age=1800", "age": "1000"}) == NOW + 800
    assert next_poll(now=NOW, every=600, headers={"cache-control": "no-cache, s-maxage=9000"}) == NOW + 600


def test_a_feed_cannot_silence_itself_for_more_than_a_day() -> None:
    assert (
        next_poll(now=NOW, every=600, ttl_seconds=10**9, headers={"cache-control": "max-age=999999999"}) == NOW + 86_400
    )
    assert next_poll(now=NOW, every=172_800, ttl_seconds=10**9) == NOW + 172_800


def test_a_retry_after_is_kept() -> None:
    assert next_poll(now=NOW, every=600, retry_at=NOW + 10_000) == NOW + 10_000


def test_skipped_hours_and_days() -> None:
    assert next_poll(now=NOW, every=60, skip_hours=(10, 11)) == datetime(2024, 3, 14, 12, tzinfo=UTC).timestamp()
    assert next_poll(now=NOW, every=60, skip_days=(3, 4)) == datetime(2024, 3, 16, tzinfo=UTC).timestamp()
    assert next_poll(now=NOW, every=60, skip_hours=range(24)) == NOW + 60


@given(st.sets(st.integers(0, 23)), st.sets(st.integers(0, 6)), st.floats(0, 1e6))
def test_a_poll_is_never_early(hours: set[int], days: set[int], every: float) -> None:
    due = next_poll(now=NOW, every=every, skip_hours=hours, skip_days=days)
    moment = datetime.fromtimestamp(due, UTC)
    assert due >= NOW + every
    assert (moment.hour not in hours and moment.weekday() not in days) or len(hours) == 24 or len(days) == 7


def test_a_feed_whose_answer_is_older_than_it_may_be_is_polled_as_the_user_wishes() -> None:
    assert next_poll(now=NOW, every=600, headers={"cache-control": "max-age=100", "age": "5000"}) == NOW + 600
    for age in ("soon", "9" * 10, "²", ""):
        assert next_poll(now=NOW, every=600, headers={"cache-control": "max-age=1800", "age": age}) == NOW + 1800
    headers = {"cache-control": "max-age=200000000", "age": "9" * 9}
    assert next_poll(now=NOW, every=600, headers=headers) == NOW + 600


def test_the_hour_after_those_skipped_begins_at_its_first_second() -> None:
    eleven = datetime(2024, 3, 14, 11, tzinfo=UTC).timestamp()
    assert next_poll(now=NOW + 0.25, every=1, skip_hours=(10,)) == eleven
    assert next_poll(now=eleven - 60, every=60, skip_hours=(10,)) == eleven
    assert next_poll(now=NOW, every=60, skip_days=(3,), skip_hours=range(5)) == eleven + 18 * 3600


def test_the_last_hour_of_a_week_is_found() -> None:
    wednesday = datetime(2024, 3, 20, 23, tzinfo=UTC).timestamp()
    assert next_poll(now=NOW, every=60, skip_days=(0, 1, 3, 4, 5, 6), skip_hours=range(23)) == wednesday
