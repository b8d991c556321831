"""Documents are plain values; addresses and paths are no pages; plain text as markup."""

import dataclasses
import json
import lzma
import pickle
import random
import re
import struct
import sys
import tarfile
import zlib
from collections.abc import Callable
from html import unescape
from io import BytesIO, StringIO
from math import sin
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from blockfeat.errors import InputTypeError, NotHTML
from blockfeat.page import document as documents
from blockfeat.page.page import Page
from cases import CASES
from pages import article_page
from property_examples import examples
from timing import seconds_of


def test_only_id_and_data_are_needed_and_nothing_can_be_changed() -> None:
    document = documents.Document("a", b"<p>x")
    assert (document.url, document.lang, document.charset, document.error) == (None, None, None, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.id = "b"  # type: ignore[misc]


_ADDRESSES = (
    "https://example.org/a", "HTTP://EXAMPLE.ORG", " https://example.org/a\n", "https://example.org/a.html",
    "https://ja.wikipedia.org/wiki/日本", "www.example.org/a?b=1&c=2", "s3://bucket/key",
)  # fmt: skip
_PATHS = (
    "page.html", "folder/Page.HTM\n", "/tmp/page", "./my page.html", "../a/page.xhtml", "~/pages/1.html.gz",
    "crawl.warc.gz", "C:\\Users\\Jane Doe\\page.html", "/home/jane doe/my page.html", "file:///tmp/page.html",
    "\\\\server\\share\\page.html", "説明.html",
)  # fmt: skip
_TEXTS = [*CASES["texts_that_are_no_address"], "page.html " + "word " * 1000, "https://example.org/" + "a" * 5000]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *((text, r"^an address, not a page: .*blockfeat\.fetch\(url\)") for text in _ADDRESSES),
        *((text, r"^a path, not a page: .*read the file first") for text in _PATHS),
    ],
)
def test_an_address_or_a_path_is_no_page(text: str, reason: str) -> None:
    with pytest.raises(InputTypeError, match=reason):
        documents.check_is_no_name(text)


@pytest.mark.parametrize("text", _TEXTS)
def test_a_short_text_is_no_name(text: str) -> None:
    documents.check_is_no_name(text)


def test_a_long_name_is_shown_in_part() -> None:
    with pytest.raises(InputTypeError) as caught:
        documents.check_is_no_name("https://example.org/" + "a" * 4000)
    assert len(str(caught.value)) < 250


@given(st.lists(st.from_regex(r"\A[^\s/.~\\:]{1,12}\Z"), min_size=2, max_size=9))
def test_words_are_no_name(words: list[str]) -> None:
    documents.check_is_no_name(" ".join(words))


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (PurePosixPath("page.html"), "PurePosixPath; read the file first"),
        (StringIO("<p>"), r"StringIO; give what its read\(\) returns"),
        (urlsplit("https://example.org/a"), r"SplitResult; blockfeat\.fetch\(url\)"),
        (None, "NoneType$"),
        (["<p>"], "list$"),
        ({"html": 7}, "dict; a mapping has the page as 'html'"),
    ],
)
def test_a_value_of_another_type_is_told_how_a_page_is_had_from_it(value: object, hint: str) -> None:
    assert re.search(f"a page must be str or bytes, not {hint}", str(documents.wrong_type(value)))


@pytest.mark.parametrize(("text", "markup"), CASES["plain_text_becomes_markup_that_shows_the_same"])
def test_plain_text_becomes_markup_that_shows_the_same(text: str, markup: str) -> None:
    assert documents.as_markup(text.encode()) == markup.encode()


_CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
_RUSSIAN = "<html><body><p>" + "Фонари горят в долине каждую осень. " * 40
_LATIN_HEAD = "\n\n<!doctype html><html><head>" + "<meta name=a content=b>" * 30 + "<title>a</title></head><body><p>"
_JAPANESE = "<html><body><p>" + "灯台は村の漁師たちが建てた。" * 80


@pytest.mark.parametrize("codec", ["utf-32", "utf-32le", "utf-32be", "utf-16", "utf-16le", "utf-16be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_cyrillic_in_wide_units_is_read(codec: str, mark: str) -> None:
    page = Page.parse((mark + _RUSSIAN).encode(codec))
    assert "Фонари горят" in page.all_text()
    assert page.encoding.startswith(codec[:6])


@pytest.mark.parametrize(
    ("html", "codec"),
    [
        *((_RUSSIAN, codec) for codec in ("koi8-r", "cp1251", "iso8859-5", "cp866", "utf-8", "utf-16")),
        (_LATIN_HEAD + "Фонари горят в долине каждую осень. " * 900, "utf-16le"),
        *((_JAPANESE, codec) for codec in ("shift_jis", "euc-jp", "iso2022_jp", "gb18030", "utf-8")),
    ],
)
@pytest.mark.parametrize("cut", [0, 1, 777])
def test_pages_of_any_encoding_are_taken_whole_and_truncated(html: str, codec: str, cut: int) -> None:
    data = html.encode(codec)
    page = Page.parse(data[: len(data) - cut])
    assert page.has_markup
    assert len(page.all_text()) > 300


@pytest.mark.parametrize(
    "damage", [b"\0" * 8_000, b"\0\0\0 \0\0" * 40, b"\x01\x02\x1f" * 10, b"\x0b\x08\x07" * 400, bytes(range(256))]
)
@pytest.mark.parametrize("place", [0, 40, 9_000, None])
def test_a_page_with_a_hole_or_stray_controls_is_still_one(damage: bytes, place: int | None) -> None:
    data = ("<html><body>" + "<p>The harbour council met on Tuesday.</p>" * 400).encode()
    place = len(data) if place is None else place
    assert "council met" in Page.parse(data[:place] + damage + data[place:]).all_text()


def _tar(text: bytes) -> bytes:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("page.html")
        entry.size = len(text)
        archive.addfile(entry, BytesIO(text))
    return packed.getvalue()


_MIXED = article_page(30).encode() + bytes(range(256)) * 16
# Formats, begun so that no signature tells them.
_FILES = {
    "deflate": zlib.compress(random.Random(1).randbytes(4_000) + _MIXED),
    "sound": b"".join(struct.pack("<h", round(9_000 * sin(step / 9))) for step in range(8_000)),
    "bitmap": b"BM" + struct.pack("<IHHIIiiHHIIiiII", 3_126, 0, 0, 54, 40, 32, 32, 1, 24, 0, 3_072, 0, 0, 0, 0),
    "database": b"SQLite format 3\0"
    + struct.pack(">HBBBBBBIIII", 4096, 1, 1, 0, 64, 32, 32, 1, 2, 0, 0)
    + bytes(4_000),
    "font": b"\0\1\0\0\0\x11\1\0\0\4\0\x10FFTM" + random.Random(2).randbytes(3_000),
    "tar": _tar(_MIXED),
    "pickle": pickle.dumps({number: number * 0.7 for number in range(500)}),
    "program": Path(sys.executable).read_bytes()[:2_000_000],
    "program without its signature": Path(sys.executable).read_bytes()[4:2_000_000],
    "page": b"<!doctype html><html><body>" + b"<p>words</p>" * 90 + random.Random(3).randbytes(90_000),
}


@pytest.mark.parametrize("data", _FILES.values(), ids=_FILES)
def test_files_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(NotHTML):
        Page.parse(data)


@given(st.integers(0, 2**32), st.integers(300, 20_000))
@examples(150)
def test_random_bytes_are_refused(seed: int, size: int) -> None:
    data = random.Random(seed).randbytes(size)
    # Few bytes with a tag by chance have so few controls that they may be a page.
    assume(size >= 1_000 or not re.search(rb"<[/!?a-z]", data, re.IGNORECASE))
    with pytest.raises(NotHTML):
        Page.parse(data)


@pytest.mark.parametrize("start", ["%PDF-1.4 ", "PK\x03\x04", "%!PS-Adobe-3.0", "{\\rtf1\\ansi "])
@pytest.mark.parametrize("behind", ["words", "<p>words</p>"])
def test_other_formats_that_were_decoded_are_refused(start: str, behind: str) -> None:
    for page in (start + behind, (start + behind).encode()):
        with pytest.raises(NotHTML, match="the bytes are"):
            Page.parse(page)


@pytest.mark.parametrize("text", ["RIFF is a festival of films", "BZh is no word", "GIF89 was a format", "OggS, too"])
def test_words_that_signatures_begin_with_are_text(text: str) -> None:
    assert Page.parse(text.encode()).all_text() == text


_WITH_TAGS = (
    "<p>one", "one<br>two", "one</b>", "one <!-- two -->", "<!DOCTYPE html>one", "<?xml version='1.0'?>one",
    "<main>one", "<x-card>one</x-card>", "<rss><channel/></rss>", "<A HREF=x>one",
)  # fmt: skip


@pytest.mark.parametrize("html", _WITH_TAGS)
def test_any_tag_is_markup(html: str) -> None:
    page = Page.parse(html)
    assert page.has_markup
    assert page.warnings == ()


_WITHOUT_TAGS = (
    "a < b and c > d", "#include <stdio.h>", "std::vector<int> x; Map<String, List<Integer>> y;", "name;age\nAnn;3",
    "Jane <jane@example.org> wrote <https://example.org/a>", 'File "<stdin>", line 1, in <module>', "Tom &amp; Jerry",
    "I <3 it, x<-1, 1<2", '{"a": [1, 2]}',
)  # fmt: skip


@pytest.mark.parametrize("text", _WITHOUT_TAGS)
@pytest.mark.parametrize("kind", [str, str.encode])
def test_text_without_a_tag_is_plain_and_stays_whole(text: str, kind: Callable[[str], str | bytes]) -> None:
    page = Page.parse(kind(text))
    assert not page.has_markup
    assert (page.warnings, page.all_text().split()) == ((documents.NO_MARKUP,), unescape(text).split())


def test_plain_text_in_utf_16_is_text() -> None:
    page = Page.parse("Фонари горят.\n\nКаждую осень.".encode("utf-16"))
    assert not page.has_markup
    assert page.all_text().split() == ["Фонари", "горят.", "Каждую", "осень."]


@pytest.mark.corpora
@pytest.mark.skipif(not _CORPORA.is_dir(), reason="needs the corpora in ../shared/corpora")
def test_no_page_of_the_corpora_is_refused_or_taken_as_plain_text() -> None:
    count = 0
    for path in sorted(_CORPORA.rglob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                html = json.loads(line).get("html")
                if html is not None:
                    for page in (html, html.encode("utf-8", "replace")):
                        assert Page.parse(page).has_markup, path
                    count += 1
    assert count > 6_000


@pytest.mark.parametrize(("host", "urls"), CASES["registered_domain"])
def test_registered_domain(host: str, urls: str) -> None:
    assert {url: documents.registered_domain(url) for url in urls.split()} == dict.fromkeys(urls.split(), host or None)
    assert documents.registered_domain("") is documents.registered_domain("a title, no address") is None


@given(st.text(max_size=60))
def test_registered_domain_takes_any_text(url: str) -> None:
    host = documents.registered_domain(url)
    assert host is None or (host and host == host.lower())


@pytest.mark.parametrize(("html", "host"), CASES["guess_host"])
def test_guess_host(html: str, host: str) -> None:
    assert documents.guess_host(html) == (host or None)


def test_guess_host_looks_at_the_beginning_only() -> None:
    assert documents.guess_host(" " * 100_000 + "<base href='http://a.example/'>") is None


@pytest.mark.parametrize("unit", ["<meta ", "<link rel=", "<base href='", "<meta a=b ", "<", " ", "<link a "])
def test_guess_host_is_fast_on_hostile_pages(unit: str) -> None:
    assert seconds_of(lambda: documents.guess_host(unit * (1_000_000 // len(unit)))) < 1.0
