"""JSON Lines files, plain or packed: read line by line with line numbers, written whole or not at all."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import secrets
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from blockfeat.errors import CorpusError

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def check_suffix(path: Path) -> str:
    """Return the suffix of a JSON Lines file: ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.xz``.

    Raises
    ------
    CorpusError
        If the name ends otherwise.
    """
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return suffix
    raise CorpusError(f"{path}: not a corpus file: the name must end in {', '.join(SUFFIXES)}")


def stem(path: Path) -> str:
    """Return the file's name without the suffixes that `check_suffix` knows."""
    return path.name[: -len(check_suffix(path))]


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield line number (from 1) and bytes of every line that is not blank.

    Raises
    ------
    CorpusError
        If the file is missing, is of another kind, or its packing is damaged or cut short.
    """
    number = 0
    try:
        with _opened(path) as stream:
            for number, line in enumerate(stream, start=1):
                content = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
                if content.strip():
                    yield number, content
    except FileNotFoundError:
        raise CorpusError(f"{path}: there is no such file") from None
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        place = f", after line {number}" if number else ""
        raise CorpusError(f"{path}{place}: cannot be read: {error}") from error


def _opened(path: Path) -> IO[bytes]:
    """Open the file for reading bytes, unpacked."""
    suffix = check_suffix(path)
    if suffix.endswith(".gz"):
        return gzip.open(path, "rb")  # type: ignore[return-value]
    if suffix.endswith(".xz"):
        return lzma.open(path, "rb")
    return path.open("rb")


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object on a line.

    Raises
    ------
    CorpusError
        If the line is not UTF-8, not JSON, or not an object. The message gives the reason, not the place.
    """
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise CorpusError(f"not UTF-8: byte 0x{line[error.start]:02x} at position {error.start}") from None
    except json.JSONDecodeError as error:
        raise CorpusError(f"bad JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets without end
        raise CorpusError(f"bad JSON: {error}") from None
    if not isinstance(value, dict):
        raise CorpusError(f"not a JSON object but {json_type(value)}")
    return value


def json_type(value: object) -> str:
    """Return what JSON calls a value, with its article, for messages."""
    names: dict[type, str] = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return names.get(type(value), "null")


def write_lines(objects: Iterable[dict[str, Any]], path: Path) -> int:
    """Write one JSON object a line and return their number.

    The lines go to a temporary file in the same folder that takes the name at the end, so a reader sees the
    old file or the whole new one. Equal objects give equal bytes.

    Raises
    ------
    CorpusError
        If the suffix is unknown or the file cannot be written.
    """
    suffix = check_suffix(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    count = 0
    try:
        try:
            with _created(temporary, suffix) as stream:
                for value in objects:
                    stream.write(json_line(value))
                    count += 1
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be written: {error.strerror or error}") from error
    return count


@contextmanager
def _created(path: Path, suffix: str) -> Iterator[IO[bytes]]:
    """Open a new file for writing bytes, packed as the suffix says."""
    with path.open("xb") as raw:
        if suffix.endswith(".gz"):
            # Neither name nor time goes into the header: equal pages give equal files.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        elif suffix.endswith(".xz"):
            with lzma.open(raw, "wb") as packed_xz:
                yield packed_xz
        else:
            yield raw


def json_line(value: dict[str, Any]) -> bytes:
    """Return an object as a line of a corpus file, in UTF-8."""
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:  # lone surrogates can only be written as escapes
        return json.dumps(value).encode("ascii") + b"\n"
