"""Which page is next: hosts take turns, and a slow or large one holds up no other."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar


class _Numbered(Protocol):
    @property
    def id(self) -> int: ...


Item = TypeVar("Item", bound=_Numbered)


class Frontier(Generic[Item]):
    """Hands out pages or feeds so that no host has more than its share in hand.

    A few pages of a host wait here, the others in the store: it is asked for those of a host when the host has a free
    place and nothing of it waits. So what waits here grows with the requests at once, not with what is due.

    Parameters
    ----------
    per_host : int
        Most items of a host in hand.
    host_of : callable
        Returns the host of an item.
    """

    def __init__(self, *, per_host: int, host_of: Callable[[Item], str]) -> None:
        self._per_host = per_host
        self._host_of = host_of
        self._queues: dict[str, deque[Item]] = {}
        self._in_hand: dict[int, str] = {}
        self._busy: Counter[str] = Counter()
        # Hosts that may have more in the store, in the order of their turns.
        self._more: dict[str, None] = {}
        self._held: dict[str, float] = {}
        self._later: dict[str, float] = {}
        self._dropped: set[str] = set()

    def __len__(self) -> int:
        """Return how many items wait here."""
        return sum(map(len, self._queues.values()))

    @property
    def in_hand(self) -> int:
        """How many items are in hand."""
        return len(self._in_hand)

    @property
    def numbers_in_hand(self) -> list[int]:
        """Numbers of the items in hand."""
        return list(self._in_hand)

    @property
    def numbers(self) -> list[int]:
        """Numbers of the items that wait here or are in hand."""
        return [*self._in_hand, *(item.id for queue in self._queues.values() for item in queue)]

    def add(self, items: Iterable[Item]) -> None:
        """Add items that are due."""
        for item in items:
            self._queues.setdefault(self._host_of(item), deque()).append(item)

    def add_hosts(self, names: Iterable[str]) -> None:
        """Note hosts that may have something due in the store."""
        for name in names:
            if name not in self._dropped:
                self._more.setdefault(name)

    def hosts_to_load(self, limit: int) -> list[str]:
        """Return hosts with free places of which nothing waits here; it is the turn of others next time."""
        chosen: list[str] = []
        for name in self._more:
            if len(chosen) == limit:
                break
            if name not in self._queues and name not in self._held and self._busy[name] < self._per_host:
                chosen.append(name)
        for name in chosen:
            del self._more[name]
            self._more[name] = None
        return chosen

    def exhausted(self, host: str) -> None:
        """Note that the store has nothing more of a host that is due."""
        self._more.pop(host, None)

    def take(self) -> Item | None:
        """Return an item whose host has a free place; None where there is none."""
        for host in list(self._queues):
            if self._busy[host] < self._per_host:
                queue = self._queues.pop(host)
                item = queue.popleft()
                if queue:
                    # Behind the others: hosts take turns.
                    self._queues[host] = queue
                self._in_hand[item.id] = host
                self._busy[host] += 1
                return item
        return None

    def finish(self, item: Item) -> None:
        """Give back the place of an item that is done with."""
        host = self._in_hand.pop(item.id)
        self._busy[host] -= 1

    def hold(self, host: str, until: float) -> bool:
        """Leave a host alone until a moment, and forget its items, which the store has; return whether that is news."""
        is_new = host not in self._held
        self._held[host] = max(until, self._held.get(host, until))
        self._queues.pop(host, None)
        self._more.pop(host, None)
        return is_new

    def drop(self, host: str) -> None:
        """Leave a host alone from now on."""
        self._dropped.add(host)
        for waiting in (self._queues, self._more, self._held, self._later):
            waiting.pop(host, None)

    def look_again(self, host: str, at: float) -> None:
        """Ask the store for a host's items at a moment."""
        self._later[host] = min(at, self._later.get(host, at))

    @property
    def next_moment(self) -> float | None:
        """When the next host that was left alone, or whose items failed, may be asked again."""
        return min((*self._held.values(), *self._later.values()), default=None)

    def wake(self, now: float) -> None:
        """Let hosts take turns again whose moment has come."""
        for waiting in (self._held, self._later):
            for name in [name for name, moment in waiting.items() if moment <= now]:
                del waiting[name]
                self.add_hosts([name])
