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


@pytest.mark.parametrize(("iso", "texts"), CASES["declared_dates"])
def test_declared_dates(iso: str, texts: str):
    for text in texts.split(" | "):
        assert (text, str(parse_moment(text))) == (text, iso or "None")


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
    assert str(day_by_htmldate(place, None)) == "2024-05-02"
    monkeypatch.setitem(sys.modules, "htmldate", None)
    assert day_by_htmldate(place, None) is None
