"""Time for what has to wait."""

from __future__ import annotations

import asyncio
import time
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
