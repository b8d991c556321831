"""When a feed is polled next."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.rounds.schedule import next_poll

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
