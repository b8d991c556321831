"""Whether and when a host may be requested: its turn, the wait between requests, ``Retry-After`` and robots.txt."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blockfeat.monitor.fetching.options import Fetched

if TYPE_CHECKING:
    from protego import Protego


class Clock:
    """The clock of this machine; tests use one that does not wait."""

    def time(self) -> float:
        """Return the time of day, in epoch seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking others."""
        await asyncio.sleep(seconds)


# Above so many hosts, those that nobody waits for are forgotten.
_REMEMBERED = 1024


@dataclass(slots=True)
class _Host:
    """State of one host; ``users`` counts who waits for it or is being served."""

    slots: asyncio.Semaphore
    queue: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0
    users: int = 0


class HostTurns:
    """Gives out turns at hosts, and holds back hosts that asked for it.

    Parameters
    ----------
    per_host : int
        Most turns at one host at once.
    concurrency : int
        Most turns at once.
    """

    def __init__(self, *, per_host: int, concurrency: int, clock: Clock) -> None:
        self._per_host = per_host
        self._all = asyncio.Semaphore(concurrency)
        self._clock = clock
        self._hosts: dict[str, _Host] = {}
        self._held: dict[str, float] = {}

    @asynccontextmanager
    async def turn(self, host: str, *, delay: float) -> AsyncIterator[None]:
        """Wait until a request to a host may start; ``delay`` is the least seconds until the next one may."""
        state = self._state(host)
        state.users += 1
        try:
            async with state.slots:
                async with state.queue:
                    wait = state.free_at - self._clock.monotonic()
                    if wait > 0:
                        await self._clock.sleep(wait)
                    await self._all.acquire()
                    state.free_at = self._clock.monotonic() + delay
                try:
                    yield
                finally:
                    self._all.release()
        finally:
            state.users -= 1

    def _state(self, host: str) -> _Host:
        if host not in self._hosts and len(self._hosts) >= _REMEMBERED:
            now = self._clock.monotonic()
            self._hosts = {name: state for name, state in self._hosts.items() if state.users or state.free_at > now}
        return self._hosts.setdefault(host, _Host(asyncio.Semaphore(self._per_host)))

    def hold(self, host: str, until: float) -> None:
        """Leave a host alone until a time in epoch seconds; the later of two times wins."""
        now = self._clock.monotonic()
        if len(self._held) >= _REMEMBERED:
            self._held = {name: moment for name, moment in self._held.items() if moment > now}
        # By the clock that nobody sets.
        self._held[host] = max(until - self._clock.time() + now, self._held.get(host, now))

    def held_until(self, host: str) -> float | None:
        """Return until when a host is to be left alone, or None."""
        left = self._held.get(host, -math.inf) - self._clock.monotonic()
        if left <= 0:
            self._held.pop(host, None)
            return None
        return self._clock.time() + left


# Seconds: no answer can silence a host for longer.
LONGEST_WAIT = 7 * 86_400.0


def retry_at(value: str | None, *, now: float) -> float | None:
    """Return the time in epoch seconds that a ``Retry-After`` names, at most a week ahead.

    Parameters
    ----------
    value : str or None
        Seconds or an HTTP date; None and what is neither give None, as does a date in the past.
    now : float
        Epoch seconds.
    """
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        # More digits than any wait needs: no number of thousands of digits is computed.
        return now + (min(float(text), LONGEST_WAIT) if len(text) < 10 else LONGEST_WAIT)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return min(seconds, now + LONGEST_WAIT) if seconds > now else None


# RFC 9309 asks for at least 500 KiB; what stands behind is not read.
ROBOTS_BYTES = 512_000
_KEPT_SECONDS = 24 * 3_600.0
_RETRY_SECONDS = 600.0
_ANSWERS_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class HostRules:
    """The rules of one host.

    Attributes
    ----------
    parsed : Protego or None
        None where everything is allowed, or nothing (see ``failure``).
    failure : Fetched or None
        The answer where robots.txt could not be read, so that no page may be fetched until ``until``.
    until : float
        When the rules are read again, by the clock's ``monotonic``.
    """

    parsed: Protego | None
    failure: Fetched | None
    until: float

    def allows(self, url: str, token: str) -> bool:
        """Return whether a page may be fetched by an agent of that name."""
        return self.failure is None and (self.parsed is None or self.parsed.can_fetch(url, token))

    def crawl_delay(self, token: str) -> float:
        """Return the seconds between two requests that the host asks for; 0 if it does not."""
        delay = self.parsed.crawl_delay(token) if self.parsed else None
        return delay if delay is not None and math.isfinite(delay) and delay > 0 else 0.0


class RobotsRules:
    """The rules of the hosts asked for, each read once a day.

    Parameters
    ----------
    get : callable
        Fetches the address of a robots.txt.
    """

    def __init__(self, get: Callable[[str], Awaitable[Fetched]], clock: Clock) -> None:
        self._get = get
        self._clock = clock
        self._known: OrderedDict[str, HostRules] = OrderedDict()
        self._reading: dict[str, asyncio.Task[HostRules]] = {}

    async def of(self, url: str) -> HostRules:
        """Return the rules that hold for a page; read them if they are not known or too old."""
        parts = urlsplit(url)
        address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/robots.txt"
        known = self._known.get(address)
        if known is not None and known.until > self._clock.monotonic():
            return known
        # Those who ask at the same time wait for one answer; it goes on where one of them is cancelled.
        if address not in self._reading:
            self._reading[address] = asyncio.create_task(self._read(address))
        return await asyncio.shield(self._reading[address])

    async def aclose(self) -> None:
        """End what is still being read."""
        reading = list(self._reading.values())
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)

    async def _read(self, address: str) -> HostRules:
        try:
            rules = self._rules(await self._get(address))
            self._known[address] = rules
            self._known.move_to_end(address)
            if len(self._known) > _ANSWERS_KEPT:
                self._known.popitem(last=False)
            return rules
        finally:
            del self._reading[address]

    def _rules(self, answer: Fetched) -> HostRules:
        """Return the rules by the status: 2xx are read, 4xx allow everything, and no answer allows nothing for now."""
        from protego import Protego

        now = self._clock.monotonic()
        if answer.error is None:
            text = answer.data[:ROBOTS_BYTES].decode("utf-8-sig", "replace")
            return HostRules(Protego.parse(text), None, now + _KEPT_SECONDS)
        # So does a chain of redirects without an end (RFC 9309, 2.3.1.2).
        if answer.permanent and answer.status is not None:
            return HostRules(None, None, now + _KEPT_SECONDS)
        wait = answer.retry_at - self._clock.time() if answer.retry_at is not None else _RETRY_SECONDS
        return HostRules(None, answer, now + wait)
