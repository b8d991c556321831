"""Characters that no output may hold."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from blockfeat.content.links import clean_characters, fold_white_space, xml_characters

# All code points, lone surrogates and controls among them, controls often.
ANY_CHARACTER = st.characters() | st.characters(categories=["Cc", "Cs"]) | st.sampled_from("\ufffe\uffff\r\n")
# Not st.text: it would draw from all the characters together, and odd ones hardly ever.
ANY_TEXT = st.lists(ANY_CHARACTER).map("".join)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\x00b", "ab"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x0bb\x0cc\x85d", "a b c d"),
        ("a\ud800b", "a\ufffdb"),
        ("a\x7f\x9fb", "ab"),
        ("😀 é", "😀 é"),
    ],
)
def test_examples(text: str, clean: str) -> None:
    assert clean_characters(text) == clean


@given(ANY_TEXT)
def test_clean_text_holds_nothing_unwanted_and_stays_as_it_is(text: str) -> None:
    clean = clean_characters(text)
    assert all(mark in "\t\n" or unicodedata.category(mark) not in ("Cc", "Cs") for mark in clean)
    assert clean_characters(clean) == clean
    clean.encode()


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_other_characters_stay(text: str) -> None:
    assert clean_characters(text) == text


@given(ANY_TEXT)
def test_xml_takes_what_xml_characters_gives(text: str) -> None:
    element = etree.Element("a")
    element.text = xml_characters(text)
    assert (etree.fromstring(etree.tostring(element, encoding="utf-8")).text or "") == element.text


def test_white_space_of_every_kind_is_folded() -> None:
    assert fold_white_space("a \t\r\n b\u2028c\u2029\x85d\u00a0e") == "a b c d\u00a0e"
