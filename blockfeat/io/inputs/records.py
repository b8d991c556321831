"""Pages from records: JSON Lines, Parquet files, rows of other tables, and web archives (WARC)."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from blockfeat._extras import require_extra
from blockfeat._files import line_at, line_places, lines_of, parse_object
from blockfeat.errors import BlockfeatError, InputError
from blockfeat.io.inputs.options import DAMAGE, PACKED_SUFFIXES, FieldNames, Pending, check_json_lines, peeked, unpacked
from blockfeat.lang import normalise_code
from blockfeat.page.document import Document

if TYPE_CHECKING:
    from fastwarc.warc import ArchiveIterator, WarcRecord

JSON_LINES_SUFFIXES = tuple(
    plain + packed for plain in (".jsonl", ".ndjson", ".json") for packed in ("", *PACKED_SUFFIXES)
)
_MOST_NAMES, _MOST_COLUMNS = 12, 20
PARQUET_SUFFIXES = (".parquet",)
_ROWS_AT_ONCE = 64


def read_json_lines(path: str | os.PathLike[str], *, fields: FieldNames | None = None) -> Iterator[Document]:
    """Yield the pages of a file with one JSON object per line, one at a time.

    An object has ``html`` (str) and may have ``id`` (str or int), ``url``, ``lang`` and ``charset`` (str
    or null). The id of a record without one is ``<file>:<line>``. A bad line yields a document whose
    ``error`` names file and line, and reading continues; a damaged or truncated compressed file yields the
    records before the damage and then one document with ``error``.

    Parameters
    ----------
    path : str or PathLike
        The file, plain or compressed with gzip, xz or zstd.
    fields : FieldNames, optional
        Names of the fields.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            yield from json_lines(name, stream, fields or FieldNames())
    except (OSError, BlockfeatError) as error:
        yield _failed(name, "cannot be read", error)


def _failed(name: str, how: str, error: Exception) -> Document:
    """Return a document with ``error`` for a file that cannot be read, or not to its end."""
    return Document(id=name, data=None, error=f"{name}: {how}: {getattr(error, 'strerror', None) or error}")


def json_lines(name: str, stream: IO[bytes], fields: FieldNames) -> Iterator[Document]:
    """Yield the pages of a stream of JSON Lines, plain or compressed, as `read_json_lines` does."""
    number = 0
    try:
        head, whole = peeked(unpacked(stream))
        check_json_lines(head)
        for number, line in lines_of(whole):
            yield _document(f"{name}:{number}", line, fields)
    except InputError as error:
        yield Document(id=name, data=None, error=f"{name}: {error}")
    except DAMAGE as error:
        yield _failed(name, f"damaged after line {number}" if number else "cannot be read", error)


def unread_json_lines(name: str, stream: IO[bytes], head: bytes, fields: FieldNames) -> Iterator[Pending]:
    """Yield what reads each page of a file of plain JSON Lines with these first bytes.

    Raises
    ------
    InputError
        It is JSON of another form.
    """
    check_json_lines(head)
    stream.seek(len(BOM_UTF8) if head.startswith(BOM_UTF8) else 0)
    identity = os.fstat(stream.fileno()).st_ino
    for number, offset, size in line_places(stream):
        yield partial(_read_line, name, fields, identity, number, offset, size)


def _read_line(name: str, fields: FieldNames, identity: int, number: int, offset: int, size: int) -> Document:
    place = f"{name}:{number}"
    try:
        return _document(place, line_at(name, identity, offset, size), fields)
    except (OSError, InputError) as error:
        return _failed(place, "cannot be read", error)


def _document(place: str, line: bytes | None, fields: FieldNames) -> Document:
    """Return the document of one line, with ``error`` set if the line is bad."""
    try:
        return _parse(place, line, fields)
    except InputError as error:
        return Document(id=place, data=None, error=f"{place}: {error}")


def _parse(place: str, line: bytes | None, fields: FieldNames) -> Document:
    record = parse_object(line, InputError)
    html = record.get(fields.html)
    if not isinstance(html, str):
        raise InputError(f'"{fields.html}" must be a string' if fields.html in record else _no_page(record, fields))
    return Document(
        id=_identifier(record, fields.id) or place,
        data=html,
        url=_optional_text(record, fields.url),
        lang=_language(record.get(fields.lang)),
        charset=_optional_text(record, fields.charset),
    )


def _no_page(record: dict[str, Any], fields: FieldNames) -> str:
    """Return the message for a record without a page, which lists the record's fields."""
    names = ", ".join(list(record)[:_MOST_NAMES]) or "none"
    return f'no "{fields.html}" in the record (its fields: {names}; --fields html=NAME names the page\'s)'


def _identifier(record: dict[str, Any], key: str) -> str | None:
    """Return the record's id as text; an integer is accepted too."""
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _optional_text(record, key)


def _language(value: object) -> str | None:
    """Return the language of a record, None where it is no code: the page tells it."""
    return value if isinstance(value, str) and normalise_code(value) else None


def _optional_text(record: dict[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f'"{key}" must be a string or null, not {type(value).__name__}')
    return value or None


def read_parquet(path: str | os.PathLike[str], *, fields: FieldNames | None = None) -> Iterator[Document]:
    """Yield the pages of a Parquet file, a few rows in memory at a time.

    The column ``html`` (string or binary) is required; ``id``, ``url``, ``lang`` and ``charset`` are
    optional. The id of a row without one is ``<file>:<row>``, rows counted from 1. A bad row or a damaged
    file yields a document with ``error``.

    Parameters
    ----------
    path : str or PathLike
        The file.
    fields : FieldNames, optional
        Names of the columns.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    name = os.fspath(path)
    return parquet_pages(name, name, fields or FieldNames())


def parquet_pages(name: str, source: str | IO[bytes], fields: FieldNames) -> Iterator[Document]:
    """Yield the pages of a Parquet file, given by path or as a seekable stream, as `read_parquet` does."""
    require_extra("parquet", what=f"{name}: a Parquet file")
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(source) as file:
            names = file.schema_arrow.names
            if fields.html not in names:
                found = ", ".join(names[:_MOST_COLUMNS])
                raise InputError(
                    f'no column "{fields.html}" (its columns: {found}; --fields html=NAME names the page\'s)'
                )
            wanted = {value: column for value, column in asdict(fields).items() if column in names}
            number = 0
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=list(dict.fromkeys(wanted.values()))):
                for row in batch.to_pylist():
                    number += 1
                    place = f"{name}:{number}"
                    cells = {value: row[column] for value, column in wanted.items()}
                    yield document_of_row(cells, name=place, place=place, html=fields.html)
    except (OSError, pyarrow.ArrowException, InputError) as error:
        yield Document(id=name, data=None, error=f"{name}: cannot be read: {error}")


def count_rows(path: str) -> int | None:
    """Return the number of rows from the metadata of a Parquet file; None where it cannot be read."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        return None
    try:
        with ParquetFile(path) as file:
            return int(file.metadata.num_rows)
    except (OSError, pyarrow.ArrowException):
        return None


def document_of_row(
    cells: Mapping[str, object], *, name: str | None = None, place: str | None = None, html: str = "html"
) -> Document:
    """Return the document of a row of any table; ``error`` is set if its page is missing or not str or bytes.

    Parameters
    ----------
    cells : mapping
        ``html``, and those of ``id``, ``url``, ``lang`` and ``charset`` that the table has.
    name : str, optional
        Id of a row that has none; its address by default.
    place : str, optional
        Name of the row in error messages; the document's id by default.
    html : str
        Name of the column of pages in error messages.
    """
    page = cells["html"]
    id, url, charset = (_cell_text(cells.get(value)) for value in ("id", "url", "charset"))
    lang = _language(cells.get("lang"))
    identifier = id or name or url or ""
    if isinstance(page, (str, bytes, bytearray)):
        data = bytes(page) if isinstance(page, bytearray) else page
        return Document(id=identifier, data=data, url=url, lang=lang, charset=charset)
    reason = f'"{html}" is {"empty" if _is_missing(page) else f"{type(page).__name__}, not string or binary"}'
    place = place or identifier
    return Document(id=identifier, data=None, url=url, error=f"{place}: {reason}" if place else reason)


def _cell_text(cell: object) -> str | None:
    """Return a cell as text, since ids may be integers; None where it is missing or empty."""
    return None if _is_missing(cell) else str(cell) or None


def _is_missing(cell: object) -> bool:
    """Return whether a cell has no value: None, NaN, or pandas's NA or NaT."""
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)


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
        yield _failed(name, "cannot be read", error)


def warc_pages(name: str, stream: IO[bytes]) -> Iterator[Document]:
    """Yield the HTML pages of a stream, plain or compressed with gzip, as `read_warc` does.

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
        yield _failed(name, "cannot be read to its end", error)


class _Source:
    """A stream for FastWARC, which calls ``tell`` first and panics if ``read`` raises: ``damage`` keeps the error."""

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
        """Do nothing: the caller closes the stream."""


def _pages(name: str, records: ArchiveIterator) -> Iterator[Document]:
    for number, record in enumerate(records, start=1):
        status = record.http_headers.status_code if record.http_headers is not None else None
        if status is not None and 200 <= status < 300 and _content_type(record) in _HTML_TYPES:
            yield _archived(f"{name}:{number}", record)


def _content_type(record: WarcRecord) -> str:
    return (record.http_content_type or "").strip().lower()


def _archived(place: str, record: WarcRecord) -> Document:
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
    """Return a body after decoding its HTTP content and transfer encodings in memory."""
    names = ("Content-Encoding", "Transfer-Encoding")
    lines = [f"{name}: {value}" for name in names if (value := record.http_headers.get(name))]
    head = "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()
    copy = type(record)()
    copy.set_bytes_content(head + body)
    copy.is_http = True
    copy.parse_http(auto_decode="all")
    return copy.reader.read(_MAX_PAGE_BYTES + 1)
