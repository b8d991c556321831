"""From the DevTools protocol's snapshot of a document (``DOMSnapshot.captureSnapshot``) to a rendered page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from experiments.vips.layout import TEXT, LaidOutNode, Rectangle, RenderedPage

__all__ = ["STYLES", "page_of_snapshot"]

STYLES = (
    "display",
    "visibility",
    "opacity",
    "overflow-x",
    "overflow-y",
    "font-size",
    "font-weight",
    "background-color",
)
"""Computed styles that are asked for, in the order of the values of each node."""
_ELEMENT, _TEXT_NODE = 1, 3
_NO_TEXT = frozenset({"script", "style", "template", "title", "iframe", "noframes", "textarea", "select", "option"})
_SPACES = re.compile(r"\s+")
_TRANSPARENT = re.compile(r"transparent|rgba\(.*,\s*0\)")
_NOWHERE = Rectangle(0, 0, 0, 0)
_CLIPS = frozenset({"hidden", "clip", "scroll", "auto"})
_SMALLEST = 1.0  # pixels: texts for screen readers stand in boxes of one pixel


@dataclass(frozen=True)
class _Surroundings:
    """What a node has from the elements around it.

    ``place`` is the index of the nearest element that was laid out, ``hidden`` whether one hides all inside.
    """

    place: int = -1
    hidden: bool = False
    no_text: bool = False
    display: str = "block"
    font_size: float = 16.0
    font_weight: int = 400
    background: str = "rgb(255, 255, 255)"


def page_of_snapshot(snapshot: Mapping[str, Any], *, corpus: str, id: str, digest: str) -> RenderedPage:
    """Return the main document of a snapshot as a rendered page; frames in it are left out.

    Parameters
    ----------
    snapshot : mapping
        The answer of ``DOMSnapshot.captureSnapshot`` with the computed styles `STYLES`.
    corpus, id, digest : str
        Which page it is.
    """
    document, strings = snapshot["documents"][0], snapshot["strings"]
    table, layout = document["nodes"], document["layout"]
    places: dict[int, int] = {}
    for place, index in enumerate(layout["nodeIndex"]):
        places.setdefault(index, place)
    pseudo = frozenset(table.get("pseudoType", {}).get("index", ()))
    nodes: list[LaidOutNode] = []
    around: list[_Surroundings] = []
    space = ""
    for index, (parent, kind, name) in enumerate(
        zip(table["parentIndex"], table["nodeType"], table["nodeName"], strict=True)
    ):
        outer = around[parent] if parent >= 0 else _Surroundings()
        row = places.get(index)
        found = _Reader(strings, layout, outer, row)
        if index in pseudo:
            outer = replace(outer, no_text=True)
        elif kind == _ELEMENT:
            outer = found.element(_string(strings, name).lower(), nodes)
        elif kind == _TEXT_NODE and not outer.no_text:
            text = _SPACES.sub(" ", _string(strings, table["nodeValue"][index]))
            if text.strip():
                found.text(text if text.startswith(space) else space + text, nodes)
            space = " " if text == " " else ""
        around.append(outer)
    linked, own = _style_sheets(table, strings)
    return RenderedPage(
        corpus,
        id,
        digest,
        tuple(nodes),
        float(document.get("contentWidth", 0)),
        float(document.get("contentHeight", 0)),
        linked,
        own,
    )


@dataclass(frozen=True)
class _Reader:
    """Reads one node: ``row`` is its row in the table of the layout, None where it has no place."""

    strings: Sequence[str]
    layout: Mapping[str, Any]
    outer: _Surroundings
    row: int | None

    def element(self, tag: str, nodes: list[LaidOutNode]) -> _Surroundings:
        """Add an element that has a place; return what the nodes inside have from it."""
        outer = replace(self.outer, no_text=self.outer.no_text or tag in _NO_TEXT)
        if self.row is None:  # not shown, and then nothing inside has a place, or without a box of its own
            return outer
        display, visibility, opacity, *overflow, size, weight, colour = self._styles()
        box = self._box()
        background = outer.background if _TRANSPARENT.match(colour) else colour
        # A box without extent, or of a pixel, hides what does not fit only if it cuts it off.
        is_cut = any(
            way in _CLIPS and extent <= _SMALLEST for way, extent in zip(overflow, (box.width, box.height), strict=True)
        )
        hidden = outer.hidden or is_cut or float(opacity) == 0
        inner = _Surroundings(len(nodes), hidden, outer.no_text, display, _pixels(size), int(float(weight)), background)
        visible = not hidden and visibility == "visible" and _is_on_page(box)
        nodes.append(_node(self.outer.place, tag, box, visible, inner))
        return inner

    def text(self, text: str, nodes: list[LaidOutNode]) -> None:
        """Add a text."""
        box, visible = _NOWHERE, False
        if self.row is not None:
            box = self._box()
            visibility = self._styles()[1]  # the protocol gives a text the styles of the element around it
            visible = not self.outer.hidden and visibility == "visible" and _is_on_page(box)
        nodes.append(_node(self.outer.place, TEXT, box, visible, self.outer, text))

    def _styles(self) -> list[str]:
        return [_string(self.strings, number) for number in self.layout["styles"][self.row]]

    def _box(self) -> Rectangle:
        return Rectangle(*(round(float(value), 1) for value in self.layout["bounds"][self.row]))


def _node(parent: int, tag: str, box: Rectangle, visible: bool, style: _Surroundings, text: str = "") -> LaidOutNode:
    return LaidOutNode(
        parent, tag, box, visible, style.display, style.font_size, style.font_weight, style.background, text
    )


def _is_on_page(box: Rectangle) -> bool:
    return box.width > 0 and box.height > 0 and box.right > 0 and box.bottom > 0


def _string(strings: Sequence[str], number: int) -> str:
    return strings[number] if number >= 0 else ""


def _pixels(value: str) -> float:
    return round(float(value.removesuffix("px")), 2)


def _style_sheets(table: Mapping[str, Any], strings: Sequence[str]) -> tuple[int, int]:
    """Return the number of style sheets that a page links, and of those that it has itself."""
    linked = own = 0
    for name, pairs in zip(table["nodeName"], table["attributes"], strict=True):
        tag = _string(strings, name)
        if tag == "STYLE":
            own += 1
        elif tag == "LINK":
            values = [_string(strings, number).lower() for number in pairs]
            attributes = dict(zip(values[::2], values[1::2], strict=True))
            linked += "stylesheet" in attributes.get("rel", "").split()
    return linked, own
