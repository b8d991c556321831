"""The configuration of a monitor: frozen dataclasses, and how a TOML file fills them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from blockfeat import _config
from blockfeat._files import bundled_file, bundled_table, config_text
from blockfeat.errors import BlockfeatError
from blockfeat.monitor.fetching.options import Address, FetchOptions, refusal
from blockfeat.monitor.mentions.brand import Brand, Language
from blockfeat.monitor.mentions.queries import Query
from blockfeat.monitor.receivers import CHANNELS, Alert, Smtp, Webhook

_DAY = 86400.0


def _zone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
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
        Least seconds between two polls; by default the interval that the source itself declares.
    """

    url: str
    kind: str = "feed"
    lang: str | None = None
    every: float | None = None


_Wall = Literal["consent wall", "paywall stub", "login", "bot check"]
PageKind = Literal["article", "other", "front page", "list", _Wall, "error page", "empty"]
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
        Interval in seconds at which a page is fetched again to see whether it still exists.
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
    max_age: _config.DurationOrOff = 30 * _DAY
    revisit: _config.DurationOrOff = None
    revisit_for: _config.Duration = 3 * _DAY
    recheck: _config.DurationOrOff = None
    attempts: _config.Count = 8
    jobs: Annotated[int, _config.between(0, 256)] = 1
    deadline: _config.Timeout = 30.0
    evidence: bool = True
    least_score: Annotated[float, _config.between(-1e6, 1e6)] = 0.5
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
    similarity: Annotated[float, _config.between(0.5, 1.0)] = 0.8
    min_words: _config.Count = 60


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

    pages: _config.DurationOrOff = None
    evidence: _config.DurationOrOff = None
    versions: _config.DurationOrOff = None


@dataclass(frozen=True, kw_only=True)
class MonitorTable:
    """The table ``[monitor]``.

    Attributes
    ----------
    store : str
        Path of an SQLite file, or a database address such as ``postgresql://user@host/name``.
    timezone : str
        Where days begin, and the hours of alerts are counted: ``"Europe/Berlin"``.
    base_url : str or None
        Address of the live page, for links in messages.
    stream : str or None
        File that gets a JSON line for every new mention; ``"-"`` is standard output.
    stream_clutter, stream_updates, stream_brands
        Which mentions it gets (`Wanted`).
    """

    store: str = "monitor.db"
    timezone: Annotated[str, _config.Parsed(_zone, late=True)] = "UTC"
    base_url: Address | None = None
    stream: str | None = None
    stream_clutter: bool = False
    stream_updates: bool = False
    stream_brands: _config.Texts = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedView:
    """Filters of the live page under a name.

    Attributes
    ----------
    name : str
        What the page, ``--view`` and ``?view=`` of the API call them.
    days : int or None
        Only the last so many days, today among them.
    brand, lang, source, place, kind, counted, q, words
        As `blockfeat.monitor.reports.Filters` has them.

    Raises
    ------
    QueryError
        The query in ``words`` cannot be understood.
    """

    name: str
    days: _config.Count | None = None
    brand: _config.Texts = ()
    lang: _config.Texts = ()
    source: _config.Texts = ()
    place: _config.Texts = ()
    kind: Annotated[tuple[PageKind, ...], _config.Parsed(_config.texts)] = ()
    counted: Literal["yes", "no", "all", "unsure"] = "yes"
    q: str = ""
    words: str = ""

    def __post_init__(self) -> None:
        """Check the query."""
        if self.words:
            Query.parse(self.words, name=self.name)


@dataclass(frozen=True, kw_only=True)
class _Tables:
    """The tables that are taken as the file has them."""

    brands: tuple[Brand, ...] = ()
    fetch: FetchOptions = field(default_factory=FetchOptions)
    pages: PageSettings = field(default_factory=PageSettings)
    copies: CopySettings = field(default_factory=CopySettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    queries: tuple[Query, ...] = ()
    views: tuple[SavedView, ...] = ()
    webhooks: tuple[Webhook, ...] = ()
    alerts: tuple[Alert, ...] = ()
    smtp: Smtp | None = None


@dataclass(frozen=True, kw_only=True)
class MonitorConfig(MonitorTable, _Tables):
    """A whole configuration: what is in ``[monitor]``, and the other tables.

    Attributes
    ----------
    sources, brands, queries : tuple
        What is read, and what is looked for; queries have names of their own.
    views : tuple of SavedView
        Filters of the live page.
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
    folder: Path = Path()


@dataclass(frozen=True)
class _SourceTable:
    """One address, a list of pages, or a file with one address a line."""

    url: Address | None = None
    urls: Annotated[tuple[Address, ...], _config.Parsed(_config.texts)] = ()
    file: str | None = None
    kind: Literal["feed", "page"] | None = None
    lang: Language | None = None
    every: _config.DurationOrOff = None

    def sources(self, listed: Iterable[str]) -> Iterator[Source]:
        """Yield the sources; ``listed`` are the addresses in the file."""
        kind = self.kind or ("page" if self.url is None else "feed")
        for address in (*(self.urls if self.url is None else (self.url,)), *listed):
            yield Source(address, kind, self.lang, self.every)


@dataclass(frozen=True, kw_only=True)
class _File(_Tables):
    """The file as a whole."""

    monitor: MonitorTable = field(default_factory=MonitorTable)
    sources: tuple[_SourceTable, ...] = ()


def example_config() -> str:
    """Return a commented configuration that runs against ``blockfeat monitor demo``."""
    return bundled_file("blockfeat.monitor", "example.toml").read_text(encoding="utf-8")


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
    values, problems = _config.parse_toml(text, name=name)
    # Keys of earlier versions, and what takes their place.
    for gone, reason in bundled_table("blockfeat.monitor", "gone.toml").items():
        kind, key = gone.split(".")
        for path, table in (*_tables(values, kind), ((kind,), values.get(kind))):
            if isinstance(table, dict) and table.pop(key, None) is not None:
                problems.add_value((*path, key), reason)
    file = _config.checked(_File, values, problems)
    _check_between_tables(file, values, problems)
    listed = [_listed(table, path, folder, problems) for path, table in _tables(values, "sources")]
    problems.check()
    store, stream, model = file.monitor.store or "monitor.db", file.monitor.stream, file.pages.model
    if store == stream:
        problems.add_value(("monitor", "stream"), "is the store")
        problems.check()
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


def _check_between_tables(file: _File, values: Mapping[str, Any], problems: _config.Problems) -> None:
    """Report problems between tables that are valid on their own."""
    if values.get("sources", []) == []:
        problems.add(("sources",), 'no [[sources]]: add one with url = "https://…/feed.xml"')
    if values.get("brands", []) == values.get("queries", []) == []:
        problems.add(("brands",), 'no [[brands]] and no [[queries]]: add one with name = "…"')
    known = _check_names(values, problems, "brands", "queries")
    for path, alert in _tables(values, "alerts"):
        if not any(map(alert.get, CHANNELS)):
            problems.add(path, f"[[alerts]] needs at least one of {', '.join(CHANNELS)}")
        if alert.get("email") and "smtp" not in values:
            problems.add((*path, "email"), "e-mail needs a table [smtp] with host and sender")
    for kind, key in (("alerts", "brands"), ("views", "brand")):
        _check_names(values, problems, kind)
        for path, table in _tables(values, kind):
            named = _config.texts(table.get(key))
            for name in named if isinstance(named, tuple) else ():
                if isinstance(name, str) and name not in known:
                    problems.add((*path, key), f"there is no brand or query {name!r}")


def _check_names(values: Mapping[str, Any], problems: _config.Problems, *kinds: str) -> set[str]:
    """Note names that several tables of some kinds have; return all."""
    seen: set[str] = set()
    for place, kind in enumerate(kinds):
        for path, table in _tables(values, kind):
            if isinstance(name := table.get("name"), str):
                if name in seen:
                    problems.add((*path, "name"), f"there are two {' or '.join(kinds[: place + 1])} {name!r}")
                seen.add(name)
    return seen


def _tables(values: Mapping[str, Any], kind: str) -> Iterator[tuple[_config.KeyPath, dict[str, Any]]]:
    """Yield the tables of an array as the file has them, with their places."""
    tables = values[kind] if isinstance(values.get(kind), list) else ()
    yield from (((kind, number), table) for number, table in enumerate(tables) if isinstance(table, dict))


def _listed(table: Mapping[str, Any], path: _config.KeyPath, folder: Path, problems: _config.Problems) -> list[str]:
    """Return the addresses in the file of a source, one a line; empty lines and those after # are skipped."""
    given = [name for name in ("url", "urls", "file") if table.get(name) not in (None, [], "")]
    if len(given) != 1:
        which = "has none" if not given else f"has {' and '.join(given)}"
        problems.add(path, f"[[sources]] needs one of 'url', 'urls' and 'file', and {which}")
    if not isinstance(table.get("file"), str):
        return []
    file = folder / table["file"]
    try:
        lines = config_text(file).splitlines()
    except BlockfeatError as error:
        problems.add((*path, "file"), str(error))
        return []
    addresses = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    for address in addresses:
        if reason := refusal(address):
            problems.add((*path, "file"), f"{file}: {address!r} {reason}")
    return addresses
