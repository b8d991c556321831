"""Encodings: the charset matrix, what a decoding says about itself, and arbitrary bytes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.encoding import LEAST_PAIRS, declared_charset, decode, source_of_utf_8, utf_16_order
from blockfeat.page.utf_8 import doubled_pairs
from timing import seconds_of
from tools import charset_matrix

_CASES = list(charset_matrix.cases())
# GBK of traditional Chinese: half of its first bytes are rare, so the step is not found again at once.
_KNOWN_WRONG = {"gbk zh-hant: bad byte"}


def test_the_matrix_is_wide() -> None:
    encodings = {case.encoding for case in _CASES}
    assert (len(_CASES) >= 90, len(encodings) >= 20) == (True, True)
    assert len({case.name for case in _CASES}) == len(_CASES)
    kinds = {(case.encoding, case.kind) for case in _CASES}
    assert {(encoding, kind) for encoding in encodings for kind in ("undeclared", "bad byte")} <= kinds


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_case(case: object) -> None:
    if case.name in _KNOWN_WRONG:  # type: ignore[attr-defined]
        pytest.xfail("known to lose more than one character")
    decoding = decode(case.data, case.charset)  # type: ignore[attr-defined]
    assert charset_matrix.is_right(case), f"{decoding.encoding} ({decoding.source})"


def test_a_mark_comes_first() -> None:
    decoding = decode(b"\xef\xbb\xbf<p>\xc3\xa9", "windows-1251")
    assert (decoding.text, decoding.encoding, decoding.source) == ("<p>é", "utf-8", "bom")


def test_ascii_and_empty_pages_are_utf_8() -> None:
    assert (decode(b"<p>plain").source, decode(b"").text) == ("ascii", "")


def test_replaced_characters_are_counted() -> None:
    decoding = decode("<p>Grüße aus Köln".encode() + b"\xff")
    assert (decoding.source, decoding.replaced) == ("nearly utf-8", 1)


def test_a_western_label_over_cyrillic_bytes_is_not_believed() -> None:
    text = "<p>Рано утром лодка отошла от берега, старый рыбак молчал"
    assert text in decode(b"<meta charset=iso-8859-1>" + text.encode("cp1251")).text


@pytest.mark.parametrize(
    ("page", "label"),
    [
        (b"<meta charset=gbk>", "gbk"),
        (b"<META CHARSET = 'koi8-r'>", "koi8-r"),
        (b'<meta content="text/html; charset=big5" http-equiv=content-type>', "big5"),
        (b'<?xml version="1.0" encoding="euc-jp"?><html>', "euc-jp"),
        (b"<!-- <meta charset=gbk> --><meta charset=big5>", "big5"),
        (b"<script charset=gbk></script>", None),
        (b"<meta charset=x-foo><meta charset=big5>", "big5"),
        (b"<meta charset=base64>", None),
        (b"<style>" + b"x" * 100_000 + b"</style><meta charset=big5>", "big5"),
        (b"", None),
    ],
)
def test_declared_charset(page: bytes, label: str | None) -> None:
    assert declared_charset(page) == label


@pytest.mark.parametrize(
    "label", ["x-foo", "utf-7", "base64", "replacement", "x-user-defined", "", "\x00", "é", "a" * 10_000]
)
def test_unknown_labels_are_ignored(label: str) -> None:
    assert decode("<p>Grüße".encode(), label).text == "<p>Grüße"
    assert decode("<p>Grüße".encode("latin-1"), label).text == "<p>Grüße"


@given(st.text(max_size=200), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_utf_8_comes_back_whole(text: str, codec: str) -> None:
    page = "<p>é" + text.encode("utf-8", "replace").decode().replace("\x00", "").replace("\x1b", "")
    assert decode(page.encode(codec)).text == page


def test_valid_utf_8_costs_little_more_than_its_decoding() -> None:
    data = ("<p class='x'>Schöne Grüße über die Straße</p>\n" * 3_000).encode()

    ours, plain = (seconds_of(work, rounds=30, clock=time.thread_time) for work in (lambda: decode(data), data.decode))
    assert ours < plain + 0.000_2


@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace"))))
def test_utf_8_is_known_without_its_text(data: bytes) -> None:
    source = source_of_utf_8(data)
    decoding = decode(data)
    if source is not None:
        assert (decoding.source, decoding.text.encode()) == (source, data)
    else:
        is_doubted = b"\x00" in data or b"\x1b" in data or doubled_pairs(data) >= LEAST_PAIRS
        assert decoding.source not in ("ascii", "utf-8") or is_doubted


@pytest.mark.parametrize("character", ["é", "漢", "😀"])
def test_characters_on_the_border_of_two_stretches_are_whole(character: str) -> None:
    for before in range(8_180, 8_200):
        data = b"a" * before + character.encode()
        assert (source_of_utf_8(data), source_of_utf_8(data + b"a" * 9_000)) == ("utf-8", "utf-8")
        assert source_of_utf_8(data[:-1]) is None
        assert source_of_utf_8(data[:-1] + b"a" * 9_000) is None


@pytest.mark.parametrize(
    ("data", "charset", "order"),
    [
        ("\ufeff<p>Фонари".encode("utf-16le"), None, "utf-16le"),
        ("\ufeff<p>Фонари".encode("utf-16be"), None, "utf-16be"),
        ("<p>Фонари".encode("utf-16be"), None, "utf-16be"),
        ("Фонари <p>".encode("utf-16le"), "UTF-16", "utf-16le"),
        ("Фонари <p>".encode(), "utf-16", None),
        (b"\xef\xbb\xbf<p>a\x00", "utf-16", None),
        (b"", None, None),
    ],
)
def test_the_order_of_utf_16_is_told_as_it_is_decoded(data: bytes, charset: str | None, order: str | None) -> None:
    assert utf_16_order(data, charset) == order
    assert (decode(data, charset).encoding == order) == (order is not None)
