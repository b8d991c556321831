"""Pages to blocks: both tables, guards, and what blocks remember of the markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks.blockify import cut_into_blocks
from blockfeat.blocks.tagtable import TagTable, load_table
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


def test_html5_cuts_at_block_level_elements() -> None:
    assert blocks_of(SMALL).texts() == [
        "Home News",
        "Bridge opens",
        "The old bridge opens again today.",
        "It was shut.",
        "Left cell",
        "Right cell",
    ]


def test_ziegler2007_merges_all_but_unknown_elements() -> None:
    assert blocks_of(SMALL, "ziegler2007").texts() == [
        "Home News Bridge opens The old bridge opens again today. It was shut.",
        "Left cell",
        "Right cell",
    ]


@pytest.mark.parametrize("table", ["html5", "ziegler2007"])
@pytest.mark.parametrize("html", ["", " ", "<html></html>", "<p> \n </p><div></div>", "<script>x</script>"])
def test_pages_without_text_have_no_blocks(html: str, table: str) -> None:
    blocks = blocks_of(html, table)
    assert len(blocks) == 0
    assert blocks.texts() == []
    assert blocks.measures.words.size == 0
    assert {role: counts.size for role, counts in blocks.role_counts.items()} == {
        "format": 0,
        "list": 0,
        "structure": 0,
    }


def test_removal_without_and_with_space() -> None:
    html = "<body>un<b>believ</b>able, one<br>two<hr>three<label>four</label>five<wbr>six</body>"
    assert blocks_of(html, "ziegler2007").texts() == ["unbelievable, one two three four five six"]
    assert blocks_of("<p>un<i>believ</i>able, a<label>b</label>c <code>d</code>e</p>").texts() == [
        "unbelievable, a b c de"
    ]


def test_text_around_a_block_level_element_keeps_its_order() -> None:
    assert blocks_of("<div>before<p>inside</p>after <p>again</p> end</div>").texts() == [
        "before",
        "inside",
        "after",
        "again",
        "end",
    ]


def test_pruned_elements_lose_their_text_but_not_the_text_behind() -> None:
    html = "<body>one <del>gone <b>too</b></del> two<button>gone</button> three</body>"
    assert blocks_of(html).texts() == blocks_of(html, "ziegler2007").texts() == ["one two three"]


def test_cite_samp_and_frameset_stay_in_ziegler2007() -> None:
    assert blocks_of("<body>As <cite>Kim</cite> types <samp>ls</samp></body>", "ziegler2007").texts() == [
        "As Kim types ls"
    ]


def test_unclosed_button_around_the_main_text_is_kept() -> None:
    html = "<body><button>Menu<main><h1>Head</h1><p>First words here.</p><p>More words.</p></main></body>"
    assert blocks_of(html).texts() == ["Menu", "Head", "First words here.", "More words."]
    assert blocks_of("<body><button>Menu</button><p>Text</p></body>").texts() == ["Text"]


def test_noscript_is_used_where_the_page_has_nearly_no_other_text() -> None:
    story = " ".join(f"word{number}" for number in range(120))
    assert len(blocks_of(f"<body><p>Loading</p><noscript><p>{story}</p></noscript></body>")) == 2
    assert blocks_of("<body><p>Loading</p><noscript><p>Turn on scripts.</p></noscript></body>").texts() == ["Loading"]
    html = f"<body><p>{story}</p><noscript><p>other {story}</p></noscript></body>"
    assert blocks_of(html).texts() == [story]


def test_two_breaks_split_a_block_and_one_does_not() -> None:
    html = "<p>One<br>still one<br><br>two<br> &nbsp; \n<br/>three<br><br><br>four<br></p><p>five</p>"
    assert blocks_of(html).texts() == ["One still one", "two", "three", "four", "five"]
    table = load_table("html5").to_dict()
    table["guards"]["split_at_breaks"] = 0
    unsplit = cut_into_blocks(Page.parse(html), TagTable.from_dict(table))
    assert unsplit.texts() == ["One still one two three four", "five"]


def test_breaks_at_the_start_and_across_elements() -> None:
    assert blocks_of("<p><br><br>one<br></p><p><br>two</p>").texts() == ["one", "two"]


def test_empty_spans_named_as_breaks_break_the_line():
    html = "<p>One line.@Another line.@@A paragraph of its own.</p>"
    spans = html.replace("@", '<span class="id-r br" data-pos="3"></span>')
    assert blocks_of(spans).texts() == blocks_of(html.replace("@", "<br>")).texts()
    others = '<p>One <span class="br">whole</span> li<span class="abr"></span>ne</p>'
    assert blocks_of(others).texts() == ["One whole line"]
    assert blocks_of("<p>one<b><br></b><br>two</p>").texts() == ["one", "two"]


HIDDEN = """<p>seen</p><p hidden>h</p><div aria-hidden=true>a</div><p style="color:red; DISPLAY : none">d</p>
<p>t<span style="visibility: hidden">v</span>ail</p><p aria-hidden=false>shown</p>"""


def test_hidden_elements_are_pruned_where_the_table_says_so() -> None:
    table = load_table("html5").to_dict()
    table["guards"]["prune_hidden"] = True
    pruned = cut_into_blocks(Page.parse(HIDDEN), TagTable.from_dict(table))
    assert pruned.texts() == ["seen", "tail", "shown"]
    assert blocks_of(HIDDEN).texts() == ["seen", "h", "a", "d", "tvail", "shown"]


def test_role_counts() -> None:
    html = "<body><h1>Head</h1><p>a <b>b</b> <b>c</b><br>d <a href=x>e</a></p><ul><li>f<li>g</ul></body>"
    blocks = blocks_of(html)
    assert blocks.texts() == ["Head", "a b c d e", "f", "g"]
    assert blocks.role_counts["format"].tolist() == [0, 2, 0, 0]
    assert blocks.role_counts["list"].tolist() == [0, 0, 2, 1]
    assert blocks.role_counts["structure"].tolist() == [1, 2, 0, 0]
    merged = blocks_of(html, "ziegler2007")
    assert merged.texts() == ["Head a b c d e f g"]
    assert {role: counts.tolist() for role, counts in merged.role_counts.items()} == {
        "format": [2],
        "list": [3],
        "structure": [3],
    }


def test_elements_without_text_count_for_no_block() -> None:
    blocks = blocks_of("<body><ul><li></li><li> </li></ul><p><b></b></p><p>Text</p></body>")
    assert blocks.role_counts["list"].tolist() == [0]
    assert blocks.role_counts["format"].tolist() == [0]


def test_anchor_and_format_words() -> None:
    html = """<p>One <a href=a>two <b>three</b></a> <i>four <b>five</b> six</i> seven</p>
    <a href=b><h2>Big link</h2><p>goes on</p></a><p>plain</p>"""
    measures = blocks_of(html).measures
    assert measures.words.tolist() == [7, 2, 2, 1]
    assert measures.anchor_words.tolist() == [2, 2, 2, 0]
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
    spans = {
        name(element): (first, end)
        for element, first, end in zip(
            containers.element.tolist(), containers.first_block.tolist(), containers.end_block.tolist(), strict=True
        )
    }
    assert spans == {
        "html": (0, 3),
        "body": (0, 3),
        "a": (0, 2),
        "b": (0, 2),
        "c": (0, 1),
        "e": (2, 2),
        "d": (2, 3),
    }


def test_control_characters_and_white_space_are_folded() -> None:
    assert blocks_of("<p>a\x07b \n\t c\xa0\xa0d</p>").texts() == ["a b c d"]


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
