"""The original page with its blocks marked."""

from __future__ import annotations

import html5lib
import pytest

from blockfeat.data import demo_pages
from blockfeat.extraction.extractor import extractor_of
from blockfeat.page.page import Page
from blockfeat.web.safe.page import coloured_page, extraction_and_coloured_page
from script_vectors import page_with

_BLOCK = "{http://www.w3.org/1999/xhtml}bf-block"


def _marked(document: str) -> dict[int, tuple[str, set[str]]]:
    """Return text and verdicts of each block, by its number."""
    found: dict[int, tuple[str, set[str]]] = {}
    for element in html5lib.parse(document, treebuilder="etree").iter(_BLOCK):
        text, verdicts = found.get(int(element.get("data-block")), ("", set()))
        found[int(element.get("data-block"))] = (
            text + "".join(element.itertext()),
            verdicts | {element.get("data-verdict")},
        )
    return found


@pytest.mark.parametrize("model", ["default", "ziegler2007", "web2text", "longest-block"])
@pytest.mark.parametrize("number", [0, 26])
def test_every_block_is_marked_with_its_text_and_verdict(model: str, number: int) -> None:
    page = demo_pages()[number]
    extraction, document = extraction_and_coloured_page(page.html, extractor_of(model), url=page.url)
    marked = _marked(document)
    assert len(marked) == len(extraction.blocks) > 0
    for block in extraction.blocks:
        text, verdicts = marked[block.index]
        assert "".join(text.split()) == "".join(block.text.split())
        expected = "kept" if block.kept else "beside" if block.part in ("headline", "byline") else "dropped"
        assert verdicts == {expected}


def test_text_outside_of_blocks_is_not_marked() -> None:
    html = page_with("<button>Menu</button><select><option>One</select><p>Text of the <b>block</b>.</p>")
    extraction, document = extraction_and_coloured_page(html, extractor_of("default"))
    marked = _marked(document)
    assert ">Menu<" in document
    assert not any("Menu" in text or "One" in text for text, _ in marked.values())
    assert "Text of the block." in {text for text, _ in marked.values()}
    assert len(marked) == len(extraction.blocks)


def test_text_that_stands_in_noscript_only_is_shown() -> None:
    paragraph = "<p>The ferry leaves at nine in the morning and comes back before dark, as people had asked.</p>"
    html = f"<title>T</title><body><div id=app></div><noscript>{paragraph * 12}</noscript>"
    extraction, document = extraction_and_coloured_page(html, extractor_of("default"))
    assert len(_marked(document)) == len(extraction.blocks) == 12


def test_verdicts_and_marks_of_ones_own() -> None:
    html = page_with()
    extraction = extractor_of("default").extract(html)
    assert extraction.analysis is not None
    blocks = extraction.analysis.measured.blocks
    verdicts = ["content" if block.kept else "clutter" for block in extraction.blocks]
    document = coloured_page(
        Page.parse(html), blocks, verdicts, attributes={0: ' data-suggested="x"'}, style_sheet="bf-block{color:red}"
    )
    assert {verdict for _, some in _marked(document).values() for verdict in some} == {"content", "clutter"}
    assert document.count('data-suggested="x"') == document.count('data-block="0"') > 0
    assert "<style>bf-block{color:red}</style>" in document


def test_a_page_without_blocks() -> None:
    extraction, document = extraction_and_coloured_page("<html></html>", extractor_of("default"))
    assert extraction.blocks == ()
    assert _marked(document) == {}
