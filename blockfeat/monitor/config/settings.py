"""The settings of a monitor: sources, brands, store, fetching, pages, copies, deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from blockfeat._config import Count, Duration, DurationOrOff, Parsed, Texts, between
from blockfeat.monitor.alerts.settings import Alert, Smtp
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.queries import Query

_DAY = 86400.0


def refusal(address: str) -> str | None:
    """Return why an address cannot be fetched; None where it can."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError as error:
        return f"is no address: {error}"
    if parts.scheme not in ("http", "https"):
        return "is no http or https address"
    return None if host else "has no host"


def _address(text: str) -> str:
    if reason := refusal(text):
        raise ValueError(f"has {text!r}, which {reason}")
    return text


Address = Annotated[str, Parsed(_address, late=True)]


def _zone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(f"has {name!r}, which is no time zone such as 'Europe/Berlin'") from error


@dataclass(frozen=True, slots=True)
class Source:
    """Where pages come from.

    Attributes
    ----------
    url : str
        Address of a feed, sitemap or OPML list, or of a page.
    kind : str
        ``"feed"`` or ``"page"``.
    lang : str or None
        Language of its pages, where it is known.
    every : float or None
        Least seconds between two polls; by default what the source itself asks for.
    """

    url: str
    kind: str = "feed"
    lang: str | None = None
    every: float | None = None


PageKind = Literal[
    "article",
    "other",
    "front page",
    "list",
    "consent wall",
    "paywall stub",
    "login",
    "bot check",
    "error page",
    "empty",
]
"""What a page can be, of `blockfeat.extraction.refusals.KINDS`."""


@dataclass(frozen=True, slots=True)
class PageSettings:
    """How pages are read.

    Attributes
    ----------
    model : str
        Name of a bundled model, or a model file.
    max_age : float or None
        Entries of a feed that are older (seconds) are not fetched; None for no limit.
    revisit, revisit_for : float or None
        Seconds after which a page is fetched again to see whether it was updated, and the age up to which that is
        done. A page whose feed says that it was updated is fetched again in any case.
    recheck : float or None
        Seconds after which a page is fetched again, again and again, to see whether it is still there.
    attempts : int
        How often a page is tried when it fails in a way that can pass; 401, 402, 403 and 404 are among these.
    jobs : int
        Processes that extract.
    deadline : float
        Most seconds for the extraction of one page.
    evidence : bool
        Whether the blocks of a page are kept, each with its reason.
    least_score : float
        Mentions in blocks of the text with a lower score are doubtful and do not count (docs/mentions.md). The scale is
        that of ``default``; other models need their own, far below 0 for none.
    count_kinds : tuple of str
        Kinds of pages whose mentions count (docs/status.md); those on others are stored with the reason.
    descriptions : bool
        Whether names in the descriptions of an article's figures (alternative texts) count; they are stored anyway.
    """

    model: str = "default"
    max_age: DurationOrOff = 30 * _DAY
    revisit: DurationOrOff = None
    revisit_for: Duration = 3 * _DAY
    recheck: DurationOrOff = None
    attempts: Count = 8
    jobs: Annotated[int, between(0)] = 1
    deadline: Duration = 30.0
    evidence: bool = True
    least_score: float = 0.5
    count_kinds: tuple[PageKind, ...] = ("article", "other")
    descriptions: bool = False


@dataclass(frozen=True, slots=True)
class CopySettings:
    """When a page is a copy of another.

    Attributes
    ----------
    find : bool
        Whether copies are looked for.
    similarity : float
        Least share of the shorter text's runs of words that the longer one has too.
    min_words : int
        Texts with fewer words are never copies.
    """

    find: bool = True
    similarity: Annotated[float, between(0.5, 1.0)] = 0.8
    min_words: Count = 60


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events a receiver gets.

    Attributes
    ----------
    clutter : bool
        Mentions that do not count too: in clutter, in copies, ruled out.
    updates : bool
        Mentions again whose sentence was corrected.
    brands : tuple of str
        Mentions of these only; empty for all.
    """

    clutter: bool = False
    updates: bool = False
    brands: tuple[str, ...] = ()

    def takes(self, event: Mapping[str, Any]) -> bool:
        """Return whether an event is wanted; what has come to count is new to those who get no clutter."""
        if (self.brands and event["brand"] not in self.brands) or event["event"] == "spike":
            return False
        is_known = event["event"] == "update" or (event["event"] == "counted" and self.clutter)
        return (self.clutter or bool(event["counted"])) and (self.updates or not is_known)


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that every new mention is posted to.

    Attributes
    ----------
    url : str
        The address.
    token : str or None
        Name of the environment variable whose value is sent as bearer token.
    batch : int
        Most mentions in one request.
    secret : str or None
        Name of the environment variable whose value signs each request.
    attempts : int
        How often a request is tried before its mentions become dead letters.
    clutter, updates, brands
        Which mentions it gets (`Wanted`).
    """

    url: Address
    token: str | None = None
    batch: Count = 100
    secret: str | None = None
    attempts: Count = 20
    clutter: bool = False
    updates: bool = False
    brands: Texts = ()

    @property
    def wanted(self) -> Wanted:
        """Which mentions it gets."""
        return Wanted(self.clutter, self.updates, self.brands)


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """What a store forgets, by age in seconds; None for never.

    Attributes
    ----------
    pages : float or None
        Everything of a page but its address.
    evidence : float or None
        The blocks with their reasons.
    versions : float or None
        What pages said before they were updated.
    """

    pages: DurationOrOff = None
    evidence: DurationOrOff = None
    versions: DurationOrOff = None


@dataclass(frozen=True, kw_only=True)
class MonitorTable:
    """The table ``[monitor]``.

    Attributes
    ----------
    store : str
        Path of an SQLite file, or a database address such as ``postgresql://user@host/name``.
    shared : bool
        Whether several runs, on one machine or many, may work on the store at once (PostgreSQL only).
    timezone : str
        Where days begin, and the hours of alerts are counted: ``"Europe/Berlin"``.
    stream : str or None
        File that gets a JSON line for every new mention; ``"-"`` is standard output.
    stream_clutter, stream_updates, stream_brands
        Which mentions it gets (`Wanted`).
    """

    store: str = "monitor.db"
    shared: bool = False
    timezone: Annotated[str, Parsed(_zone, late=True)] = "UTC"
    stream: str | None = None
    stream_clutter: bool = False
    stream_updates: bool = False
    stream_brands: Texts = ()


@dataclass(frozen=True, kw_only=True)
class MonitorConfig(MonitorTable):
    """A whole configuration: what is in ``[monitor]``, and the other tables.

    Attributes
    ----------
    sources, brands, queries : tuple
        What is read, and what is looked for; queries have names of their own.
    alerts : tuple of Alert
        Which mentions people are told of.
    smtp : Smtp or None
        What sends their e-mail.
    retention : RetentionSettings
        What is forgotten.
    folder : Path
        What paths in alerts are relative to.
    """

    sources: tuple[Source, ...]
    brands: tuple[Brand, ...]
    fetch: FetchOptions = field(default_factory=FetchOptions)
    pages: PageSettings = field(default_factory=PageSettings)
    copies: CopySettings = field(default_factory=CopySettings)
    queries: tuple[Query, ...] = ()
    webhooks: tuple[Webhook, ...] = ()
    alerts: tuple[Alert, ...] = ()
    smtp: Smtp | None = None
    retention: RetentionSettings = RetentionSettings()
    folder: Path = Path()

    @property
    def stream_wanted(self) -> Wanted:
        """Which mentions the stream gets."""
        return Wanted(self.stream_clutter, self.stream_updates, self.stream_brands)
