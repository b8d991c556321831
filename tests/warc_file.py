"""Small web archives written for the tests."""

import gzip
from collections.abc import Iterable
from pathlib import Path

import pytest


def zstd(data: bytes) -> bytes:
    """Return a zstd frame, without a checksum."""
    pyarrow = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    return bytes(pyarrow.compress(data, codec="zstd", asbytes=True))


def warc_record(
    number: int,
    body: bytes,
    *,
    kind: str = "text/html; charset=utf-8",
    version: str = "1.0",
    status: str = "200 OK",
    more: str = "",
    url: str = "",
) -> bytes:
    """Return a response with its number in id and address, and more lines in its head."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    http = head.encode() + body
    head = (
        f"WARC/{version}\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
        f"WARC-Target-URI: {url or f'https://a.example/{number}'}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def write_warc(path: Path, pages: Iterable[bytes], *, first: int = 0) -> Path:
    """Write pages to an archive; each record is packed alone where the name ends in ``.gz``."""
    pack = gzip.compress if path.suffix == ".gz" else bytes
    path.write_bytes(b"".join(pack(warc_record(number, page)) for number, page in enumerate(pages, start=first)))
    return path
