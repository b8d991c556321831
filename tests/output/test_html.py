"""HTML."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from blockfeat.blocks.block import Link
from blockfeat.output.html import to_html
from extraction_stand_in import block, extraction

KINDS = ["paragraph", "heading", "list_item", "quote", "preformatted", "caption", "table_cell"]
ALLOWED = {"html", "head", "meta", "title", "body", "a", "blockquote", "li", "ol", "p", "pre", "ul"}
ALLOWED |= {f"h{level}" for level in range(1, 7)}


def test_every_kind_of_block() -> None:
    blocks = [
        block("Head", kind="heading", level=2),
        block("See this.", links=(Link(4, 8, "/a?b=1&c=2"),)),
        block("dropped", kept=False),
        block("one", kind="list_item", level=1),
        block("first", kind="list_item", level=2, ordered=True),
        block("Said", kind="quote"),
        block("a\n  b", kind="preformatted"),
    ]
    assert to_html(extraction(*blocks, title="A & B")) == (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<title>A &amp; B</title>\n</head>\n<body>\n<h2>Head</h2>\n"
        '<p>See <a href="/a?b=1&amp;c=2">this</a>.</p>\n'
        "<ul><li>one<ol><li>first</li></ol></li></ul>\n"
        "<blockquote><p>Said</p></blockquote>\n<pre>a\n  b</pre>\n</body>\n</html>\n"
    )


def test_links_that_are_not_allowed_leave_their_text() -> None:
    page = to_html(extraction(block("Click", links=(Link(0, 5, "java\tscript:alert(1)"),))))
    assert "<p>Click</p>" in page


def test_a_language_cannot_end_its_attribute() -> None:
    root = html.document_fromstring(to_html(extraction(lang='"><script>')))
    assert not list(root.iter("script"))


@given(
    texts=st.lists(st.tuples(st.text(max_size=30), st.sampled_from(KINDS), st.integers(0, 9)), max_size=4),
    href=st.text(max_size=15),
)
def test_only_allowed_markup_comes_out(texts: list[tuple[str, str, int]], href: str) -> None:
    blocks = [
        block(
            f"{text}<script>x</script><img src=x onerror=y>",
            kind=kind,
            level=level,
            links=(Link(0, 3, href),),
        )
        for text, kind, level in texts
    ]
    root = html.document_fromstring(to_html(extraction(*blocks)))
    assert {str(element.tag) for element in root.iter()} <= ALLOWED
    assert all(set(element.attrib) <= {"lang", "charset", "href"} for element in root.iter())
    assert "".join(str(piece) for piece in root.itertext()).count("<script>x</script>") == len(texts)
