"""The filters that edit elements and delete none (the first phase of 4.2)."""

from __future__ import annotations

import re

from lxml import etree

from blockfeat.papers.crunch.settings import Filters
from blockfeat.papers.crunch.walked import Walked

_CELLS = frozenset({"col", "colgroup", "td", "th"})
_ADDRESSES = frozenset({"action", "background", "data", "formaction", "href", "src", "xlink:href"})
# What a browser passes over at the beginning of an address, and inside of its scheme.
_IGNORED = re.compile(r"[\x00-\x20\x7f-\x9f\u200b\ufeff]+")
_NAME = re.compile(r"[A-Za-z_][\w:.-]*", re.ASCII)
_SCRIPT_SCHEMES = ("javascript:", "vbscript:", "livescript:")


def edit_elements(walked: Walked, filters: Filters) -> None:
    """Change elements in place: style attributes, widths of cells, event handlers, script addresses, noscript."""
    for index, element in enumerate(walked.elements):
        name = walked.names[index]
        if filters.scripts and name == "noscript" and not filters.noscript and (len(element) or element.text):
            # Without scripts its content is to be seen, also where the browser runs scripts.
            element.tag = walked.names[index] = "span"
        if any(not _NAME.fullmatch(str(key)) for key in element.attrib):
            _drop_odd_names(element)
        for attribute, value in [(str(key), str(value)) for key, value in element.attrib.items()]:
            lower = attribute.lower()
            if (
                (lower == "style" and filters.style_attributes)
                or (lower == "width" and filters.table_cell_widths and name in _CELLS)
                or (filters.scripts and _is_script(lower, value))
            ):
                del element.attrib[attribute]


def _drop_odd_names(element: etree._Element) -> None:
    """Leave only attributes with names: lxml can neither read nor remove the others one by one."""
    named = [(str(key), str(value)) for key, value in element.attrib.items() if _NAME.fullmatch(str(key))]
    element.attrib.clear()
    for key, value in named:
        element.set(key, value)


def _is_script(attribute: str, value: str) -> bool:
    if attribute.startswith("on"):
        return True
    return attribute in _ADDRESSES and _IGNORED.sub("", value[:200]).lower().startswith(_SCRIPT_SCHEMES)
