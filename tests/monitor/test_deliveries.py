"""New mentions to webhooks: what goes wrong there fails this delivery and ends nothing."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.monitor.config.settings import Webhook
from blockfeat.monitor.deliveries import DeliveryError, WebhookReceiver

_EVENTS = ['{"id": "1", "brand": "Corvane"}', '{"id": "2", "brand": "Bäcker"}']


class Hook(HTTPServer):
    """Takes what is posted; ``headers`` and ``bodies`` have it."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, object]] = []
        super().__init__(("127.0.0.1", 0), _Answer)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Answer(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
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
