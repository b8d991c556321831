"""The pages that are next: taken from the store a few at a time, handed out by host."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from blockfeat.monitor.store.records import DuePage


class Frontier:
    """Hands out pages so that no host has more than its share in hand, and a slow one holds up no other.

    Parameters
    ----------
    per_host : int
        Most pages of a host in hand.
    """

    def __init__(self, *, per_host: int) -> None:
        self._per_host = per_host
        self._queues: dict[str, deque[DuePage]] = {}
        self._in_hand: dict[int, str] = {}
        self._busy: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return how many pages wait."""
        return sum(map(len, self._queues.values()))

    @property
    def known(self) -> list[int]:
        """Numbers of the pages that wait or are in hand."""
        return [*self._in_hand, *(page.id for queue in self._queues.values() for page in queue)]

    @property
    def in_hand(self) -> int:
        """How many pages are in hand."""
        return len(self._in_hand)

    def add(self, pages: Iterable[DuePage]) -> None:
        """Add pages from the store."""
        for page in pages:
            self._queues.setdefault(page.host, deque()).append(page)

    def take(self) -> DuePage | None:
        """Return a page whose host has a free place; None where there is none."""
        for host in list(self._queues):
            if self._busy[host] < self._per_host:
                queue = self._queues.pop(host)
                page = queue.popleft()
                if queue:
                    # Behind the others: hosts take turns.
                    self._queues[host] = queue
                self._in_hand[page.id] = host
                self._busy[host] += 1
                return page
        return None

    def finish(self, page: DuePage) -> None:
        """Give back the place of a page that is done with."""
        host = self._in_hand.pop(page.id)
        self._busy[host] -= 1
        if not self._busy[host]:
            del self._busy[host]

    def drop_host(self, host: str) -> None:
        """Forget the pages of a host that asked to be left alone; the store has them."""
        self._queues.pop(host, None)
