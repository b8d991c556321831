"""Link targets and the pieces of a linked text."""

import html
import re
import unicodedata
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from blockfeat.content.links import Base, clean_characters, fold_white_space, is_plain, safe_target, xml_characters
from blockfeat.page.page import Page
from cases import CASES


@pytest.mark.parametrize(("href", "target"), CASES["allowed_targets"])
def test_allowed_targets(href: str, target: str) -> None:
    assert safe_target(href) == target


@pytest.mark.parametrize("href", CASES["targets_that_are_not_allowed"])
def test_targets_that_are_not_allowed(href: str) -> None:
    assert safe_target(href) is None


_PIECES = [*"javscriptdl:/?#&;()", "&#58;", "&Tab;", "&colon;", "&amp;", "\x00", "\t", "\u200b", "javascript"]


@given(st.lists(st.sampled_from(_PIECES)).map("".join) | st.text())
def test_no_disguise_gets_through(href: str) -> None:
    target = safe_target(href)
    if target is None:
        return
    for seen in (target, html.unescape(target), html.unescape(html.unescape(target))):
        scheme = re.match(r"([a-z][a-z0-9+.\-]*):", re.sub(r"[\x00-\x20]", "", seen), re.IGNORECASE)
        assert scheme is None or scheme.group(1).lower() in ("http", "https", "mailto")
    assert not re.search(r"[\s()<>\"'`\\]", target)
    if target.startswith("https://a.example/"):
        assert urlsplit(target).hostname == "a.example"


@pytest.mark.parametrize(("head", "url", "resolved"), CASES["what_relative_addresses_refer_to"])
def test_what_relative_addresses_refer_to(head: str, url: str, resolved: str) -> None:
    tags = Page.parse(f"<html><head>{head}</head><body><p>text").tags
    assert tags is not None
    assert Base.of(tags, url or None).resolved("z?q") == resolved
    assert Base(None).resolved(" as it is\n") == " as it is\n"


@given(
    st.text("ab-_./?=&%#:;~A1 é", max_size=9), st.sampled_from(["http://h", "https://h.example/a/b//c/../d;p?x=1#f"])
)
def test_plain_relative_addresses_are_resolved_as_others_are(href: str, address: str) -> None:
    assert Base(address).resolved(href) == urljoin(address, href.strip())


@pytest.mark.parametrize("target", [f"&#{'9' * 5_000};", f"javascript&#{'0' * 5_000}58;alert(1)"])
def test_references_of_thousands_of_digits_are_looked_through(target: str) -> None:
    found = safe_target(target)
    assert found is None or not found.startswith("javascript")


# All code points, lone surrogates and controls among them, controls often.
ANY_CHARACTER = st.characters() | st.characters(categories=["Cc", "Cs"]) | st.sampled_from("\ufffe\uffff\r\n")
# Not st.text: it would draw from all the characters together, and odd ones hardly ever.
ANY_TEXT = st.lists(ANY_CHARACTER).map("".join)


def test_controls_go_and_white_space_of_every_kind_is_folded() -> None:
    assert clean_characters("a\r\nb\rc") == "a\nb\nc"
    separators = dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x1f\x85", " ") | {"\t": "\t", "\n": "\n", "\r": "\n"}
    for mark in map(chr, (*range(0xA2), 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0x1F600)):
        instead = {"Cc": "", "Cs": "\ufffd"}.get(unicodedata.category(mark), mark)
        assert clean_characters(f"a\0{mark}b") == f"a{separators.get(mark, instead)}b"
    assert fold_white_space("a  b") == "a b"
    assert fold_white_space("a \t\r\n b\u2028c\u2029\x85d\u00a0e") == "a b c d\u00a0e"


@given(ANY_TEXT)
def test_clean_text_holds_nothing_unwanted_and_stays_as_it_is(text: str) -> None:
    clean = clean_characters(text)
    assert all(mark in "\t\n" or unicodedata.category(mark) not in ("Cc", "Cs") for mark in clean)
    assert clean_characters(clean) == clean
    clean.encode()


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_other_characters_stay(text: str) -> None:
    assert clean_characters(text) == text


def test_a_plain_text_needs_neither_escapes_nor_folding() -> None:
    assert is_plain("It is 'plain',\u00a0\"straße\".")
    assert not [mark for mark in ("  ", "&", "<", ">", "\n", "\x85", "\u2028", "\ud800") if is_plain(f"a{mark}b")]


@given(ANY_TEXT)
def test_xml_takes_what_xml_characters_gives(text: str) -> None:
    element = etree.Element("a")
    element.text = xml_characters(text)
    assert (etree.fromstring(etree.tostring(element, encoding="utf-8")).text or "") == element.text
