"""A configuration from a TOML file; every problem is reported with its line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from blockfeat._config import (
    Between,
    Count,
    DurationOrOff,
    KeyPath,
    Parsed,
    Problems,
    Texts,
    changed,
    made,
    parse_toml,
    texts,
)
from blockfeat._files import config_text
from blockfeat.errors import BrandError, QueryError
from blockfeat.lang.identify import normalise_code
from blockfeat.monitor.alerts.settings import Alert, Smtp, Timing, When, minutes_of, span_of
from blockfeat.monitor.config.settings import (
    CopySettings,
    MonitorConfig,
    PageSettings,
    RetentionSettings,
    Source,
    Wanted,
    Webhook,
)
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import ANY_LANGUAGE, Brand
from blockfeat.monitor.mentions.queries import Query

_MAIL_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]]+@[^\s@<>,;:\"()\[\]]+")
# Keys of earlier versions, and what takes their place.
_GONE = {("pages", "site_profile"): "profiles of sites are gone since 0.3.0: leave the line out"}
_CHANNELS = ("email", "slack", "teams", "mattermost", "feed", "command")


def example_config() -> str:
    """Return a commented configuration that runs against ``blockfeat monitor demo``."""
    return files("blockfeat.monitor.config").joinpath("example.toml").read_text(encoding="utf-8")


def _refusal(address: str) -> str | None:
    """Return why an address cannot be fetched; None where it can."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError as error:
        return f"is no address: {error}"
    if parts.scheme not in ("http", "https"):
        return "is no http or https address"
    return None if host else "has no host"


def _addresses(value: Any) -> Any:
    """Return an address, or a list of them, whose strings can all be fetched."""
    for address in value if isinstance(value, list) else [value]:
        if isinstance(address, str) and (reason := _refusal(address)):
            raise ValueError(f"has {address!r}, which {reason}")
    return value


def _address_list(value: Any) -> Any:
    return _addresses(texts(value))


def _language(value: Any) -> Any:
    if isinstance(value, str) and normalise_code(value) is None:
        raise ValueError(f"has {value!r}, which is no language code such as 'de'")
    return value


def _mail_addresses(value: Any) -> Any:
    for address in texts(value) if isinstance(texts(value), list) else ():
        if isinstance(address, str) and not _MAIL_ADDRESS.fullmatch(address):
            raise ValueError(f"has {address!r}, which is no e-mail address")
    return texts(value)


def _zone(value: Any) -> Any:
    try:
        return ZoneInfo(value).key if isinstance(value, str) else value
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(f"has {value!r}, which is no time zone such as 'Europe/Berlin'") from error


@dataclass(frozen=True)
class _MonitorTable:
    store: str = "monitor.db"
    shared: bool = False
    timezone: Annotated[str, Parsed(_zone)] = "UTC"
    stream: str | None = None
    stream_clutter: bool = False
    stream_updates: bool = False
    stream_brands: Texts = ()


@dataclass(frozen=True)
class _SourceTable:
    """One address, a list of pages, or a file with one address a line."""

    url: Annotated[str | None, Parsed(_addresses)] = None
    urls: Annotated[tuple[str, ...], Parsed(_address_list)] = ()
    file: str | None = None
    kind: Literal["feed", "page"] | None = None
    lang: Annotated[str | None, Parsed(_language)] = None
    every: DurationOrOff = None


@dataclass(frozen=True)
class _BrandTable:
    """A brand; aliases are a list for all languages, or lists by language."""

    name: str
    aliases: dict[str, str | tuple[str, ...]] | tuple[str, ...] | str = ()
    excluded: Texts = ()
    requires: Texts = ()
    forbids: Texts = ()
    about: Texts = ()
    others: Texts = ()
    case: Literal["fold", "exact"] = "fold"
    forms: bool = True
    overlaps: bool = False
    context: Literal["window", "paragraph", "article"] = "window"
    window: Count = Brand.window


@dataclass(frozen=True)
class _AlertTable:
    """An alert; at least one of the last six keys says where it goes."""

    name: str
    tell: Annotated[tuple[Literal["mentions", "spikes"], ...], Parsed(texts)] = ("mentions",)
    brands: Texts = ()
    langs: Texts = ()
    sources: Texts = ()
    places: Texts = ()
    least_relevance: Annotated[float, Between(0.0, 1.0)] = 0.0
    query: str | None = None
    when: When = "at once"
    at: Annotated[int, Parsed(minutes_of)] = 480
    quiet: Annotated[tuple[int, int] | None, Parsed(span_of)] = None
    email: Annotated[tuple[str, ...], Parsed(_mail_addresses)] = ()
    slack: str | None = None
    teams: str | None = None
    mattermost: str | None = None
    feed: str | None = None
    command: Texts = ()


@dataclass(frozen=True)
class _QueryTable:
    name: str
    query: str


@dataclass(frozen=True)
class _WebhookTable:
    url: Annotated[str, Parsed(_addresses)]
    token: str | None = None
    batch: Count = 100
    secret: str | None = None
    attempts: Count = 20
    clutter: bool = False
    updates: bool = False
    brands: Texts = ()

    def webhook(self) -> Webhook:
        """Return the webhook."""
        wanted = Wanted(self.clutter, self.updates, self.brands)
        return Webhook(self.url, self.token, self.batch, self.secret, self.attempts, wanted)


@dataclass(frozen=True)
class _File:
    """The file as a whole."""

    monitor: _MonitorTable = field(default_factory=_MonitorTable)
    fetch: FetchOptions = field(default_factory=FetchOptions)
    pages: PageSettings = field(default_factory=PageSettings)
    copies: CopySettings = field(default_factory=CopySettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    sources: tuple[dict[str, Any], ...] = ()
    brands: tuple[dict[str, Any], ...] = ()
    queries: tuple[_QueryTable, ...] = ()
    webhooks: tuple[_WebhookTable, ...] = ()
    smtp: dict[str, Any] | None = None
    alerts: tuple[dict[str, Any], ...] = ()


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
    for (table, key), reason in _GONE.items():
        if isinstance(values.get(table), dict) and values[table].pop(key, None) is not None:
            problems.add_value((table, key), reason)
    file = changed(_File(), values, problems)
    if "sources" not in values:
        problems.add(("sources",), 'no [[sources]]: add one with url = "https://…/feed.xml"')
    if "brands" not in values and "queries" not in values:
        problems.add(("brands",), 'no [[brands]] and no [[queries]]: add one with name = "…"')
    if file.monitor.shared and not file.monitor.store.startswith("postgresql"):
        problems.add(("monitor", "shared"), 'several runs share a store in PostgreSQL only: store = "postgresql://…"')
    store, stream, model = file.monitor.store or "monitor.db", file.monitor.stream, file.pages.model
    brands = tuple(_brands(file.brands, problems))
    names = {brand.name for brand in brands}
    queries = tuple(_queries(file.queries, names, problems))
    config = MonitorConfig(
        store=store if "://" in store else str(folder / store),
        stream=None if not stream else stream if stream == "-" else str(folder / stream),
        stream_wanted=Wanted(file.monitor.stream_clutter, file.monitor.stream_updates, file.monitor.stream_brands),
        fetch=file.fetch,
        pages=replace(file.pages, model=str(folder / model) if Path(model).suffix in (".json", ".npz") else model),
        copies=file.copies,
        sources=tuple(_sources(file.sources, folder, problems)),
        brands=brands,
        queries=queries,
        webhooks=tuple(hook.webhook() for hook in file.webhooks),
        alerts=tuple(_alerts(file, names, problems)),
        timezone=file.monitor.timezone,
        shared=file.monitor.shared,
        retention=file.retention,
        folder=folder,
    )
    problems.check()
    return config


def _sources(tables: Sequence[Mapping[str, Any]], folder: Path, problems: Problems) -> Iterator[Source]:
    for number, values in enumerate(tables):
        path = ("sources", number)
        table = made(_SourceTable, values, problems, path=path) or _SourceTable()
        given = [name for name in ("url", "urls", "file") if name in values]
        if len(given) != 1:
            which = "has none" if not given else f"has {' and '.join(given)}"
            problems.add(path, f"[[sources]] needs one of 'url', 'urls' and 'file', and {which}")
        named = table.urls if table.url is None else (table.url,)
        in_file = () if table.file is None else _listed(folder / table.file, (*path, "file"), problems)
        for address in (*named, *in_file):
            yield Source(address, table.kind or ("page" if table.url is None else "feed"), table.lang, table.every)


def _listed(file: Path, path: KeyPath, problems: Problems) -> Iterator[str]:
    """Yield the addresses in a file, one a line; empty lines and those after # are skipped."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        problems.add(path, f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}")
        return
    for address in filter(None, map(str.strip, lines)):
        if not address.startswith("#"):
            if reason := _refusal(address):
                problems.add(path, f"{file}: {address!r} {reason}")
            yield address


def _brands(tables: Sequence[Mapping[str, Any]], problems: Problems) -> Iterator[Brand]:
    names: set[str] = set()
    for number, values in enumerate(tables):
        path = ("brands", number)
        table = made(_BrandTable, values, problems, path=path)
        if table is None:
            continue
        if table.name in names:
            problems.add((*path, "name"), f"there are two brands {table.name!r}")
        names.add(table.name)
        aliases = table.aliases if isinstance(table.aliases, dict) else {ANY_LANGUAGE: table.aliases}
        for lang in aliases:
            if lang != ANY_LANGUAGE and normalise_code(lang) is None:
                problems.add((*path, "aliases", lang), f"{lang!r} is no language code such as 'de'")
        known = {
            lang: tuple(texts(named)) for lang, named in aliases.items() if lang == ANY_LANGUAGE or normalise_code(lang)
        }
        names_in = (
            "excluded",
            "requires",
            "forbids",
            "about",
            "others",
            "case",
            "forms",
            "overlaps",
            "context",
            "window",
        )
        rules = {key: getattr(table, key) for key in names_in}
        try:
            yield Brand(table.name, known, **rules)
        except BrandError as error:
            problems.add((*path, "name"), str(error))


def _queries(tables: Sequence[_QueryTable], names: set[str], problems: Problems) -> Iterator[Query]:
    for number, table in enumerate(tables):
        if table.name in names:
            problems.add(("queries", number, "name"), f"there are two brands or queries {table.name!r}")
        names.add(table.name)
        try:
            yield Query.parse(table.query, name=table.name)
        except QueryError as error:
            problems.add(("queries", number, "query"), str(error))


def _alerts(file: _File, names: set[str], problems: Problems) -> Iterator[Alert]:
    """Yield the alerts, each with what is needed to send it."""
    smtp = None if file.smtp is None else made(Smtp, file.smtp, problems, path=("smtp",))
    called: set[str] = set()
    for number, values in enumerate(file.alerts):
        path = ("alerts", number)
        table = made(_AlertTable, values, problems, path=path)
        if table is None:
            continue
        if table.name in called:
            problems.add((*path, "name"), f"there are two alerts {table.name!r}")
        called.add(table.name)
        if not any(getattr(table, name) for name in _CHANNELS):
            problems.add(path, f"[[alerts]] needs at least one of {', '.join(_CHANNELS)}")
        if table.email and file.smtp is None:
            problems.add((*path, "email"), "e-mail needs a table [smtp] with host and sender")
        for name in (name for name in table.brands if name not in names):
            problems.add((*path, "brands"), f"there is no brand or query {name!r}")
        timing = Timing(table.when, table.at, table.quiet, ZoneInfo(file.monitor.timezone))
        chosen = {name: getattr(table, name) for name in ("tell", "brands", "langs", "sources", "places", *_CHANNELS)}
        query = None
        try:
            query = None if table.query is None else Query.parse(table.query, name=table.name)
        except QueryError as error:
            problems.add((*path, "query"), str(error))
        yield Alert(table.name, least_relevance=table.least_relevance, query=query, timing=timing, smtp=smtp, **chosen)
