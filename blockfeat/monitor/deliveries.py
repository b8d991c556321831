"""New mentions to their receivers: a JSON Lines stream, webhooks; each at least once, in order."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar
from urllib.parse import urlsplit

from blockfeat._files import writing
from blockfeat.errors import OutputError
from blockfeat.monitor.config.settings import MonitorConfig, Webhook
from blockfeat.monitor.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")

_logger = logging.getLogger("blockfeat.monitor.deliveries")
_LINES_AT_ONCE = 500
_TIMEOUT = 20.0


class DeliveryError(OutputError):
    """A receiver could not be reached or refused what it got."""


class Receiver(Protocol):
    """Takes new mentions; what it has taken is never offered again, what it has not is offered later."""

    name: str
    batch: int

    async def take(self, events: Sequence[str]) -> None:
        """Take events, each one JSON object; raise `DeliveryError` where that fails."""
        ...


class FileStream:
    """Appends one JSON line for each mention to a file, or to standard output (``"-"``)."""

    def __init__(self, path: str) -> None:
        self.name = f"stream {path}"
        self.batch = _LINES_AT_ONCE
        self._path = None if path == "-" else Path(path)
        if self._path is not None:
            _cut_to_whole_lines(self._path)

    async def take(self, events: Sequence[str]) -> None:
        """Write the lines, and wait until they are on the disk."""
        lines = "".join(event + "\n" for event in events)
        if self._path is None:
            with writing("standard output"):
                sys.stdout.write(lines)
                sys.stdout.flush()
            return
        try:
            with writing(self._path), self._path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except OutputError as error:
            raise DeliveryError(str(error)) from error


def _cut_to_whole_lines(path: Path) -> None:
    """Remove an incomplete last line, which an end in the middle of a write has left; its mention comes again."""
    if not path.exists():
        return
    with writing(path), path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - 65536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start
        file.truncate(0)


class WebhookReceiver:
    """Posts mentions to an address, as ``{"mentions": […]}``; an answer of 2xx means that they have arrived."""

    def __init__(self, webhook: Webhook, *, agent: str) -> None:
        self.name = f"webhook {webhook.url}"
        self.batch = webhook.batch
        self._webhook = webhook
        self._agent = agent

    async def take(self, events: Sequence[str]) -> None:
        """Post the mentions in one request."""
        import httpx2

        headers = {"Content-Type": "application/json", "User-Agent": self._agent}
        if self._webhook.token is not None:
            headers["Authorization"] = f"Bearer {self._token(self._webhook.token)}"
        body = json.dumps({"mentions": [json.loads(event) for event in events]}, ensure_ascii=False)
        try:
            # Raises ValueError for a port that there is not, which the connection would do in a way of its own.
            _ = urlsplit(self._webhook.url).port
            async with httpx2.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client:
                answer = await client.post(self._webhook.url, content=body.encode("utf-8", "replace"), headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as error:
            raise DeliveryError(f"{self._webhook.url}: {error or type(error).__name__}") from error
        if not answer.is_success:
            raise DeliveryError(f"{self._webhook.url}: answered {answer.status_code}")

    def _token(self, variable: str) -> str:
        """Return the bearer token that an environment variable holds; its value stands in no message."""
        token = os.environ.get(variable, "").strip()
        if not token:
            raise DeliveryError(f"{self._webhook.url}: the environment variable {variable} is not set")
        if not (token.isascii() and token.isprintable()):
            raise DeliveryError(f"{self._webhook.url}: the value of {variable} has characters that no header may have")
        return token


def receivers_of(config: MonitorConfig) -> tuple[Receiver, ...]:
    """Return the receivers that a configuration names."""
    streams: list[Receiver] = [FileStream(config.stream)] if config.stream else []
    hooks = {webhook.url: WebhookReceiver(webhook, agent=config.fetch.agent_header) for webhook in config.webhooks}
    return (*streams, *hooks.values())


class StoreCalls(Protocol):
    """Calls a method of the store where it may be called: in the one thread that has it."""

    async def __call__(self, call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Return what the call returns."""
        ...


async def deliver(
    store: Store, receivers: Sequence[Receiver], *, call: StoreCalls
) -> tuple[int, list[tuple[str, str]]]:
    """Give each receiver what it has not had yet.

    Returns
    -------
    int, list of (str, str)
        The number of mentions that arrived, and the receivers that failed, each with its reason.
    """
    arrived, failed = 0, []
    for receiver in receivers:
        while events := await call(store.undelivered, receiver.name, limit=receiver.batch):
            try:
                await receiver.take([event for _, event in events])
            except DeliveryError as error:
                await call(store.note_failed_delivery, receiver.name, str(error))
                failed.append((receiver.name, str(error)))
                _logger.warning("%s", error, extra={"event": "delivery failed", "receiver": receiver.name})
                break
            await call(store.note_delivery, receiver.name, events[-1][0])
            arrived += len(events)
    return arrived, failed
