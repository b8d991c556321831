"""Which page is next, as hosts take turns, and when a feed is polled or a page fetched the next time."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Generic, TypeVar

from blockfeat.monitor.config import PageSettings
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.store.records import DueFeed, DuePage, PollPolicy

Item = TypeVar("Item", DueFeed, DuePage)


class Frontier(Generic[Item]):
    """Queue of pages or feeds that limits how many of each host are processed at once to ``per_host``.

    A few pages of a host wait here, the others in the store: it is asked for those of a host when the host has a free
    place and nothing of it waits. So what waits here grows with the requests at once, not with what is due.

    Parameters
    ----------
    per_host : int
        Most items of a host that are worked on at once.
    host_of : callable
        Returns the host of an item.
    """

    def __init__(self, *, per_host: int, host_of: Callable[[Item], str]) -> None:
        self._per_host = per_host
        self._host_of: Callable[[Item], str] = host_of
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
        """How many items are worked on."""
        return len(self._in_hand)

    @property
    def numbers_in_hand(self) -> list[int]:
        """Numbers of the items that are worked on."""
        return list(self._in_hand)

    @property
    def numbers(self) -> list[int]:
        """Numbers of the items that wait here or are worked on."""
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
        idle = (name for name in self._more if name not in self._queues and name not in self._held)
        chosen = list(islice((name for name in idle if self._busy[name] < self._per_host), limit))
        for name in chosen:
            self._more[name] = self._more.pop(name)
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
        self._busy[self._in_hand.pop(item.id)] -= 1

    def hold(self, host: str, until: float) -> bool:
        """Hand out nothing of a host until a moment, and drop its items; return whether it was not held before.

        The store still has the items.
        """
        is_new = host not in self._held
        self._held[host] = max(until, self._held.get(host, until))
        self._queues.pop(host, None)
        self._more.pop(host, None)
        return is_new

    def drop(self, host: str) -> None:
        """Hand out nothing of a host any more."""
        self._dropped.add(host)
        for waiting in (self._queues, self._more, self._held, self._later):
            waiting.pop(host, None)

    def look_again(self, host: str, at: float) -> None:
        """Ask the store for a host's items at a moment."""
        self._later[host] = min(at, self._later.get(host, at))

    @property
    def next_moment(self) -> float | None:
        """When the next host that is held, or whose items are to be looked for again, has its turn; None for none."""
        return min((*self._held.values(), *self._later.values()), default=None)

    def wake(self, now: float) -> None:
        """Let hosts whose moment has come take turns again."""
        for waiting in (self._held, self._later):
            for name in [name for name, moment in waiting.items() if moment <= now]:
                del waiting[name]
                self.add_hosts([name])


_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,9})", re.I)
# Upper bound in seconds for the interval that a feed declares.
_LONGEST = 86_400.0
_HOURS_OF_A_WEEK = 168


def _max_age(headers: Mapping[str, str]) -> float:
    found = _MAX_AGE.search(headers.get("cache-control", ""))
    age = headers.get("age", "").strip()
    seconds = float(found[1]) if found else 0.0
    return max(seconds - (float(age) if age.isascii() and age.isdigit() and len(age) < 10 else 0.0), 0.0)


def _unskipped(due: float, hours: frozenset[int], days: frozenset[int]) -> float:
    """Return a time, or the beginning of the first hour after it that is not skipped."""
    moment = datetime.fromtimestamp(due, UTC)
    for _ in range(_HOURS_OF_A_WEEK):
        if moment.hour not in hours and moment.weekday() not in days:
            return max(due, moment.timestamp())
        moment = moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return due


_DAY = 86400.0
_WEEK = 7 * _DAY
_FIRST_WAIT = 60.0
# Refused, or not there: tried again, as feeds name articles before they are published, and refusals may end.
REFUSALS = frozenset({401, 402, 403, 404})
_FIRST_WAIT_OF_REFUSED = 900.0


def after_poll(at: float, feed: DueFeed, *, every: float, headers: Mapping[str, str], manners: PollPolicy) -> float:
    """Return when a feed is polled next: by its configured interval, or else by its own poll policy.

    That is the longest of ``every``, the feed's time to live and ``Cache-Control: max-age`` (less the ``Age``), of
    which the last two count for at most a day; then the next hour that the feed does not skip.

    Parameters
    ----------
    at : float
        When it was polled, in seconds since 1970.
    feed : DueFeed
        The feed, with its interval in the configuration.
    every : float
        Least seconds between two polls of feeds that have none there.
    headers : mapping
        Of the answer, names in lower case.
    manners : PollPolicy
        The poll policy that the feed declares; one that skips every hour skips none.
    """
    if feed.every is not None:
        return at + feed.every
    due = at + max(every, min(max(manners.ttl_seconds, _max_age(headers)), _LONGEST))
    return _unskipped(due, frozenset(manners.skip_hours), frozenset(manners.skip_days))


def poll_policy_of(feed: Feed) -> PollPolicy:
    """Return the poll policy that a feed declares."""
    return PollPolicy(float(feed.ttl_seconds or 0), tuple(feed.skip_hours), tuple(feed.skip_days))


def after_failed_poll(at: float, feed: DueFeed, fetched: Fetched | None = None) -> float:
    """Return when a feed that failed is polled next: later each time, up to a week; one that is gone after a day."""
    first = _DAY if fetched is not None and fetched.gone else _FIRST_WAIT
    wait = min(first * 2.0 ** min(feed.failures, 20), _WEEK)
    return max(at + wait, (fetched.retry_at if fetched is not None else None) or 0.0)


def after_visit(at: float, page: DuePage, settings: PageSettings) -> float | None:
    """Return when a page that was read is looked at again; None for never."""
    again = None if settings.recheck is None else at + settings.recheck
    if settings.revisit is None:
        return again
    first_seen = datetime.fromisoformat(page.first_seen).timestamp()
    due = at + settings.revisit
    return due if due <= first_seen + settings.revisit_for else again


def after_failed_visit(at: float, page: DuePage, fetched: Fetched, settings: PageSettings) -> float | None:
    """Return when a page that failed is tried again; None where that is of no use, or has been tried often enough.

    A time that the host names is used as long as the page is within ``max_age`` then.
    """
    is_refused = fetched.status in REFUSALS
    if fetched.permanent and not is_refused:
        return None
    if fetched.retry_at is not None:
        first_seen = datetime.fromisoformat(page.first_seen).timestamp()
        is_wanted = settings.max_age is None or fetched.retry_at <= first_seen + settings.max_age
        return fetched.retry_at if is_wanted else None
    if page.attempts + 1 >= settings.attempts:
        return None
    first = _FIRST_WAIT_OF_REFUSED if is_refused else _FIRST_WAIT
    return at + min(first * 4.0**page.attempts, _DAY)
