"""The settings of the filters as dataclasses, and their reading from TOML, as ``settings.schema.json`` describes it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from blockfeat._config import Count, CountOrNone, Ranged, Share, between, checked, parse_toml
from blockfeat._files import bundled_file, config_text
from blockfeat.errors import InputError

_Ratio = Annotated[float, between(0.0, 1e9)]


@dataclass(frozen=True)
class Filters:
    """The first set of filters, each on (true removes) or off; the defaults are those of the paper's Figure 1.

    Attributes
    ----------
    scripts : bool
        Script elements, event handlers and ``javascript:`` addresses.
    noscript : bool
        Noscript elements. Where scripts are removed and these are not, they are shown.
    styles : bool
        Style elements and linked style sheets.
    style_attributes : bool
        Style attributes.
    images : bool
        Images and drawings outside of links.
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
class LinkLists(Ranged):
    """The link-list remover.

    Attributes
    ----------
    remove : bool
        Empty cells and containers that have too many links.
    ratio : float
        Most links for each word outside of links in a table cell; 0 or more.
    container_ratio : float
        The same for the other containers.
    letters_per_word : float
        Letters that make a word; above 0.
    least_links : int
        Least number of links in a list of links; 1 or more.
    cells : bool
        Check table cells.
    containers : tuple of str
        Further elements that are checked.
    remove_container : bool
        Remove the cell or container too, not only what is in it.
    most_linked : float
        Share of a page's letters in links, 0 to 1, above which its lists are left alone: the page is a portal, which
        consists of them (5); 1 for never.
    """

    remove: bool = True
    ratio: _Ratio = 0.25
    container_ratio: _Ratio = 0.25
    letters_per_word: Annotated[float, between(0.0, 1e9, is_above=True)] = 5.0
    least_links: Count = 1
    cells: bool = True
    containers: tuple[str, ...] = ("aside", "div", "dl", "footer", "header", "menu", "nav", "ol", "section", "ul")
    remove_container: bool = False
    most_linked: Share = 1.0


@dataclass(frozen=True)
class EmptyTables(Ranged):
    """The empty-table remover.

    Attributes
    ----------
    remove : bool
        Remove tables without substance.
    substance : tuple of str
        Elements that count as substance.
    least_characters : int
        Least number of letters and digits that counts as substance; 0 or more.
    """

    remove: bool = True
    substance: tuple[str, ...] = (
        *("audio", "button", "canvas", "embed", "form", "iframe", "img", "input", "math", "object"),
        *("select", "svg", "textarea", "video"),
    )
    least_characters: CountOrNone = 5


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
        Whether and how removed links are listed.
    """

    filters: Filters = field(default_factory=Filters)
    advertisements: Advertisements = field(default_factory=Advertisements)
    link_lists: LinkLists = field(default_factory=LinkLists)
    empty_tables: EmptyTables = field(default_factory=EmptyTables)
    removed_links: RemovedLinks = field(default_factory=RemovedLinks)


def bundled_settings() -> tuple[str, ...]:
    """Return the kinds of pages for which the swarm learnt the bundled settings (`experiments.crunch_by_kind`)."""
    return tuple(sorted(path.stem for path in bundled_file("blockfeat.papers.crunch", "kinds").glob("*.toml")))


def settings_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a settings file, or of the settings for a kind of page where there is no such file.

    Raises
    ------
    InputError
        There is neither; the message names the kinds.
    """
    name = os.fspath(path)
    if not Path(path).exists() and name in bundled_settings():
        return bundled_file("blockfeat.papers.crunch", "kinds", f"{name}.toml").read_text(encoding="utf-8")
    try:
        return config_text(path)
    except InputError as error:
        raise InputError(f"{error} (or one of {', '.join(bundled_settings())})") from error


def read_settings(path: str | os.PathLike[str]) -> CleanSettings:
    """Read a settings file, or those for a kind of page by its name; host lists are relative to the file's folder.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        The file has problems; the message has a line for each.
    """
    return parse_settings(settings_text(path), name=os.fspath(path), folder=Path(path).parent)


def parse_settings(text: str, *, name: str = "settings", folder: Path = Path()) -> CleanSettings:
    """Read settings from their text; keys that are not there have their default. See `read_settings`."""
    values, problems = parse_toml(text, name=name)
    settings = checked(CleanSettings, values, problems)
    problems.check()
    advertisements = settings.advertisements
    lists = tuple(replace(entry, file=str(folder / entry.file)) for entry in advertisements.lists)
    return replace(settings, advertisements=replace(advertisements, lists=lists))


def default_settings_text() -> str:
    """Return the default settings as a commented TOML file."""
    return bundled_file("blockfeat.papers.crunch", "default.toml").read_text(encoding="utf-8")
