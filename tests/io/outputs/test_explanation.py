"""The explanation page and the rows of the explanation table."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from blockfeat.io.outputs.explanation import explanation_page, explanation_table
from extraction_stand_in import block, extraction

KEPT = block("A river came back.", index=1, score=1.25, features={"anchor_ratio": 0.02}, reason="Kept: all within.")
DROPPED = block(
    "Home News",
    **{"index": 0, "kept": False, "score": -0.5, "failed": ("anchor_ratio",), "kind": "list_item", "level": 1},
    features={"anchor_ratio": 0.93, "sentences": 0.0},
    reason="Dropped: 9 of 10 words are links (at most 3 of 10).",
    xpath="/html/body/ul/li",
)


_root = html.document_fromstring


def test_blocks_stand_in_order_with_verdict_reason_score_and_place() -> None:
    sections = _root(explanation_page(extraction(DROPPED, KEPT))).findall(".//section")
    assert [section.get("class") for section in sections] == ["block dropped", "block kept"]
    dropped, kept = (str(section.text_content()) for section in sections)
    for shown in ("Home News", DROPPED.reason, "-0.500", "/html/body/ul/li", "list item 1"):
        assert shown in dropped
    for shown in ("A river came back.", "Kept: all within.", "+1.250"):
        assert shown in kept


def test_runs_of_dropped_blocks_are_folded_and_what_stands_beside_the_text_is_not() -> None:
    menu = [block(f"Item {number}", index=number, kept=False, part="menu") for number in range(3)]
    headline = block("A river came back", index=3, kept=False, part="headline")
    root = _root(explanation_page(extraction(*menu, headline, KEPT)))
    (run,) = root.findall(".//main/details")
    assert run.get("open") is None
    assert "3 blocks dropped" in run.findtext("summary/span", "")
    assert "menu 3" in str(run.find("summary").text_content())
    assert len(run.findall("section")) == 3
    assert [section.get("class") for section in root.findall(".//main/section")] == ["block beside", "block kept"]


def test_failed_features_are_marked_and_contributions_take_the_place_of_marks() -> None:
    (section,) = _root(explanation_page(extraction(DROPPED))).findall(".//section")
    rows = [(row.get("class"), str(row.text_content())) for row in section.iter("tr")]
    assert rows == [("failed", "anchor ratio0.93✗ failed"), (None, "sentences0✓")]
    moved = block("Text", features={"a": 1.0, "b": 2.0}, contributions={"a": 0.5, "b": -3.25})
    page = explanation_page(extraction(moved))
    assert page.index("-3.25") < page.index("+0.50")
    assert "The 2 features of 2 that moved the score most" in page


def test_the_header_counts() -> None:
    page = explanation_page(extraction(DROPPED, KEPT, warnings=("tree cut",), error="late"))
    header = str(_root(page).find(".//header").text_content())
    for shown in ("A title", "https://a.example/page", "1 of 2", "4 of 6 (67%)", "default", "tree cut", "late"):
        assert shown in header


def test_the_page_is_self_contained_and_needs_no_script_nor_blocks_and_shows_odd_numbers() -> None:
    page = explanation_page(extraction(DROPPED, KEPT))
    root = _root(page)
    assert not list(root.iter("script", "link", "img", "iframe", "object"))
    assert not re.search(r"url\(|@import", page)
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page
    assert "0 of 0" in explanation_page(extraction(title=None, url=None, lang=None, id=None, encoding=None))
    odd = block("x", score=math.nan, features={"a": math.inf, "b": math.nan}, failed=("gone",))
    assert "not known" in explanation_page(extraction(odd))


@given(st.text(max_size=30))
def test_everything_is_escaped(text: str) -> None:
    hostile = f"{text}</style></title><script>alert(1)</script><img src=x onerror=y>\"'"
    item = block(hostile, reason=hostile, xpath=hostile, kind=hostile, features={hostile: 1.0}, failed=(hostile,))
    values = dict.fromkeys(("title", "url", "id", "lang", "model", "error", "status", "encoding"), hostile)
    root = _root(explanation_page(extraction(item, warnings=(hostile,), **values)))
    assert not list(root.iter("script", "img"))
    assert not [element for element in root.iter() if any(name.startswith("on") for name in element.attrib)]


def test_rows_of_the_table() -> None:
    first, second = explanation_table(extraction(DROPPED, KEPT))
    assert (first["index"], first["kept"], first["failed"]) == (0, False, ["anchor_ratio"])
    assert second == {
        **{"index": 1, "kept": True, "role": "body", "score": 1.25, "words": 4, "kind": "paragraph"},
        **{"text": "A river came back.", "features": {"anchor_ratio": 0.02}, "failed": []},
        **{"reason": "Kept: all within.", "xpath": "/html/body/p"},
    }
