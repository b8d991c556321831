"""Rendered pages: their text, their records, and how they are read from a snapshot of the browser."""

from __future__ import annotations

from typing import Any

import pytest

from blockfeat.errors import CorpusError
from experiments.vips.layout import Rectangle, RenderedPage
from experiments.vips.snapshot import STYLES, page_of_snapshot
from laid_out import Box, page, paragraph, text


def test_elements_that_start_a_line_part_the_text_and_inline_ones_do_not() -> None:
    bold = Box("b", (0, 0, 9, 9), [text((0, 0, 9, 9), "W")])
    first = Box("p", (0, 0, 99, 9), [bold, text((9, 0, 9, 9), "ord and ")])
    rendered = page(Box("body", (0, 0, 99, 99), [first, paragraph((0, 9, 99, 9), "next"), Box("br", (0, 0, 0, 9))]))
    assert rendered.text(0) == "Word and \nnext"
    assert rendered.text(1) == "Word and"


def test_hidden_texts_are_left_out() -> None:
    hidden = Box("#text", (0, 0, 9, 9), text="secret", visible=False)
    assert page(Box("body", (0, 0, 99, 99), [hidden, text((0, 0, 9, 9), "seen")])).text(0) == "seen"


def test_a_record_reads_back_as_the_same_page() -> None:
    rendered = page(Box("body", (0, 0, 99, 99), [paragraph((0, 0, 99, 9))]), linked_styles=2)
    assert RenderedPage.of_record(rendered.to_record()) == rendered
    failed = RenderedPage("test", "bad", "digest", error="took more than 1 s")
    assert RenderedPage.of_record(failed.to_record()) == failed


def test_damaged_records_are_refused() -> None:
    record = page(Box("body", (0, 0, 99, 99), [paragraph((0, 0, 99, 9))])).to_record()
    with pytest.raises(CorpusError, match="no record"):
        RenderedPage.of_record({"id": "x"})
    record["nodes"]["parent"] = [0, 1, 2]
    with pytest.raises(CorpusError, match="stands before"):
        RenderedPage.of_record(record)


def test_a_rectangle_around_none_is_empty() -> None:
    assert Rectangle.around([]).area == 0
    assert Rectangle.around([Rectangle(0, 0, 1, 1), Rectangle(5, 5, 5, 5)]) == Rectangle(0, 0, 10, 10)


class Snapshot:
    """Builds the answer of ``DOMSnapshot.captureSnapshot``."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self.nodes: dict[str, list[Any]] = {
            key: [] for key in ("parentIndex", "nodeType", "nodeName", "nodeValue", "attributes")
        }
        self.layout: dict[str, list[Any]] = {"nodeIndex": [], "styles": [], "bounds": []}

    def string(self, value: str) -> int:
        self.strings.append(value)
        return len(self.strings) - 1

    def add(
        self,
        parent: int,
        name: str,
        *,
        value: str = "",
        box: tuple[float, float, float, float] | None = (0, 0, 100, 20),
        attributes: tuple[str, ...] = (),
        **styles: str,
    ) -> int:
        index = len(self.nodes["nodeName"])
        self.nodes["parentIndex"].append(parent)
        self.nodes["nodeType"].append({"#document": 9, "#text": 3}.get(name, 1))
        self.nodes["nodeName"].append(self.string(name))
        self.nodes["nodeValue"].append(self.string(value) if value else -1)
        self.nodes["attributes"].append([self.string(one) for one in attributes])
        if box is not None and name != "#document":
            default = dict(
                zip(
                    STYLES,
                    ("block", "visible", "1", "visible", "visible", "16px", "400", "rgba(0, 0, 0, 0)"),
                    strict=True,
                )
            )
            found = default | {key.replace("_", "-"): value for key, value in styles.items()}
            self.layout["nodeIndex"].append(index)
            self.layout["styles"].append([self.string(one) for one in found.values()])
            self.layout["bounds"].append(list(box))
        return index

    def page(self) -> RenderedPage:
        document = {"nodes": self.nodes, "layout": self.layout, "contentWidth": 1280, "contentHeight": 900}
        return page_of_snapshot({"documents": [document], "strings": self.strings}, corpus="c", id="1", digest="d")


def snapshot() -> tuple[Snapshot, int]:
    found = Snapshot()
    document = found.add(-1, "#document")
    return found, found.add(found.add(document, "HTML"), "BODY", background_color="rgb(1, 2, 3)")


def test_styles_pass_to_the_texts_inside() -> None:
    found, body = snapshot()
    inner = found.add(body, "H1", font_size="32px", font_weight="700")
    found.add(inner, "#text", value="Head\n  line")
    html, outer, heading, words = found.page().nodes
    assert (html.tag, outer.tag, heading.tag) == ("html", "body", "h1")
    assert (words.text, words.font_size, words.font_weight, words.background) == (
        "Head line",
        32.0,
        700,
        "rgb(1, 2, 3)",
    )
    assert (words.parent, heading.parent, outer.parent, html.parent) == (2, 1, 0, -1)
    assert html.background == "rgb(255, 255, 255)"


def test_space_between_inline_elements_is_kept() -> None:
    found, body = snapshot()
    for value in ("one", "\n", "two"):
        found.add(body, "#text", value=value)
    assert [node.text for node in found.page().nodes if node.is_text] == ["one", " two"]


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
    found, body = snapshot()
    element = found.add(body, "DIV", **outer)
    box = inner.pop("box", (0, 0, 100, 20))
    found.add(found.add(element, "P", box=box, **inner), "#text", value="hidden", box=box, **inner)
    found.add(body, "#text", value="seen")
    rendered = found.page()
    assert rendered.text(0) == "seen"
    assert [node.text for node in rendered.nodes if node.is_text] == ["hidden", "seen"]


def test_scripts_and_form_fields_have_no_text() -> None:
    found, body = snapshot()
    for tag in ("SCRIPT", "STYLE", "TEXTAREA", "SELECT"):
        found.add(found.add(body, tag), "#text", value="code")
    assert not any(node.is_text for node in found.page().nodes)


def test_style_sheets_are_counted() -> None:
    found, body = snapshot()
    found.add(body, "LINK", attributes=("rel", "Stylesheet", "href", "/a.css"), box=None)
    found.add(body, "LINK", attributes=("rel", "icon"), box=None)
    found.add(body, "STYLE", box=None)
    rendered = found.page()
    assert (rendered.linked_styles, rendered.own_styles) == (1, 1)
