"""The pages below a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import PurePath

from blockfeat.errors import BlockfeatError
from blockfeat.io.inputs.detect import DAMAGE, PACKED_SUFFIXES, looks_like_html, peeked, unpacked
from blockfeat.io.inputs.files import failed_document, format_by_suffix, read_path
from blockfeat.io.inputs.options import InputOptions
from blockfeat.page.document import Document

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
    for name in member_files(os.fspath(path)):
        if isinstance(name, Document):
            yield name
        elif reading.format != "auto" or is_page(name):
            yield from read_path(name, reading)
        elif on_passed_over is not None:
            on_passed_over(name)


def member_files(folder: str) -> Iterator[str | Document]:
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


def is_page(name: str) -> bool:
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
