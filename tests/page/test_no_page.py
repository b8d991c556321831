"""What is taken as a page, what as plain text, and which bytes are refused as neither."""

from __future__ import annotations

import json
import lzma
import pickle
import random
import struct
import sys
import tarfile
import zlib
from collections.abc import Callable
from html import unescape
from io import BytesIO
from math import sin
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import BlockfeatError, NotHTML
from blockfeat.page.document import NO_MARKUP
from blockfeat.page.page import Page
from pages import article_page
from property_examples import examples

_CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
_RUSSIAN = "<html><body><p>" + "Фонари горят в долине каждую осень. " * 40
_LATIN_HEAD = "\n\n<!doctype html><html><head>" + "<meta name=a content=b>" * 30 + "<title>a</title></head><body><p>"
_JAPANESE = "<html><body><p>" + "灯台は村の漁師たちが建てた。" * 80


@pytest.mark.parametrize("codec", ["utf-32", "utf-32le", "utf-32be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_utf_32_is_read(codec: str, mark: str) -> None:
    page = Page.parse((mark + _RUSSIAN).encode(codec))
    assert "Фонари горят" in page.all_text()
    assert page.encoding.startswith("utf-32")


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
    "damage",
    [
        b"\0" * 8_000,
        b"\0\0\0 \0\0" * 40,
        b"\x01\x02\x1f" * 10,
        b"\x0b\x08\x07" * 400,
        bytes(range(256)),
    ],
)
@pytest.mark.parametrize("place", [0, 40, 9_000, None])
def test_a_page_with_a_hole_or_stray_controls_is_still_one(damage: bytes, place: int | None) -> None:
    data = ("<html><body>" + "<p>The harbour council met on Tuesday.</p>" * 400).encode()
    place = len(data) if place is None else place
    assert "council met" in Page.parse(data[:place] + damage + data[place:]).all_text()


def _packed(kind: str) -> bytes:
    """Return bytes of a format, begun so that no signature tells it."""
    text = article_page(30).encode() + bytes(range(256)) * 16
    if kind == "deflate":
        return zlib.compress(random.Random(1).randbytes(4_000) + text)
    if kind == "sound":
        return b"".join(struct.pack("<h", round(9_000 * sin(step / 9))) for step in range(8_000))
    if kind == "bitmap":
        return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 3_126, 0, 0, 54, 40, 32, 32, 1, 24, 0, 3_072, 0, 0, 0, 0)
    if kind == "database":
        return b"SQLite format 3\0" + struct.pack(">HBBBBBBIIII", 4096, 1, 1, 0, 64, 32, 32, 1, 2, 0, 0) + bytes(4_000)
    if kind == "font":
        return b"\0\1\0\0\0\x11\1\0\0\4\0\x10FFTM" + random.Random(2).randbytes(3_000)
    if kind == "tar":
        packed = BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            entry = tarfile.TarInfo("page.html")
            entry.size = len(text)
            archive.addfile(entry, BytesIO(text))
        return packed.getvalue()
    return pickle.dumps({number: number * 0.7 for number in range(500)})


@pytest.mark.parametrize("kind", ["deflate", "sound", "bitmap", "database", "font", "tar", "pickle"])
def test_files_that_are_no_text_are_refused(kind: str) -> None:
    with pytest.raises(NotHTML):
        Page.parse(_packed(kind))


def test_programs_are_refused() -> None:
    with pytest.raises(NotHTML, match=r"ELF|binary"):
        Page.parse(Path(sys.executable).read_bytes()[:2_000_000])
    with pytest.raises(NotHTML, match="binary"):
        Page.parse(Path(sys.executable).read_bytes()[4:2_000_000])


@given(st.integers(0, 2**32), st.integers(300, 20_000))
@examples(150)
def test_random_bytes_are_refused(seed: int, size: int) -> None:
    with pytest.raises(NotHTML):
        Page.parse(random.Random(seed).randbytes(size))


def test_random_bytes_behind_the_begin_of_a_page_are_refused() -> None:
    with pytest.raises(NotHTML, match="binary"):
        Page.parse(b"<!doctype html><html><body>" + b"<p>words</p>" * 90 + random.Random(3).randbytes(90_000))


@pytest.mark.parametrize("start", ["%PDF-1.4 ", "PK\x03\x04", "%!PS-Adobe-3.0", "{\\rtf1\\ansi "])
@pytest.mark.parametrize("behind", ["words", "<p>words</p>"])
def test_other_formats_that_were_decoded_are_refused(start: str, behind: str) -> None:
    for page in (start + behind, (start + behind).encode()):
        with pytest.raises(NotHTML, match="the bytes are"):
            Page.parse(page)


@pytest.mark.parametrize("text", ["RIFF is a festival of films", "BZh is no word", "GIF89 was a format", "OggS, too"])
def test_words_that_signatures_begin_with_are_text(text: str) -> None:
    assert Page.parse(text.encode()).all_text() == text


@pytest.mark.parametrize(
    "html",
    [
        "<p>one",
        "one<br>two",
        "one</b>",
        "one <!-- two -->",
        "<!DOCTYPE html>one",
        "<?xml version='1.0'?>one",
        "<main>one",
        "<x-card>one</x-card>",
        "<rss><channel/></rss>",
        "<A HREF=x>one",
    ],
)
def test_any_tag_is_markup(html: str) -> None:
    page = Page.parse(html)
    assert page.has_markup
    assert page.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "#include <stdio.h>",
        "std::vector<int> x; Map<String, List<Integer>> y;",
        "Jane <jane@example.org> wrote <https://example.org/a>",
        'File "<stdin>", line 1, in <module>',
        "I <3 it, x<-1, 1<2",
        "name;age\nAnn;3",
        "Tom &amp; Jerry",
        '{"a": [1, 2]}',
    ],
)
@pytest.mark.parametrize("kind", [str, str.encode])
def test_text_without_a_tag_is_plain_and_stays_whole(text: str, kind: Callable[[str], str | bytes]) -> None:
    page = Page.parse(kind(text))
    assert not page.has_markup
    assert page.warnings == (NO_MARKUP,)
    assert page.all_text().split() == unescape(text).split()


def test_plain_text_in_utf_16_is_text() -> None:
    page = Page.parse("Фонари горят.\n\nКаждую осень.".encode("utf-16"))
    assert not page.has_markup
    assert page.all_text().split() == ["Фонари", "горят.", "Каждую", "осень."]


@given(st.text(max_size=60) | st.binary(max_size=60) | st.text(max_size=30).map(lambda text: f"\0{text}%PDF-"))
@examples(300)
def test_whatever_is_given_is_a_page_or_an_error_of_ours(value: str | bytes) -> None:
    try:
        page = Page.parse(value)
    except BlockfeatError:
        return
    assert page.has_markup or NO_MARKUP in page.warnings


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
