"""Documents are plain values; addresses and paths are no pages; plain text as markup."""

from __future__ import annotations

import dataclasses
import re
from io import StringIO
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import InputTypeError
from blockfeat.page.document import Document, as_markup, check_is_no_name, wrong_type


def test_only_id_and_data_are_needed() -> None:
    document = Document("a", b"<p>x")
    assert (document.url, document.lang, document.charset, document.error) == (None, None, None, None)


def test_a_document_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Document("a", b"").id = "b"  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a",
        "HTTP://EXAMPLE.ORG",
        " https://example.org/a\n",
        "https://example.org/a.html",
        "https://ja.wikipedia.org/wiki/日本",
        "www.example.org/a?b=1&c=2",
        "s3://bucket/key",
    ],
)
def test_an_address_is_no_page(text: str) -> None:
    with pytest.raises(InputTypeError, match=r"^an address, not a page: .*blockfeat\.fetch\(url\)"):
        check_is_no_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "page.html",
        "folder/Page.HTM\n",
        "/tmp/page",
        "./my page.html",
        "../a/page.xhtml",
        "~/pages/1.html.gz",
        "crawl.warc.gz",
        "C:\\Users\\Jane Doe\\page.html",
        "/home/jane doe/my page.html",
        "\\\\server\\share\\page.html",
        "file:///tmp/page.html",
        "説明.html",
    ],
)
def test_a_path_is_no_page(text: str) -> None:
    with pytest.raises(InputTypeError, match=r"^a path, not a page: .*read the file first"):
        check_is_no_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "Breaking: www.example.org is down today",
        "https://example.org/a is down",
        "https://example.org/a\nhttps://example.org/b",
        "https://example.org/。見てください",
        "See index.html",
        "The page is index.html",
        "and/or",
        "/",
        "/1",
        "/s/",
        "a:/b",
        "a://b",
        "...",
        "Node.js",
        "3.14",
        "example.org",
        "",
        "page.html " + "word " * 1000,
        "https://example.org/" + "a" * 5000,
    ],
)
def test_a_short_text_is_no_name(text: str) -> None:
    check_is_no_name(text)


def test_a_long_name_is_shown_in_part() -> None:
    with pytest.raises(InputTypeError) as caught:
        check_is_no_name("https://example.org/" + "a" * 4000)
    assert len(str(caught.value)) < 250


@given(st.lists(st.from_regex(r"\A[^\s/.~\\:]{1,12}\Z"), min_size=2, max_size=9))
def test_words_are_no_name(words: list[str]) -> None:
    check_is_no_name(" ".join(words))


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (PurePosixPath("page.html"), "PurePosixPath; read the file first"),
        (StringIO("<p>"), r"StringIO; give what its read\(\) returns"),
        (urlsplit("https://example.org/a"), r"SplitResult; blockfeat\.fetch\(url\)"),
        (None, "NoneType$"),
        (["<p>"], "list$"),
    ],
)
def test_a_value_of_another_type_is_told_how_a_page_is_had_from_it(value: object, hint: str) -> None:
    assert re.search(f"a page must be str or bytes, not {hint}", str(wrong_type(value)))


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("one", "<p>one</p>"),
        ("one\r\ntwo\rthree", "<p>one<br>two<br>three</p>"),
        ("\n\none\n \t\n\ntwo\n", "<p>one</p><p>two</p>"),
        ("if x:\n    y = 1", "<pre>if x:\n    y = 1</pre>"),
        ("a\tb\nc\td", "<pre>a\tb\nc\td</pre>"),
        ("one\n\n  two", "<p>one</p><pre>  two</pre>"),
        ("a < b <c> d", "<p>a &lt; b &lt;c> d</p>"),
        ("?a=1&copy=2 &amp; &#8217; & &;", "<p>?a=1&amp;copy=2 &amp; &#8217; &amp; &amp;;</p>"),
    ],
)
def test_plain_text_becomes_markup_that_shows_the_same(text: str, markup: str) -> None:
    assert as_markup(text.encode()) == markup.encode()
