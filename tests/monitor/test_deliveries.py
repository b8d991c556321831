"""New mentions to webhooks: what goes wrong there fails this delivery and ends nothing."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.monitor.alerts.settings import Wanted, Webhook
from blockfeat.monitor.deliveries import DeliveryError, WebhookReceiver, deliver, redeliver
from blockfeat.monitor.store.schema import outbox
from blockfeat.monitor.store.store import Store

_EVENTS = ['{"id": "1", "brand": "Corvane"}', '{"id": "2", "brand": "Bäcker"}']


class Hook(HTTPServer):
    """Takes what is posted; ``headers`` and ``bodies`` have it."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.refused: str | None = None
        super().__init__(("127.0.0.1", 0), _Answer)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Answer(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.server.raw.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(json.loads(self.server.raw[-1]))
        ids = [mention["id"] for mention in self.server.bodies[-1]["mentions"]]
        status, headers = self.server.answers.pop(0) if self.server.answers else (204, {})
        self.send_response(422 if self.server.refused in ids else status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def _send(url: str, token: str | None = None) -> None:
    asyncio.run(WebhookReceiver(Webhook(url, token), agent="blockfeat").take(_EVENTS))


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
    webhook = Webhook(hook.url, secret="HOOK_SECRET")
    asyncio.run(WebhookReceiver(webhook, agent="blockfeat").take(_EVENTS))
    parts = dict(part.split("=") for part in hook.headers[0]["x-blockfeat-signature"].split(","))
    expected = hmac.new(b"s3cret", parts["t"].encode() + b"." + hook.raw[0], hashlib.sha256).hexdigest()
    assert (parts["v1"], abs(int(parts["t"]) - time.time()) < 600) == (expected, True)


def _stored(folder: Path, hook: Hook, *events: dict[str, Any], **options: Any) -> tuple[Store, WebhookReceiver]:
    """Return a store with events that wait for a webhook."""
    receiver = WebhookReceiver(Webhook(hook.url, **options), agent="blockfeat")
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
