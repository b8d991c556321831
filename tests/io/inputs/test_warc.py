"""Web archives."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from blockfeat.errors import MissingExtraError
from blockfeat.io.inputs import warc
from blockfeat.io.inputs.warc import read_warc


def _record(number: int, body: bytes, *, kind: str = "text/html", status: str = "200 OK", extra: str = "") -> bytes:
    http = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{extra}Content-Length: {len(body)}\r\n\r\n".encode() + body
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
        f"WARC-Target-URI: http://a.example/{number}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


RECORDS = [
    _record(1, b"<p>\xe9", kind="text/html; charset=ISO-8859-1"),
    _record(2, b"{}", kind="application/json"),
    _record(3, b"<p>gone", status="404 Not Found"),
    _record(4, gzip.compress(b"<p>packed"), extra="Content-Encoding: gzip\r\n"),
    _record(5, b"<p>x</p>", kind="application/xhtml+xml"),
]


CHUNKED = "Transfer-Encoding: chunked\r\n"


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_only_html_pages_that_were_found_are_read(tmp_path: Path, name: str) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    pack = gzip.compress if name.endswith(".gz") else bytes
    path = tmp_path / name
    path.write_bytes(b"".join(pack(record) for record in RECORDS))
    documents = list(read_warc(path))
    assert [document.data for document in documents] == [b"<p>\xe9", b"<p>packed", b"<p>x</p>"]
    assert [document.url for document in documents] == [f"http://a.example/{number}" for number in (1, 4, 5)]
    assert documents[0].id == "urn:uuid:00000000-0000-0000-0000-000000000001"
    assert (documents[0].charset or "").lower() == "iso-8859-1"
    assert documents[2].charset is None


def test_an_archive_cut_short_keeps_what_was_read(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(RECORDS[0]) + gzip.compress(_record(9, bytes(range(256)) * 400))[:-300])
    documents = list(read_warc(path))
    assert documents[0].data == b"<p>\xe9"
    assert documents[-1].data is None
    assert f"{path}:2: body cannot be read: truncated" in (documents[-1].error or "")


def test_a_chunked_body_is_joined(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    path = tmp_path / "a.warc"
    path.write_bytes(_record(1, b"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", extra=CHUNKED))
    assert [document.data for document in read_warc(path)] == [b"hello!"]


def test_a_body_that_is_too_large_is_an_error_of_that_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    monkeypatch.setattr(warc, "_MAX_PAGE_BYTES", 1000)
    packed = _record(1, gzip.compress(b"x" * 50_000), extra="Content-Encoding: gzip\r\n")
    path = tmp_path / "a.warc"
    path.write_bytes(packed + _record(2, b"y" * 5000) + _record(3, b"z"))
    first, second, third = read_warc(path)
    assert "larger than 1000 bytes" in (first.error or "")
    assert "larger than 1000 bytes" in (second.error or "")
    assert third.data == b"z"


def test_a_missing_archive_is_one_error(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    (document,) = read_warc(tmp_path / "missing.warc")
    assert "missing.warc" in (document.error or "")


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastwarc", None)
    monkeypatch.setitem(sys.modules, "fastwarc.warc", None)
    with pytest.raises(MissingExtraError, match=r"pip install .blockfeat\[warc\]"):
        next(read_warc("a.warc"))
