"""Pages to blocks: both tables, guards, and what blocks remember of the markup."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import cut_into_blocks, load_table
from blockfeat.lang.measures import tokenize
from blockfeat.page.page import Page
from blocks_of import ancestors_of, blocks_of

SMALL = """<html><head><title>Not a block</title></head><body>
<div id=top><a href="/">Home</a> <a href="/news">News</a></div>
<div id=main><h1>Bridge opens</h1>
<p>The <b>old</b> bridge<br>opens <a href="/x">again today</a>.</p>
<p>It was shut.</p></div>
<table><tr><td>Left cell</td><td>Right cell</td></tr></table>
<script>var a = "no text";</script></body></html>"""


PARTS = ["Home News", "Bridge opens", "The old bridge opens again today.", "It was shut.", "Left cell", "Right cell"]
REMOVED = "<body>un<b>believ</b>able, one<br>two<hr>three<label>four</label>five<wbr>six</body>"
PRUNED = "<body>one <del>gone <b>too</b></del> two<button>gone</button> three</body>"
BREAKS = "<p>One<br>still one<br><br>two<br> &nbsp; \n<br/>three<br><br><br>four<br></p><p>five</p>"


@pytest.mark.parametrize(
    ("table", "html", "texts"),
    [
        ("html5", SMALL, PARTS),
        ("ziegler2007", SMALL, [" ".join(PARTS[:4]), *PARTS[4:]]),
        # Elements are removed with space and without.
        ("ziegler2007", REMOVED, ["unbelievable, one two three four five six"]),
        ("html5", "<p>un<i>believ</i>able, a<label>b</label>c <code>d</code>e</p>", ["unbelievable, a b c de"]),
        # Text around a block-level element keeps its order.
        ("html5", "<div>one<p>two</p>three <p>four</p> five</div>", ["one", "two", "three", "four", "five"]),
        # Pruned elements lose their text but not the text behind.
        *((table, PRUNED, ["one two three"]) for table in ("html5", "ziegler2007")),
        ("ziegler2007", "<body>As <cite>Kim</cite> types <samp>ls</samp></body>", ["As Kim types ls"]),
        (
            "html5",
            "<body><button>Menu<main><h1>Head</h1><p>First words.</p></main></body>",
            ["Menu", "Head", "First words."],
        ),
        # Two breaks split a block, and one does not.
        ("html5", BREAKS, ["One still one", "two", "three", "four", "five"]),
        ("html5", "<p><br><br>one<br></p><p><br>two</p>", ["one", "two"]),
        ("html5", "<p>one<b><br></b><br>two</p>", ["one", "two"]),
        ("html5", '<p>One <span class="br">whole</span> li<span class="abr"></span>ne</p>', ["One whole line"]),
        ("html5", "<p>a\x07b \n\t c\xa0\xa0d</p>", ["a b c d"]),
    ],
)
def test_the_texts_of_blocks(table: str, html: str, texts: list[str]) -> None:
    assert blocks_of(html, table).texts() == texts


@pytest.mark.parametrize("table", ["html5", "ziegler2007"])
@pytest.mark.parametrize("html", ["", " ", "<html></html>", "<p> \n </p><div></div>", "<script>x</script>"])
def test_pages_without_text_have_no_blocks(html: str, table: str) -> None:
    blocks = blocks_of(html, table)
    assert len(blocks) == blocks.measures.words.size == 0
    assert blocks.texts() == []
    assert {role: counts.size for role, counts in blocks.role_counts.items()} == {
        "format": 0,
        "list": 0,
        "structure": 0,
    }


def test_breaks_split_nothing_where_the_table_says_so() -> None:
    table = load_table("html5")
    unsplit = replace(table, guards=replace(table.guards, split_at_breaks=0))
    assert cut_into_blocks(Page.parse(BREAKS), unsplit).texts() == ["One still one two three four", "five"]


def test_empty_spans_named_as_breaks_break_the_line():
    html = "<p>One line.@Another line.@@A paragraph of its own.</p>"
    spans = html.replace("@", '<span class="id-r br" data-pos="3"></span>')
    assert blocks_of(spans).texts() == blocks_of(html.replace("@", "<br>")).texts()


LISTED = "<body><h1>Head</h1><p>a <b>b</b> <b>c</b><br>d <a href=x>e</a></p><ul><li>f<li>g</ul></body>"


@pytest.mark.parametrize(
    ("table", "html", "texts", "counts"),
    [
        ("html5", LISTED, ["Head", "a b c d e", "f", "g"], {"format": [0, 2, 0, 0], "list": [0, 0, 2, 1]}),
        ("html5", LISTED, ["Head", "a b c d e", "f", "g"], {"structure": [1, 2, 0, 0]}),
        ("ziegler2007", LISTED, ["Head a b c d e f g"], {"format": [2], "list": [3], "structure": [3]}),
        # Elements without text count for no block.
        ("html5", "<ul><li></li><li> </li></ul><p><b></b></p><p>Text</p>", ["Text"], {"list": [0], "format": [0]}),
    ],
)
def test_role_counts(table: str, html: str, texts: list[str], counts: dict[str, list[int]]) -> None:
    blocks = blocks_of(html, table)
    assert blocks.texts() == texts
    assert {role: blocks.role_counts[role].tolist() for role in counts} == counts


def test_anchor_and_format_words() -> None:
    html = """<p>One <a href=a>two <b>three</b></a> <i>four <b>five</b> six</i> seven</p>
    <a href=b><h2>Big link</h2><p>goes on</p></a><p>plain</p>"""
    measures = blocks_of(html).measures
    assert (measures.words.tolist(), measures.anchor_words.tolist()) == ([7, 2, 2, 1], [2, 2, 2, 0])
    assert measures.format_words.tolist() == [4, 0, 0, 0]


def test_anchors_know_their_places() -> None:
    blocks = blocks_of('<p>See <a href="/a">the <b>report</b></a> and <a href="/b">more</a>.</p><p>End</p>')
    anchors = blocks.anchors
    assert [blocks.tags.attributes(element)["href"] for element in anchors.element.tolist()] == ["/a", "/b"]
    spans = zip(anchors.start.tolist(), anchors.end.tolist(), strict=True)
    assert [blocks.page_text.text[first:end] for first, end in spans] == ["the report", "more"]


def test_containers_and_ancestors() -> None:
    html = """<html><body><div id=a><section id=b><p id=c>one</p>two</section></div><div id=e></div>
    <p id=d>three <b>bold</b></p></body></html>"""
    blocks = blocks_of(html)

    def name(element: int) -> str:
        return blocks.tags.attributes(element).get("id", blocks.tags.name(element))

    ids = [[name(element) for element in ancestors_of(blocks, index)] for index in range(3)]
    assert ids == [["c", "b", "a", "body", "html"], ["b", "a", "body", "html"], ["d", "body", "html"]]
    containers = blocks.containers
    spans = zip(containers.first_block.tolist(), containers.end_block.tolist(), strict=True)
    expected = {"html": (0, 3), "body": (0, 3), "a": (0, 2), "b": (0, 2), "c": (0, 1), "e": (2, 2), "d": (2, 3)}
    assert dict(zip(map(name, containers.element.tolist()), spans, strict=True)) == expected


def test_block_texts_are_selected_by_index() -> None:
    blocks = blocks_of(SMALL)
    assert blocks.texts([3, 0]) == ["It was shut.", "Home News"]
    assert (blocks.table, blocks.segmenter) == ("html5", "fast")


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=3).map(" ".join)
INLINE = st.sampled_from(["b", "i", "span", "a", "em", "code"])
BLOCK = st.sampled_from(["div", "section", "blockquote", "article", "ul", "li", "td", "center"])


def _element(tag: str, children: list[str]) -> str:
    if tag == "td":
        return "<table><tr><td>" + " ".join(children) + "</td></tr></table>"
    return f"<{tag}>{' '.join(children)}</{tag}>"


MARKUP = st.recursive(
    WORDS | st.builds(lambda tag, text: f"<{tag}>{text}</{tag}>", INLINE, WORDS) | st.just("<br>"),
    lambda inner: st.builds(_element, BLOCK, st.lists(inner, max_size=4)),
    max_leaves=20,
)


@pytest.mark.parametrize("table", ["html5", "ziegler2007"])
@given(markup=MARKUP)
def test_all_visible_words_are_kept_in_order(table: str, markup: str) -> None:
    page = Page.parse(f"<html><body>{markup}</body></html>")
    blocks = cut_into_blocks(page, load_table(table))
    assert blocks.measures.tokens == tokenize(page.all_text())
    assert [word for text in blocks.texts() for word in tokenize(text)] == blocks.measures.tokens
    assert all(blocks.texts())
    assert blocks.measures.words.sum() == len(blocks.measures.tokens)


@given(markup=MARKUP)
def test_containers_nest(markup: str) -> None:
    blocks = blocks_of(f"<html><body>{markup}</body></html>")
    containers = blocks.containers
    for number, parent in enumerate(containers.parent.tolist()):
        assert parent < number
        if parent >= 0:
            assert containers.first_block[parent] <= containers.first_block[number]
            assert containers.end_block[number] <= containers.end_block[parent]
    for index, own in enumerate(blocks.container.tolist()):
        assert containers.first_block[own] <= index < containers.end_block[own]
