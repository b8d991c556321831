"""When messages of an alert go out."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.alerts.settings import Alert, Timing, minutes_of, span_of

_BERLIN = ZoneInfo("Europe/Berlin")


def _at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=_BERLIN).timestamp()


@pytest.mark.parametrize(
    ("timing", "last", "now", "expected"),
    [
        (Timing(), "2026-11-22T09:00", "2026-11-22T09:00:30", False),
        (Timing(), "2026-11-22T09:00", "2026-11-22T09:01", True),
        (Timing("hourly"), "2026-11-22T09:10", "2026-11-22T09:59", False),
        (Timing("hourly"), "2026-11-22T09:10", "2026-11-22T10:00", True),
        (Timing("hourly"), "2026-11-22T09:00", "2026-11-22T09:30", False),
        (Timing("daily", 480), "2026-11-22T07:00", "2026-11-22T07:59", False),
        (Timing("daily", 480), "2026-11-22T07:00", "2026-11-22T08:00", True),
        (Timing("daily", 480), "2026-11-22T08:00", "2026-11-22T20:00", False),
        (Timing("daily", 480), "2026-11-22T09:00", "2026-11-23T08:01", True),
        (Timing("daily", 480), "2026-10-24T08:30", "2026-10-25T08:00", True),  # the night has an hour more
        (Timing("daily", 480), "2026-10-24T08:30", "2026-10-25T07:30", False),
        (Timing(quiet=(1320, 420)), "2026-11-22T09:00", "2026-11-22T22:00", False),
        (Timing(quiet=(1320, 420)), "2026-11-22T09:00", "2026-11-23T06:59", False),
        (Timing(quiet=(1320, 420)), "2026-11-22T09:00", "2026-11-23T07:00", True),
        (Timing(quiet=(600, 600)), "2026-11-22T09:00", "2026-11-22T10:00", True),
    ],
)
def test_turns(timing: Timing, last: str, now: str, *, expected: bool) -> None:
    timing = Timing(timing.when, timing.at, timing.quiet, _BERLIN)
    assert timing.is_open(_at(now), last=_at(last)) is expected


def test_at_the_end_of_a_run_nothing_is_gathered_but_hours_are_quiet() -> None:
    now = _at("2026-11-22T09:00:05")
    assert Timing().is_open(now, last=now - 1, is_end=True)
    assert not Timing(quiet=(0, 1439), zone=_BERLIN).is_open(now, last=0, is_end=True)
    assert not Timing("hourly").is_open(now, last=now - 1, is_end=True)


@given(st.floats(1.7e9, 1.9e9), st.floats(0, 3e5), st.integers(0, 1439))
def test_a_daily_digest_comes_once_in_a_day(last: float, wait: float, at: int) -> None:
    timing = Timing("daily", at, None, _BERLIN)
    assert timing.is_open(last + 90_001 + wait, last=last)
    if timing.is_open(last + wait, last=last):
        assert not timing.is_open(last + wait, last=last + wait)


@pytest.mark.parametrize("text", ["", "8", "24:00", "08:60", "8h", "-1:00", "ab:cd"])
def test_times_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        minutes_of(text)
    with pytest.raises(ValueError, match="must be"):
        span_of(f"{text}-07:00")


def test_what_an_alert_is_of() -> None:
    event = {"event": "new", "counted": True, "brand": "Corvane", "lang": "de", "place": "body", "relevance": 0.5}
    event |= {"source": "https://a.example/feed", "host": "a.example"}
    spike = {"event": "spike", "counted": True, "brand": "Corvane"}
    alert = Alert("A", brands=("Corvane",), langs=("de",), places=("body",), least_relevance=0.5)
    assert alert.is_of(event)
    assert Alert("A").is_of({name: event[name] for name in ("event", "counted", "brand")})  # of an older store
    assert Alert("A", sources=("a.example",)).is_of(event)
    assert Alert("A", sources=("https://a.example/feed",)).is_of(event)
    for change in ({"brand": "Brelan"}, {"lang": "en"}, {"place": "headline"}, {"relevance": 0.4}, {"counted": False}):
        assert not alert.is_of(event | change), change
    assert not Alert("A", sources=("b.example",)).is_of(event)
    assert not Alert("A").is_of(event | {"event": "update"})
    assert Alert("A").is_of(event | {"event": "counted"})
    assert [Alert("A", tell=tell).is_of(spike) for tell in (("mentions",), ("spikes",))] == [False, True]
    assert not Alert("A", tell=("spikes",)).is_of(event)
