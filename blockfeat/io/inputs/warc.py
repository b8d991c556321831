"""Pages from web archives (WARC), plain or packed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from blockfeat._extras import require_extra
from blockfeat.errors import InputError
from blockfeat.io.inputs.options import DAMAGE
from blockfeat.page.document import Document

if TYPE_CHECKING:
    from fastwarc.warc import ArchiveIterator, WarcRecord


WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
_HTML_TYPES = ("text/html", "application/xhtml+xml")
# Bounds memory for a compressed body; crawlers truncate pages far below this.
_MAX_PAGE_BYTES = 64 * 1024 * 1024


def read_warc(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the HTML pages of a web archive, one at a time.

    Only HTTP responses with a 2xx status and an HTML content type are read. The id is the record's id, the
    url its target, the charset that of the HTTP header. A damaged archive yields the pages before the
    damage and then one document with ``error``.

    Raises
    ------
    MissingExtraError
        If FastWARC is not installed.
    """
    name = os.fspath(path)
    require_extra("warc", what=f"{name}: a WARC file")
    try:
        with open(name, "rb") as stream:
            yield from warc_pages(name, stream)
    except OSError as error:
        yield Document(id=name, data=None, error=f"{name}: cannot be read: {error.strerror or error}")


def warc_pages(name: str, stream: IO[bytes]) -> Iterator[Document]:
    """Yield the HTML pages of a stream, plain or packed with gzip, as `read_warc` does.

    Raises
    ------
    MissingExtraError
        If FastWARC is not installed.
    """
    require_extra("warc", what=f"{name}: a WARC file")
    import fastwarc.warc

    source = _Source(stream)
    try:
        records = fastwarc.warc.ArchiveIterator(
            source, record_types=fastwarc.warc.WarcRecordType.response, parse_http=True
        )
        yield from _pages(name, records)
        if source.damage is not None:
            raise source.damage
    except (*DAMAGE, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield Document(id=name, data=None, error=f"{name}: cannot be read to its end: {reason}")


class _Source:
    """A stream as FastWARC needs it: it asks for the position at the start, and panics where reading raises."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._position = 0
        self.damage: Exception | None = None

    def read(self, size: int = -1) -> bytes:
        try:
            data = self._stream.read(size)
        except DAMAGE as error:
            self.damage = error
            return b""
        self._position += len(data)
        return data

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        raise OSError("a stream cannot be sought")

    def close(self) -> None:
        """Leave the stream to its owner."""


def _pages(name: str, records: ArchiveIterator) -> Iterator[Document]:
    for number, record in enumerate(records, start=1):
        status = record.http_headers.status_code if record.http_headers is not None else None
        if status is not None and 200 <= status < 300 and _content_type(record) in _HTML_TYPES:
            yield _document(f"{name}:{number}", record)


def _content_type(record: WarcRecord) -> str:
    return (record.http_content_type or "").strip().lower()


def _document(place: str, record: WarcRecord) -> Document:
    """Read the body of one response; ``error`` is set for one that is too large or damaged."""
    identifier = (record.headers.get("WARC-Record-ID") or "").strip("<>") or place
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
    try:
        body = _body(record)
    except (OSError, EOFError, ValueError, InputError) as error:
        return Document(id=identifier, data=None, url=url, error=f"{place}: body cannot be read: {error}")
    return Document(id=identifier, data=body, url=url, charset=record.http_charset)


def _body(record: WarcRecord) -> bytes:
    """Return the decoded body; raise InputError if it is truncated or too large."""
    body = record.reader.read(_MAX_PAGE_BYTES + 1)
    # FastWARC returns a truncated body without an error, so lengths are compared before decoding.
    if len(body) < min(record.content_length, _MAX_PAGE_BYTES + 1):
        raise InputError(f"truncated after {len(body)} of {record.content_length} bytes")
    if record.http_headers.get("Content-Encoding") or record.http_headers.get("Transfer-Encoding"):
        body = _decoded(record, body)
    if len(body) > _MAX_PAGE_BYTES:
        raise InputError(f"larger than {_MAX_PAGE_BYTES} bytes")
    return body


def _decoded(record: WarcRecord, body: bytes) -> bytes:
    """Undo the HTTP encodings of a body in memory."""
    names = ("Content-Encoding", "Transfer-Encoding")
    lines = [f"{name}: {value}" for name in names if (value := record.http_headers.get(name))]
    head = "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()
    copy = type(record)()
    copy.set_bytes_content(head + body)
    copy.is_http = True
    copy.parse_http(auto_decode="all")
    return copy.reader.read(_MAX_PAGE_BYTES + 1)
