"""The settings of the filters: values, their TOML file (``settings.schema.json``), and the host lists named there."""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from blockfeat._config import Problems, checked, parse_toml
from blockfeat._files import config_text, write_whole
from blockfeat.errors import ConfigError, InputError
from blockfeat.page.urls import host_of, registered_domain


@dataclass(frozen=True)
class Filters:
    """The first set of filters, each on (true removes) or off; the defaults are those of the paper's Figure 1.

    Attributes
    ----------
    scripts : bool
        Script elements, event handlers and ``javascript:`` addresses.
    noscript : bool
        What stands in for scripts. Where scripts go and this stays, it is shown.
    styles : bool
        Style elements and linked style sheets.
    style_attributes : bool
        Style attributes.
    images : bool
        Images and drawings that are no links.
    images_alt : bool
        Show their ALT text in their place.
    image_links : bool
        Images inside links, and links that hold nothing else.
    image_links_alt : bool
        Show their ALT text in their place; the link stays.
    text_links : bool
        Links with text.
    forms : bool
        Forms with all that is in them.
    inputs, buttons, selects : bool
        Input fields and text areas; buttons; drop-down lists.
    meta : bool
        Meta elements; the encoding is always declared.
    frames : bool
        Frames, framesets and inline frames.
    table_cell_widths : bool
        Widths of table cells and columns.
    embeds : bool
        Embedded objects, applets, sounds and films.
    """

    scripts: bool = True
    noscript: bool = True
    styles: bool = True
    style_attributes: bool = True
    images: bool = True
    images_alt: bool = False
    image_links: bool = True
    image_links_alt: bool = False
    text_links: bool = False
    forms: bool = False
    inputs: bool = False
    buttons: bool = False
    selects: bool = False
    meta: bool = True
    frames: bool = True
    table_cell_widths: bool = False
    embeds: bool = True


@dataclass(frozen=True)
class HostListFile:
    """A file with hosts of advertisements.

    Attributes
    ----------
    file : str
        A hosts file or a list of domains, one a line; relative to the folder of the settings.
    url : str
        Address that ``--update-hosts`` fetches it from; empty for a list that is kept by hand.
    """

    file: str
    url: str = ""


@dataclass(frozen=True)
class Advertisements:
    """The advertisement remover.

    Attributes
    ----------
    remove : bool
        Remove what refers to a listed host.
    bundled_list : bool
        Use the list that comes with blockfeat.
    lists : tuple of HostListFile
        Further lists.
    """

    remove: bool = True
    bundled_list: bool = True
    lists: tuple[HostListFile, ...] = ()


@dataclass(frozen=True)
class LinkLists:
    """The link-list remover.

    Attributes
    ----------
    remove : bool
        Empty what has too many links.
    ratio : float
        Most links for each word outside of links in a table cell; 0 or more.
    container_ratio : float
        The same for the other containers.
    letters_per_word : float
        Letters that make a word; above 0.
    least_links : int
        Links that a list has at least; 1 or more.
    cells : bool
        Look at table cells.
    containers : tuple of str
        Further elements that are looked at.
    remove_container : bool
        Remove the cell or container too, not only what is in it.
    most_linked : float
        Share of a page's letters in links, 0 to 1, above which its lists are left alone: the page is a portal, which
        consists of them (5); 1 for never.
    """

    remove: bool = True
    ratio: float = 0.25
    container_ratio: float = 0.25
    letters_per_word: float = 5.0
    least_links: int = 2
    cells: bool = True
    containers: tuple[str, ...] = ("aside", "div", "dl", "footer", "header", "menu", "nav", "ol", "section", "ul")
    remove_container: bool = False
    most_linked: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("ratio", "container_ratio"):
            if not (getattr(self, name) >= 0 and math.isfinite(getattr(self, name))):
                raise ConfigError(f"'{name}' must be 0 or more, not {getattr(self, name)}")
        if not (self.letters_per_word > 0 and math.isfinite(self.letters_per_word)):
            raise ConfigError(f"'letters_per_word' must be above 0, not {self.letters_per_word}")
        if not 0 <= self.most_linked <= 1:
            raise ConfigError(f"'most_linked' must be from 0 to 1, not {self.most_linked}")
        if self.least_links < 1:
            raise ConfigError(f"'least_links' must be 1 or more, not {self.least_links}")


@dataclass(frozen=True)
class EmptyTables:
    """The empty-table remover.

    Attributes
    ----------
    remove : bool
        Remove tables without substance.
    substance : tuple of str
        Elements that are substance.
    least_characters : int
        Letters and digits that are substance; 0 or more.
    """

    remove: bool = True
    substance: tuple[str, ...] = (
        *("audio", "button", "canvas", "embed", "form", "iframe", "img", "input", "math", "object"),
        *("select", "svg", "textarea", "video"),
    )
    least_characters: int = 5

    def __post_init__(self) -> None:
        """Check the range."""
        if self.least_characters < 0:
            raise ConfigError(f"'least_characters' must be 0 or more, not {self.least_characters}")


@dataclass(frozen=True)
class RemovedLinks:
    """The removed-link retainer.

    Attributes
    ----------
    list : bool
        List removed text links at the end of the page; those to hosts of advertisements are not among them.
    heading : str
        Heading of the list.
    """

    list: bool = False
    heading: str = "Links"


@dataclass(frozen=True)
class CleanSettings:
    """What `blockfeat.papers.crunch.clean.clean` removes.

    Attributes
    ----------
    filters : Filters
        The first set of filters.
    advertisements : Advertisements
        Advertisements by host.
    link_lists : LinkLists
        Lists of links.
    empty_tables : EmptyTables
        Tables without substance.
    removed_links : RemovedLinks
        What becomes of removed links.
    """

    filters: Filters = field(default_factory=Filters)
    advertisements: Advertisements = field(default_factory=Advertisements)
    link_lists: LinkLists = field(default_factory=LinkLists)
    empty_tables: EmptyTables = field(default_factory=EmptyTables)
    removed_links: RemovedLinks = field(default_factory=RemovedLinks)


def bundled_settings() -> tuple[str, ...]:
    """Return the kinds of pages that settings were learnt for by the swarm (`experiments.crunch_by_kind`)."""
    folder = files("blockfeat.papers.crunch").joinpath("kinds")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def settings_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a settings file, or of the settings for a kind of page where there is no such file.

    Raises
    ------
    InputError
        There is neither; the message names the kinds.
    """
    name = os.fspath(path)
    if not Path(path).exists() and name in bundled_settings():
        return files("blockfeat.papers.crunch").joinpath("kinds", f"{name}.toml").read_text(encoding="utf-8")
    try:
        return config_text(path)
    except InputError as error:
        raise InputError(f"{error} (or one of {', '.join(bundled_settings())})") from error


def read_settings(path: str | os.PathLike[str]) -> CleanSettings:
    """Read a settings file, or those for a kind of page by its name; host lists are relative to the file's folder.

    It raises InputError where the file cannot be read, ConfigError with a line for each of its problems.
    """
    return parse_settings(settings_text(path), name=os.fspath(path), folder=Path(path).parent)


def parse_settings(text: str, *, name: str = "settings", folder: Path = Path()) -> CleanSettings:
    """Read settings from their text; keys that are not there have their default. See `read_settings`."""
    values, problems = parse_toml(text, name=name)
    settings = settings_from_values(values, problems)
    advertisements = settings.advertisements
    lists = tuple(replace(entry, file=str(folder / entry.file)) for entry in advertisements.lists)
    return replace(settings, advertisements=replace(advertisements, lists=lists))


def settings_from_values(values: Mapping[str, Any], problems: Problems | None = None) -> CleanSettings:
    """Return settings from plain values, as TOML or JSON has them; keys that are not there have their default.

    Raises
    ------
    ConfigError
        There are problems; the message has a line for each.
    """
    problems = problems or Problems("settings")
    settings = checked(CleanSettings, values, problems)
    problems.check()
    return settings


def default_settings_text() -> str:
    """Return the default settings as a commented TOML file."""
    return files("blockfeat.papers.crunch").joinpath("default.toml").read_text(encoding="utf-8")


_logger = logging.getLogger(__name__)
_LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:.%a-z0-9]*")
# Names that hosts files give to the machine itself.
_OWN = frozenset({"localhost.localdomain", "local.host"})
_UNSEEN = str.maketrans("", "", "\t\n\r")
_NOT_FILES = re.compile(r"(?:https?:)?[/\\]{2}", re.IGNORECASE)


@dataclass(frozen=True)
class HostList:
    """Hosts of advertisements: names in lower case, each of which stands for all hosts below it too."""

    hosts: frozenset[str]

    def lists(self, address: str) -> bool:
        """Return whether an address refers to a listed host: it, or one of its parents up to its registered domain.

        An address without a host is one of the page's own and never listed.
        """
        address = address.translate(_UNSEEN).strip()
        if not _NOT_FILES.match(address):
            return False
        host = _ascii(host_of(address.replace("\\", "/")))
        site = registered_domain(host) if host else None
        while host and site:
            if host in self.hosts:
                return True
            if host == site:
                return False
            host = host.partition(".")[2]
        return False


def host_list(advertisements: Advertisements) -> HostList:
    """Read the lists that settings name.

    Raises
    ------
    InputError
        A list cannot be read.
    """
    found: set[str] = set()
    if advertisements.bundled_list:
        found |= hosts_in(files("blockfeat.papers.crunch").joinpath("ad_hosts.txt").read_text(encoding="utf-8"))
    for entry in advertisements.lists:
        found |= hosts_in(_text(entry.file), name=entry.file)
    return HostList(frozenset(found))


def hosts_in(text: str, *, name: str = "list") -> set[str]:
    """Return the hosts of a hosts file (address, then names) or of a list of domains, one a line.

    What follows ``#`` is a comment, so is a line that begins with ``!``. Lines without a host name are passed over.
    """
    found: set[str] = set()
    unknown = 0
    for line in text.splitlines():
        words = line.partition("#")[0].lower().split()
        if not words or words[0].startswith("!"):
            continue
        names = words[1:] if _ADDRESS.fullmatch(words[0]) else words[:1]
        hosts = {host for word in names if _HOST.fullmatch(host := _ascii(word)) and not _ADDRESS.fullmatch(host)}
        unknown += not hosts
        found |= hosts - _OWN
    if unknown:
        _logger.info("%s: %d lines name no host", name, unknown)
    return found


def updated(lists: Iterable[HostListFile], fetch: Callable[[str], str]) -> list[tuple[str, int]]:
    """Fetch the lists that have an address anew; return the file and the number of hosts of each.

    A list without hosts does not replace what is there.

    Raises
    ------
    InputError
        A list cannot be fetched or names no host.
    OutputError
        A file cannot be written.
    """
    written = []
    for entry in lists:
        if entry.url:
            text = fetch(entry.url)
            if not (hosts := hosts_in(text, name=entry.url)):
                raise InputError(f"{entry.url}: names no host; {entry.file} stays as it is")
            write_whole(entry.file, text.encode())
            written.append((entry.file, len(hosts)))
    return written


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: the list of hosts cannot be read: {error.strerror or error}") from error


def _ascii(host: str) -> str:
    """Return a host name as it stands in addresses: lower case, punycode, without the dots or the star around it."""
    host = host.removeprefix("*").strip(".").lower()
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
