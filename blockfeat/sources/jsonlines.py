"""Pages from JSON Lines files, plain or compressed with gzip or xz."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

from blockfeat.errors import InputError
from blockfeat.sources.document import Document

__all__ = ["JSON_LINES_SUFFIXES", "read_json_lines"]

JSON_LINES_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz", ".json", ".json.gz", ".json.xz")
# Bounds memory for a compressed file that expands to one endless line.
_MAX_LINE_BYTES = 256 * 1024 * 1024
_SKIP_BYTES = 1024 * 1024
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_json_lines(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the pages of a file with one JSON object per line, one at a time.

    An object has ``html`` (str) and may have ``id`` (str or int), ``url``, ``lang`` and ``charset`` (str
    or null). The id of a record without one is ``<file>:<line>``. A bad line yields a document whose
    ``error`` names file and line, and reading continues; a damaged or truncated compressed file yields the
    records before the damage and then one document with ``error``.
    """
    name = os.fspath(path)
    number = 0
    try:
        with _open(name) as stream:
            for number, line in enumerate(_lines(stream), start=1):
                if number == 1 and line is not None:
                    line = line.removeprefix(_BYTE_ORDER_MARK)
                if line is None or line.strip():
                    yield _document(f"{name}:{number}", line)
    except _DAMAGE as error:
        place = f"{name}: damaged after line {number}" if number else f"{name}: cannot be read"
        reason = getattr(error, "strerror", None) or str(error)
        yield Document(id=name, data=None, error=f"{place}: {reason}")


def _open(name: str) -> IO[bytes]:
    """Open a file for reading, decompressed according to its suffix."""
    if name.lower().endswith(".gz"):
        return cast("IO[bytes]", gzip.open(name, "rb"))
    if name.lower().endswith(".xz"):
        return lzma.open(name, "rb")
    return open(name, "rb")


def _lines(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Yield each line; None in place of a line that is too long."""
    while line := stream.readline(_MAX_LINE_BYTES):
        if len(line) < _MAX_LINE_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_SKIP_BYTES)
        yield None


def _document(place: str, line: bytes | None) -> Document:
    """Make a document of one line; ``error`` is set for a bad one."""
    try:
        return _parse(place, line)
    except InputError as error:
        return Document(id=place, data=None, error=f"{place}: {error}")


def _parse(place: str, line: bytes | None) -> Document:
    if line is None:
        raise InputError(f"line longer than {_MAX_LINE_BYTES} bytes")
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start} of the line") from error
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} at column {error.colno}") from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"not usable JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"a JSON object is expected, not {type(record).__name__}")
    if not isinstance(record.get("html"), str):
        raise InputError('"html" must be a string' if "html" in record else 'no "html" in the record')
    return Document(
        id=_identifier(record) or place,
        data=record["html"],
        url=_optional_text(record, "url"),
        lang=_optional_text(record, "lang"),
        charset=_optional_text(record, "charset"),
    )


def _identifier(record: dict[str, Any]) -> str | None:
    """Return the record's id; a whole number is one too."""
    value = record.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _optional_text(record, "id")


def _optional_text(record: dict[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f'"{key}" must be a string or null, not {type(value).__name__}')
    return value or None
