"""The filters of Crunch: attributes, scripts (the first phase of 4.2); elements by name or address; links, tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from blockfeat.papers.crunch.decision import Decision, Held, HostList, Walked, letters
from blockfeat.papers.crunch.settings import EmptyTables, Filters, LinkLists

_CELLS = frozenset({"td", "th"})
_WITHOUT_TEXT = frozenset({"script", "style", "template", "title"})
_NAMED: dict[str, frozenset[str]] = {"noscript": frozenset({"noscript"}), "meta": frozenset({"meta"})}
_NAMED |= {f"{name}s": frozenset({name}) for name in ("script", "style", "form", "button")}
_NAMED |= {"inputs": frozenset({"input", "textarea"}), "selects": frozenset({"datalist", "select"})}
_NAMED |= {"frames": frozenset({"frame", "frameset", "iframe", "noframes"})}
_NAMED |= {"embeds": frozenset({"applet", "audio", "bgsound", "embed", "object", "video"})}
_IMAGES = frozenset({"img", "map", "picture", "svg"})
# Elements other than images that keep a link without text from being removed with its images.
_REST = frozenset({"audio", "button", "canvas", "embed", "iframe", "input", "object", "select", "textarea", "video"})
_FIXED = frozenset({"body", "head", "html"})
_REFERENCES = ("src", "href", "data")
_TABLE_PARTS = frozenset({"col", "colgroup", "td", "th"})
_ADDRESSES = frozenset({"action", "background", "data", "formaction", "href", "src", "xlink:href"})
_LISTS_OF_ADDRESSES = frozenset({"imagesrcset", "ping", "srcset"})
# Characters that browsers ignore at the beginning of an address and inside its scheme.
_IGNORED = re.compile(r"[\x00-\x20\x7f-\x9f\u200b\ufeff]+")
_NAME = re.compile(r"[A-Za-z_][\w:.-]*", re.ASCII)
_SCRIPT_SCHEMES = ("javascript:", "vbscript:", "livescript:")
# Data URLs that open as documents of their own, which may run scripts; in an image they do not.
_ACTIVE_DATA = re.compile(r"data:[^,]*(?:html|svg|xml)")


@dataclass(frozen=True, eq=False)
class Counts:
    """Numbers of what remains in each element: links, letters outside of links, all letters, elements of substance."""

    links: list[int]
    unlinked: list[int]
    letters: list[int]
    substance: list[int]

    def add(self, parent: int, index: int) -> None:
        """Add the counts of an element to those of its parent."""
        for column in (self.links, self.unlinked, self.letters, self.substance):
            column[parent] += column[index]

    def held(self, index: int) -> Held:
        """Return the counts of an element as `Held`."""
        return Held(self.links[index], self.unlinked[index], self.letters[index])

    def clear(self, index: int) -> None:
        """Set the counts of an element to 0."""
        for column in (self.links, self.unlinked, self.letters, self.substance):
            column[index] = 0


def decide_second_set(decision: Decision, lists: LinkLists, tables: EmptyTables) -> None:
    """Mark lists of links and empty tables for removal; linear in the tree, even where tables are nested.

    First, table cells are checked from the top down (4.2). Then tables, cells and containers are checked from the
    bottom up, by what remains in them, so that a second call would remove nothing more.

    Parameters
    ----------
    decision : Decision
        The decision of the first set of filters, which is extended in place.
    lists : LinkLists
        Settings that define a list of links.
    tables : EmptyTables
        Settings that define an empty table.
    """
    looks_at_lists = lists.remove and not _is_portal(decision, lists)
    cells = _CELLS if looks_at_lists and lists.cells else frozenset()
    containers = cells | (frozenset(lists.containers) if looks_at_lists else frozenset())
    if not cells.isdisjoint(decision.walked.names):
        _empty_cells(decision, lists, cells)
    counts, own = own_counts(decision, tables), decision.gone()
    walked = decision.walked
    for index in range(len(walked) - 1, -1, -1):
        if own[index]:
            continue
        name = walked.names[index]
        if name in containers or name == "table":
            held = counts.held(index)
            decision.held.setdefault(index, held)
        if name in containers and _is_link_list(held, lists, is_cell=name in _CELLS):
            (decision.removed if lists.remove_container else decision.emptied)[index] = 1
            counts.clear(index)
        elif (
            name == "table" and tables.remove and not counts.substance[index] and held.letters < tables.least_characters
        ):
            decision.removed[index] = 1
            counts.clear(index)
        if index and not decision.removed[index]:
            counts.substance[index] += name in tables.substance
            counts.add(walked.parent[index], index)


def _is_portal(decision: Decision, lists: LinkLists) -> bool:
    """Return whether the share of a page's remaining letters that are in links is above ``lists.most_linked``."""
    if lists.most_linked >= 1:
        return False
    counts = own_counts(decision, EmptyTables())
    whole = sum(counts.letters)
    return whole > 0 and 1 - sum(counts.unlinked) / whole > lists.most_linked


def _empty_cells(decision: Decision, lists: LinkLists, cells: frozenset[str]) -> None:
    """Mark table cells that are lists of links for removal, from the top down."""
    walked, gone = decision.walked, decision.gone()
    counts = own_counts(decision, EmptyTables())
    for index in range(len(walked) - 1, 0, -1):
        if not gone[index]:
            counts.add(walked.parent[index], index)
    index = 0
    while index < len(walked):
        if gone[index]:
            index = walked.end[index]
        elif walked.names[index] in cells and _is_link_list(held := counts.held(index), lists, is_cell=True):
            decision.held[index] = held
            (decision.removed if lists.remove_container else decision.emptied)[index] = 1
            index = walked.end[index]
        else:
            index += 1


def own_counts(decision: Decision, tables: EmptyTables) -> Counts:
    """Return the counts of each element itself, without those inside it: of its own text and links."""
    walked, gone, around = decision.walked, decision.gone(), decision.walked.links_around()
    counts = Counts(*([0] * len(walked) for _ in range(4)))
    for index, element in enumerate(walked.elements):
        parent = walked.parent[index]
        if not gone[index] and not decision.emptied[index]:
            _add_letters(counts, index, 0 if walked.names[index] in _WITHOUT_TEXT else letters(element.text), around)
            counts.links[index] += around[index] == index
        if parent >= 0 and not gone[parent] and not decision.emptied[parent]:
            _add_letters(counts, parent, letters(element.tail) + letters(decision.shown.get(index)), around)
    return counts


def _add_letters(counts: Counts, index: int, number: int, around: list[int]) -> None:
    counts.letters[index] += number
    if around[index] < 0:
        counts.unlinked[index] += number


def _is_link_list(held: Held, lists: LinkLists, *, is_cell: bool) -> bool:
    ratio = lists.ratio if is_cell else lists.container_ratio
    return held.links >= lists.least_links and held.links > ratio * held.unlinked / lists.letters_per_word


def decide_first_set(decision: Decision, filters: Filters, hosts: HostList | None) -> None:
    """Mark elements for removal by the first set of filters, from the top down; what is inside these is skipped.

    Parameters
    ----------
    decision : Decision
        The decision so far, which is extended in place.
    filters : Filters
        Which filters are on.
    hosts : HostList or None
        Hosts of advertisements; None keeps advertisements.
    """
    walked = decision.walked
    names = frozenset().union(*(chosen for filter, chosen in _NAMED.items() if getattr(filters, filter)))
    around = walked.links_around()
    holds_image = bytearray(len(walked))
    index = 0
    while index < len(walked):
        name = walked.names[index]
        if name in _FIXED:
            index += 1
            continue
        element = walked.elements[index]
        if hosts and any(hosts.lists(address) for name in _REFERENCES if (address := element.get(name))):
            decision.removed[index] = decision.is_advertisement[index] = 1
        elif name in names or (filters.styles and name == "link" and _is_style_sheet(element)):
            decision.removed[index] = 1
        elif name in _IMAGES:
            link = around[index]
            if link >= 0:
                holds_image[link] = 1
            _decide_image(decision, index, filters, is_link=link >= 0)
        index = walked.end[index] if decision.removed[index] else index + 1
    _decide_links(decision, filters, holds_image, around)


def _is_style_sheet(element: etree._Element) -> bool:
    return "stylesheet" in (element.get("rel") or "").lower().split() or (element.get("as") or "").lower() == "style"


def _decide_image(decision: Decision, index: int, filters: Filters, *, is_link: bool) -> None:
    """Mark an image for removal, and record the text that is shown in its place."""
    removes, shows = (filters.image_links, filters.image_links_alt) if is_link else (filters.images, filters.images_alt)
    if not removes:
        return
    decision.removed[index] = 1
    if shows:
        inside = decision.walked.elements[index : decision.walked.end[index]]
        texts = (element.get("alt") or "" for element in inside)
        if text := " ".join(" ".join(texts).split()):
            decision.shown[index] = text


def _decide_links(decision: Decision, filters: Filters, holds_image: bytearray, around: list[int]) -> None:
    """Mark for removal links with text, and links that contain nothing but removed images."""
    walked, gone = decision.walked, decision.gone()
    length, has_rest = [0] * len(walked), bytearray(len(walked))
    for index, element in enumerate(walked.elements):
        inside, outside = around[index], around[walked.parent[index]] if index else -1
        if not gone[index] and inside >= 0:
            length[inside] += letters(element.text)
            has_rest[inside] |= index != inside and walked.names[index] in _REST
        parent = walked.parent[index]
        if outside >= 0 and not gone[parent]:
            length[outside] += letters(element.tail) + letters(decision.shown.get(index))
    for index in range(len(walked)):
        if gone[index] or around[index] != index:
            continue
        if length[index]:
            decision.removed[index] |= filters.text_links
        elif holds_image[index] and filters.image_links and not has_rest[index]:
            decision.removed[index] = 1


def edit_elements(walked: Walked, filters: Filters) -> None:
    """Remove style attributes, widths of cells, event handlers and script addresses, and show noscripts, in place."""
    for index, element in enumerate(walked.elements):
        name = walked.names[index]
        if filters.scripts and name == "noscript" and not filters.noscript and (len(element) or element.text):
            # Where scripts are removed its content must be visible, even in a browser that runs scripts.
            element.tag = walked.names[index] = "span"
        attributes = [(str(key), str(value)) for key, value in element.attrib.items()]
        if any(not _NAME.fullmatch(key) for key, _ in attributes):
            # lxml can neither read nor remove attributes of such names one by one.
            attributes = [(key, value) for key, value in attributes if _NAME.fullmatch(key)]
            element.attrib.clear()
            element.attrib.update(attributes)
        for attribute, value in attributes:
            lower = attribute.lower()
            if (
                (lower == "style" and filters.style_attributes)
                or (lower == "width" and filters.table_cell_widths and name in _TABLE_PARTS)
                or (filters.scripts and _is_script(name, lower, value))
            ):
                del element.attrib[attribute]


def _is_script(name: str, attribute: str, value: str) -> bool:
    if attribute.startswith("on"):
        return True
    if attribute in _LISTS_OF_ADDRESSES:
        return any(scheme in _IGNORED.sub("", value).lower() for scheme in _SCRIPT_SCHEMES)
    if attribute not in _ADDRESSES:
        return False
    address = _IGNORED.sub("", value[:200]).lower()
    return address.startswith(_SCRIPT_SCHEMES) or (name != "img" and _ACTIVE_DATA.match(address) is not None)
