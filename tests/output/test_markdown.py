"""Markdown, read back with a Markdown parser."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from blockfeat.blocks.block import Block, Link
from blockfeat.output.characters import clean_characters
from blockfeat.output.markdown import to_markdown
from extraction_stand_in import block, extraction

# CommonMark and the tables and strikethrough of GitHub, with HTML allowed: nothing of it may take effect.
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PIECES = [
    *"\\`*_[]<>&#+-|~=:!()1a. \t\n\"'$^{}",
    *(
        "1.",
        "12)",
        "```",
        "~~~",
        "---",
        "===",
        "<b>",
        "<!--",
        "-->",
        "&lt;",
        "&#60;",
        "    ",
        "| - |",
        "\u00a0",
    ),
    *("[a](b)", "![a](b)", "[a]: b", "http://a.example", "<http://a.example>"),
]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
TEXT = MARKUP | st.text(max_size=30)
KINDS = {
    "paragraph": "p",
    "heading": "h2",
    "list_item": "li",
    "quote": "p",
    "preformatted": "code",
    "caption": "p",
    "table_cell": "p",
}


def _markdown(*blocks: Block, links: bool = False) -> str:
    return to_markdown(extraction(*blocks), links=links)


def _rendered(markdown: str) -> html.HtmlElement:
    return html.fragment_fromstring(PARSER.render(markdown), create_parent="div")


def _words(text: str) -> str:
    """Return text without white space, which Markdown folds, and without what lxml cannot hold."""
    return "".join(clean_characters(text).split()).replace("\ufffe", "").replace("\uffff", "")


def test_every_kind_of_block() -> None:
    blocks = [
        block("Head", kind="heading", level=2),
        block("Text."),
        block("dropped", kept=False),
        block("one", kind="list_item", level=1),
        block("first", kind="list_item", level=2, ordered=True),
        block("second", kind="list_item", level=2, ordered=True),
        block("two", kind="list_item", level=1),
        block("Said", kind="quote"),
        block("and said", kind="quote"),
        block("a = 1\n  b", kind="preformatted"),
        block("cell", kind="table_cell"),
    ]
    assert _markdown(*blocks) == (
        "## Head\n\nText.\n\n- one\n  1. first\n  2. second\n- two\n\n> Said\n>\n> and said\n\n"
        "```\na = 1\n  b\n```\n\ncell"
    )


def test_a_page_without_content_gives_nothing() -> None:
    assert _markdown() == ""


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("# no heading", "\\# no heading"),
        ("- no item", "\\- no item"),
        ("1986. A year", "1986\\. A year"),
        (
            "A plain text, with (all) its marks! C# costs 5.",
            "A plain text, with (all) its marks! C# costs 5.",
        ),
        ("AT&T &amp; a < b", "AT&T \\&amp; a \\< b"),
        ("a | b", "a \\| b"),
        ("snake_case *x*", "snake\\_case \\*x\\*"),
    ],
)
def test_escapes(text: str, markdown: str) -> None:
    assert _markdown(block(text)) == markdown


@pytest.mark.parametrize("kind", list(KINDS))
@given(text=TEXT)
@example(text="a #")
@example(text="1.")
@example(text="- - -")
@example(text="<script>alert(1)</script>")
@example(text="````\n<b>")
@example(text="a\\")
def test_text_survives_and_never_becomes_markup(kind: str, text: str) -> None:
    level = 2 if kind == "heading" else 1
    root = _rendered(_markdown(block(text, kind=kind, level=level)))
    tags = {element.tag for element in root.iterdescendants()}
    wrappers = {"list_item": {"ul", "li"}, "quote": {"blockquote", "p"}, "preformatted": {"pre", "code"}}
    assert tags <= wrappers.get(kind, {KINDS[kind]})
    assert _words(str(root.text_content())) == _words(text)


@given(st.lists(st.tuples(TEXT.filter(lambda text: bool(_words(text))), st.sampled_from(list(KINDS))), max_size=6))
def test_blocks_beside_each_other_do_not_mix(items: list[tuple[str, str]]) -> None:
    blocks = [block(text, kind=kind, level=1) for text, kind in items]
    root = _rendered(_markdown(*blocks))
    leaves = [
        element
        for element in root.iterdescendants()
        if element.tag in ("p", "h1", "li", "code") and not (element.tag == "p" and element.getparent().tag == "li")
    ]
    assert [_words(str(leaf.text_content())) for leaf in leaves] == [_words(text) for text, _ in items]


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=1, max_size=8))
def test_nested_lists_are_read_back_item_by_item(items: list[tuple[int, bool]]) -> None:
    blocks = [
        block(f"t{number}", kind="list_item", level=level, ordered=ordered)
        for number, (level, ordered) in enumerate(items)
    ]
    root = _rendered(_markdown(*blocks))
    found = [(item.text or "").strip() for item in root.iter("li")]
    assert found == [item.text for item in blocks]
    assert not root.findall(".//code")


def test_links_are_written_on_request() -> None:
    linked = block("See (this)!that.", links=(Link(4, 10, "/a (b)"), Link(11, 15, "https://c.example/?d=1&e;=2")))
    assert _markdown(linked) == "See (this)!that."
    markdown = _markdown(linked, links=True)
    assert markdown == "See [(this)](/a%20%28b%29)\\![that](https://c.example/?d=1\\&e;=2)."
    root = _rendered(markdown)
    assert [link.get("href") for link in root.iter("a")] == ["/a%20%28b%29", "https://c.example/?d=1&e;=2"]
    assert not list(root.iter("img"))


@given(
    text=TEXT,
    links=st.lists(
        st.builds(
            Link,
            st.integers(0, 20),
            st.integers(0, 20),
            st.sampled_from(["/ok?a=1&b;", "javascript:x"]) | TEXT,
        ),
        max_size=3,
    ),
)
def test_links_keep_the_text_and_lead_nowhere_bad(text: str, links: list[Link]) -> None:
    root = _rendered(_markdown(block(text, links=tuple(links)), links=True))
    assert {element.tag for element in root.iterdescendants()} <= {"p", "a"}
    assert _words(str(root.text_content())) == _words(text)
    for link in root.iter("a"):
        scheme, colon, _ = (link.get("href") or "").partition(":")
        assert not colon or any(mark in scheme for mark in "/?#") or scheme.lower() in ("http", "https", "mailto")
