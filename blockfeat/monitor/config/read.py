"""A configuration from a TOML file; every problem is reported with its line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from blockfeat._config import DurationOrOff, KeyPath, Parsed, Problems, checked, parse_toml, texts
from blockfeat._files import config_text
from blockfeat.monitor.alerts.settings import CHANNELS, Alert, Smtp
from blockfeat.monitor.config.settings import (
    Address,
    CopySettings,
    MonitorConfig,
    MonitorTable,
    PageSettings,
    RetentionSettings,
    Source,
    Webhook,
    refusal,
)
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import Brand, Language
from blockfeat.monitor.mentions.queries import Query

# Keys of earlier versions, and what takes their place.
_GONE = {("pages", "site_profile"): "profiles of sites are gone since 0.3.0: leave the line out"}


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
    return files("blockfeat.monitor.config").joinpath("example.toml").read_text(encoding="utf-8")


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
    if file.monitor.shared and not file.monitor.store.startswith("postgresql"):
        problems.add(("monitor", "shared"), 'several runs share a store in PostgreSQL only: store = "postgresql://…"')
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
