"""Pages from single files, folders and standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import PurePath

from blockfeat.sources.document import Document
from blockfeat.sources.jsonlines import JSON_LINES_SUFFIXES, read_json_lines

__all__ = ["PAGE_SUFFIXES", "failed_document", "read_file", "read_folder", "read_stdin"]

PAGE_SUFFIXES = (".html", ".htm", ".xhtml")
# A .json file in a folder is more often configuration than pages: it is read only if named.
_FOLDER_RECORD_SUFFIXES = tuple(suffix for suffix in JSON_LINES_SUFFIXES if ".jsonl" in suffix)


def failed_document(name: str, error: OSError) -> Document:
    """Return the document of an input that the operating system failed to read."""
    reason = "no such file or folder" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
    return Document(id=name, data=None, error=f"{name}: {reason}")


def read_file(path: str | os.PathLike[str]) -> Document:
    """Read one page as bytes; a file that cannot be read yields a document with ``error`` set."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            return Document(id=name, data=stream.read())
    except OSError as error:
        return failed_document(name, error)


def read_stdin() -> Document:
    """Read one page as bytes from standard input; its id is ``-``."""
    try:
        return Document(id="-", data=sys.stdin.buffer.read())
    except OSError as error:
        return failed_document("standard input", error)


def read_folder(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the pages below a folder, sorted by name at every level.

    Pages are files named ``*.html``, ``*.htm`` or ``*.xhtml`` and the records of ``*.jsonl``,
    ``*.jsonl.gz`` and ``*.jsonl.xz``. Links are followed; each folder is read once, so loops end.
    """
    folders_seen: set[tuple[int, int]] = set()
    # A stack instead of recursion; the next path is the last.
    stack = [os.fspath(path)]
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
            yield failed_document(name, error)
            continue
        if stat.S_ISREG(status.st_mode):
            yield from _read_member(name)
        else:
            yield Document(id=name, data=None, error=f"{name}: not a regular file")


def _entries_backwards(folder: str) -> list[str]:
    """List the subfolders, pages and record files of a folder, last name first."""
    wanted = PAGE_SUFFIXES + _FOLDER_RECORD_SUFFIXES
    with os.scandir(folder) as entries:
        names = [entry.path for entry in entries if entry.name.lower().endswith(wanted) or _is_folder(entry)]
    return sorted(names, key=lambda name: PurePath(name).name, reverse=True)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder or a link to one; a link to itself is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _read_member(name: str) -> Iterator[Document]:
    """Yield the one page, or the records, of a file inside a folder."""
    if name.lower().endswith(_FOLDER_RECORD_SUFFIXES):
        yield from read_json_lines(name)
    else:
        yield read_file(name)
