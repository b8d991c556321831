"""Pages from single files and standard input, each read by what it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import IO

from blockfeat.errors import BlockfeatError, InputError
from blockfeat.io.inputs.detect import DAMAGE, PACKED_SUFFIXES, detected, is_packed, peeked, unpacked
from blockfeat.io.inputs.jsonlines import JSON_LINES_SUFFIXES, json_lines
from blockfeat.io.inputs.options import InputOptions
from blockfeat.io.inputs.parquet import PARQUET_SUFFIXES, parquet_pages
from blockfeat.io.inputs.urls import read_urls
from blockfeat.io.inputs.warc import WARC_SUFFIXES, warc_pages
from blockfeat.page.document import Document

_PLAIN_PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".xht", ".shtml", ".shtm")
PAGE_SUFFIXES = tuple(plain + packed for plain in _PLAIN_PAGE_SUFFIXES for packed in ("", *PACKED_SUFFIXES))
_SUFFIXES = {
    "html": PAGE_SUFFIXES,
    "jsonl": JSON_LINES_SUFFIXES,
    "warc": WARC_SUFFIXES,
    "parquet": PARQUET_SUFFIXES,
}
# Bounds memory for a packed page; real pages stay far below this.
_MAX_UNPACKED_BYTES = 64 * 1024 * 1024


def failed_document(name: str, error: Exception) -> Document:
    """Return the document of an input that cannot be read."""
    reason = getattr(error, "strerror", None) or str(error)
    if isinstance(error, FileNotFoundError):
        reason = "no such file or folder"
    return Document(id=name, data=None, error=reason if reason.startswith(f"{name}: ") else f"{name}: {reason}")


def format_by_suffix(name: str) -> str | None:
    """Return the format that a file's suffix names, if it names one."""
    lowered = name.lower()
    return next((format for format, suffixes in _SUFFIXES.items() if lowered.endswith(suffixes)), None)


def read_file(path: str | os.PathLike[str]) -> Document:
    """Read one page as bytes, unpacked; a file that cannot be read yields a document with ``error`` set."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            return _page(name, stream)
    except (*DAMAGE, BlockfeatError) as error:
        return failed_document(name, error)


def read_path(name: str, options: InputOptions) -> Iterator[Document]:
    """Yield the pages of a file, as its format, its suffix or else its first bytes say."""
    try:
        with open(name, "rb") as stream:
            yield from _read(name, stream, options, format_by_suffix(name))
    except (*DAMAGE, BlockfeatError) as error:
        yield failed_document(name, error)


def read_stdin(options: InputOptions | None = None) -> Iterator[Document]:
    """Yield the pages of standard input, as the format or else the first bytes say; a single page has the id ``-``."""
    try:
        yield from _read("-", sys.stdin.buffer, options or InputOptions(), None)
    except (*DAMAGE, BlockfeatError) as error:
        yield failed_document("-", error)


def _read(name: str, stream: IO[bytes], options: InputOptions, format: str | None) -> Iterator[Document]:
    if options.format != "auto":
        format = options.format
    if format is None:
        format, stream = _detected(stream)
    if format == "html":
        yield _page(name, stream)
    elif format == "urls":
        yield from read_urls(name, stream)
    elif format == "warc":
        yield from warc_pages(name, stream)
    elif format == "parquet":
        yield from _parquet(name, stream, options)
    else:
        yield from json_lines(name, stream, options.fields)


def _detected(stream: IO[bytes]) -> tuple[str, IO[bytes]]:
    """Return the format of a stream, packed or not, and a stream unpacked from its start."""
    head, whole = peeked(unpacked(stream))
    return detected(head), whole


def _page(name: str, stream: IO[bytes]) -> Document:
    head, whole = peeked(stream)
    if not is_packed(head):
        return Document(id=name, data=whole.read())
    data = unpacked(whole).read(_MAX_UNPACKED_BYTES + 1)
    if len(data) > _MAX_UNPACKED_BYTES:
        raise InputError(f"larger than {_MAX_UNPACKED_BYTES} bytes when unpacked")
    return Document(id=name, data=data)


def _parquet(name: str, stream: IO[bytes], options: InputOptions) -> Iterator[Document]:
    """Read Parquet from a file, or from a copy of a stream: its table of contents stands at the end."""
    if name != "-" and format_by_suffix(name) == "parquet":
        yield from parquet_pages(name, name, options.fields)
        return
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(unpacked(stream), copy)
        copy.seek(0)
        yield from parquet_pages(name, copy, options.fields)
