"""What a feed, a sitemap or a list of addresses says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One page that a feed names.

    Attributes
    ----------
    url : str
        Absolute address of the page, http or https, as the feed has it.
    id : str or None
        The feed's own name for the entry (``guid``, ``id``).
    title : str or None
        Plain text.
    published, updated : datetime or None
        In UTC; None where the feed gives no date or one that cannot be read. A date without a zone is taken as UTC.
    lang : str or None
        Language tag of the entry, else of the feed, as written there.
    summary : str or None
        Plain text, at most 2,000 characters.
    """

    url: str
    id: str | None = None
    title: str | None = None
    published: datetime | None = None
    updated: datetime | None = None
    lang: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed that was read.

    Attributes
    ----------
    kind : str
        ``"rss"``, ``"rdf"``, ``"atom"``, ``"json"``, ``"sitemap"``, ``"sitemapindex"``, ``"opml"`` or ``"list"``.
    title : str or None
        Plain text.
    entries : tuple of FeedEntry
        In the feed's order, each address once.
    feeds : tuple of str
        Addresses of other feeds that this one lists (OPML, sitemap index).
    ttl_seconds : int or None
        Least time between two polls that the feed asks for (``<ttl>``, ``sy:updatePeriod``).
    skip_hours : tuple of int
        Hours of the day, 0 to 23 in UTC, at which the feed asks not to be polled.
    skip_days : tuple of int
        Days of the week, Monday 0 to Sunday 6 in UTC, on which the feed asks not to be polled.
    expired : bool
        Whether the feed says of itself that nothing more will come (JSON Feed).
    warnings : tuple of str
        What was wrong, such as a date that cannot be read or a feed that is cut off.
    """

    kind: str
    title: str | None = None
    entries: tuple[FeedEntry, ...] = ()
    feeds: tuple[str, ...] = ()
    ttl_seconds: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[int, ...] = ()
    expired: bool = False
    warnings: tuple[str, ...] = ()
