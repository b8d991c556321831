"""Spikes in a store."""

import time

import pytest

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.outbox import expected_articles, surprise
from blockfeat.monitor.store.store import Store
from stored_pages import events, execute, mention, save

_WEEK = 7 * 86_400.0
_HOUR = 1_763_805_600.0


def _page_of(store: Store, number: int, moment: float) -> None:
    """Store an article that names the brand, first seen at a moment."""
    words = f"Corvane sails for the {number}. time this year."
    save(store, f"a.example/{number}", words, mention(words), copies=CopySettings(find=False))
    seen = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
    execute(store, "UPDATE page SET first_seen = :seen WHERE url LIKE :url", seen=seen, url=f"%/{number}")


def test_a_spike_is_told_once(store: Store) -> None:
    now = _HOUR + 1800
    store.set_sinks(["one"])
    for week in range(5):
        _page_of(store, week, now - week * _WEEK)
    assert store.note_spikes(now=now) == 0
    for number in range(100, 108):
        _page_of(store, number, now)
    assert [store.note_spikes(now=now + later) for later in (0, 60, 3600)] == [1, 0, 0]
    (spike,) = events(store)
    assert (spike["event"], spike["articles"], spike["hour"]) == ("spike", 9, _HOUR)
    assert 0.5 < spike["expected"] < 1.5


def test_fewer_than_five_articles_are_no_spike_however_seldom_they_are(store: Store) -> None:
    _page_of(store, 100, _HOUR - 5 * _WEEK)
    found = []
    for number in range(5):
        _page_of(store, number, _HOUR)
        found.append(store.note_spikes(now=_HOUR))
    assert found == [0, 0, 0, 0, 1]


def test_a_young_store_has_no_spikes(store: Store) -> None:
    for number in range(30):
        _page_of(store, number, _HOUR)
    assert store.note_spikes(now=_HOUR) == 0


def test_what_is_expected() -> None:
    assert (surprise(0, 2.0), surprise(3, 2.0)) == (pytest.approx(1.0), pytest.approx(0.3233, abs=1e-4))
    same = {time.strftime("%Y-%m-%dT%H", time.gmtime(_HOUR - week * _WEEK)): 10 for week in (1, 2, 3, 4)}
    assert expected_articles(same, _HOUR, weeks=4) == pytest.approx((40 + 40 / 672) / 5)
