"""Retry-After in seconds and as a date."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.fetching.politeness import LONGEST_WAIT, retry_at

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
