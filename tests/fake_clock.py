"""A clock for tests, on which waiting takes no time."""

import asyncio


class FakeClock:
    """Tells a time that only sleeping moves on; ``slept`` has every wait."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now
        self.set_by = 0.0
        self.slept: list[float] = []

    def time(self) -> float:
        return self.now + self.set_by

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
