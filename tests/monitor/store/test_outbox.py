"""Spikes in a store."""

from __future__ import annotations

import json
import time

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import text

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.outbox import expected_articles, surprise
from blockfeat.monitor.store.records import FoundMention, PageRecord, Visit
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, save_visit

_WEEK = 7 * 86_400.0


def _page_of(store: Store, number: int, moment: float) -> None:
    """Store an article that names the brand, first seen at a moment."""
    url = f"https://a.example/{number}"
    (page,) = [each for each in add(store, f"a.example/{number}") if each.url == url]
    words = f"Corvane sails for the {number}. time this year."
    mention = FoundMention("Corvane", "body", True, None, 0, 7, "Corvane", words, 0, "/", 1.0)
    record = PageRecord("ok", title=words, text=words, mentions=(mention,))
    save_visit(store, Visit(page, NOW, None), record, copies=CopySettings(find=False))
    seen = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE page SET first_seen = :seen WHERE url = :url"), {"seen": seen, "url": url})


def test_a_spike_is_told_once(address: str) -> None:
    now = 1_763_805_600.0 + 1800
    with Store.open(address) as store:
        store.set_sinks(["alert A: test"])
        for week in range(5):
            _page_of(store, week, now - week * _WEEK)
        assert store.note_spikes(now=now) == 0
        for number in range(100, 108):
            _page_of(store, number, now)
        assert [store.note_spikes(now=now + later) for later in (0, 60, 3600)] == [1, 0, 0]
        ((_, event),) = store.undelivered("alert A: test", limit=10)
        spike = json.loads(event)
        assert (spike["event"], spike["articles"], spike["hour"]) == ("spike", 9, 1_763_805_600.0)
        assert 0.5 < spike["expected"] < 1.5


def test_a_young_store_has_no_spikes(address: str) -> None:
    now = 1_763_805_600.0
    with Store.open(address) as store:
        for number in range(30):
            _page_of(store, number, now)
        assert store.note_spikes(now=now) == 0


def test_what_is_expected() -> None:
    assert surprise(0, 2.0) == pytest.approx(1.0)
    assert surprise(3, 2.0) == pytest.approx(0.3233, abs=1e-4)
    begin = 1_763_805_600.0
    same = {time.strftime("%Y-%m-%dT%H", time.gmtime(begin - week * _WEEK)): 10 for week in (1, 2, 3, 4)}
    assert expected_articles(same, begin, weeks=4) == pytest.approx((40 + 40 / 672) / 5)
