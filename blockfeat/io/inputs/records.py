"""Pages from records: JSON Lines, Parquet files, rows of other tables, and web archives (WARC)."""

from __future__ import annotations

import math
import os
import re
import zlib
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from blockfeat._extras import require_extra
from blockfeat._files import line_at, line_places, lines_of, parse_object
from blockfeat.errors import InputError
from blockfeat.io.inputs import options as formats
from blockfeat.io.inputs.options import FieldNames, Pending, peeked, unpacked
from blockfeat.lang import normalise_code
from blockfeat.page.document import Document

_LINES = tuple(plain + packed for plain in (".jsonl", ".ndjson", ".json") for packed in ("", *formats.PACKED_SUFFIXES))
SUFFIXES = {"jsonl": _LINES, "warc": (".warc", ".warc.gz", ".warc.zst"), "parquet": (".parquet",)}
"""Endings of the names of files with records, by format."""
_MOST_NAMES, _MOST_COLUMNS = 12, 20
_LOOKED_AT, _MOST_OF_A_REASON = 1024, 200
_ROWS_AT_ONCE = 64
_HINT = "--fields html=NAME names the page's"


def _failed(name: str, how: str, error: Exception) -> Document:
    """Return a document with ``error`` for a file that cannot be read, or not to its end."""
    return formats.unread(name, f"{how}: {getattr(error, 'strerror', None) or error}")


def json_lines(name: str, stream: IO[bytes], fields: FieldNames) -> Iterator[Document]:
    """Yield the pages of a stream of JSON Lines, plain or compressed.

    An object has ``html`` (str) and may have ``id`` (str or int), ``url``, ``lang`` and ``charset`` (str
    or null). The id of a record without one is ``<file>:<line>``. A bad line yields a document whose
    ``error`` names file and line, and reading continues; a damaged or truncated compressed file yields the
    records before the damage and then one document with ``error``.
    """
    number = 0
    try:
        head, whole = peeked(unpacked(stream))
        formats.check_json_lines(head)
        for number, line in lines_of(whole):
            yield _document(f"{name}:{number}", line, fields)
    except InputError as error:
        yield formats.unread(name, str(error))
    except formats.DAMAGE as error:
        yield _failed(name, f"damaged after line {number}" if number else "cannot be read", error)


def unread_json_lines(name: str, stream: IO[bytes], head: bytes, fields: FieldNames) -> Iterator[Pending]:
    """Yield what reads each page of a file of plain JSON Lines with these first bytes.

    Raises
    ------
    InputError
        It is JSON of another form.
    """
    formats.check_json_lines(head)
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
    except InputError as error:
        return formats.unread(place, str(error))


def _no_page(record: dict[str, Any], fields: FieldNames) -> str:
    """Return the message for a record without a page, which lists the record's fields."""
    names = ", ".join(list(record)[:_MOST_NAMES]) or "none"
    return f'no "{fields.html}" in the record (its fields: {names}; {_HINT})'


def _identifier(record: dict[str, Any], key: str) -> str | None:
    """Return the record's id as text; an integer is accepted too."""
    value = record.get(key)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _optional_text(record, key)


def _language(value: object) -> str | None:
    """Return the language of a record, None where it is no code: the page tells it."""
    return value if isinstance(value, str) and normalise_code(value) else None


def _optional_text(record: dict[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f'"{key}" must be a string or null, not {type(value).__name__}')
    return value or None


def parquet_pages(name: str, source: str | IO[bytes], fields: FieldNames) -> Iterator[Document]:
    """Yield the pages of a Parquet file, given by path or as a seekable stream, a few rows in memory at a time.

    The column ``html`` (string or binary) is required; ``id``, ``url``, ``lang`` and ``charset`` are
    optional. The id of a row without one is ``<file>:<row>``, rows counted from 1. A bad row, what is left of a
    damaged row group, or a damaged file yields a document with ``error``.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    require_extra("parquet", what=f"{name}: a Parquet file")
    import pyarrow
    from pyarrow.parquet import ParquetFile

    damage = (OSError, pyarrow.ArrowException)
    try:
        with ParquetFile(source) as file:
            names = file.schema_arrow.names
            if fields.html not in names:
                found = ", ".join(names[:_MOST_COLUMNS])
                raise InputError(f'no column "{fields.html}" (its columns: {found}; {_HINT})')
            wanted = {value: column for value, column in asdict(fields).items() if column in names}
            yield from _rows(name, file, wanted, damage)
    except (*damage, InputError) as error:
        yield formats.unread(name, f"cannot be read: {error}")


def _rows(name: str, file: Any, wanted: Mapping[str, str], damage: tuple[type[Exception], ...]) -> Iterator[Document]:
    """Yield the pages of an open Parquet file, from the wanted columns by the names of `FieldNames`."""
    columns, end = list(dict.fromkeys(wanted.values())), 0
    for group in range(file.num_row_groups):
        number, end = end, end + file.metadata.row_group(group).num_rows
        try:
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, row_groups=[group], columns=columns):
                for row in _read(batch):
                    number += 1
                    yield _row(f"{name}:{number}", row, wanted)
        except damage as error:
            reason = " ".join(str(error).split())
            yield formats.unread(f"{name}@{number + 1}", f"damaged from this row to row {end}: {reason}")


def _read(batch: Any) -> Iterator[Mapping[str, object] | UnicodeDecodeError]:
    """Yield the rows of a batch, an error in place of one that is not UTF-8."""
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError as error:
        if batch.num_rows == 1:
            yield error
        else:
            for row in range(batch.num_rows):
                yield from _read(batch.slice(row, 1))


def _row(place: str, row: Mapping[str, object] | UnicodeDecodeError, wanted: Mapping[str, str]) -> Document:
    if isinstance(row, UnicodeDecodeError):
        return formats.unread(place, f"not UTF-8: {row.reason}")
    cells = {value: row[column] for value, column in wanted.items()}
    return document_of_row(cells, name=place, place=place, html=wanted["html"])


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
        return Document(identifier, page if isinstance(page, str) else bytes(page), url=url, lang=lang, charset=charset)
    reason = f'"{html}" is {"empty" if _is_missing(page) else f"{type(page).__name__}, not string or binary"}'
    return Document(id=identifier, data=None, url=url, error=": ".join(filter(None, (place or identifier, reason))))


def _cell_text(cell: object) -> str | None:
    """Return a cell as text, since ids may be integers; None where it is missing or empty."""
    return None if _is_missing(cell) else str(cell) or None


def _is_missing(cell: object) -> bool:
    """Return whether a cell has no value: None, NaN, or pandas's NA or NaT."""
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)


_HTML_TYPES = ("text/html", "application/xhtml+xml")
# Bounds memory for a compressed body; crawlers truncate pages far below this.
_MAX_PAGE_BYTES = 64 * 1024 * 1024
_MAX_HEAD_BYTES = 1024 * 1024
_PIECE = 16 * 1024
# How far before a damaged place the next member is looked for: damaged bytes may be unpacked past its beginning.
_KEPT_BYTES = 1024 * 1024
_GZIP_SIGN = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")
_ZSTD_SIGN = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_RECORD_SIGN = re.compile(rb"WARC/\d\.\d\r?\n(?=[\w-]{1,40}:)")
_ANY_SIGN = re.compile(b"|".join(sign.pattern for sign in (_GZIP_SIGN, _ZSTD_SIGN, _RECORD_SIGN)))
# Bytes of the longest sign.
_SIGN_BYTES = 64
_NO_LINE_END = re.compile(rb"[^\r\n]")
# The blank line, or the next record where a head is cut.
_HEAD_END = re.compile(rb"\n\r?\n|.WARC/\d\.\d\r?\n", re.DOTALL)
_LENGTH = re.compile(rb"(?i)\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r?\n")
_RECORD_END = re.compile(rb"\r?\n\r?\n|(?:\r?\n)?WARC/")


def warc_pages(name: str, stream: IO[bytes]) -> Iterator[Document]:
    """Yield the HTML pages of a web archive, plain or compressed with gzip or zstd, one at a time.

    Only HTTP responses with a 2xx status and an HTML content type are read. The id is the record's id, the url its
    target, the charset that of the HTTP header. Behind damage, reading goes on with the next record that is whole; each
    gap yields one document with ``error`` and the id ``<file>@<byte>``.

    Raises
    ------
    MissingExtraError
        If FastWARC is not installed.
    """
    require_extra("warc", what=f"{name}: a WARC file")
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    parse = partial(ArchiveIterator, record_types=WarcRecordType.response, parse_http=True, auto_decode="all")
    try:
        for number, found in enumerate(_records(name, _stretches(stream)), start=1):
            page = found if isinstance(found, Document) else _archived(f"{name}:{number}", parse, found)
            if page is not None:
                yield page
    except formats.DAMAGE as error:
        yield _failed(name, "cannot be read to its end", error)


class _Window:
    """Bytes that arrive in pieces, read forwards; some before the position are kept, to be read again."""

    def __init__(self, pull: Callable[[], bytes], kept: int = 0) -> None:
        self._pull, self._kept, self._bytes = pull, kept, bytearray()
        # Where the bytes that are there begin and end.
        self.first = self.end = self.position = 0

    def fill(self, size: int) -> int:
        """Wait for this many bytes at the position, and return how many there are; fewer only at the end."""
        while self.end - self.position < size and (piece := self._pull()):
            self._bytes += piece
            self.end += len(piece)
        return self.end - self.position

    def peek(self, size: int) -> bytes:
        """Return the bytes at the position, up to this many."""
        self.fill(size)
        start = self.position - self.first
        return bytes(self._bytes[start : start + size])

    def take(self, size: int) -> bytes:
        """Return the bytes at the position, up to this many, and pass over them."""
        data = self.peek(size)
        self._pass(len(data))
        return data

    def find(self, sign: re.Pattern[bytes], within: float = math.inf) -> bool:
        """Pass over what stands before the next sign; without one, over this many bytes, or all."""
        while within > 0 and (there := self.fill(_SIGN_BYTES + 1)):
            start = self.position - self.first
            found = sign.search(self._bytes, start)
            # A sign may begin in the last bytes that are there.
            before = found.start() - start if found else there - _SIGN_BYTES if there > _SIGN_BYTES else there
            self._pass(int(min(before, within)))
            if found and before < within:
                return True
            within -= before
        return False

    def _pass(self, size: int) -> None:
        self.position += size
        passed = max(0, self.position - self._kept - self.first)
        del self._bytes[:passed]
        self.first += passed


_Unpack = Callable[[_Window], Iterator[bytes]]


class _Stretch(_Window):
    """What an archive holds up to its next damage, unpacked member by member.

    Attributes
    ----------
    damage : Exception or None
        What ended the stretch, None at the end of the archive.
    damaged : float
        At which unpacked byte the damaged member begins.
    """

    def __init__(self, raw: _Window, unpack: _Unpack) -> None:
        super().__init__(partial(next, self._pieces(raw, unpack), b""))
        self._members: deque[tuple[int, int]] = deque()
        self._is_packed = unpack is not _plain
        self.damage: Exception | None = None
        self.damaged = math.inf

    def _pieces(self, raw: _Window, unpack: _Unpack) -> Iterator[bytes]:
        while raw.fill(1):
            self._members.append((self.end, raw.position))
            try:
                yield from unpack(raw)
            except (EOFError, ValueError, zlib.error) as error:
                self.damage, self.damaged = error, self._members[-1][0]
                return

    @property
    def offset(self) -> int:
        """Where in the file the member begins that holds the position; in a plain file, the position there."""
        while len(self._members) > 1 and self._members[1][0] <= self.position:
            self._members.popleft()
        unpacked, start = self._members[0]
        return start if self._is_packed else start + self.position - unpacked


def _stretches(stream: IO[bytes]) -> Iterator[_Stretch]:
    """Yield the stretches of an archive without damage; each has to be read to its end before the next."""
    raw = _Window(partial(stream.read, _PIECE), _KEPT_BYTES)
    unpack, sign = _packing(raw)
    unpacked_again = 0
    while raw.fill(1):
        stretch = _Stretch(raw, unpack)
        yield stretch
        if stretch.damage is not None:
            unpacked_again += raw.position - stretch.offset
            # A file made to be slow has many beginnings that fail late.
            if unpacked_again < 4 * raw.end + _KEPT_BYTES:
                raw.position = max(stretch.offset + 1, raw.first)
            raw.find(sign)


def _packing(raw: _Window) -> tuple[_Unpack, re.Pattern[bytes]]:
    """Return what unpacks a member of an archive, by the first sign in it, and the sign of a member."""
    found = _ANY_SIGN.search(raw.peek(_PIECE))
    sign = found[0] if found else b""
    if _GZIP_SIGN.match(sign):
        return _gzip_member, _GZIP_SIGN
    if _ZSTD_SIGN.match(sign):
        require_extra("warc", what="zstd")
        from fastwarc.stream_io import ZstdReader

        # Before the first frame there may be one with the dictionary of all.
        size = min(8 + int.from_bytes(raw.peek(8)[4:], "little"), _MAX_PAGE_BYTES) if sign[0] == 0x5D else 0
        return partial(_zstd_frame, open_frame=ZstdReader, dictionary=raw.peek(size)), _ZSTD_SIGN
    return _plain, _RECORD_SIGN


def _plain(raw: _Window) -> Iterator[bytes]:
    yield raw.take(_PIECE)


def _gzip_member(raw: _Window) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail or raw.take(_PIECE)
        if not packed:
            raise EOFError("the file ends within a gzip member")
        if piece := unpacker.decompress(packed, 4 * _PIECE):
            yield piece
    raw.position -= len(unpacker.unused_data)


def _zstd_frame(raw: _Window, open_frame: Callable[[Any], Any], dictionary: bytes) -> Iterator[bytes]:
    with SpooledTemporaryFile(_MAX_PAGE_BYTES) as frame:
        frame.write(dictionary)
        for part in _zstd_parts(raw):
            frame.write(part)
        frame.seek(0)
        reader = open_frame(frame)
        try:
            yield from iter(partial(reader.read, _PIECE), b"")
        except OSError as error:
            raise ValueError(error) from error


def _zstd_parts(raw: _Window) -> Iterator[bytes]:
    """Yield the head, the blocks and the checksum of a zstd frame (RFC 8878), or one that is to be skipped."""
    head = raw.peek(8)
    if _ZSTD_SIGN.match(head) is None or len(head) < 8:
        raise ValueError("no zstd frame begins here")
    flags = head[4]
    if head[0] != 0x28:
        yield raw.take(8 + int.from_bytes(head[4:], "little"))
        return
    yield raw.take(5 + (not flags & 32) + (flags >> 5 & 1, 2, 4, 8)[flags >> 6] + (0, 1, 2, 4)[flags & 3])
    is_last = 0
    while not is_last and (start := raw.peek(3)):
        block = int.from_bytes(start, "little")
        is_last = block & 1
        yield raw.take(3 + (1 if block & 6 == 2 else block >> 3))
    yield raw.take(flags & 4)


def _records(name: str, stretches: Iterable[_Stretch]) -> Iterator[bytes | Document]:
    """Yield the records of an archive, of a very large one its first bytes, and an error for each gap between them."""
    gap: Document | None = None
    for stretch in stretches:
        while stretch.find(_NO_LINE_END):
            offset, position = stretch.offset, stretch.position
            try:
                record = _record(stretch)
            except InputError as error:
                gap = gap or _gap(name, offset, error)
                if stretch.position == position:
                    stretch.take(1)
                stretch.find(_RECORD_SIGN)
                continue
            if gap is not None:
                yield gap
            yield record
            is_ended = _RECORD_END.match(stretch.peek(_SIGN_BYTES))
            gap = None if is_ended else _gap(name, offset, "the archive ends before the blank lines behind a record")
        if stretch.damage is not None:
            gap = gap or _gap(name, stretch.offset, stretch.damage)
    if gap is not None:
        yield gap


def _gap(name: str, offset: int, reason: object) -> Document:
    place = f"{name}@{offset}"
    return formats.unread(place, f"damaged from this byte on: {reason}")


def _record(stretch: _Stretch) -> bytes:
    """Return the record at the position, and pass over it.

    Raises
    ------
    InputError
        There is none, or it is not whole; no record begins before the position where that has changed.
    """
    head = _head(stretch)
    length = _LENGTH.search(head)
    if length is None:
        raise InputError("a record without a length")
    size = int(length[1])
    end = stretch.position + len(head) + size
    first = b""
    if size > _MAX_PAGE_BYTES + _MAX_HEAD_BYTES:  # the page's own head is no part of it
        first = stretch.peek(len(head) + min(size, _PIECE))
        stretch.take(len(head))
        if stretch.find(_RECORD_SIGN, end - stretch.position):
            raise InputError(f"another record begins within the {size:,} bytes of a record")
    left = end - stretch.position
    # What follows tells whether the length is right; it is not there before the end of the member was checked.
    rest, following = (data := stretch.peek(left + _SIGN_BYTES))[:left], data[left:]
    if len(rest) < left or end > stretch.damaged:
        raise InputError(str(stretch.damage or f"the archive ends within the {size:,} bytes of a record"))
    if following.strip(b"\r\n") and not _RECORD_END.match(following):
        raise InputError(f"a record does not end after its {size:,} bytes")
    return first + stretch.take(left)


def _head(stretch: _Stretch) -> bytes:
    """Return the head of the record at the position, with its blank line."""
    size = 1024
    while (end := _HEAD_END.search(data := stretch.peek(size))) is None and len(data) == size < _MAX_HEAD_BYTES:
        size *= 4
    if _RECORD_SIGN.match(data) is None:
        raise InputError("no record begins here")
    if end is None or end[0].strip():
        raise InputError(str(stretch.damage or "a record's head does not end"))
    return data[: end.end()]


def _archived(place: str, parse: Callable[..., Iterator[Any]], data: bytes) -> Document | None:
    """Return the page of a record, None where it is none; ``error`` is set for one that is too large or damaged."""
    identifier, url = place, None
    try:
        record = next(parse(BytesIO(data)), None)
        if record is None or record.http_headers is None or (record.http_headers.status_code or 0) // 100 != 2:
            return None
        if (record.http_content_type or "").strip().lower() not in _HTML_TYPES:
            return None
        identifier = (record.headers.get("WARC-Record-ID") or "").strip("<>") or place
        url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
        try:
            body = record.reader.read(_MAX_PAGE_BYTES + 1)
        except (OSError, ValueError):
            # Some crawlers store bodies unpacked, beside headers that say otherwise.
            body = next(parse(BytesIO(data), auto_decode="none")).reader.read(_MAX_PAGE_BYTES)
            if not formats.looks_like_html(body[:_LOOKED_AT]):
                raise
        if max(len(body), record.content_length) > _MAX_PAGE_BYTES:
            raise InputError(f"larger than {_MAX_PAGE_BYTES} bytes")
    except (OSError, ValueError, InputError) as error:
        reason = str(error)[:_MOST_OF_A_REASON]
        return Document(id=identifier, data=None, url=url, error=f"{place}: cannot be read: {reason}")
    return Document(id=identifier, data=body, url=url, charset=record.http_charset)
