"""HTML: only allowed markup, all of the words."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from blockfeat.content.html import to_html
from blockfeat.content.links import safe_target
from blockfeat.content.nodes import (
    Caption,
    Cell,
    Code,
    Content,
    Definitions,
    Entry,
    Image,
    ListOf,
    Node,
    Paragraph,
    Table,
    Text,
)
from content_nodes import NODES, node_texts, paragraph
from property_examples import examples

_NAMES = """
html head meta title body a blockquote br caption code dd dl dt em ul figcaption figure h1 h2 h3 h4 h5 h6 img li ol p
pre strong table tbody td th thead tr
"""
ALLOWED = set(_NAMES.split())
ATTRIBUTES = {"colspan", "rowspan", "lang", "charset", "href", "src", "alt", "start"}


def _body(*nodes: Node) -> str:
    return to_html(Content(nodes)).partition("<body>\n")[2].partition("\n</body>")[0]


def test_every_kind_of_node() -> None:
    assert _body(
        Paragraph((Text("See "), Text("this", bold=True, target="/a?b=1&c=2"), Text(" too", target="/a?b=1&c=2"))),
        Paragraph((Text("a\nb", italic=True), Image("/i.png", "I"))),
        ListOf(True, ((paragraph("one"), ListOf(False, ((paragraph("in"),),))), (paragraph("a"), paragraph("b"))), 4),
        Definitions((Entry(True, (paragraph("t"),)), Entry(False, (paragraph("d"),)))),
        Table(((Cell((Text("N"),), True), Cell((Text("P"),), True)), (Cell((Text("x"),)), Cell()))),
        Caption((Text("c"),)),
        Code("a\n  b"),
    ) == (
        '<p>See <a href="/a?b=1&amp;c=2"><strong>this</strong> too</a></p>\n'
        '<p><em>a<br>b</em><img src="/i.png" alt="I"></p>\n'
        '<ol start="4"><li>one<ul><li>in</li></ul></li><li>a<p>b</p></li></ol>\n'
        "<dl><dt>t</dt><dd>d</dd></dl>\n"
        "<table><thead><tr><th>N</th><th>P</th></tr></thead><tbody><tr><td>x</td><td></td></tr></tbody></table>\n"
        "<figure><figcaption>c</figcaption></figure>\n"
        "<pre>a\n  b</pre>"
    )


def test_title_and_language_cannot_end_their_element() -> None:
    root = html.document_fromstring(to_html(Content((), title="</title><script>", lang='"><script>')))
    assert not list(root.iter("script"))


@examples(40)
@given(st.lists(NODES, max_size=3), st.text(max_size=15), st.text(max_size=15))
def test_only_allowed_markup_comes_out_and_all_words(nodes: list[Node], text: str, target: str) -> None:
    markup = f"{text}<script>x</script><img src=x onerror=y>"
    link = Paragraph((Text(markup, target=safe_target(target)), Image(safe_target(target) or "/", markup)))
    root = html.document_fromstring(to_html(Content((*nodes, link))))
    assert {str(element.tag) for element in root.iter()} <= ALLOWED
    assert all(set(element.attrib) <= ATTRIBUTES for element in root.iter())
    for element in root.iter("a", "img"):
        assert "javascript:" not in (element.get("href") or element.get("src") or "")
    found = "".join("".join(str(piece) for piece in root.find("body").itertext()).split())
    assert found.startswith("".join("".join(node_texts(nodes)).split()))


def test_a_page_written_from_right_to_left_has_its_direction_and_so_have_blocks_of_the_other() -> None:
    arabic = "\u0642\u0627\u0644\u062a \u0627\u0644\u0635\u062d\u064a\u0641\u0629"
    nodes: list[Node] = [paragraph(f"BBC {arabic}"), paragraph("By Jane Doe"), paragraph("2026")]
    written = to_html(Content(nodes, lang="ar"))
    assert '<html lang="ar" dir="rtl">' in written
    assert f"<p>BBC {arabic}</p>" in written
    assert '<p dir="ltr">By Jane Doe</p>' in written
    assert "<p>2026</p>" in written
    written = to_html(Content([paragraph("He said:"), paragraph(arabic)], lang="en"))
    assert '<html lang="en">' in written
    assert f'<p>He said:</p>\n<p dir="rtl">{arabic}</p>' in written
