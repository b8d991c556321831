"""New mentions to their receivers: a stream, webhooks, alerts; each at least once, in order, or as a dead letter."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from blockfeat._files import cut_to_whole_lines, writing
from blockfeat.errors import OutputError, failure_reason
from blockfeat.monitor.config import MonitorConfig
from blockfeat.monitor.mentions.queries import QueryMatcher
from blockfeat.monitor.notify.channels import DeliveryError, Message, Send, channels_of, environment_value, post
from blockfeat.monitor.receivers import Alert, Wanted, Webhook
from blockfeat.monitor.reports import Filters
from blockfeat.monitor.store.records import iso, local_day
from blockfeat.monitor.store.store import Store

StoreCall = Callable[..., Awaitable[Any]]
"""Calls a method of the store, with its arguments, where it may be called: in the one thread that has it."""
Row = tuple[int, str]
"""An event with its number in the outbox, or among the dead letters."""

_LINES_AT_ONCE = 500
_TRIES_AT_ONCE = 3
_FIRST_WAIT, _LONGEST_WAIT = 30.0, 3600.0


class Receiver:
    """Takes new mentions; what it has taken is never offered again, what it has not is offered later.

    Attributes
    ----------
    name : str
        The key under which the store knows what it has taken.
    batch : int
        Most events at once.
    takes : callable
        Returns whether an event is for this receiver.
    attempts : int or None
        After how many failures its events become dead letters; None for never.
    alert : Alert or None
        Says when it gets what has come, in hours of ``zone``; None for at once.
    articles : QueryMatcher or None
        What the article of an event must fulfil.
    """

    name: str
    batch: int
    takes: Callable[[Mapping[str, Any]], bool]
    attempts: int | None = None
    alert: Alert | None = None
    zone = ZoneInfo("UTC")
    articles: QueryMatcher | None = None

    async def take(self, events: Sequence[str]) -> None:
        """Take events, each one JSON object; raise `DeliveryError` where that fails."""
        raise NotImplementedError


class FileStream(Receiver):
    """Appends one JSON line for each mention to a file, or to standard output (``"-"``)."""

    def __init__(self, path: str, *, wanted: Wanted = Wanted()) -> None:  # noqa: B008
        self.name = f"stream {path}"
        self.batch = _LINES_AT_ONCE
        self.takes = wanted.takes
        self._path = None if path == "-" else Path(path)
        self._mend()

    def _mend(self) -> None:
        """Remove a line that was cut off: its mention comes again."""
        if self._path is not None and self._path.exists():
            with writing(self._path):
                cut_to_whole_lines(self._path)

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
                self._mend()
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except OutputError as error:
            raise DeliveryError(str(error)) from error


class WebhookReceiver(Receiver):
    """Posts mentions to an address, as ``{"mentions": […]}``; an answer of 2xx means that they have arrived."""

    def __init__(self, webhook: Webhook, *, agent: str, before: int = 0) -> None:
        # Several may have one address, each with mentions of its own.
        self.name = f"webhook {webhook.url} ({before + 1})" if before else f"webhook {webhook.url}"
        self.batch = webhook.batch
        self.attempts = webhook.attempts
        self.takes = webhook.takes
        self._webhook = webhook
        self._agent = agent

    async def take(self, events: Sequence[str]) -> None:
        """Post the mentions in one request."""
        hook = self._webhook
        headers = {"User-Agent": self._agent}
        if hook.token is not None:
            headers["Authorization"] = f"Bearer {environment_value(hook.token, where=hook.url)}"
        mentions = {"mentions": [json.loads(event) for event in events]}
        body = json.dumps(mentions, ensure_ascii=False).encode("utf-8", "replace")
        if hook.secret is not None:
            secret = environment_value(hook.secret, where=hook.url)
            headers["X-Blockfeat-Signature"] = signature(secret, body, moment=time.time())
        await post(hook.url, body, headers=headers, name=hook.url)


class AlertReceiver(Receiver):
    """Sends mentions and spikes to people, by one channel of an alert; what is old when it is found goes to nobody."""

    attempts = 20
    # A digest is one message, however much there is to tell.
    batch = 50_000

    def __init__(self, alert: Alert, channel: str, send: Send, *, config: MonitorConfig) -> None:
        self.name = f"alert {alert.name}: {channel}"
        self.zone = ZoneInfo(config.timezone)
        query = alert.article_query()
        self.articles = QueryMatcher.of([query]) if query is not None else None
        self.alert: Alert = alert
        self._send = send
        self._config = config

    def takes(self, event: Mapping[str, Any]) -> bool:
        """Return whether an event matches the alert, and was no old news when it was found."""
        most, published = self._config.pages.max_age, event.get("published")
        if most is not None and published:
            oldest = iso(datetime.fromisoformat(event["found_at"]).timestamp() - most)
            if published < oldest[: len(published)]:
                return False
        return self.alert.is_of(event) and not event.get("backfill")

    async def take(self, events: Sequence[str]) -> None:
        """Send one message of all events."""
        values = [json.loads(event) for event in events]
        base = (self._config.base_url or "").rstrip("/")
        link = f"{base}/?{self._filters(values).query()}" if base else ""
        await self._send(Message.of(self.alert.name, values, zone=self.zone, base_url=base, link=link))

    def _filters(self, events: Sequence[Mapping[str, Any]]) -> Filters:
        """Return the filters of the live page that choose what events are of."""
        alert = self.alert
        days = [local_day(event.get("published") or event["found_at"], self.zone) for event in events]
        chosen = {"brand": alert.brands, "lang": alert.langs, "source": alert.sources, "place": alert.places}
        values: dict[str, Any] = {name: [*names] for name, names in chosen.items()}
        return Filters.model_construct(**values, words=alert.query or "", since=min(days), until=max(days))


def signature(secret: str, body: bytes, *, moment: float) -> str:
    """Return the header that signs a request: ``t=…,v1=…``, HMAC-SHA256 in hexadecimal of ``t``, a dot and the body."""
    seconds = int(moment)
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def receivers_of(config: MonitorConfig) -> tuple[Receiver, ...]:
    """Return the receivers that a configuration names."""
    wanted = Wanted(config.stream_clutter, config.stream_updates, config.stream_brands)
    streams: list[Receiver] = [FileStream(config.stream, wanted=wanted)] if config.stream else []
    agent = config.fetch.agent_header
    urls = [webhook.url for webhook in config.webhooks]
    hooks = [
        WebhookReceiver(webhook, agent=agent, before=urls[:place].count(webhook.url))
        for place, webhook in enumerate(config.webhooks)
    ]
    alerts = [
        AlertReceiver(alert, name, send, config=config)
        for alert in config.alerts
        for name, send in channels_of(alert, smtp=config.smtp, folder=config.folder, agent=agent).items()
    ]
    return (*streams, *hooks, *alerts)


async def deliver(
    store: Store, receivers: Sequence[Receiver], *, call: StoreCall, is_end: bool = False
) -> tuple[int, list[tuple[str, str]]]:
    """Give each receiver what it has not had yet, where it is time for that.

    Parameters
    ----------
    is_end : bool
        Whether a run ends, so that nothing is to be gathered for one message.

    Returns
    -------
    int, list of (str, str)
        The number of mentions that arrived, and the receivers that failed, each with its reason.
    """
    arrived = 0
    failed: list[tuple[str, str]] = []
    for receiver in receivers:
        if (alert := receiver.alert) is not None:
            now = time.time()
            last = await call(store.last_turn, receiver.name, now=now)
            if not alert.is_open(now, receiver.zone, last=last, is_end=is_end):
                continue
        while rows := await call(store.undelivered, receiver.name, limit=receiver.batch, now=time.time()):
            wanted = await _wanted(store, receiver, rows, call=call)
            async for piece, error in _in_pieces(receiver, wanted):
                # What comes behind a piece and is not wanted is done with it.
                last = rows[-1][0] if piece[-1:] == wanted[-1:] else piece[-1][0]
                if error is not None:
                    failed.append((receiver.name, str(error)))
                if error is None or error.arrived:
                    sent = time.time() if piece or receiver.alert is None else None
                    await call(store.note_delivery, receiver.name, last, now=sent)
                    arrived += len(piece) if error is None else 0
                    continue
                logging.getLogger(__name__).warning(
                    "%s", error, extra={"event": "delivery failed", "receiver": receiver.name}
                )
                if not await _failed(store, receiver, last, [event for _, event in piece], error, call=call):
                    break
            else:
                continue
            break
        else:
            # The turn of a digest is over, unless something waits for a receiver that fails.
            is_digest = receiver.alert is not None and receiver.alert.when != "at once"
            if is_digest and not await call(store.undelivered, receiver.name, limit=1):
                await call(store.note_turn, receiver.name, now=time.time())
    return arrived, failed


async def _in_pieces(
    receiver: Receiver, rows: Sequence[Row]
) -> AsyncIterator[tuple[Sequence[Row], DeliveryError | None]]:
    """Give a receiver events, in halves where it refuses some; yield each piece with the error where it failed.

    Where the first half of what was refused arrives, what is refused is in the other one, which is halved unasked.
    """
    waiting, refused = [rows], None
    while waiting:
        piece, error = waiting.pop(0), None
        if piece is not refused or len(piece) == 1:
            try:
                if piece:
                    await receiver.take([event for _, event in piece])
            except DeliveryError as failure:
                error = failure
            except Exception as failure:
                error = DeliveryError(f"{receiver.name}: {failure_reason(failure)}")
        if len(piece) > 1 and (piece is refused or (error is not None and error.refused)):
            half = len(piece) // 2
            refused = piece[half:]
            waiting[:0] = [piece[:half], refused]
            continue
        if error is not None:
            refused = None
        yield piece, error


async def _wanted(store: Store, receiver: Receiver, rows: Sequence[Row], *, call: StoreCall) -> list[Row]:
    """Return the events that a receiver gets."""
    chosen = []
    first = await call(store.first_event, receiver.name)
    for row in rows:
        values = json.loads(row[1])
        if not receiver.takes(values) or values.get("withdraws", first) < first:
            continue
        query = receiver.articles if values["event"] != "spike" else None
        if query is None or await call(store.has_article, values["url"], query):
            chosen.append(row)
    return chosen


async def _failed(
    store: Store, receiver: Receiver, last: int, events: Sequence[str], error: DeliveryError, *, call: StoreCall
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
        after, is_down = 0, False
        while not is_down and (letters := store.dead_letters(receiver.name, after=after, limit=receiver.batch)):
            after = letters[-1][0]
            async for piece, error in _in_pieces(receiver, letters):
                if error is not None:
                    failed.append((receiver.name, str(error)))
                    is_down = not error.refused
                    if is_down:
                        break
                    continue
                store.forget_letters([number for number, _ in piece])
                arrived += len(piece)
    return arrived, failed
