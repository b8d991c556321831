"""Pages: every type of input, every kind of damage, no text lost in silence."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import cut_into_blocks, load_table
from blockfeat.data.corpus import demo_pages
from blockfeat.errors import BlockfeatError, NotHTML
from blockfeat.extraction.extractor import Extractor, measurer_for
from blockfeat.models.threshold import ThresholdModel
from blockfeat.page.document import NO_MARKUP
from blockfeat.page.page import Page
from property_examples import examples

_TABLE = load_table("html5")


def _whole(inner: str) -> str:
    return f"<html><head><title>t</title></head><body><p>alpha</p>{inner}<p>omega</p></body></html>"


def _words(html: str | bytes) -> list[str]:
    return Page.parse(html).all_text().split()


def test_nul_and_surrogates_are_replaced() -> None:
    page = Page.parse("<p>a\x00b\ud800c\udfffd")
    assert (page.all_text(), page.replaced) == ("a\ufffdb\ufffdc\ufffdd", 2)
    assert any("NUL" in warning for warning in page.warnings)
    assert _words(b"<p>a\x00</p>" + b"<p>b") == ["a\ufffd", "b"]


@pytest.mark.parametrize(
    ("html", "word"),
    [
        ("<?xml version='1.0' encoding='utf-16'?><p>Grüße", "Grüße"),
        ("<?xml version='1.0' encoding='iso-8859-1'?><p>Grüße".encode(), "Grüße"),
        ("<?xml version='1.0' encoding='koi8-r'?><p>лодка".encode("koi8-r"), "лодка"),
        ("<meta charset=gbk><p>Grüße".encode(), "Grüße"),
        ("<meta charset=gbk><p>Grüße", "Grüße"),
        ("<meta charset=utf-8><p>лодка отошла от берега".encode("cp1251"), "лодка"),
    ],
)
def test_a_declaration_does_not_reach_the_parser(html: str | bytes, word: str) -> None:
    assert _words(html)[0] == word


@pytest.mark.parametrize("depth", [255, 300, 600, 3_000, 100_000])
@pytest.mark.parametrize("close", [True, False])
@pytest.mark.parametrize("name", ["div", "b"])
def test_depth(depth: int, close: bool, name: str) -> None:
    page = Page.parse(_whole(f"<{name}>" * depth + "deep" + f"</{name}>" * depth * close))
    assert page.all_text().split() == ["t", "alpha", "deep", "omega"]
    assert any("512" in warning for warning in page.warnings) == (depth > 512)
    assert " ".join(cut_into_blocks(page, _TABLE).texts()).split() == ["alpha", "deep", "omega"]


def test_depth_of_a_million() -> None:
    page = Page.parse(_whole("<i>x" * 1_000_000))
    assert (page.all_text().count("x"), page.all_text().split()[-1]) == (1_000_000, "omega")


def test_huge_text_nodes() -> None:
    page = Page.parse(_whole("<p>" + "word " * 2_200_000 + "last</p>"))
    assert page.all_text().split()[-2:] == ["last", "omega"]
    assert len(page.all_text()) > 11_000_000


@pytest.mark.parametrize("start", ["<iframe src='x' />", '<a href="x>', "<a href='x>"])
def test_unclosed_elements_lose_no_text(start: str) -> None:
    page = Page.parse(_whole(start + "middle"))
    assert page.all_text().split()[-3:] == ["alpha", "middle", "omega"]
    assert page.warnings
    assert cut_into_blocks(page, _TABLE).texts()[-1] == "omega"


def test_the_mark_at_the_end_leaves_no_trace() -> None:
    structured = ("<table><tr><td>a", "<plaintext>a", "<xmp>a</xmp>", "<select><option>a", "<frameset>")
    for html in ("<p>a", "a", *structured):
        page = Page.parse(html)
        assert page.tags is not None
        assert b"blockfeat" not in page.tags.source
        assert not page.tags.named("wbr").size


def test_entities_of_a_doctype_do_not_expand() -> None:
    bomb = '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    text = Page.parse(bomb + "<p>&b;&f;</p>").all_text()
    assert text.split() == ["]>", "&b;&f;"]


def test_attribute_bomb() -> None:
    page = Page.parse(_whole("<p" + "".join(f" a{number}=1" for number in range(100_000)) + ">middle</p>"))
    assert page.all_text().split() == ["t", "alpha", "middle", "omega"]
    assert any("attributes" in warning for warning in page.warnings)


def test_title_and_language() -> None:
    page = Page.parse("<html lang=de><title> a \n b </title><p>x")
    assert (page.title, page.declared_lang, page.encoding_source) == ("a b", "de", "str")
    assert Page.parse("<meta property=og:locale content=fr_FR><p>x").declared_lang == "fr_FR"
    assert (Page.parse("").title, Page.parse("").declared_lang) == (None, None)
    assert Page.parse("<html x=' lang=' y='z'><p>x").declared_lang is None
    assert Page.parse("<html x=' lang=' xml:lang=pl><p>x").declared_lang == "pl"


_ANY = st.binary(max_size=300) | st.text(max_size=300) | st.text("<>/!-='\" \x00apbi&;#[]?\ud800", max_size=120)


@examples(300)
@given(_ANY | st.text(max_size=30).map(lambda text: f"\0{text}%PDF-"))
def test_whatever_is_given_is_a_page_or_an_error_of_ours(html: str | bytes) -> None:
    try:
        page = Page.parse(html)
    except BlockfeatError:
        return
    assert page.has_markup or NO_MARKUP in page.warnings
    blocks = cut_into_blocks(page, _TABLE)
    assert len(blocks.texts()) == len(blocks)


_INLINE = st.lists(st.sampled_from(["b", "i", "a", "span", "em"]), max_size=3)
_BLOCK = st.sampled_from(["p", "div", "h2", "li", "blockquote", "td", "section"])


@examples(100)
@given(st.lists(st.tuples(_BLOCK, _INLINE, st.booleans()), max_size=20))
def test_all_visible_text_survives_in_order(parts: list[tuple[str, list[str], bool]]) -> None:
    pieces, expected = [], []
    for number, (block, inline, is_closed) in enumerate(parts):
        opening, closing = "".join(f"<{x}>" for x in inline), "".join(f"</{x}>" for x in reversed(inline))
        pieces.append(f"<{block}>{opening}word{number} {closing}" + (f"</{block}>" if is_closed else ""))
        expected.append(f"word{number}")
    page = Page.parse("<body>" + "\n".join(pieces))
    assert (page.all_text().split(), " ".join(cut_into_blocks(page, _TABLE).texts()).split()) == (expected, expected)


def _names(page: Page) -> list[str]:
    assert page.tags is not None
    return [page.tags.name(element) for element in range(len(page.tags))]


def test_the_tree_of_lxml_has_the_same_elements() -> None:
    for demo in demo_pages():
        page = Page.parse(demo.html)
        assert page.tree is not None
        assert [element.tag for element in page.tree.iter()] == _names(page)
        assert page.tree is page.tree


_PIECES = (
    "<p> <div> </div> <a> </a> <td> <table> </table> <li> <b> </b> <noscript> </noscript> <xmp>&lt;<b></xmp> <h1> "
    "</h1> <title>a</title> x <html> <head> </head> <body> <link> <x:y> <p/> <option>"
)


@examples(200)
@given(st.lists(st.sampled_from(_PIECES.split()), max_size=30))
def test_the_tree_of_lxml_has_the_same_elements_on_broken_pages(pieces: list[str]) -> None:
    page = Page.parse("<body>" + "".join(pieces))
    assert page.tree is not None
    assert [element.tag for element in page.tree.iter()] == _names(page)
    assert "".join("".join(page.tree.itertext()).split()) == "".join(page.all_text().split())


def test_the_tree_of_a_deep_page_and_of_none() -> None:
    page = Page.parse(_whole("<div>" * 3_000 + "<i>deep"))
    assert page.tree is not None
    assert [element.tag for element in page.tree.iter()] == _names(page)
    assert Page.parse("").tree is None


def test_drawings_are_kept_for_tables_that_read_them() -> None:
    html = "<p>a<svg><text>drawn</text></svg>"
    assert (Page.parse(html).all_text(), Page.parse(html, keep_drawings=True).all_text()) == ("a", "a drawn")
    guards = replace(_TABLE.guards, keep_if_it_holds_paragraphs=frozenset())
    table = replace(_TABLE, operations={**_TABLE.operations, "svg": "boundary"}, guards=guards)
    assert (_TABLE.reads_drawings, table.reads_drawings) == (False, True)
    extractor = Extractor.load("thresholds")
    assert isinstance(extractor.model, ThresholdModel)
    model = replace(extractor.model, table=table)
    extractor = replace(extractor, model=model, measurer=measurer_for(model))
    assert [block.text for block in extractor.extract(html).blocks] == ["a", "drawn"]


def test_soft_hyphens_do_not_cut_words() -> None:
    page = Page.parse("<p>Bundes&shy;regie\u00adrung</p>")
    assert cut_into_blocks(page, _TABLE).texts() == ["Bundesregierung"]


def test_controls_in_utf_16_are_still_a_binary_file() -> None:
    with pytest.raises(NotHTML, match="binary"):
        Page.parse("\ufeff<\x01\x02\x03\x04".encode("utf-16le") * 300)
