"""The configuration of a monitor: frozen dataclasses, and how a TOML file fills them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from blockfeat._config import (
    Count,
    Duration,
    DurationOrOff,
    KeyPath,
    Parsed,
    Problems,
    Texts,
    between,
    checked,
    parse_toml,
    shown,
    texts,
)
from blockfeat._files import config_text
from blockfeat.monitor.fetching.options import Address, FetchOptions, refusal
from blockfeat.monitor.mentions.brand import Brand, Language
from blockfeat.monitor.mentions.queries import Query

_DAY = 86400.0
# Keys of earlier versions, and what takes their place.
_GONE = {
    "pages.site_profile": "profiles of sites are gone since 0.3.0: leave the line out",
    "monitor.shared": "is gone, as one run at a time works on a store: split the feeds over configurations, each with "
    "a store of its own, or read pages with Spark (docs/spark.md)",
    "alerts.mattermost": "is gone: give the address to 'slack', as Mattermost takes Slack's messages",
    "alerts.teams": "is gone: Apprise posts to Teams, as a 'command' (docs/monitor.md, Alerts, has it whole)",
}


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
"""What a page can be, of `blockfeat.extraction.walls.KINDS`."""


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


When = Literal["at once", "hourly", "daily"]
CHANNELS = ("email", "slack", "feed", "command")
"""Keys of an alert that say where it goes."""
_DAY_MINUTES = 1440
# Mentions that come one after the other, as in a run over many feeds, are one message.
_BETWEEN_MESSAGES = 60.0
_MAIL_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]]+@[^\s@<>,;:\"()\[\]]+")


def minutes_of(text: Any) -> int:
    """Return the minute of the day of ``"08:30"``; raises ValueError for anything else."""
    hours, colon, minutes = str(text).strip().partition(":")
    if not (colon and hours.isdecimal() and minutes.isdecimal() and int(hours) < 24 and int(minutes) < 60):
        raise ValueError(f"must be a time such as '08:30', not {shown(text)}")
    return int(hours) * 60 + int(minutes)


def span_of(text: Any) -> tuple[int, int]:
    """Return the minutes of the day of ``"22:00-07:00"``; raises ValueError for anything else."""
    start, dash, end = str(text).replace("–", "-").partition("-")
    if not dash:
        raise ValueError(f"must be hours such as '22:00-07:00', not {shown(text)}")
    return minutes_of(start), minutes_of(end)


def _mail_address(text: str) -> str:
    if not _MAIL_ADDRESS.fullmatch(text):
        raise ValueError(f"has {text!r}, which is no e-mail address")
    return text


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
class Timing:
    """When messages go out.

    Attributes
    ----------
    when : str
        ``"at once"`` (what comes within a minute is one message), ``"hourly"`` or ``"daily"``.
    at : int
        Minute of the day for ``"daily"``.
    quiet : (int, int) or None
        From and to which minute of the day nothing goes out; it goes out behind it.
    zone : ZoneInfo
        Where these minutes are counted.
    """

    when: When = "at once"
    at: int = 8 * 60
    quiet: tuple[int, int] | None = None
    zone: ZoneInfo = ZoneInfo("UTC")  # noqa: RUF009

    def is_open(self, now: float, *, last: float, is_end: bool = False) -> bool:
        """Return whether a message may go out.

        Parameters
        ----------
        now, last : float
            Seconds since 1970: this moment, and when the last message went out, or the alert was set up.
        is_end : bool
            Whether a run ends, so that nothing comes for a while.
        """
        if self.is_quiet(now):
            return False
        if self.when == "at once":
            return is_end or now - last >= _BETWEEN_MESSAGES
        return now >= self._turn_after(last)

    def is_quiet(self, now: float) -> bool:
        """Return whether a moment is in the quiet hours."""
        if self.quiet is None:
            return False
        local = datetime.fromtimestamp(now, self.zone)
        start, end = self.quiet
        minute = local.hour * 60 + local.minute
        return (minute - start) % _DAY_MINUTES < (end - start) % _DAY_MINUTES

    def _turn_after(self, last: float) -> float:
        """Return when the next digest goes out behind a moment."""
        local = datetime.fromtimestamp(last, self.zone)
        if self.when == "hourly":
            return last - last % 3600 + 3600
        turn = local.replace(hour=self.at // 60, minute=self.at % 60, second=0, microsecond=0)
        return (turn if turn > local else turn + timedelta(days=1)).timestamp()


@dataclass(frozen=True, slots=True)
class Smtp:
    """A server that takes e-mail.

    Attributes
    ----------
    security : str
        ``"starttls"``, ``"tls"`` or ``"none"``.
    password : str or None
        Name of the environment variable with the password of ``user``.
    sender : str
        Address that messages come from.
    """

    host: str
    sender: str
    port: int | None = None
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Alert:
    """Which mentions are sent as messages, when, and to whom.

    Attributes
    ----------
    name : str
        What it is called in messages.
    tell : tuple of str
        ``"mentions"``, ``"spikes"`` or both.
    brands, langs, sources, places : tuple of str
        Only these; empty for all. A source is the address of a feed, or a host.
    least_relevance : float
        Mentions of less relevance are left out (`blockfeat.monitor.mentions.mention`).
    query : str or None
        What the article must fulfil (`Query`).
    when, at, quiet
        When messages go out (`Timing`).
    email : tuple of str
        Addresses.
    slack : str or None
        Address of an incoming webhook of Slack or Mattermost, or the name of the environment variable that holds it.
    feed : str or None
        An Atom file.
    command : tuple of str
        A program with its arguments; it gets the message as JSON.

    Raises
    ------
    QueryError
        The query cannot be understood.
    """

    name: str
    tell: Annotated[tuple[Literal["mentions", "spikes"], ...], Parsed(texts)] = ("mentions",)
    brands: Texts = ()
    langs: Texts = ()
    sources: Texts = ()
    places: Texts = ()
    least_relevance: Annotated[float, between(0.0, 1.0)] = 0.0
    query: str | None = None
    when: When = "at once"
    at: Annotated[int, Parsed(minutes_of)] = 8 * 60
    quiet: Annotated[tuple[int, int] | None, Parsed(span_of)] = None
    email: Annotated[tuple[Annotated[str, Parsed(_mail_address, late=True)], ...], Parsed(texts)] = ()
    slack: str | None = None
    feed: str | None = None
    command: Texts = ()

    def __post_init__(self) -> None:
        """Check the query."""
        self.article_query()

    def article_query(self) -> Query | None:
        """Return what the article must fulfil."""
        return None if self.query is None else Query.parse(self.query, name=self.name)

    def is_of(self, event: Mapping[str, object]) -> bool:
        """Return whether an event is one that it is about, its query left aside."""
        if self.brands and event["brand"] not in self.brands:
            return False
        if event["event"] == "spike":
            return "spikes" in self.tell
        chosen = (self.langs, event.get("lang")), (self.places, event.get("place"))
        if "mentions" not in self.tell or any(wanted and value not in wanted for wanted, value in chosen):
            return False
        if self.sources and not {event.get("source"), event.get("host")} & set(self.sources):
            return False
        relevance = event.get("relevance")
        is_relevant = not isinstance(relevance, int | float) or relevance >= self.least_relevance
        # A corrected sentence was sent already; a mention that has come to count is new.
        return bool(event["counted"]) and is_relevant and event["event"] != "update"


@dataclass(frozen=True, kw_only=True)
class MonitorTable:
    """The table ``[monitor]``.

    Attributes
    ----------
    store : str
        Path of an SQLite file, or a database address such as ``postgresql://user@host/name``.
    timezone : str
        Where days begin, and the hours of alerts are counted: ``"Europe/Berlin"``.
    stream : str or None
        File that gets a JSON line for every new mention; ``"-"`` is standard output.
    stream_clutter, stream_updates, stream_brands
        Which mentions it gets (`Wanted`).
    """

    store: str = "monitor.db"
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
        Messages about mentions and spikes.
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


@dataclass(frozen=True)
class _SourceTable:
    """One address, a list of pages, or a file with one address a line."""

    url: Address | None = None
    urls: Annotated[tuple[Address, ...], Parsed(texts)] = ()
    file: str | None = None
    kind: Literal["feed", "page"] | None = None
    lang: Language | None = None
    every: DurationOrOff = None

    def sources(self, listed: Iterable[str]) -> Iterator[Source]:
        """Yield the sources; ``listed`` are the addresses in the file."""
        kind = self.kind or ("page" if self.url is None else "feed")
        for address in (*(self.urls if self.url is None else (self.url,)), *listed):
            yield Source(address, kind, self.lang, self.every)


@dataclass(frozen=True)
class _File:
    """The file as a whole."""

    monitor: MonitorTable = field(default_factory=MonitorTable)
    fetch: FetchOptions = field(default_factory=FetchOptions)
    pages: PageSettings = field(default_factory=PageSettings)
    copies: CopySettings = field(default_factory=CopySettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    sources: tuple[_SourceTable, ...] = ()
    brands: tuple[Brand, ...] = ()
    queries: tuple[Query, ...] = ()
    webhooks: tuple[Webhook, ...] = ()
    smtp: Smtp | None = None
    alerts: tuple[Alert, ...] = ()


def example_config() -> str:
    """Return a commented configuration that runs against ``blockfeat monitor demo``."""
    return files("blockfeat.monitor").joinpath("example.toml").read_text(encoding="utf-8")


def read_config(path: str | os.PathLike[str]) -> MonitorConfig:
    """Read a configuration file; paths in it are relative to its folder.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        The file has problems; the message has a line for each.
    """
    return parse_config(config_text(path), name=os.fspath(path), folder=Path(path).parent)


def parse_config(text: str, *, name: str = "configuration", folder: Path = Path()) -> MonitorConfig:
    """Read a configuration from its text; see `read_config`."""
    values, problems = parse_toml(text, name=name)
    for gone, reason in _GONE.items():
        kind, key = gone.split(".")
        for path, table in (*_tables(values, kind), ((kind,), values.get(kind))):
            if isinstance(table, dict) and table.pop(key, None) is not None:
                problems.add_value((*path, key), reason)
    file = checked(_File, values, problems)
    _check_between_tables(file, values, problems)
    listed = [_listed(table, path, folder, problems) for path, table in _tables(values, "sources")]
    problems.check()
    store, stream, model = file.monitor.store or "monitor.db", file.monitor.stream, file.pages.model
    whole = vars(file) | vars(file.monitor)
    del whole["monitor"]
    whole |= {
        "store": store if "://" in store else str(folder / store),
        "stream": None if not stream else stream if stream == "-" else str(folder / stream),
        "pages": replace(file.pages, model=str(folder / model) if Path(model).suffix in (".json", ".npz") else model),
        "sources": tuple(chain.from_iterable(map(_SourceTable.sources, file.sources, listed))),
        "folder": folder,
    }
    return MonitorConfig(**whole)


def _check_between_tables(file: _File, values: Mapping[str, Any], problems: Problems) -> None:
    """Note what is wrong with tables that are right each for itself."""
    if "sources" not in values:
        problems.add(("sources",), 'no [[sources]]: add one with url = "https://…/feed.xml"')
    if "brands" not in values and "queries" not in values:
        problems.add(("brands",), 'no [[brands]] and no [[queries]]: add one with name = "…"')
    _check_names(values, problems, "alerts")
    known = _check_names(values, problems, "brands", "queries")
    for path, alert in _tables(values, "alerts"):
        if not any(map(alert.get, CHANNELS)):
            problems.add(path, f"[[alerts]] needs at least one of {', '.join(CHANNELS)}")
        if alert.get("email") and "smtp" not in values:
            problems.add((*path, "email"), "e-mail needs a table [smtp] with host and sender")
        named = texts(alert.get("brands"))
        for name in named if isinstance(named, tuple) else ():
            if isinstance(name, str) and name not in known:
                problems.add((*path, "brands"), f"there is no brand or query {name!r}")


def _check_names(values: Mapping[str, Any], problems: Problems, *kinds: str) -> set[str]:
    """Note names that several tables of some kinds have; return all."""
    seen: set[str] = set()
    for place, kind in enumerate(kinds):
        for path, table in _tables(values, kind):
            if isinstance(name := table.get("name"), str):
                if name in seen:
                    problems.add((*path, "name"), f"there are two {' or '.join(kinds[: place + 1])} {name!r}")
                seen.add(name)
    return seen


def _tables(values: Mapping[str, Any], kind: str) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    """Yield the tables of an array as the file has them, with their places."""
    tables = values[kind] if isinstance(values.get(kind), list) else ()
    yield from (((kind, number), table) for number, table in enumerate(tables) if isinstance(table, dict))


def _listed(table: Mapping[str, Any], path: KeyPath, folder: Path, problems: Problems) -> list[str]:
    """Return the addresses in the file of a source, one a line; empty lines and those after # are skipped."""
    given = [name for name in ("url", "urls", "file") if name in table]
    if len(given) != 1:
        which = "has none" if not given else f"has {' and '.join(given)}"
        problems.add(path, f"[[sources]] needs one of 'url', 'urls' and 'file', and {which}")
    if not isinstance(table.get("file"), str):
        return []
    file = folder / table["file"]
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        problems.add((*path, "file"), f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}")
        return []
    addresses = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    for address in addresses:
        if reason := refusal(address):
            problems.add((*path, "file"), f"{file}: {address!r} {reason}")
    return addresses
