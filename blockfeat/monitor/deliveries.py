"""New mentions to their receivers: a JSON Lines stream, webhooks; each at least once, in order, or as a dead letter."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar
from urllib.parse import urlsplit

from blockfeat._files import writing
from blockfeat.errors import OutputError
from blockfeat.monitor.config.settings import MonitorConfig, Wanted, Webhook
from blockfeat.monitor.fetching.politeness import retry_at
from blockfeat.monitor.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")

_logger = logging.getLogger("blockfeat.monitor.deliveries")
_LINES_AT_ONCE = 500
_TIMEOUT = 20.0


# Requests that are wrong themselves: trying them again changes nothing.
_REFUSED = frozenset({400, 409, 413, 414, 415, 422})
_TRIES_AT_ONCE = 3
_FIRST_WAIT, _LONGEST_WAIT = 30.0, 3600.0


class DeliveryError(OutputError):
    """A receiver could not be reached or refused what it got.

    Attributes
    ----------
    refused : bool
        Whether the same mentions would be refused again.
    retry_at : float or None
        It asked not to be tried before, in seconds since 1970.
    """

    def __init__(self, message: str, *, refused: bool = False, retry_at: float | None = None) -> None:
        super().__init__(message)
        self.refused = refused
        self.retry_at = retry_at


class Receiver(Protocol):
    """Takes new mentions; what it has taken is never offered again, what it has not is offered later."""

    name: str
    batch: int
    attempts: int | None
    wanted: Wanted

    async def take(self, events: Sequence[str]) -> None:
        """Take events, each one JSON object; raise `DeliveryError` where that fails."""
        ...


class FileStream:
    """Appends one JSON line for each mention to a file, or to standard output (``"-"``)."""

    attempts: int | None = None

    def __init__(self, path: str, *, wanted: Wanted = Wanted()) -> None:  # noqa: B008
        self.name = f"stream {path}"
        self.batch = _LINES_AT_ONCE
        self.wanted = wanted
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
        self.attempts: int | None = webhook.attempts
        self.wanted = webhook.wanted
        self._webhook = webhook
        self._agent = agent

    async def take(self, events: Sequence[str]) -> None:
        """Post the mentions in one request."""
        import httpx2

        headers = {"Content-Type": "application/json", "User-Agent": self._agent}
        if self._webhook.token is not None:
            headers["Authorization"] = f"Bearer {self._value_of(self._webhook.token)}"
        mentions = {"mentions": [json.loads(event) for event in events]}
        body = json.dumps(mentions, ensure_ascii=False).encode("utf-8", "replace")
        if self._webhook.secret is not None:
            headers["X-Blockfeat-Signature"] = signature(self._value_of(self._webhook.secret), body, moment=time.time())
        try:
            # Raises ValueError for a port that there is not, which the connection would do in a way of its own.
            _ = urlsplit(self._webhook.url).port
            async with httpx2.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client:
                answer = await client.post(self._webhook.url, content=body, headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as error:
            raise DeliveryError(f"{self._webhook.url}: {error or type(error).__name__}") from error
        if not answer.is_success:
            raise DeliveryError(
                f"{self._webhook.url}: answered {answer.status_code}",
                refused=answer.status_code in _REFUSED,
                retry_at=retry_at(answer.headers.get("Retry-After"), now=time.time()),
            )

    def _value_of(self, variable: str) -> str:
        """Return the token or secret that an environment variable holds; it stands in no message."""
        token = os.environ.get(variable, "").strip()
        if not token:
            raise DeliveryError(f"{self._webhook.url}: the environment variable {variable} is not set")
        if not (token.isascii() and token.isprintable()):
            raise DeliveryError(f"{self._webhook.url}: the value of {variable} has characters that no header may have")
        return token


def signature(secret: str, body: bytes, *, moment: float) -> str:
    """Return the header that signs a request: ``t=…,v1=…``, HMAC-SHA256 in hexadecimal of ``t``, a dot and the body."""
    seconds = int(moment)
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def receivers_of(config: MonitorConfig) -> tuple[Receiver, ...]:
    """Return the receivers that a configuration names."""
    streams: list[Receiver] = [FileStream(config.stream, wanted=config.stream_wanted)] if config.stream else []
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
    arrived = 0
    failed: list[tuple[str, str]] = []
    for receiver in receivers:
        limit = receiver.batch
        while events := await call(store.undelivered, receiver.name, limit=limit, now=time.time()):
            wanted = [event for _, event in events if receiver.wanted.takes(json.loads(event))]
            try:
                await _take(receiver, wanted)
            except DeliveryError as error:
                if error.refused and len(wanted) > 1:
                    # Which of them it is that is refused shows when each goes alone.
                    limit = 1
                    continue
                failed.append((receiver.name, str(error)))
                _logger.warning("%s", error, extra={"event": "delivery failed", "receiver": receiver.name})
                if not await _failed(store, receiver, events[-1][0], wanted, error, call=call):
                    break
                continue
            await call(store.note_delivery, receiver.name, events[-1][0])
            arrived += len(wanted)
    return arrived, failed


async def _take(receiver: Receiver, events: Sequence[str]) -> None:
    """Give a receiver events; whatever is wrong there is a `DeliveryError`."""
    try:
        if events:
            await receiver.take(events)
    except DeliveryError:
        raise
    except Exception as error:
        raise DeliveryError(f"{receiver.name}: unexpected {type(error).__name__}: {error}") from error


async def _failed(
    store: Store, receiver: Receiver, last: int, events: Sequence[str], error: DeliveryError, *, call: StoreCalls
) -> bool:
    """Note that a delivery failed; return whether its events became dead letters at once, so that the next may go."""
    now = time.time()
    failures = 1 + await call(store.failures_of, receiver.name)
    if error.refused or (receiver.attempts is not None and failures >= receiver.attempts):
        await call(store.give_up, receiver.name, last, events, str(error), now=now)
        return error.refused
    wait = _FIRST_WAIT * 2.0 ** min(failures - _TRIES_AT_ONCE, 20) if failures >= _TRIES_AT_ONCE else 0.0
    until = error.retry_at or (now + min(wait, _LONGEST_WAIT) if wait and receiver.attempts is not None else None)
    await call(store.note_failed_delivery, receiver.name, str(error), retry_at=until)
    return False


async def redeliver(store: Store, receivers: Sequence[Receiver]) -> tuple[int, list[tuple[str, str]]]:
    """Give each receiver its dead letters again; what arrives is none any more. See `deliver` for what is returned."""
    arrived = 0
    failed: list[tuple[str, str]] = []
    for receiver in receivers:
        after = 0
        while letters := store.dead_letters(receiver.name, after=after, limit=receiver.batch):
            after = letters[-1][0]
            pieces = [letters]
            while pieces:
                piece = pieces.pop()
                try:
                    await _take(receiver, [event for _, event in piece])
                except DeliveryError as error:
                    if not error.refused:
                        failed.append((receiver.name, str(error)))
                        after, pieces = sys.maxsize, []
                    elif len(piece) > 1:
                        pieces = [[letter] for letter in reversed(piece)]
                    else:
                        failed.append((receiver.name, str(error)))
                    continue
                store.forget_letters([number for number, _ in piece])
                arrived += len(piece)
    return arrived, failed
