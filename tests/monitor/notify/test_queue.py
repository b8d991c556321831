"""New mentions to webhooks and alerts: what goes wrong there fails this delivery and ends nothing."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import insert

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.notify.channels import DeliveryError, Message
from blockfeat.monitor.notify.queue import AlertReceiver, WebhookReceiver, deliver, redeliver
from blockfeat.monitor.receivers import Alert, Wanted, Webhook
from blockfeat.monitor.store.records import PageRecord, Visit
from blockfeat.monitor.store.schema import outbox
from blockfeat.monitor.store.store import Store
from hooks import Hook
from stored_pages import NOW, add, save_visit

_EVENTS = ['{"id": "1", "brand": "Corvane"}', '{"id": "2", "brand": "Bäcker"}']


def _send(url: str, token: str | None = None) -> None:
    asyncio.run(WebhookReceiver(Webhook(url=url, token=token), agent="blockfeat").take(_EVENTS))


def test_mentions_and_the_token_arrive(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "s3cret")
    _send(hook.url, "HOOK_TOKEN")
    _send(hook.url)
    assert [each.get("authorization") for each in hook.headers] == ["Bearer s3cret", None]
    assert hook.bodies[0] == {"mentions": [{"id": "1", "brand": "Corvane"}, {"id": "2", "brand": "Bäcker"}]}


@pytest.mark.parametrize("value", ["schlüssel", "two\nlines", "", "  ", "\ud800"])
def test_a_token_that_cannot_be_sent_fails_the_delivery_without_being_shown(
    hook: Hook, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setattr("os.environ", {**os.environ, "HOOK_TOKEN": value})
    with pytest.raises(DeliveryError, match="HOOK_TOKEN") as failure:
        _send(hook.url, "HOOK_TOKEN")
    assert not value.strip() or value not in str(failure.value)
    assert hook.headers == []


def test_a_token_that_is_not_set_sends_nothing(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOOK_TOKEN", raising=False)
    with pytest.raises(DeliveryError, match="HOOK_TOKEN is not set"):
        _send(hook.url, "HOOK_TOKEN")
    assert hook.headers == []


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/", "http://127.0.0.1:x/", "http://[::1", f"http://{'a' * 70}.example/"]
)
def test_an_address_that_is_none_fails_the_delivery(url: str) -> None:
    with pytest.raises(DeliveryError, match="http://"):
        _send(url)


def test_a_request_is_signed_over_time_and_body(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", "s3cret")
    webhook = Webhook(url=hook.url, secret="HOOK_SECRET")
    asyncio.run(WebhookReceiver(webhook, agent="blockfeat").take(_EVENTS))
    parts = dict(part.split("=") for part in hook.headers[0]["x-blockfeat-signature"].split(","))
    expected = hmac.new(b"s3cret", parts["t"].encode() + b"." + hook.raw[0], hashlib.sha256).hexdigest()
    assert (parts["v1"], abs(int(parts["t"]) - time.time()) < 600) == (expected, True)


def _stored(folder: Path, hook: Hook, *events: dict[str, Any], **options: Any) -> tuple[Store, WebhookReceiver]:
    """Return a store with events that wait for a webhook."""
    receiver = WebhookReceiver(Webhook(url=hook.url, **options), agent="blockfeat")
    store = Store.open(str(folder / "monitor.db"))
    store.set_sinks([receiver.name])
    rows = [{"event": json.dumps({"event": "new", "brand": "Corvane", "counted": True, **event})} for event in events]
    with store.engine.begin() as connection:
        connection.execute(outbox.insert(), rows)
    return store, receiver


async def _call(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return call(*args, **options)


def _ids(hook: Hook) -> list[list[str]]:
    return [[mention["id"] for mention in body["mentions"]] for body in hook.bodies]


def test_one_refused_mention_becomes_a_dead_letter_and_the_others_arrive(tmp_path: Path, hook: Hook) -> None:
    hook.refused = "2"
    store, receiver = _stored(tmp_path, hook, {"id": "1"}, {"id": "2"}, {"id": "3"})
    with store:
        arrived, failed = asyncio.run(deliver(store, [receiver], call=_call))
        assert (arrived, len(failed), _ids(hook)) == (2, 1, [["1", "2", "3"], ["1"], ["2"], ["3"]])
        (letters,) = store.status(now=0).dead_letters
        assert (letters["number"], "422" in letters["error"]) == (1, True)
        assert asyncio.run(redeliver(store, [receiver]))[0] == 0
        hook.refused = None
        assert asyncio.run(redeliver(store, [receiver])) == (1, [])
        assert store.status(now=0).dead_letters == ()


def test_what_was_tried_often_enough_becomes_a_dead_letter(tmp_path: Path, hook: Hook) -> None:
    hook.answers = [(503, {})] * 2
    store, receiver = _stored(tmp_path, hook, {"id": "1"}, attempts=2)
    with store:
        for _ in range(3):
            asyncio.run(deliver(store, [receiver], call=_call))
        assert _ids(hook) == [["1"], ["1"]]
        assert [letters["number"] for letters in store.status(now=0).dead_letters] == [1]
        assert asyncio.run(redeliver(store, [receiver])) == (1, [])


def test_retry_after_is_kept(tmp_path: Path, hook: Hook) -> None:
    hook.answers = [(429, {"Retry-After": "3600"})]
    store, receiver = _stored(tmp_path, hook, {"id": "1"})
    with store:
        for _ in range(3):
            asyncio.run(deliver(store, [receiver], call=_call))
        assert len(hook.bodies) == 1
        assert store.undelivered(receiver.name, limit=9, now=time.time() + 3700) != []


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (Wanted(), ["1", "5"]),
        (Wanted(clutter=True), ["1", "2"]),
        (Wanted(updates=True), ["1", "3", "5"]),
        (Wanted(brands=("Brelan",)), []),
        (Wanted(clutter=True, updates=True, brands=("Brelan", "Corvane")), ["1", "2", "3", "4", "5"]),
    ],
)
def test_a_receiver_gets_what_it_wants(tmp_path: Path, hook: Hook, wanted: Wanted, ids: list[str]) -> None:
    events = (
        {"id": "1"},
        {"id": "2", "counted": False},
        {"id": "3", "event": "update"},
        {"id": "4", "event": "update", "counted": False, "brand": "Brelan"},
        {"id": "5", "event": "counted"},
    )
    store, receiver = _stored(tmp_path, hook, *events, **asdict(wanted))
    with store:
        assert asyncio.run(deliver(store, [receiver], call=_call)) == (len(ids), [])
        assert [one for batch in _ids(hook) for one in batch] == ids
        assert store.undelivered(receiver.name, limit=9) == []


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


def _save(store: Store, name: str, words: str) -> None:
    (page,) = [each for each in add(store, name) if each.url == f"https://{name}"]

    record = PageRecord("ok", title=words, text=words)
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


def test_a_chosen_alert_keeps_its_name_in_the_store(address: str) -> None:
    with Store.open(address) as store:
        receiver, _ = _set_up(store, Alert("A"))
        other = AlertReceiver(replace(Alert("A"), brands=("Corvane",)), "test", _Box())
        assert receiver.name == other.name == "alert A: test"
