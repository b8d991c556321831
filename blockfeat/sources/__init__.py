"""Input: reads files, folders, addresses and standard input, page by page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from blockfeat.errors import BlockfeatError
from blockfeat.sources.document import Document
from blockfeat.sources.fetch import fetch
from blockfeat.sources.files import read_file, read_folder, read_stdin
from blockfeat.sources.jsonlines import JSON_LINES_SUFFIXES, read_json_lines
from blockfeat.sources.parquet import PARQUET_SUFFIXES, read_parquet
from blockfeat.sources.warc import WARC_SUFFIXES, read_warc

__all__ = [
    "Document",
    "fetch",
    "read_file",
    "read_folder",
    "read_inputs",
    "read_json_lines",
    "read_parquet",
    "read_stdin",
    "read_warc",
]


def read_inputs(inputs: Sequence[str], *, allow_private: bool = False) -> Iterator[Document]:
    """Yield the pages of several inputs, in order, one at a time.

    Parameters
    ----------
    inputs : sequence of str
        Addresses (http, https), ``-`` for standard input, folders and files; standard input if empty. The
        suffix of a file selects its reader: JSON Lines (plain, gzip, xz), WARC, Parquet; any other file is
        one page.
    allow_private : bool
        Passed to ``fetch``: allow addresses of this machine and of private networks.

    Yields
    ------
    Document
        An input that cannot be read yields a document with ``error`` set, and reading continues.
    """
    for name in inputs or ["-"]:
        try:
            yield from _read_input(name, allow_private=allow_private)
        except BlockfeatError as error:
            yield Document(id=name, data=None, url=name if _is_web_address(name) else None, error=str(error))


def _read_input(name: str, *, allow_private: bool) -> Iterator[Document]:
    """Read one input, an address, ``-`` or a path."""
    lowered = name.lower()
    if _is_web_address(name):
        yield fetch(name, allow_private=allow_private)
    elif name == "-":
        yield read_stdin()
    elif os.path.isdir(name):
        yield from read_folder(name)
    elif not os.path.exists(name):
        reason = "only http and https addresses can be fetched" if "://" in name else "no such file or folder"
        yield Document(id=name, data=None, error=f"{name}: {reason}")
    elif lowered.endswith(JSON_LINES_SUFFIXES):
        yield from read_json_lines(name)
    elif lowered.endswith(WARC_SUFFIXES):
        yield from read_warc(name)
    elif lowered.endswith(PARQUET_SUFFIXES):
        yield from read_parquet(name)
    else:
        yield read_file(name)


def _is_web_address(name: str) -> bool:
    return name.lower().startswith(("http://", "https://"))
