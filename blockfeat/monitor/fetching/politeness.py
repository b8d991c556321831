"""When a host may be asked: the wait between two requests, its turn, and what ``Retry-After`` says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Protocol


class Clock(Protocol):
    """What tells the time and waits; tests have one that does not wait."""

    def time(self) -> float:
        """Return the time of day, in epoch seconds."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The clock of this machine."""

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
                    await self._wait(state)
                    await self._all.acquire()
                    state.free_at = self._clock.monotonic() + delay
                try:
                    yield
                finally:
                    self._all.release()
        finally:
            state.users -= 1

    async def _wait(self, state: _Host) -> None:
        wait = state.free_at - self._clock.monotonic()
        if wait > 0:
            await self._clock.sleep(wait)

    def _state(self, host: str) -> _Host:
        if host not in self._hosts and len(self._hosts) >= _REMEMBERED:
            now = self._clock.monotonic()
            self._hosts = {name: state for name, state in self._hosts.items() if state.users or state.free_at > now}
        return self._hosts.setdefault(host, _Host(asyncio.Semaphore(self._per_host)))

    def hold(self, host: str, until: float) -> None:
        """Leave a host alone until a time in epoch seconds; the later of two times wins."""
        if len(self._held) >= _REMEMBERED:
            now = self._clock.time()
            self._held = {name: time for name, time in self._held.items() if time > now}
        self._held[host] = max(until, self._held.get(host, 0.0))

    def held_until(self, host: str) -> float | None:
        """Return until when a host is to be left alone, or None."""
        until = self._held.get(host)
        if until is not None and until <= self._clock.time():
            del self._held[host]
            return None
        return until


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
