"""What streams of bytes are, by their first bytes."""

import gzip
import io
import json
import lzma
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import InputError
from blockfeat.io.inputs import FieldNames, InputOptions, read_inputs
from blockfeat.io.inputs.options import detected, looks_like_html, peeked, unpacked
from warc_file import warc_record, zstd

RECORDS = "".join(json.dumps({"id": f"p{n}", "html": "<p>x" * 500}) + "\n" for n in range(3)).encode()


class _Trickle(io.RawIOBase):
    """A pipe whose writer is slow: a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._data.read(min(7, len(buffer)))
        buffer[: len(data)] = data
        return len(data)


def _given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(_Trickle(data))))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, zstd])
def test_pages_on_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]) -> None:
    _given(monkeypatch, pack(RECORDS))
    assert [document.id for document in read_inputs(["-"])] == ["p0", "p1", "p2"]
    page = b"<!DOCTYPE html><p>" + b"x" * 5000
    _given(monkeypatch, pack(page))
    (document,) = read_inputs([])
    assert (document.id, document.data, document.error) == ("-", page, None)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_archive_on_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    body = b"<p>" + b"x" * 3000
    record = warc_record(7, body)
    _given(monkeypatch, pack(record))
    (document,) = read_inputs(["-"])
    assert (document.url, document.data) == ("https://a.example/7", body)
    _given(monkeypatch, pack(record)[:-40] + pack(warc_record(8, body)))
    gap, document = read_inputs(["-"])
    assert (gap.id, gap.data, document.url) == ("-@0", None, "https://a.example/8")


def test_parquet_on_standard_input_with_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    written = io.BytesIO()
    parquet.write_table(pyarrow.table({"content": ["<p>a"], "link": ["http://a.example/"]}), written)
    _given(monkeypatch, written.getvalue())
    (document,) = read_inputs(["-"], InputOptions(fields=FieldNames.parse("html=content, url=link")))
    assert (document.id, document.data, document.url) == ("-:1", "<p>a", "http://a.example/")
    _given(monkeypatch, written.getvalue())
    (document,) = read_inputs(["-"])
    assert 'no column "html" (its columns: content, link' in (document.error or "")


_HEADS = {
    "jsonl": (b'\xef\xbb\xbf \n{ "html": 1}', b"{}"),
    "html": (b"{{ template }}<p>x", b"<p>{", b""),
    "warc": (b"WARC/1.1\r\n",),
    "parquet": (b"PAR1....",),
}


@pytest.mark.parametrize(("format", "head"), [(format, head) for format, heads in _HEADS.items() for head in heads])
def test_formats_by_first_bytes(head: bytes, format: str) -> None:
    assert detected(head) == format


def test_a_json_array_is_told_not_taken_for_a_page() -> None:
    with pytest.raises(InputError, match="JSON array"):
        detected(b' [\n {"html": "<p>"}]')


_PAGES = (b"\n<!-- x --><!DOCTYPE HTML>", b"<html lang=de>", b"<\0h\0t\0m\0l\0>\0")
_OTHERS = (b"<?php echo 1;", b"plain", b"%PDF-1.4")


def test_pages_by_first_bytes() -> None:
    assert [head for head in _PAGES + _OTHERS if looks_like_html(head)] == [*_PAGES]


@given(st.binary(max_size=5000))
def test_a_peeked_stream_has_all_its_bytes(data: bytes) -> None:
    head, whole = peeked(io.BufferedReader(_Trickle(data)))
    assert (head, (whole.read(), unpacked(io.BytesIO(gzip.compress(data))).read())) == (data[:1024], (data, data))


@pytest.mark.parametrize("text", ["", "html", "page=x", "html=", "html=a,html=b"])
def test_names_of_fields_have_one_form(text: str) -> None:
    with pytest.raises(InputError, match="html=content"):
        FieldNames.parse(text)
