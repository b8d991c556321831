"""What a host's robots.txt allows (RFC 9309)."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blockfeat.monitor.fetching.fetched import Fetched
from blockfeat.monitor.fetching.politeness import Clock

if TYPE_CHECKING:
    from protego import Protego


# RFC 9309 asks for at least 500 KiB; what stands behind is not read.
ROBOTS_BYTES = 512_000
_KEPT_SECONDS = 24 * 3_600.0
_RETRY_SECONDS = 600.0
_REMEMBERED = 4_096


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
        Epoch seconds at which the rules are read again.
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


def robots_url(url: str) -> str:
    """Return the address of the robots.txt that holds for a page."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/robots.txt"


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
        address = robots_url(url)
        known = self._known.get(address)
        if known is not None and known.until > self._clock.time():
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
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
            return rules
        finally:
            del self._reading[address]

    def _rules(self, answer: Fetched) -> HostRules:
        """Return the rules by the status: 2xx are read, 4xx allow everything, and no answer allows nothing for now."""
        from protego import Protego

        now = self._clock.time()
        if answer.error is None:
            text = answer.data[:ROBOTS_BYTES].decode("utf-8-sig", "replace")
            return HostRules(Protego.parse(text), None, now + _KEPT_SECONDS)
        # So does a chain of redirects without an end (RFC 9309, 2.3.1.2).
        if answer.permanent and answer.status is not None:
            return HostRules(None, None, now + _KEPT_SECONDS)
        return HostRules(None, answer, answer.retry_at or now + _RETRY_SECONDS)
