"""TEI XML."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from blockfeat.blocks.block import Link
from blockfeat.output.characters import xml_characters
from blockfeat.output.xml import TEI_NAMESPACE, to_xml
from extraction_stand_in import block, extraction

ANY_CHARACTER = st.characters() | st.characters(categories=["Cc", "Cs"]) | st.sampled_from("\ufffe\uffff&<>")
# Not st.text: it would draw from all the characters together, and odd ones hardly ever.
ANY_TEXT = st.lists(ANY_CHARACTER, max_size=30).map("".join)
KINDS = ["paragraph", "heading", "list_item", "quote", "preformatted", "caption", "table_cell"]


def _root(markup: str) -> etree._Element:
    return etree.fromstring(markup.encode())


def _tags(element: etree._Element) -> list[object]:
    """Return the tree of tags: a name, or a name with its children."""
    name = etree.QName(element).localname
    return [name, *map(_tags, element)]


def _text(element: etree._Element) -> str:
    return "".join(str(piece) for piece in element.itertext())


def _find(root: etree._Element, path: str) -> etree._Element:
    found = root.find(path, {"t": TEI_NAMESPACE})
    assert found is not None
    return found


def test_the_header_holds_title_source_language_and_model() -> None:
    root = _root(to_xml(extraction(title="A & B", url="https://a.example/?a=1&b=2", lang="de")))
    assert _find(root, "t:teiHeader/t:fileDesc/t:titleStmt/t:title").text == "A & B"
    assert _find(root, ".//t:ptr").get("target") == "https://a.example/?a=1&b=2"
    assert _find(root, ".//t:language").get("ident") == "de"
    assert "default" in (_find(root, ".//t:encodingDesc/t:p").text or "")


def test_headings_open_nested_divisions() -> None:
    blocks = [
        block("Before"),
        block("One", kind="heading", level=1),
        block("Deep", kind="heading", level=3),
        block("Text"),
        block("Two", kind="heading", level=1),
    ]
    body = _find(_root(to_xml(extraction(*blocks))), "t:text/t:body")
    assert _tags(body) == [
        "body",
        ["div", ["p"], ["div", ["head"], ["div", ["head"], ["p"]]], ["div", ["head"]]],
    ]


def test_every_kind_of_block() -> None:
    blocks = [
        block("one", kind="list_item", level=1),
        block("first", kind="list_item", level=2, ordered=True),
        block("Said", kind="quote"),
        block("a\n  b", kind="preformatted"),
        block("cell", kind="table_cell"),
        block("See this now", links=(Link(4, 8, "/a b"),)),
    ]
    root = _root(to_xml(extraction(*blocks)))
    division = _find(root, "t:text/t:body/t:div")
    nested = ["list", ["item", ["list", ["item"]]]]
    assert _tags(division) == ["div", nested, ["quote", ["p"]], ["ab", ["code"]], ["p"], ["p", ["ref"]]]
    assert _find(root, ".//t:code").text == "a\n  b"
    assert _find(root, ".//t:ref").get("target") == "/a%20b"
    assert _find(root, ".//t:list/t:item/t:list").get("rend") == "numbered"
    assert _text(division[-1]) == "See this now"


def test_links_side_by_side_stay_together() -> None:
    root = _root(to_xml(extraction(block("ab", links=(Link(0, 1, "/a"), Link(1, 2, "/b"))))))
    assert _text(_find(root, ".//t:body//t:p")) == "ab"


@given(
    items=st.lists(st.tuples(ANY_TEXT, st.sampled_from(KINDS), st.integers(0, 9)), max_size=5),
    name=ANY_TEXT,
    href=ANY_TEXT,
)
def test_it_is_always_valid_and_keeps_the_words(items: list[tuple[str, str, int]], name: str, href: str) -> None:
    blocks = [block(text, kind=kind, level=level, links=(Link(0, 2, href),)) for text, kind, level in items]
    values = dict.fromkeys(("title", "url", "id", "lang", "model"), name)
    root = _root(to_xml(extraction(*blocks, **values)))
    found = _text(_find(root, "t:text"))
    expected = "".join(xml_characters(text) for text, _, _ in items)
    assert "".join(found.split()) == "".join(expected.split())
