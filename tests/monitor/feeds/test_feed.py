"""Dates are read exactly, or not at all."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.feeds.feed import parse_date
from cases import CASES


@pytest.mark.parametrize(("text", "expected"), CASES["dates_of_feeds"])
def test_dates_of_feeds(text: str, expected: tuple[int, int, int, int]) -> None:
    assert parse_date(text) == datetime(*expected, tzinfo=UTC)


_NO_DATES = (
    "|yesterday|2024-13-14|2024-02-30|14. listopada 2024. 06:00|14/03/2024|3/4/2024 5:00 PM|1710399600|12:00|"
    "0001-01-01T00:00:00Z|1970-01-01T00:00:00Z|9999-12-31T23:59:59Z|Thu, 32 Mar 2024 06:00:00 GMT|"
    "Thu, 14 Mar 2024 25:00:00 GMT|Thu, 14 Mar 2024 06:00:00 XYZ|Thu, 14 Mar 2024 06:00:00 IST|"
    "Thu, 14 Mar 2024 06:00:00 Europe/Atlantis|Thu, 14 Mar 2024 06:00:00 UTC+25"
)


@pytest.mark.parametrize("text", [None, "9" * 100, *_NO_DATES.split("|")])
def test_no_date_is_invented(text: str | None) -> None:
    assert parse_date(text) is None


@given(st.datetimes(datetime(1990, 1, 2), datetime(2100, 12, 30), timezones=st.just(UTC)))
def test_iso_dates_come_back(date: datetime) -> None:
    assert parse_date(date.isoformat()) == date


@given(st.text(max_size=70))
def test_any_text_is_a_date_or_none(text: str) -> None:
    found = parse_date(text)
    assert found is None or found.tzinfo is UTC
