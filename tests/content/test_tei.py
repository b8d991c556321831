"""TEI: valid by its schema, with all of the words."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from blockfeat.content import nodes as tree
from blockfeat.content.links import safe_target, xml_characters
from blockfeat.content.tei import to_xml
from content_nodes import NODES, node_texts, paragraph
from property_examples import examples
from tei_schema import TEI, validate_tei

ANY_CHARACTER = st.characters() | st.characters(categories=["Cc", "Cs"]) | st.sampled_from("\ufffe\uffff&<>")
# Not st.text: it would draw from all the characters together, and odd ones hardly ever.
ANY_TEXT = st.lists(ANY_CHARACTER, max_size=30).map("".join)


def _root(content: tree.Content) -> etree._Element:
    return etree.fromstring(to_xml(content).encode())


def _shape(element: etree._Element) -> list[object]:
    """Return the tree of tags: a name, or a name with its children."""
    return [etree.QName(element).localname, *map(_shape, element)]


def test_the_header_holds_title_source_language_and_model() -> None:
    root = _root(tree.Content((), title="A & B", url="https://a.example/?a=1&b=2", lang="de", id="7", model="default"))
    assert root.findtext(f"{TEI}teiHeader/{TEI}fileDesc/{TEI}titleStmt/{TEI}title") == "A & B"
    assert [pointer.get("target") for pointer in root.iter(f"{TEI}ptr")] == ["https://a.example/?a=1&b=2"]
    assert list(_root(tree.Content((), url="javascript:alert(1)")).iter(f"{TEI}ptr")) == []
    assert [language.get("ident") for language in root.iter(f"{TEI}language")] == ["de"]
    assert "default" in (root.findtext(f".//{TEI}encodingDesc/{TEI}p") or "")
    validate_tei(root)


def test_headings_open_nested_divisions() -> None:
    headings = [tree.Heading(level, (tree.Text("One"),)) for level in (1, 3, 1)]
    nodes = (paragraph("Before"), *headings[:2], paragraph("Text"), headings[2])
    body = _root(tree.Content(nodes)).find(f".//{TEI}body")
    assert body is not None
    assert _shape(body) == [
        "body", ["div", ["p"], ["div", ["head"], ["div", ["head"], ["p"]]], ["div", ["head"]]],
    ]  # fmt: skip


def test_every_kind_of_node() -> None:
    nodes = (
        tree.Paragraph((tree.Text("a\nb", bold=True), tree.Text("c", target="/a"), tree.Image("/i.png", "I"))),
        tree.ListOf(True, ((paragraph("one"), tree.ListOf(False, ((paragraph("in"),),))),)),
        tree.Definitions(tuple(tree.Entry(name != "d", (paragraph(name),)) for name in "tud")),
        tree.Table(((tree.Cell((), True), tree.Cell((), True)), (tree.Cell((tree.Text("x"),)), tree.Cell()))),
        tree.Code("a\n  b"),
    )
    root = _root(tree.Content(nodes))
    division = root.find(f".//{TEI}body/{TEI}div")
    assert division is not None
    assert [_shape(child) for child in division] == [
        ["p", ["hi", ["lb"]], ["ref"], ["figure", ["graphic"], ["figDesc"]]],
        ["list", ["item", ["list", ["item"]]]],
        ["list", ["label", ["lb"]], ["item"]],
        ["table", ["row", ["cell"], ["cell"]], ["row", ["cell"], ["cell"]]],
        ["ab", ["code"]],
    ]
    assert root.findtext(f".//{TEI}code") == "a\n  b"
    validate_tei(root)


@examples(40)
@given(st.lists(NODES, max_size=3))
def test_it_is_valid_tei(nodes: list[tree.Node]) -> None:
    validate_tei(_root(tree.Content(tuple(nodes), title="t", url="https://a.example/", id="1", lang="en", model="m")))


@examples(40)
@given(st.lists(NODES, max_size=3), ANY_TEXT)
def test_it_is_always_xml_and_keeps_the_words(nodes: list[tree.Node], text: str) -> None:
    link = tree.Paragraph((tree.Text(text, target=safe_target(text)), tree.Text(text, bold=True)))
    root = _root(tree.Content((*nodes, link), title=text, url=text, id=text, lang=text, model=text))
    found = "".join(str(piece) for piece in root.find(f"{TEI}text").itertext())
    # In a term, what is no line of text moves behind it.
    expected = "".join(node_texts(nodes)) + 2 * xml_characters(text)
    assert sorted("".join(found.split())) == sorted("".join(expected.split()))
