import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.dates import Moment, find_moment, find_span, moment_in_url, parse_moment
from blockfeat.metadata.visible import place_of
from blockfeat.metadata.visible_dates import day_by_htmldate
from blocks_of import blocks_of
from cases import CASES


@pytest.mark.parametrize(
    ("iso", "texts"),
    [
        ("2024-05-02", "2024-05-02 | May 2nd, 2024 | 2. Mai 2024 | 2 de mayo de 2024 | 2 maja 2024 | 2 Μαΐου 2024"),
        ("2024-05-02", "2 Mayıs 2024 | 2024년 5월 2일 | 2024/05/02 | 02.05.2024 | 2024-05-02T24:15"),
        ("2024-05-02T08:15:00", "2024-05-02 08:15 | 2 mai 2024 à 8h15 | 2 мая 2024 г., 08:15"),
        ("2024-05-02T08:15:30", "2024-05-02T8:15:30"),
        ("2024-05-02T08:15:30+00:00", "2024-05-02T08:15:30Z | 20240502T081530Z | 1714637730 | 1714637730000"),
        ("2024-05-02T08:15:30+00:00", "Thu, 02 May 2024 08:15:30 GMT"),
        ("2024-05-02T08:15:30+02:00", "2024-05-02T08:15:30+0200 | Thu May 02 08:15:30 CEST 2024"),
        ("2024-05-02T08:15:30.500000-05:00", "2024-05-02T08:15:30.5-05:00"),
        ("2024-05-02T08:15:30.123456", "2024-05-02 08:15:30.1234567"),
        ("2024-05-02T20:15:00-05:00", "May 2, 2024 8:15 PM EST"),
        ("2024-05-02T00:30:00", "May 2, 2024 12:30 AM | 2024-05-02 00:30"),
        ("2024-05-02T12:30:00", "May 2, 2024 12:30 p.m. | 2024-05-02 12:30"),
        ("2024-05-02T01:30:00", "May 2, 2024 1:30 am"),
        ("2024-12-04", "4/12/2024"),
        ("2024-12-13", "12/13/2024 | 13.12.2024"),
        ("2069-01-02", "2.1.69"),
        ("1970-01-03", "3.1.70"),
        ("1999-12-31", "31.12.99"),
        ("1990-01-01", "19900101"),
        ("1800-01-01", "1800-01-01"),
        ("2100-12-31", "2100-12-31"),
        (None, "1970-01-01T00:00:00Z | 0001-01-01 | 0000000000 | 0123456789 | 9999999999 | 19121012 | 191210121234"),
        (None, "20891012 | 2024-13-45 | version 2.0 |  | 2024-13-45T00:00:00 | 2 Foo 2024 | 1799-12-31 | 2101-01-01"),
        (None, "19891231"),
    ],
)
def test_declared_dates(iso: str | None, texts: str):
    for text in texts.split(" | "):
        assert (text, str(parse_moment(text))) == (text, str(iso))


@pytest.mark.parametrize(("zones", "offset"), CASES["zones"])
def test_zones(zones: str, offset: str):
    for zone in zones.split():
        assert (zone, str(parse_moment(f"2024-05-02 08:15 {zone}"))) == (zone, f"2024-05-02T08:15:00{offset}")


def test_where_a_date_stands():
    found = find_span("Published on 4/5/2024, changed on 6 May 2024.")
    assert found is not None
    assert (found[0], found[1], str(found[2])) == (13, 21, "2024-05-04")
    assert find_span(f"{'x' * 190} 2 May 2024") is None


@pytest.mark.parametrize(
    ("find", "text", "month_first", "iso"),
    [
        (parse_moment, "4/5/2024", False, "2024-05-04"),
        (parse_moment, "4/5/2024", True, "2024-04-05"),
        (parse_moment, "13/12/2024", True, "2024-12-13"),
        (find_moment, "4.5.2024", True, "2024-05-04"),
        (find_moment, "4/5/2024", True, "2024-04-05"),
        (find_moment, "4/5/2024", False, "2024-05-04"),
        (find_moment, "4/25/2024", False, "2024-04-25"),
    ],
)
def test_digits_by_the_habit_of_the_country(find: Callable[..., Moment | None], text: str, month_first: bool, iso: str):
    assert str(find(text, month_first=month_first)) == iso


@pytest.mark.parametrize(
    ("text", "has_instant"),
    # Ambiguous names of zones are no zone.
    [("2024-05-02T08:15:30Z", True), ("2024-05-02T08:15:30", False), ("2 May 2024 08:15 IST", False)],
)
def test_a_zone_is_needed_for_an_instant(text: str, has_instant: bool):
    found = parse_moment(text)
    assert found is not None
    assert (found.instant is not None) == has_instant


@pytest.mark.parametrize(
    ("iso", "paths"),
    [
        ("2024-05-02", "2024/05/02/x x-2024-05-02.html 20240502-x 2024/5/2/x"),
        ("2024-05-31", "2024_05_31"),
        ("1923-05-02", "1923/05/02/x"),
        ("2024-05-03", "2024/13/02/2024/05/03"),
        (None, "2024/05/x 12345678"),
        # Digits that are numbers of something else.
        (None, "2012105 x-1912105.html 19121231 20891012 2089/10/12/x 202405021 2024/05/021 2024-05/02"),
    ],
)
def test_days_in_addresses(iso: str | None, paths: str):
    for path in paths.split():
        assert (path, str(moment_in_url(f"https://a.example/{path}"))) == (path, str(iso))


@given(st.text(max_size=300))
def test_any_text_is_read(text: str):
    parse_moment(text)
    find_moment(text, month_first=True)


@given(st.datetimes())
def test_iso_is_read_back(moment):
    if moment.year >= 1800 and moment.year <= 2100 and moment.date().isoformat() != "1970-01-01":
        assert str(parse_moment(moment.isoformat())) == moment.isoformat()


def test_without_htmldate_there_is_no_date_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "<p>The council met in the old hall for a long time.</p>"
    blocks = blocks_of(f"<h1>The bridge stays</h1><div class='date'>2 May 2024</div>{text}")
    place = place_of(blocks, np.ones(len(blocks), dtype=bool), 0)
    assert place is not None
    assert str(day_by_htmldate(blocks, None, place)) == "2024-05-02"
    monkeypatch.setitem(sys.modules, "htmldate", None)
    assert day_by_htmldate(blocks, None, place) is None
