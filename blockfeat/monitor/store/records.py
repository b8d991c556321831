"""What goes into the store and comes out of it, as plain values that travel between processes; moments as text.

Moments are in ISO 8601, UTC, to the second, so that their order is that of the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class PollPolicy:
    """Polling limits that a feed declares.

    Attributes
    ----------
    ttl_seconds : float
        Least time between two polls.
    skip_hours, skip_days : tuple of int
        Hours (0 to 23) and days of the week (Monday 0), UTC, at which it is not polled.
    """

    ttl_seconds: float = 0.0
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DueFeed:
    """A feed that is to be polled.

    Attributes
    ----------
    url : str
        The address to ask: that of the configuration, or ``moved_to``.
    digest : str or None
        Hash of the bytes that were read last.
    moved_to, moved_at : str or None, float or None
        Where it has moved permanently, and since when it is read there.
    fault : str or None
        As `DuePage` has it.
    """

    id: int
    url: str
    depth: int
    lang: str | None
    every: float | None
    etag: str | None
    last_modified: str | None
    failures: int
    manners: PollPolicy = PollPolicy()
    digest: str | None = None
    moved_to: str | None = None
    moved_at: float | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Poll:
    """Result of polling a feed.

    Attributes
    ----------
    due_at : float
        When it is polled next, in seconds since 1970.
    digest : str or None
        Hash of the bytes, where they were read.
    moved_to : str or None
        Where permanent redirects led, where a feed was read behind them.
    retired : bool
        It says of itself that it has ended.
    retry_at : float or None
        Time before which no request may be sent to ``host``.
    fault : str or None
        As `Visit` has it.
    """

    at: float
    due_at: float
    host: str = ""
    http_status: int | None = None
    error: str | None = None
    kind: str | None = None
    title: str | None = None
    manners: PollPolicy | None = None
    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None
    moved_to: str | None = None
    retired: bool = False
    retry_at: float | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A page that a feed or the configuration names.

    Attributes
    ----------
    key : str
        Canonical form of the address: one page for each.
    stamp : str or None
        When the page was updated; None where the feed does not say.
    digest : str or None
        Hash of what the feed says of the page; None where it says nothing.
    title, text : str or None
        The feed's own text as HTML, for where the page cannot be had.
    linked : bool
        Whether the feed names a page; else its own text is all there is.
    """

    url: str
    key: str
    host: str
    lang: str | None = None
    published: datetime | None = None
    stamp: str | None = None
    digest: str | None = None
    title: str | None = None
    text: str | None = None
    linked: bool = True


@dataclass(frozen=True, slots=True)
class DuePage:
    """A page that is to be fetched.

    Attributes
    ----------
    fault : str or None
        The environments in which the program itself has failed on it.
    """

    id: int
    url: str
    host: str
    lang: str | None
    etag: str | None
    last_modified: str | None
    attempts: int
    version: int
    first_seen: str
    linked: bool = True
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class FoundMention:
    """A mention of a brand; ``start`` and ``stop`` are offsets in the text of its block.

    Attributes
    ----------
    variant : str or None
        What made the spelling: another form of the name, for example.
    text_start : int or None
        Where the sentence begins in the article's text; None where it does not stand there.
    relevance : float
        How much the article is about the brand, from 0 to 1; see `blockfeat.monitor.mentions.mention`.
    """

    brand: str
    place: str
    counted: bool
    because: str | None
    start: int
    stop: int
    match: str
    sentence: str
    block: int
    xpath: str
    score: float
    rule: str | None = None
    variant: str | None = None
    text_start: int | None = None
    relevance: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What the store has of a page that was read: for mentions that are looked for later."""

    id: int
    key: str
    url: str
    version: int
    kind: str | None
    origin: str | None
    lang: str | None
    title: str | None
    headline: str | None
    text: str | None
    model: str | None
    evidence: bytes | None


@dataclass(frozen=True, slots=True)
class PageRecord:
    """What was read on a page.

    Attributes
    ----------
    is_fault : bool
        The error is one of the program, or of what it needs, not of the page.
    canonical_url : str or None
        The address that the page calls its own, on the same host; None where it names none.
    evidence : bytes
        The page with what was decided of its blocks, compressed; empty where it is not kept.
    published : str or None
        What the page says of its date.
    kind : str or None
        What the page is, one of `blockfeat.extraction.walls.KINDS`.
    origin : str
        ``"page"``, or ``"feed"`` where the text is the feed's own.
    """

    status: str
    error: str | None = None
    lang: str | None = None
    title: str | None = None
    headline: str | None = None
    text: str = ""
    words: int = 0
    encoding: str | None = None
    model: str = ""
    canonical_url: str | None = None
    published: str | None = None
    author: str | None = None
    section: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    evidence: bytes = b""
    mentions: tuple[FoundMention, ...] = ()
    origin: str = "page"
    kind: str | None = None
    is_fault: bool = False


def evidence_rows(plain: bytes) -> list[dict[str, Any]]:
    """Return the blocks of evidence that schema 16 kept, unpacked, as rows; none of nothing."""
    found = json.loads(plain) if plain else []
    if isinstance(found, list):  # as stores had them until 0.3
        return found
    return [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]


@dataclass(frozen=True, slots=True)
class Visit:
    """Result of fetching a page.

    Attributes
    ----------
    due_at : float or None
        When it is fetched again, in seconds since 1970; None for never.
    retry_at, retry_host : float or None, str
        Time before which no request may be sent to the host; an empty host is that of the page.
    tried : bool
        Whether this counts as an attempt that failed.
    fault : str or None
        The environment in which the program itself failed on the page; None where it did not.
    """

    page: DuePage
    at: float
    due_at: float | None
    final_url: str | None = None
    canonical_url: str | None = None
    http_status: int | None = None
    error: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    retry_at: float | None = None
    retry_host: str = ""
    tried: bool = False
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """Result of saving a page.

    Attributes
    ----------
    outcome : str
        ``"new"``, ``"updated"``, ``"unchanged"``, ``"same"`` (another address of a page) or ``"failed"``.
    mentions : int
        How many mentions it has, in clutter and copies too.
    copy : bool
        Whether it is a copy.
    """

    outcome: str
    mentions: int = 0
    copy: bool = False


_FAULTS_KEPT = 20
_FIRST_YEAR = 1990
_AHEAD = timedelta(days=2)


def faults_of(due: DueFeed | DuePage, fault: str | None) -> str | None:
    """Return the last environments in which the program has failed; None where it has not failed this time."""
    if fault is None:
        return None
    return " ".join([*(known for known in (due.fault or "").split() if known != fault), fault][-_FAULTS_KEPT:])


def iso(moment: float) -> str:
    """Return seconds since 1970 as text; nothing was before."""
    return datetime.fromtimestamp(max(moment, 0.0), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_of(moment: datetime | None) -> str | None:
    """Return a moment as text; one without a time zone is taken as UTC.

    None where it cannot be when a page was published: before 1990, or more than two days ahead.
    """
    if moment is None:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    if aware.year < _FIRST_YEAR or aware.year > 9000 or aware > datetime.now(UTC) + _AHEAD:
        return None
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day_or_moment(text: object) -> str | None:
    """Return what a page says of its date as text that begins with the day; None where it names no day."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return iso_of(moment)


def local_day(moment: str, zone: ZoneInfo) -> str:
    """Return the day of a moment of the store in a zone; a day stays what it is."""
    if len(moment) <= len("2026-11-22"):
        return moment
    return datetime.fromisoformat(moment).astimezone(zone).date().isoformat()
