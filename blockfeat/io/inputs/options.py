"""Options for reading inputs (format, field names, networks), and detection of formats by their first bytes."""

from __future__ import annotations

import io
import lzma
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Any, cast

from blockfeat._extras import require_extra
from blockfeat._files import Pieces, xz_file
from blockfeat.errors import BlockfeatError, InputError
from blockfeat.page.document import Document

if TYPE_CHECKING:
    from blockfeat.io.http.transport import Network

INPUT_FORMATS = ("auto", "html", "jsonl", "warc", "parquet", "urls")
"""Formats of inputs; "auto" detects the format by the suffix, else by the first bytes."""


def parse_names(text: str, known: Sequence[str], error: type[BlockfeatError]) -> dict[str, str]:
    """Parse names of fields such as ``"html=content,url=link"``; raise an error for another form or another field."""
    names: dict[str, str] = {}
    for part in text.split(","):
        value, equals, name = (word.strip() for word in part.partition("="))
        if not equals or not name or value not in known or value in names:
            raise error(f"{part.strip()!r}: pairs such as html=content are expected, of {', '.join(known)}")
        names[value] = name
    return names


@dataclass(frozen=True)
class FieldNames:
    """Names of the fields of JSON Lines records and of the columns of Parquet files.

    Attributes
    ----------
    html, id, url, lang, charset : str
        Name of the field that holds this value.
    """

    html: str = "html"
    id: str = "id"
    url: str = "url"
    lang: str = "lang"
    charset: str = "charset"

    @classmethod
    def parse(cls, text: str) -> FieldNames:
        """Parse names such as ``"html=content,url=link"``; fields that are not named keep their default names.

        Raises
        ------
        InputError
            The text has another form, or names an unknown field.
        """
        return cls(**parse_names(text, [value.name for value in fields(cls)], InputError))

    def __str__(self) -> str:
        """Return the names in the form that `parse` reads, without default names."""
        return ",".join(f"{value}={name}" for value, name in asdict(self).items() if name != value)


@dataclass(frozen=True)
class InputOptions:
    """How inputs are read.

    Attributes
    ----------
    format : str
        One of `INPUT_FORMATS`; ``"auto"`` detects it by a file's suffix, else by the first bytes.
    fields : FieldNames
        Names of the fields of records.
    networks : tuple of IPv4Network or IPv6Network
        Networks that may be fetched from although they are not public.
    delay : float
        Minimum seconds between the starts of two fetches from one host.
    max_bytes : int or None
        Largest page that is read of a file or standard input, unpacked.
    output : path or None
        The file that is written: in folders it is not read, nor what stands beside it meanwhile.
    """

    format: str = "auto"
    fields: FieldNames = field(default_factory=FieldNames)
    networks: tuple[Network, ...] = ()
    delay: float = 1.0
    max_bytes: int | None = None
    output: PurePath | None = None


DEFAULT_READING = InputOptions()

Pending = Document | Callable[[], Document]
"""A page, or what reads it, in any process: it can be pickled, and says in the document what went wrong."""


def as_read(page: Pending) -> Document:
    """Return a page; read it where that is still to be done."""
    return page if isinstance(page, Document) else page()


def unread(name: str, reason: str) -> Document:
    """Return the document of what cannot be read, whose error names it."""
    return Document(id=name, data=None, error=f"{name}: {reason}")


PACKED_SUFFIXES = (".gz", ".xz", ".zst")
# Exceptions that reading a damaged compressed stream raises.
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)

_HEAD_BYTES = 1024
_PIECE = 64 * 1024
_ZSTD_PIECE = 512
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
# Patterns are compiled where they are first used: most runs need none.
_JSON_OBJECT = rb'\{\s*["}]'
_JSON_ARRAY = rb'\[\s*\{\s*"'
# No JSON Lines file begins like that, or with an array of objects.
_OBJECT_OVER_LINES = rb'\{\s*\n\s*"[^"\n]*"\s*:'
_ONE_A_LINE = "JSON Lines have one object a line (jq -c . or jq -c '.[]' makes them)"
_HTML = rb"(?i)<(?:!doctype\s+html|html|head|body|title|meta|article)[\s>]"


def _some(stream: IO[bytes], most: int) -> bytes:
    """Read up to ``most`` bytes, as soon as any are there: data from a slow pipe is processed as it arrives."""
    return cast("bytes", getattr(stream, "read1", stream.read)(most))


def peeked(stream: IO[bytes]) -> tuple[bytes, io.BufferedReader]:
    """Return the first bytes of a stream, and a stream that still starts with them."""
    if isinstance(stream, io.BufferedReader) and len(head := stream.peek(_HEAD_BYTES)) >= _HEAD_BYTES:
        return head[:_HEAD_BYTES], stream
    head, damage = b"", None
    try:
        while len(head) < _HEAD_BYTES and (more := _some(stream, _HEAD_BYTES - len(head))):
            head += more
    except DAMAGE as error:
        damage = error
    return head, io.BufferedReader(Pieces(_rejoined(head, damage, stream)))


def _rejoined(head: bytes, damage: Exception | None, rest: IO[bytes]) -> Iterator[bytes]:
    """Yield the first bytes of a stream, which were read already, then what follows: an error, or the rest."""
    if head:
        yield head
    if damage:
        raise damage
    while piece := _some(rest, _PIECE):
        yield piece


def is_packed(head: bytes) -> bool:
    """Return whether the first bytes of a stream are those of gzip, xz or zstd."""
    return head.startswith((_GZIP, _XZ, _ZSTD))


def is_packed_archive(head: bytes) -> bool:
    """Return whether the first bytes of a stream are those of a web archive that is packed with gzip."""
    return head.startswith(_GZIP) and zlib.decompressobj(wbits=31).decompress(head, 5) == b"WARC/"


def unpacked(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream, decompressed if it is gzip, xz or zstd.

    Raises
    ------
    MissingExtraError
        It is zstd, and pyarrow is not installed.
    """
    head, whole = peeked(stream)
    if head.startswith(_GZIP):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=whole))
    if head.startswith(_XZ):
        return xz_file(whole)
    if head.startswith(_ZSTD):
        require_extra("parquet", what="zstd")
        import pyarrow

        # What a read unpacked before damage is lost: little is read at a time.
        packed = Pieces(iter(partial(whole.read1, _ZSTD_PIECE), b""))
        return io.BufferedReader(Pieces(_zstd_pieces(pyarrow.CompressedInputStream(packed, "zstd"))))
    return whole


def read_to_damage(packed: IO[bytes], most: int) -> tuple[bytes, Exception | None]:
    """Return up to ``most`` bytes of a stream, unpacked, and the damage before which they stand, None without any."""
    stream, data = unpacked(packed), bytearray()
    try:
        while len(data) < most and (piece := _some(stream, min(_PIECE, most - len(data)))):
            data += piece
    except DAMAGE as error:
        return bytes(data), error
    return bytes(data), None


def _zstd_pieces(stream: Any) -> Iterator[bytes]:
    size = _PIECE
    while size == _PIECE:
        # No text has these bytes: where an error comes, they tell how much came before it.
        buffer = bytearray(b"\xff" * _PIECE)
        try:
            size = stream.readinto(buffer)
        except OSError:
            if whole := bytes(buffer.rstrip(b"\xff")):
                yield whole
            raise
        if size:
            yield bytes(buffer[:size])


def detected(head: bytes) -> str:
    """Return the format of a stream by its first bytes: ``"jsonl"``, ``"warc"``, ``"parquet"`` or ``"html"``.

    Raises
    ------
    InputError
        They are the beginning of JSON in another form than JSON Lines.
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"WARC/"):
        return "warc"
    check_json_lines(head)
    return "jsonl" if re.match(_JSON_OBJECT, head.removeprefix(BOM_UTF8).lstrip()) else "html"


def check_json_lines(head: bytes) -> None:
    """Check that the first bytes of a stream are not those of JSON in another form than JSON Lines.

    Raises
    ------
    InputError
        They are the beginning of a JSON array, or of an object over several lines.
    """
    text = head.removeprefix(BOM_UTF8).lstrip()
    if re.match(_JSON_ARRAY, text):
        raise InputError(f"a JSON array; {_ONE_A_LINE}")
    if re.match(_OBJECT_OVER_LINES, text):
        raise InputError(f"a JSON object over several lines; {_ONE_A_LINE}")


def looks_like_html(head: bytes) -> bool:
    """Return whether bytes begin like an HTML page."""
    return re.search(_HTML, head.replace(b"\0", b"")) is not None
