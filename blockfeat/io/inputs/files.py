"""Pages from single files, folders and standard input, each read by what it is."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import IO

from blockfeat.errors import BlockfeatError, InputError
from blockfeat.io.inputs.options import (
    DAMAGE,
    PACKED_SUFFIXES,
    InputOptions,
    detected,
    is_packed,
    looks_like_html,
    peeked,
    unpacked,
)
from blockfeat.io.inputs.records import JSON_LINES_SUFFIXES, PARQUET_SUFFIXES, json_lines, parquet_pages
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


# What servers and mirrors call pages that a program has made; the first bytes decide.
_PERHAPS_PAGES = ("", ".asp", ".aspx", ".cfm", ".cgi", ".do", ".jsp", ".php")
# A .json file in a folder is more often configuration than pages: it is read only if named.
_CONFIGURATION = tuple(".json" + packed for packed in ("", *PACKED_SUFFIXES))

OnPassedOver = Callable[[str], None]


def read_folder(
    path: str | os.PathLike[str],
    options: InputOptions | None = None,
    *,
    on_passed_over: OnPassedOver | None = None,
) -> Iterator[Document]:
    """Yield the pages below a folder, sorted by name at every level.

    Read are files with a suffix of HTML, JSON Lines, WARC or Parquet, plain or packed, and those without a suffix
    (or with one such as ``.php``) that begin like an HTML page. Where the options give a format, every file is read
    as that. Links are followed; each folder is read once, so loops end.

    Parameters
    ----------
    path : str or PathLike
        The folder.
    options : InputOptions, optional
        How files and their records are read.
    on_passed_over : callable, optional
        Called with the path of each file that is not read.
    """
    reading = options or InputOptions()
    for member in members(os.fspath(path), reading, on_passed_over):
        if isinstance(member, Document):
            yield member
        else:
            yield from read_path(member, reading)


def members(folder: str, options: InputOptions, on_passed_over: OnPassedOver | None = None) -> Iterator[str | Document]:
    """Yield the files below a folder that are read, in order; what cannot be looked at as a document with ``error``."""
    for name in _member_files(folder):
        if isinstance(name, Document) or options.format != "auto" or _is_page(name):
            yield name
        elif on_passed_over is not None:
            on_passed_over(name)


def _member_files(folder: str) -> Iterator[str | Document]:
    """Yield the regular files below a folder in order; what cannot be looked at as a document with ``error``."""
    folders_seen: set[tuple[int, int]] = set()
    # A stack instead of recursion; the next path is the last.
    stack = [folder]
    while stack:
        name = stack.pop()
        try:
            status = os.stat(name)
            if stat.S_ISDIR(status.st_mode):
                identity = (status.st_dev, status.st_ino)
                if identity not in folders_seen:
                    folders_seen.add(identity)
                    stack.extend(_entries_backwards(name))
                continue
        except OSError as error:
            # A broken link beside the pages is no page that failed.
            if format_by_suffix(name) is not None or name == folder or not os.path.islink(name):
                yield failed_document(name, error)
            continue
        if stat.S_ISREG(status.st_mode):
            yield name
        elif format_by_suffix(name) is not None:
            yield Document(id=name, data=None, error=f"{name}: not a regular file")


def _entries_backwards(folder: str) -> list[str]:
    """List the entries of a folder, last name first."""
    with os.scandir(folder) as entries:
        return sorted((entry.path for entry in entries), key=lambda name: PurePath(name).name, reverse=True)


def _is_page(name: str) -> bool:
    """Return whether a file is read: by its suffix, or by its first bytes where the suffix says nothing."""
    if format_by_suffix(name) is not None:
        return not name.lower().endswith(_CONFIGURATION)
    suffix = PurePath(name).suffix.lower()
    if suffix in PACKED_SUFFIXES:
        suffix = PurePath(name).with_suffix("").suffix.lower()
    if suffix not in _PERHAPS_PAGES:
        return False
    try:
        with open(name, "rb") as stream:
            return looks_like_html(peeked(unpacked(stream))[0])
    except (*DAMAGE, BlockfeatError):
        return False
