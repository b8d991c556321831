"""When a feed is polled, and a page fetched, the next time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from blockfeat.monitor.config.settings import PageSettings
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.feeds.polling import next_poll
from blockfeat.monitor.fetching.fetched import Fetched
from blockfeat.monitor.store.records import DueFeed, DuePage, FeedManners

_DAY = 86400.0
_FIRST_WAIT = 60.0


def after_poll(at: float, *, every: float, headers: Mapping[str, str], manners: FeedManners) -> float:
    """Return when a feed is polled next.

    Parameters
    ----------
    at : float
        When it was polled, in seconds since 1970.
    every : float
        Least seconds between two polls.
    headers : mapping
        Of the answer.
    manners : FeedManners
        What the feed asks for.
    """
    return next_poll(
        now=at,
        every=every,
        headers=headers,
        ttl_seconds=int(manners.ttl_seconds),
        skip_hours=manners.skip_hours,
        skip_days=manners.skip_days,
    )


def manners_of(feed: Feed) -> FeedManners:
    """Return what a feed asks for."""
    return FeedManners(float(feed.ttl_seconds or 0), tuple(feed.skip_hours), tuple(feed.skip_days))


def after_failed_poll(at: float, feed: DueFeed, fetched: Fetched | None = None) -> float:
    """Return when a feed that failed is polled next: later each time, up to a day."""
    wait = min(_FIRST_WAIT * 2.0 ** min(feed.failures, 20), _DAY)
    return max(at + wait, (fetched.retry_at if fetched is not None else None) or 0.0)


def after_visit(at: float, page: DuePage, settings: PageSettings) -> float | None:
    """Return when a page that was read is looked at again; None for never."""
    if settings.revisit is None:
        return None
    first_seen = datetime.fromisoformat(page.first_seen).timestamp()
    due = at + settings.revisit
    return due if due <= first_seen + settings.revisit_for else None


def after_failed_visit(at: float, page: DuePage, fetched: Fetched, settings: PageSettings) -> float | None:
    """Return when a page that failed is tried again; None where that is of no use, or has been tried often enough.

    A host that names a time itself is believed as long as the page is young enough to be wanted.
    """
    if fetched.permanent:
        return None
    if fetched.retry_at is not None:
        first_seen = datetime.fromisoformat(page.first_seen).timestamp()
        is_wanted = settings.max_age is None or fetched.retry_at <= first_seen + settings.max_age
        return fetched.retry_at if is_wanted else None
    if page.attempts + 1 >= settings.attempts:
        return None
    return at + min(_FIRST_WAIT * 4.0**page.attempts, _DAY)
