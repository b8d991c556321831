"""How long work takes, for tests of what may grow with a page."""

import time
from collections.abc import Callable


def seconds_of(work: Callable[[], object], *, rounds: int = 1, clock: Callable[[], float] = time.process_time) -> float:
    """Return the least time that work takes by a clock, of so many rounds."""
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)
