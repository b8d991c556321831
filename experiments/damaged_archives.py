"""Web archives read on after damage: what a damaged archive loses with the package's reader, and with this one.

Command: python -m experiments.damaged_archives [--seed N] [--flips N]

A reader that goes on at the next gzip member, zstd frame or record, and names each gap by its byte, beside
`blockfeat.io.inputs`, which ends with the first. It waits here until the package has room for it.
"""

from __future__ import annotations

import argparse
import gzip
import io
import math
import random
import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BytesIO
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from blockfeat._extras import require_extra
from blockfeat.errors import InputError
from blockfeat.io.inputs import records
from blockfeat.io.inputs.options import DAMAGE
from blockfeat.page.document import Document

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_HTML_TYPES = ("text/html", "application/xhtml+xml")
# Bounds memory for a compressed body; crawlers truncate pages far below this.
_MAX_PAGE_BYTES = 64 * 1024 * 1024
_MAX_HEAD_BYTES = 1024 * 1024
_PIECE = 16 * 1024
_ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"
# How far before a damaged place the next member is looked for: damaged bytes may be unpacked past its beginning.
_KEPT_PACKED = 1024 * 1024
# Bytes of the longest sign that is looked for.
_MOST_SIGN = 64
_RECORD = re.compile(rb"WARC/\d\.\d\r?\n(?=[\w-]{1,40}:)")
# The blank line, or the next record where a head is cut.
_HEAD_END = re.compile(rb"\n\r?\n|.WARC/\d\.\d\r?\n", re.DOTALL)
_NO_LINE_END = re.compile(rb"[^\r\n]")
_RECORD_END = re.compile(rb"\r?\n\r?\n|(?:\r?\n)?WARC/")
_END_BYTES = 9
_LENGTH = re.compile(rb"(?i)\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r?\n")


def warc_pages(name: str, stream: IO[bytes]) -> Iterator[Document]:
    """Yield the HTML pages of a stream, plain or compressed with gzip or zstd, as `read_warc` does.

    Raises
    ------
    MissingExtraError
        If FastWARC is not installed.
    """
    require_extra("warc", what=f"{name}: a WARC file")
    try:
        for number, found in enumerate(_records(name, _stretches(name, stream)), start=1):
            page = found if isinstance(found, Document) else _archived(f"{name}:{number}", found)
            if page is not None:
                yield page
    except DAMAGE as error:
        yield _failed(name, "cannot be read to its end", error)


class _Window:
    """Bytes that arrive in pieces, read forwards; those behind the last `release` can be read again."""

    def __init__(self, pull: Callable[[], bytes]) -> None:
        self._pull = pull
        self._bytes = bytearray()
        self.first = 0
        self.position = 0

    @property
    def end(self) -> int:
        """Where the bytes end that have arrived."""
        return self.first + len(self._bytes)

    def fill(self, size: int) -> int:
        """Wait for this many bytes at the position, and return how many there are; fewer only at the end."""
        while self.end - self.position < size and (piece := self._pull()):
            self._bytes += piece
        return self.end - self.position

    def peek(self, size: int) -> bytes:
        """Return the bytes at the position, up to this many."""
        self.fill(size)
        start = self.position - self.first
        return bytes(self._bytes[start : start + size])

    def take(self, size: int) -> bytes:
        """Return the bytes at the position, up to this many, and pass over them."""
        data = self.peek(size)
        self.position += len(data)
        return data

    def release(self, kept: int = 0) -> None:
        """Forget the bytes before the position, but for this many."""
        passed = max(0, self.position - kept - self.first)
        del self._bytes[:passed]
        self.first += passed

    def find(self, sign: re.Pattern[bytes], within: float = math.inf) -> bool:
        """Pass over what stands before the next sign; without one, over this many bytes, or all."""
        end = self.position + within
        while self.position < end and (there := self.fill(_MOST_SIGN + 1)):
            found = sign.search(self._bytes, self.position - self.first)
            start = found.start() + self.first if found else None
            # A sign may begin in the last bytes that are there.
            passed = self.position + (there if there <= _MOST_SIGN else there - _MOST_SIGN)
            self.position = int(min(end, passed if start is None else start))
            self.release()
            if start is not None and start < end:
                return True
        return False


_Unpack = Callable[[_Window], Iterator[bytes]]


class _Stretch(_Window):
    """What an archive holds up to its next damage, unpacked member by member.

    Attributes
    ----------
    damage : Exception or None
        What ended the stretch, None at the end of the archive.
    damaged : int
        Where in the file the damaged member begins.
    """

    def __init__(self, raw: _Window, unpack: _Unpack) -> None:
        super().__init__(partial(next, self._pieces(raw, unpack), b""))
        self._members: list[tuple[int, int]] = []
        self._is_packed = unpack is not _plain
        self.damage: Exception | None = None
        self.damaged = -1

    def _pieces(self, raw: _Window, unpack: _Unpack) -> Iterator[bytes]:
        while raw.fill(1):
            raw.release()
            start = raw.position
            if self._is_packed or not self._members:
                self._members.append((self.end, start))
            try:
                yield from unpack(raw)
            except (*DAMAGE, ValueError) as error:
                self.damage, self.damaged = error, start
                return

    def offset(self, position: int) -> int:
        """Return where in the file the member begins that holds a position; in a plain file, the position there."""
        del self._members[: bisect_right(self._members, (self.first, math.inf)) - 1]
        unpacked, start = self._members[bisect_right(self._members, (position, math.inf)) - 1]
        return start if self._is_packed else start + position - unpacked


def _stretches(name: str, stream: IO[bytes]) -> Iterator[_Stretch]:
    """Yield the stretches of an archive without damage; each has to be read to its end before the next."""
    raw = _Window(partial(stream.read, _PIECE))
    unpack, sign = _packing(name, raw)
    unpacked_again = 0
    while raw.fill(1):
        yield (stretch := _Stretch(raw, unpack))
        if stretch.damage is not None:
            unpacked_again += raw.position - stretch.damaged
            # A file made to be slow has many beginnings that fail late.
            if unpacked_again < 4 * raw.end + _KEPT_PACKED:
                raw.position = max(stretch.damaged + 1, raw.first)
            raw.find(sign)


def _packing(name: str, raw: _Window) -> tuple[_Unpack, re.Pattern[bytes]]:
    """Return what unpacks a member of an archive, by its first bytes or else its suffix, and the sign of a member."""
    head = raw.peek(8)
    if head.startswith(_ZSTD_DICTIONARY):
        dictionary = raw.take(8 + int.from_bytes(head[4:], "little"))
        return partial(_zstd_frame, dictionary=dictionary), re.compile(re.escape(ZSTD))
    if head.startswith(ZSTD) or (name.lower().endswith(".zst") and not head.startswith(b"WARC/")):
        return _zstd_frame, re.compile(re.escape(ZSTD))
    if head.startswith(GZIP) or (name.lower().endswith(".gz") and not head.startswith(b"WARC/")):
        return _gzip_member, re.compile(GZIP + rb"\x08[\x00-\x1f]")
    return _plain, _RECORD


def _plain(raw: _Window) -> Iterator[bytes]:
    yield raw.take(_PIECE)


def _gzip_member(raw: _Window) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail or raw.take(_PIECE)
        if not packed:
            raise EOFError("the file ends within a gzip member")
        raw.release(_KEPT_PACKED)
        if piece := unpacker.decompress(packed, 4 * _PIECE):
            yield piece
    raw.position -= len(unpacker.unused_data)


def _zstd_frame(raw: _Window, dictionary: bytes = b"") -> Iterator[bytes]:
    require_extra("warc", what="zstd")
    from fastwarc.stream_io import ZstdReader

    reader = ZstdReader(cast("BinaryIO", _Frame(raw, dictionary)))
    while piece := reader.read(_PIECE):
        yield piece


class _Frame:
    """A zstd frame (RFC 8878) behind its dictionary, as a file that ends with it."""

    def __init__(self, raw: _Window, dictionary: bytes) -> None:
        head = raw.peek(5)
        if not head.startswith(ZSTD) or len(head) < 5 or head[4] & 8:
            raise ValueError("no zstd frame begins here")
        flags = head[4]
        size_bytes = (flags >> 5 & 1, 2, 4, 8)[flags >> 6] + (0, 1, 2, 4)[flags & 3]
        self._raw = raw
        self._ahead = dictionary
        self._left = len(ZSTD) + 1 + (0 if flags & 32 else 1) + size_bytes
        self._checksum = flags & 4
        self._is_last = 0

    def read(self, size: int) -> bytes:
        if not self._ahead:
            if not self._left and not self._is_last:
                block = int.from_bytes(self._raw.peek(3), "little")
                self._is_last, is_one_byte = block & 1, block & 6 == 2
                self._left = 3 + (1 if is_one_byte else block >> 3) + self._is_last * self._checksum
            self._raw.release(_KEPT_PACKED)
            self._ahead = self._raw.take(self._left)
            self._left -= len(self._ahead)
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data

    def tell(self) -> int:
        return 0


def _records(name: str, stretches: Iterable[_Stretch]) -> Iterator[bytes | Document]:
    """Yield the records of an archive, of a very large one its first bytes, and an error for each gap between them."""
    gap: Document | None = None
    for stretch in stretches:
        while stretch.find(_NO_LINE_END):
            offset = stretch.offset(stretch.position)
            try:
                record = _record(stretch)
            except InputError as error:
                gap = gap or _gap(name, offset, error)
                stretch.find(_RECORD)
                continue
            if gap is not None:
                yield gap
            yield record
            is_ended = _RECORD_END.match(stretch.peek(_END_BYTES))
            gap = None if is_ended else _gap(name, offset, "the archive ends before the blank lines behind a record")
        if stretch.damage is not None:
            gap = gap or _gap(name, stretch.damaged, stretch.damage)
    if gap is not None:
        yield gap


def _gap(name: str, offset: int, reason: object) -> Document:
    place = f"{name}@{offset}"
    return Document(id=place, data=None, error=f"{place}: damaged (from byte {offset:,} on): {reason}")


def _record(stretch: _Stretch) -> bytes:
    """Return the record at the position, and pass over it.

    Raises
    ------
    InputError
        It is none, or is not whole; the position is behind what cannot be the beginning of the next.
    """
    begin = stretch.position
    head = _head(stretch)
    body = stretch.position
    length = _LENGTH.search(head)
    if length is None:
        raise InputError("a record without a length")
    size = int(length[1])
    record = b""
    if size > _MAX_PAGE_BYTES:
        record = head + stretch.peek(_PIECE)
        if stretch.find(_RECORD, size):
            raise InputError(f"another record begins within the {size:,} bytes of a record")
    elif stretch.fill(size) >= size:
        stretch.position += size
    following = stretch.peek(_END_BYTES)
    is_damaged = stretch.damage is not None and stretch.offset(stretch.position - 1) == stretch.damaged
    is_whole = stretch.position == body + size and not is_damaged
    if is_whole and (_RECORD_END.match(following) or not following.strip(b"\r\n")):
        if not record:
            stretch.position = begin
            record = stretch.take(len(head) + size)
        return record
    if not record:
        stretch.position = body
    if is_whole:
        raise InputError(f"a record does not end after its {size:,} bytes")
    raise InputError(str(stretch.damage or f"the archive ends within the {size:,} bytes of a record"))


def _head(stretch: _Stretch) -> bytes:
    """Return the head of the record at the position with its blank line, and pass over it."""
    size = 1024
    while (end := _HEAD_END.search(data := stretch.peek(size))) is None and len(data) == size < _MAX_HEAD_BYTES:
        size *= 4
    if _RECORD.match(data) is None:
        raise InputError("no record begins here")
    if end is None or end[0].strip():
        stretch.position += len(b"WARC/")
        raise InputError(str(stretch.damage or "a record's head does not end"))
    stretch.position += end.end()
    return data[: end.end()]


def _archived(place: str, data: bytes) -> Document | None:
    """Return the page of a record, None where it is none; ``error`` is set for one that is too large or damaged."""
    require_extra("warc", what=place)
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    try:
        kind = WarcRecordType.response
        for record in ArchiveIterator(BytesIO(data), record_types=kind, parse_http=True, auto_decode="all"):
            return _page(place, record)
    except (OSError, ValueError) as error:
        return _failed(place, "cannot be read", error)
    return None


def _page(place: str, record: WarcRecord) -> Document | None:
    status = record.http_headers.status_code if record.http_headers is not None else None
    content_type = (record.http_content_type or "").strip().lower()
    if status is None or not 200 <= status < 300 or content_type not in _HTML_TYPES:
        return None
    identifier = (record.headers.get("WARC-Record-ID") or "").strip("<>") or place
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
    try:
        body = record.reader.read(_MAX_PAGE_BYTES + 1)
        if max(len(body), record.content_length) > _MAX_PAGE_BYTES:
            raise InputError(f"larger than {_MAX_PAGE_BYTES} bytes")
    except (OSError, EOFError, ValueError, InputError) as error:
        return Document(id=identifier, data=None, url=url, error=f"{place}: body cannot be read: {error}")
    return Document(id=identifier, data=body, url=url, charset=record.http_charset)


def _failed(name: str, how: str, error: Exception) -> Document:
    return Document(id=name, data=None, error=f"{name}: {how}: {getattr(error, 'strerror', None) or error}")


def _archive(pages: int, flips: int, seed: int) -> tuple[bytes, int]:
    """Return an archive of small pages, a gzip member each, with some bits flipped; and the number of pages."""
    members = []
    for number in range(pages):
        http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The ferry of day {number} leaves at nine."
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{number}>\r\nContent-Type: application/http\r\n"
        )
        members.append(gzip.compress(f"{head}Content-Length: {len(http)}\r\n\r\n{http}\r\n\r\n".encode()))
    data = bytearray(b"".join(members))
    drawn = random.Random(seed)
    for _ in range(flips):
        data[drawn.randrange(len(data))] ^= 1 << drawn.randrange(8)
    return bytes(data), pages


def main() -> None:
    """Print how many pages of damaged archives each reader gives, and how many errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--flips", type=int, default=1)
    arguments = parser.parse_args()
    found = {"package": [0, 0], "going on": [0, 0]}
    for number in range(200):
        data, _ = _archive(50, arguments.flips, arguments.seed + number)
        for name, read in (("package", records.warc_pages), ("going on", warc_pages)):
            pages = list(read("a.warc.gz", io.BytesIO(data)))
            found[name][0] += sum(page.data is not None for page in pages)
            found[name][1] += sum(page.error is not None for page in pages)
    print("| reader | pages of 10,000 | errors |\n|---|--:|--:|")
    for name, (pages_read, errors) in found.items():
        print(f"| {name} | {pages_read:,} | {errors:,} |")


if __name__ == "__main__":
    main()
