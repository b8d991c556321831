"""A configuration from a TOML file; every problem is reported with its line."""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from blockfeat._files import config_text
from blockfeat.errors import BrandError, ConfigError
from blockfeat.lang.codes import normalise_code
from blockfeat.monitor.config.section import Problems, Section
from blockfeat.monitor.config.settings import (
    CopySettings,
    MonitorConfig,
    PageSettings,
    Source,
    Webhook,
)
from blockfeat.monitor.config.toml_lines import key_lines
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import CASES, Brand

_SYNTAX = re.compile(r"(.*) \(at line (\d+), column \d+\)")
_SYNTAX_AT_END = re.compile(r"(.*) \(at end of document\)")


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
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_syntax_message(name, text, str(error))) from error
    problems = Problems(name, key_lines(text))
    root = Section(values, (), problems)
    config = _config(root, folder)
    if problems.found:
        raise ConfigError("\n".join(problems.messages()))
    return config


def _syntax_message(name: str, text: str, message: str) -> str:
    if found := _SYNTAX.fullmatch(message):
        return f"{name}:{found.group(2)}: {found.group(1)}"
    if found := _SYNTAX_AT_END.fullmatch(message):
        return f"{name}:{len(text.splitlines())}: {found.group(1)}"
    return f"{name}: {message}"


def _config(root: Section, folder: Path) -> MonitorConfig:
    monitor = root.table("monitor")
    store = monitor.text("store", "monitor.db") or "monitor.db"
    stream = monitor.text("stream")
    monitor.finish()
    config = MonitorConfig(
        store=store if "://" in store else str(folder / store),
        stream=None if not stream else stream if stream == "-" else str(folder / stream),
        fetch=_fetch(root.table("fetch")),
        pages=_pages(root.table("pages"), folder),
        copies=_copies(root.table("copies")),
        sources=tuple(_sources(root, folder)),
        brands=tuple(_brands(root)),
        webhooks=tuple(_webhook(section) for section in root.tables("webhooks")),
        folder=folder,
    )
    root.finish()
    for name, example in (("sources", 'url = "https://…/feed.xml"'), ("brands", 'name = "…"')):
        if name not in root.values:
            root.problem(name, f"no [[{name}]]: add one with {example}")
    return config


def _fetch(section: Section) -> FetchOptions:
    usual = FetchOptions()
    networks = section.texts("allow_networks")
    for network in networks:
        try:
            ipaddress.ip_network(network)
        except ValueError as error:
            section.problem("allow_networks", f"'allow_networks' must have networks such as 10.0.0.0/8: {error}")
    options = FetchOptions(
        user_agent=section.text("user_agent", usual.user_agent) or usual.user_agent,
        contact=section.text("contact"),
        delay=_seconds(section, "delay", usual.delay),
        max_delay=_seconds(section, "max_delay", usual.max_delay),
        per_host=section.whole("per_host", usual.per_host),
        concurrency=section.whole("concurrency", usual.concurrency),
        connect_timeout=_seconds(section, "connect_timeout", usual.connect_timeout),
        read_timeout=_seconds(section, "read_timeout", usual.read_timeout),
        timeout=_seconds(section, "timeout", usual.timeout),
        attempts=section.whole("attempts", usual.attempts),
        first_wait=_seconds(section, "first_wait", usual.first_wait),
        max_wait=_seconds(section, "max_wait", usual.max_wait),
        max_bytes=section.size("max_bytes", usual.max_bytes),
        max_redirects=section.whole("max_redirects", usual.max_redirects, least=0),
        robots=section.flag("robots", usual.robots),
        allow_networks=networks,
    )
    section.finish()
    return options


def _seconds(section: Section, name: str, default: float) -> float:
    """Return a duration that cannot be "off"."""
    seconds = section.duration(name, default)
    return default if seconds is None else seconds


def _pages(section: Section, folder: Path) -> PageSettings:
    usual = PageSettings()
    model = section.text("model", usual.model) or usual.model
    settings = PageSettings(
        model=str(folder / model) if Path(model).suffix in (".json", ".npz") else model,
        max_age=section.duration("max_age", usual.max_age),
        revisit=section.duration("revisit", usual.revisit),
        revisit_for=_seconds(section, "revisit_for", usual.revisit_for),
        attempts=section.whole("attempts", usual.attempts),
        jobs=section.whole("jobs", usual.jobs, least=0),
        deadline=_seconds(section, "deadline", usual.deadline),
        evidence=section.flag("evidence", usual.evidence),
        least_score=section.number("least_score", usual.least_score, least=-float("inf")),
        site_profile=section.flag("site_profile", usual.site_profile),
    )
    section.finish()
    return settings


def _copies(section: Section) -> CopySettings:
    usual = CopySettings()
    settings = CopySettings(
        find=section.flag("find", usual.find),
        similarity=section.number("similarity", usual.similarity, least=0.5, most=1.0),
        min_words=section.whole("min_words", usual.min_words),
    )
    section.finish()
    return settings


def _sources(root: Section, folder: Path) -> Iterator[Source]:
    """Yield the sources: each table has one address, a list of pages, or a file with one address a line."""
    for section in root.tables("sources"):
        kind = section.text("kind", None, known=("feed", "page"))
        lang = _language(section, "lang", section.text("lang"))
        every = section.duration("every", None)
        url, urls, file = section.text("url"), section.texts("urls"), section.text("file")
        section.finish()
        given = [name for name in ("url", "urls", "file") if name in section.values]
        if len(given) != 1:
            which = "has none" if not given else f"has {' and '.join(given)}"
            section.problems.add(section.path, f"[[sources]] needs one of 'url', 'urls' and 'file', and {which}")
        for address in (url,) if url is not None else urls or _addresses(section, folder, file):
            if reason := _refused(address):
                section.problem(given[0], f"{address!r} {reason}")
            yield Source(address, kind or ("feed" if url is not None else "page"), lang, every)


def _addresses(section: Section, folder: Path, file: str | None) -> Iterator[str]:
    """Yield the addresses in a file, one a line; empty lines and those after # are skipped."""
    if file is None:
        return
    try:
        lines = (folder / file).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        section.problem("file", f"{folder / file}: cannot be read: {getattr(error, 'strerror', None) or error}")
        return
    yield from (line.strip() for line in lines if line.strip() and not line.strip().startswith("#"))


def _refused(address: str) -> str | None:
    """Return why an address cannot be fetched; None where it can."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError as error:
        return f"is no address: {error}"
    if parts.scheme not in ("http", "https"):
        return "is no http or https address"
    return None if host else "has no host"


def _language(section: Section, name: str, code: str | None) -> str | None:
    if code is not None and normalise_code(code) is None:
        section.problem(name, f"{code!r} is no language code such as 'de'")
    return code


def _brands(root: Section) -> Iterator[Brand]:
    names: set[str] = set()
    for section in root.tables("brands"):
        name = section.required("name")
        if name in names:
            section.problem("name", f"there are two brands {name!r}")
        names.add(name)
        values = {part: section.texts(part) for part in ("excluded", "requires", "forbids")}
        case = section.text("case", "fold", known=CASES) or "fold"
        window = section.whole("window", Brand.window)
        aliases = _aliases(section)
        section.finish()
        try:
            yield Brand(name, aliases, case=case, window=window, **values)
        except BrandError as error:
            section.problem("name", str(error))


def _aliases(section: Section) -> dict[str, tuple[str, ...]]:
    """Return the aliases by language: a list is for all languages."""
    value: Any = section.values.get("aliases")
    if isinstance(value, list):
        return {"*": section.texts("aliases")}
    table = section.table("aliases")
    for lang in table.values:
        if lang != "*":
            _language(table, lang, lang)
    return {lang: table.texts(lang) for lang in table.values}


def _webhook(section: Section) -> Webhook:
    url = section.required("url")
    if url and (reason := _refused(url)):
        section.problem("url", f"{url!r} {reason}")
    webhook = Webhook(url, section.text("token"), section.whole("batch", 100))
    section.finish()
    return webhook
