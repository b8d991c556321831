"""Alerts in a store: filters, digests, nothing twice, spikes; on both databases."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import insert, text

from blockfeat.errors import ConfigError
from blockfeat.monitor.alerts.message import Message
from blockfeat.monitor.alerts.settings import Alert
from blockfeat.monitor.config import CopySettings, parse_config
from blockfeat.monitor.deliveries import AlertReceiver, deliver
from blockfeat.monitor.delivery import DeliveryError
from blockfeat.monitor.store.records import FoundMention, PageRecord, Visit
from blockfeat.monitor.store.schema import outbox
from blockfeat.monitor.store.spikes import expected_articles, surprise
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, save_visit

_EVENT = {"event": "new", "brand": "Corvane", "counted": True, "url": "https://a.example/", "title": "T"}


class _Box:
    """Takes messages; ``fails`` lets it fail so often."""

    def __init__(self) -> None:
        self.told: list[list[str]] = []
        self.fails = 0

    async def __call__(self, message: Message) -> None:
        if self.fails:
            self.fails -= 1
            raise DeliveryError("not now")
        self.told.append([str(event["id"]) for event in message.events])


async def _call(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return call(*args, **options)


def _deliver(store: Store, receiver: AlertReceiver, *, is_end: bool = False) -> list[tuple[str, str]]:
    return asyncio.run(deliver(store, [receiver], call=_call, is_end=is_end))[1]


def _put(store: Store, *numbers: int, **values: Any) -> None:
    with store.engine.begin() as connection:
        for number in numbers:
            event = {**_EVENT, "id": str(number), **values}
            connection.execute(insert(outbox).values(event=json.dumps(event)))


def _set_up(store: Store, alert: Alert) -> tuple[AlertReceiver, _Box]:
    box = _Box()
    receiver = AlertReceiver(alert, "test", box)
    store.set_sinks([receiver.name])
    _deliver(store, receiver)
    return receiver, box


def _at(monkeypatch: pytest.MonkeyPatch, moment: float) -> None:
    monkeypatch.setattr(time, "time", lambda: moment)


def test_what_comes_within_a_minute_is_one_message_and_nothing_is_told_twice(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _at(monkeypatch, 1000.0)
    with Store.open(address) as store:
        receiver, box = _set_up(store, Alert("A"))
        _put(store, 1)
        _deliver(store, receiver)
        assert box.told == []
        _put(store, 2)
        _at(monkeypatch, 1061.0)
        _deliver(store, receiver)
        _put(store, 3)
        _deliver(store, receiver)
        _deliver(store, receiver, is_end=True)
        _at(monkeypatch, 2000.0)
        _deliver(store, receiver)
        assert box.told == [["1", "2"], ["3"]]


def test_a_digest_that_fails_is_tried_again(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _at(monkeypatch, 3600.0 * 10 + 60)
    with Store.open(address) as store:
        receiver, box = _set_up(store, Alert("A", when="hourly"))
        _put(store, 1, 2)
        _deliver(store, receiver, is_end=True)
        assert box.told == []
        box.fails = 1
        _at(monkeypatch, 3600.0 * 11)
        assert _deliver(store, receiver) == [(receiver.name, "not now")]
        _at(monkeypatch, 3600.0 * 11 + 40)
        _deliver(store, receiver)
        assert box.told == [["1", "2"]]
        # An hour in which nothing came is over: what comes later waits for the next.
        _at(monkeypatch, 3600.0 * 12)
        _deliver(store, receiver)
        _put(store, 3)
        _at(monkeypatch, 3600.0 * 12 + 20)
        _deliver(store, receiver)
        assert box.told == [["1", "2"]]
        _at(monkeypatch, 3600.0 * 13)
        _deliver(store, receiver)
        assert box.told[1:] == [["3"]]


def _save(store: Store, name: str, words: str, brand: str = "") -> None:
    (page,) = [each for each in add(store, name) if each.url == f"https://{name}"]
    mention = FoundMention(brand, "body", True, None, 0, 7, brand, words, 0, "/", 1.0)
    record = PageRecord("ok", title=words, text=words, mentions=(mention,) if brand else ())
    save_visit(store, Visit(page, NOW, None), record, copies=CopySettings(find=False))


def test_a_query_is_asked_of_the_article(address: str) -> None:
    with Store.open(address) as store:
        for name, words in (("a", "The ferry strike goes on in the harbour."), ("b", "The ferry sails.")):
            _save(store, f"{name}.example/", words)
        alert = Alert("A", query="ferry NEAR/2 strike")
        receiver, box = _set_up(store, alert)
        _put(store, 1)
        _put(store, 2, url="https://b.example/")
        _put(store, 3, url="https://gone.example/")
        _deliver(store, receiver, is_end=True)
        assert box.told == [["1"]]


def test_settings_are_checked(tmp_path: Path) -> None:
    base = '[[sources]]\nurl = "https://a.example/feed"\n[[brands]]\nname = "Corvane"\n'
    good = base + (
        '[monitor]\ntimezone = "Europe/Berlin"\n[smtp]\nhost = "mail.example.org"\nsender = "m@example.org"\n'
        '[[alerts]]\nname = "A"\nbrands = "Corvane"\nwhen = "daily"\nat = "07:30"\nquiet = "22:00-06:00"\n'
        'email = "you@example.org"\nquery = "strike*"\ntell = ["mentions", "spikes"]\n'
    )
    config = parse_config(good)
    (alert,) = config.alerts
    assert (alert.when, alert.at, alert.quiet, config.timezone) == ("daily", 450, (1320, 360), "Europe/Berlin")
    assert (alert.email, config.smtp and config.smtp.host, alert.tell) == (
        ("you@example.org",),
        "mail.example.org",
        ("mentions", "spikes"),
    )
    bad = base + (
        '[monitor]\ntimezone = "Mars/Base"\n[[alerts]]\nname = "A"\nbrands = "Nobody"\nat = "25:00"\nwhen = "weekly"\n'
        'quiet = "10"\nquery = "(a"\n[[alerts]]\nname = "A"\nemail = "you"\n[[alerts]]\nname = "B"\nemail = "a@b.c"\n'
    )
    with pytest.raises(ConfigError) as error:
        parse_config(bad)
    for reason in (
        "no time zone",
        "no brand or query 'Nobody'",
        "must be a time",
        "must be one of at once, hourly, daily",
        "must be hours",
        "a bracket is not closed",
        "needs at least one of email",
        "two alerts 'A'",
        "no e-mail address",
        "needs a table [smtp]",
    ):
        assert reason in str(error.value), reason


_WEEK = 7 * 86_400.0


def _page_of(store: Store, number: int, moment: float) -> None:
    """Store an article that names the brand, first seen at a moment."""
    url = f"https://a.example/{number}"
    _save(store, f"a.example/{number}", f"Corvane sails for the {number}. time this year.", "Corvane")
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


def test_a_chosen_alert_keeps_its_name_in_the_store(address: str) -> None:
    with Store.open(address) as store:
        receiver, _ = _set_up(store, Alert("A"))
        other = AlertReceiver(replace(Alert("A"), brands=("Corvane",)), "test", _Box())
        assert receiver.name == other.name == "alert A: test"
