"""Markdown: what a CommonMark parser reads back is what the content says."""

import re

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html

from benchmarks.escapes import rendered
from blockfeat.content.links import clean_characters, fold_white_space, xml_characters
from blockfeat.content.markdown import front_matter, to_markdown
from blockfeat.content.nodes import (
    Cell,
    Code,
    Content,
    Definitions,
    Entry,
    Figure,
    Heading,
    Image,
    ListOf,
    Node,
    Paragraph,
    Quote,
    Table,
    Text,
)
from cases import CASES
from content_nodes import NODES, node_texts, paragraph
from property_examples import examples

CHARACTERS = "ab1.9 \t\n#*_`\\<>[]()!|~-+=:&;x\u00e9\u6f22\U0001f600\x00\x0b\u2028'\"/$%^{}\u2003\u00a0。「"
TEXT = st.text(CHARACTERS, max_size=30) | st.text(max_size=20)


def _markdown(*nodes: Node, links: bool = False) -> str:
    return to_markdown(Content(nodes), links=links)


def _rendered(markdown: str) -> html.HtmlElement:
    return html.fragment_fromstring(rendered(markdown), create_parent="main")


def _words(text: str) -> str:
    return re.sub(r"\s", "", clean_characters(text))


def test_every_kind_of_node() -> None:
    nodes: list[Node] = [
        Heading(2, (Text("Head\nline"),)),
        Paragraph((Text("A "), Text("bold", bold=True), Text(" and "), Text("both", bold=True, italic=True))),
        ListOf(False, ((paragraph("one"), ListOf(True, ((paragraph("first"),),), start=3)), (paragraph("two"),))),
        Quote((paragraph("Said"), paragraph("and said"))),
        Code("a = 1\n  b"),
        Definitions((Entry(True, (paragraph("Term"),)), Entry(False, (paragraph("what it is"),)))),
        Table(((Cell((Text("N"),), True), Cell((Text("P"),), True)), (Cell((Text("a|b"),)), Cell()))),
    ]
    assert _markdown(*nodes) == (
        "## Head line\n\nA **bold** and ***both***\n\n- one\n\n  3. first\n\n- two\n\n> Said\n>\n> and said\n\n"
        "```\na = 1\n  b\n```\n\n**Term**\n\n- what it is\n\n| N | P |\n| --- | --- |\n| a\\|b |  |"
    )


@pytest.mark.parametrize(("text", "markdown"), CASES["escapes"])
def test_escapes(text: str, markdown: str) -> None:
    assert _markdown(paragraph(text)) == markdown


@given(text=TEXT)
@example(text="a #")
@example(text="1.")
@example(text="- - -")
@example(text="<script>alert(1)</script>")
@example(text="````\n<b>")
@example(text="a\\")
@example(text="a\\\nb")
@example(text="1\n\xa0")
@example(text="a\n---|---")
@example(text="*a* _b_ ~~c~~ `d` [e](f) <g@h.i>")
def test_text_survives_and_never_becomes_markup(text: str) -> None:
    for node, allowed in (
        (paragraph(text), {"p", "br"}),
        (Heading(2, (Text(text),)), {"h2"}),
        (ListOf(False, ((paragraph(text),),)), {"ul", "li", "br"}),
        (Quote((paragraph(text),)), {"blockquote", "p", "br"}),
        (Code(text), {"pre", "code"}),
        (Table(((Cell((Text(text),)), Cell()),) * 2), {"table", "thead", "tbody", "tr", "th", "td"}),
    ):
        root = _rendered(_markdown(node))
        assert {element.tag for element in root.iterdescendants()} <= allowed
        assert _words(str(root.text_content())) == _words(text) * (2 if isinstance(node, Table) else 1)


@examples(40)
@given(st.lists(NODES, max_size=3))
def test_all_words_are_read_back_in_order(nodes: list[Node]) -> None:
    root = _rendered(_markdown(*nodes, links=True))
    assert _words(str(root.text_content())) == _words("".join(node_texts(nodes)))


@examples(40)
@given(st.lists(NODES, max_size=3))
def test_structure_is_read_back(nodes: list[Node]) -> None:
    # A definition list is written as paragraphs and lists, a figure as what stands in it.
    nodes = [node for node in nodes if not isinstance(node, Definitions | Figure)]
    root = _rendered(_markdown(*nodes))
    for kind, tags in ((Heading, "h1 h2 h3 h4 h5 h6"), (Quote, "blockquote"), (Code, "pre"), (Table, "table")):
        top = [child for child in root if child.tag in tags.split()]
        assert len(top) == len([node for node in nodes if isinstance(node, kind)])
    lists = [(child.tag == "ol", len(child)) for child in root if child.tag in ("ul", "ol")]
    assert lists == [(node.ordered, len(node.items)) for node in nodes if isinstance(node, ListOf)]


STYLED = st.lists(
    st.tuples(st.text("ab .,*「é`", min_size=1, max_size=4), *[st.booleans()] * 3).map(lambda values: Text(*values)),
    max_size=5,
).map(tuple)


@given(STYLED)
@example((Text("a", bold=True), Text("b", italic=True), Text("c", bold=True)))
@example((Text("a"), Text(".b", bold=True), Text("c")))
@example((Text("`", code=True), Text("``", code=True)))
def test_no_word_is_styled_that_is_not_on_the_page(inline: tuple[Text, ...]) -> None:
    root = _rendered(_markdown(Paragraph(inline)))
    text = "".join(piece.text for piece in inline)
    assert _words(str(root.text_content())) == _words(text)
    for tag, is_set in (("strong", "bold"), ("em", "italic"), ("code", "code")):
        styled = "".join(_words(piece.text) for piece in inline if getattr(piece, is_set))
        found = "".join(_words(str(element.text_content())) for element in root.iter(tag))
        assert len(found) <= len(styled)


@pytest.mark.parametrize("code", [False, True])
def test_styles_between_words_are_read_back(code: bool) -> None:
    inline = (Text("a "), Text("b c", bold=not code, code=code), Text(", d"), Text("e", italic=True), Text("f"))
    root = _rendered(_markdown(Paragraph(inline)))
    assert [element.text for element in root.iter("code" if code else "strong")] == ["b c"]
    assert [element.text for element in root.iter("em")] == ["e"]


def test_links_and_images() -> None:
    node = Paragraph(
        (Text("See "), Text("th", target="https://a.example/(b)?d=1&e;=2"), Text("is", True, target="/c"), Text("!"),
         Text("that", target="/e"), Image("https://a.example/i.png", "an [i]"))
    )  # fmt: skip
    assert _markdown(node) == "See th**is**!that![an \\[i\\]](https://a.example/i.png)"
    root = _rendered(_markdown(node, links=True))
    assert [link.get("href") for link in root.iter("a")] == ["https://a.example/(b)?d=1&e;=2", "/c", "/e"]
    assert [(image.get("src"), image.get("alt")) for image in root.iter("img")] == [
        ("https://a.example/i.png", "an [i]")
    ]


@given(TEXT)
@example("---\n\"a\": 'b' # \ufeff\u2028")
def test_front_matter_is_yaml_whatever_a_page_says(title: str) -> None:
    block = front_matter({"title": title, "authors": [title, "b"], "date": None, "confidence": 0.5})
    shown = fold_white_space(xml_characters(title)).strip()
    found = yaml.safe_load(block.removesuffix("---\n\n"))
    assert found == ({"title": shown} if title else {}) | {"authors": [shown, "b"], "confidence": 0.5}


def test_lists_beside_each_other_stay_apart() -> None:
    root = _rendered(_markdown(*[ListOf(False, ((paragraph("a"),), (paragraph("b"),)))] * 3))
    assert [len(child) for child in root] == [2, 2, 2]
