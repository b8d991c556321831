"""Rendered pages: their text, their records, and how they are read from a snapshot of the browser."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from blockfeat.errors import CorpusError
from experiments.vips.layout import RenderedPage
from experiments.vips.snapshot import STYLES, page_of_snapshot
from laid_out import Box, page, paragraph, text

BOX = (0, 0, 100, 20)
USUAL = dict(
    zip(STYLES, ("block", "visible", "1", "visible", "visible", "16px", "400", "rgba(0, 0, 0, 0)"), strict=True)
)


def test_elements_that_start_a_line_part_the_text_and_inline_ones_do_not() -> None:
    bold = Box("b", (0, 0, 9, 9), [text((0, 0, 9, 9), "W")])
    first = Box("p", (0, 0, 99, 9), [bold, text((9, 0, 9, 9), "ord and ")])
    rendered = page(Box("body", (0, 0, 99, 99), [first, paragraph((0, 9, 99, 9), "next"), Box("br", (0, 0, 0, 9))]))
    assert rendered.text(0) == "Word and \nnext"
    assert rendered.text(1) == "Word and"


def test_damaged_records_are_refused() -> None:
    record = page(Box("body", (0, 0, 99, 99), [paragraph((0, 0, 99, 9))])).to_record()
    record["nodes"]["parent"] = [0, 1, 2]
    for damaged, match in (({"id": "x"}, "no record"), (record, "stands before")):
        with pytest.raises(CorpusError, match=match):
            RenderedPage.of_record(damaged)


class Snapshot:
    """Builds the answer of ``DOMSnapshot.captureSnapshot``."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self.nodes: dict[str, list[Any]] = defaultdict(list)
        self.layout: dict[str, list[Any]] = defaultdict(list)
        self.body = self.add(self.add(self.add(-1, "#document"), "HTML"), "BODY", background_color="rgb(1, 2, 3)")

    def strings_of(self, *values: str) -> list[int]:
        self.strings.extend(values)
        return list(range(len(self.strings) - len(values), len(self.strings)))

    def add(
        self, parent: int, name: str, value: str = "", *, box: Any = BOX, attributes: Any = (), **styles: str
    ) -> int:
        index = len(self.nodes["nodeName"])
        kind = {"#document": 9, "#text": 3}.get(name, 1)
        place, value_place = self.strings_of(name, value)
        entry = (parent, kind, place, value_place, self.strings_of(*attributes))
        for key, part in zip(("parentIndex", "nodeType", "nodeName", "nodeValue", "attributes"), entry, strict=True):
            self.nodes[key].append(part)
        if box is not None and name != "#document":
            found = USUAL | {key.replace("_", "-"): part for key, part in styles.items()}
            self.layout["nodeIndex"].append(index)
            self.layout["styles"].append(self.strings_of(*found.values()))
            self.layout["bounds"].append(list(box))
        return index

    def page(self) -> RenderedPage:
        document = {"nodes": self.nodes, "layout": self.layout, "contentWidth": 1280, "contentHeight": 900}
        return page_of_snapshot({"documents": [document], "strings": self.strings}, corpus="c", id="1", digest="d")


def test_styles_pass_to_the_texts_inside() -> None:
    found = Snapshot()
    found.add(found.add(found.body, "H1", font_size="32px", font_weight="700"), "#text", "Head\n  line")
    html, outer, heading, words = found.page().nodes
    assert (html.tag, outer.tag, heading.tag) == ("html", "body", "h1")
    assert (words.text, words.font_size, words.font_weight) == ("Head line", 32.0, 700)
    assert (words.background, html.background) == ("rgb(1, 2, 3)", "rgb(255, 255, 255)")
    assert (words.parent, heading.parent, outer.parent, html.parent) == (2, 1, 0, -1)


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ({"opacity": "0"}, {}),
        ({"box": (0, 0, 1, 1), "overflow_x": "hidden", "overflow_y": "hidden"}, {}),
        ({}, {"visibility": "hidden"}),
        ({}, {"box": (-9999, 0, 100, 20)}),
        ({}, {"box": None}),
    ],
)
def test_what_hides_a_text(outer: dict[str, Any], inner: dict[str, Any]) -> None:
    found = Snapshot()
    element = found.add(found.body, "DIV", **outer)
    box = inner.pop("box", (0, 0, 100, 20))
    found.add(found.add(element, "P", box=box, **inner), "#text", "hidden", box=box, **inner)
    found.add(found.body, "#text", "seen")
    rendered = found.page()
    assert rendered.text(0) == "seen"
    assert [node.text for node in rendered.nodes if node.is_text] == ["hidden", "seen"]


def test_scripts_and_form_fields_have_no_text_and_style_sheets_are_counted() -> None:
    found = Snapshot()
    for tag in ("SCRIPT", "STYLE", "TEXTAREA", "SELECT"):
        found.add(found.add(found.body, tag), "#text", "code")
    found.add(found.body, "LINK", attributes=("rel", "Stylesheet", "href", "/a.css"), box=None)
    found.add(found.body, "LINK", attributes=("rel", "icon"), box=None)
    rendered = found.page()
    assert not any(node.is_text for node in rendered.nodes)
    assert (rendered.linked_styles, rendered.own_styles) == (1, 1)
