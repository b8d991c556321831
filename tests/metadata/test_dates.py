from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.dates import find_moment, moment_in_url, parse_moment


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-05-02", "2024-05-02"),
        ("2024-05-02T08:15:30Z", "2024-05-02T08:15:30+00:00"),
        ("2024-05-02 08:15", "2024-05-02T08:15:00"),
        ("2024-05-02T08:15:30+0200", "2024-05-02T08:15:30+02:00"),
        ("2024-05-02T08:15:30.5-05:00", "2024-05-02T08:15:30.500000-05:00"),
        ("20240502T081530Z", "2024-05-02T08:15:30+00:00"),
        ("Thu, 02 May 2024 08:15:30 GMT", "2024-05-02T08:15:30+00:00"),
        ("Thu May 02 08:15:30 CEST 2024", "2024-05-02T08:15:30+02:00"),
        ("1714637730", "2024-05-02T08:15:30+00:00"),
        ("1714637730000", "2024-05-02T08:15:30+00:00"),
        ("May 2, 2024 8:15 PM EST", "2024-05-02T20:15:00-05:00"),
        ("May 2, 2024 12:30 AM", "2024-05-02T00:30:00"),
        ("May 2, 2024 12:30 p.m.", "2024-05-02T12:30:00"),
        ("May 2, 2024 1:30 am", "2024-05-02T01:30:00"),
        ("May 2nd, 2024", "2024-05-02"),
        ("2. Mai 2024", "2024-05-02"),
        ("2 mai 2024 à 8h15", "2024-05-02T08:15:00"),
        ("2 de mayo de 2024", "2024-05-02"),
        ("2 maja 2024", "2024-05-02"),
        ("2 Μαΐου 2024", "2024-05-02"),
        ("2 мая 2024 г., 08:15", "2024-05-02T08:15:00"),
        ("2 Mayıs 2024", "2024-05-02"),
        ("2024년 5월 2일", "2024-05-02"),
        ("2024/05/02", "2024-05-02"),
        ("02.05.2024", "2024-05-02"),
        ("1970-01-01T00:00:00Z", None),
        ("0001-01-01", None),
        ("0000000000", None),
        ("0123456789", None),
        ("9999999999", None),
        ("19121012", None),
        ("191210121234", None),
        ("20891012", None),
        ("2024-13-45", None),
        ("version 2.0", None),
        ("", None),
    ],
)
def test_declared_dates(text: str, iso: str | None):
    found = parse_moment(text)
    assert (None if found is None else str(found)) == iso


def test_digits_by_the_habit_of_the_country():
    assert str(find_moment("4/5/2024", month_first=True)) == "2024-04-05"
    assert str(find_moment("4/5/2024")) == "2024-05-04"
    assert str(find_moment("4/25/2024")) == "2024-04-25"


def test_a_zone_is_needed_for_an_instant():
    with_zone, without = parse_moment("2024-05-02T08:15:30Z"), parse_moment("2024-05-02T08:15:30")
    assert with_zone is not None
    assert with_zone.instant is not None
    assert without is not None
    assert without.instant is None


def test_ambiguous_names_of_zones_are_no_zone():
    found = parse_moment("2 May 2024 08:15 IST")
    assert found is not None
    assert found.instant is None


@pytest.mark.parametrize(
    ("url", "iso"),
    [
        ("https://a.example/2024/05/02/x", "2024-05-02"),
        ("https://a.example/x-2024-05-02.html", "2024-05-02"),
        ("https://a.example/20240502-x", "2024-05-02"),
        ("https://a.example/2024/5/2/x", "2024-05-02"),
        ("https://a.example/2024_05_31", "2024-05-31"),
        ("https://a.example/1923/05/02/x", "1923-05-02"),
        ("https://a.example/2024/13/02/2024/05/03", "2024-05-03"),
        ("https://a.example/2024/05/x", None),
        ("https://a.example/12345678", None),
        # Digits that are numbers of something else.
        ("https://a.example/2012105", None),
        ("https://a.example/x-1912105.html", None),
        ("https://a.example/19121231", None),
        ("https://a.example/20891012", None),
        ("https://a.example/2089/10/12/x", None),
        ("https://a.example/202405021", None),
        ("https://a.example/2024/05/021", None),
        ("https://a.example/2024-05/02", None),
    ],
)
def test_days_in_addresses(url: str, iso: str | None):
    found = moment_in_url(url)
    assert (None if found is None else str(found)) == iso


@given(st.text(max_size=300))
def test_any_text_is_read(text: str):
    parse_moment(text)
    find_moment(text, month_first=True)


@given(st.datetimes())
def test_iso_is_read_back(moment):
    if moment.year >= 1800 and moment.year <= 2100 and moment.date().isoformat() != "1970-01-01":
        assert str(parse_moment(moment.isoformat())) == moment.isoformat()
