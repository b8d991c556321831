"""Input: reads files, folders, addresses and standard input, page by page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from blockfeat.errors import BlockfeatError
from blockfeat.io.http.fetch import fetch
from blockfeat.io.http.transport import parse_network
from blockfeat.io.inputs.files import (
    OnPassedOver,
    fetched,
    is_web_address,
    read_file,
    read_folder,
    read_path,
    read_stdin,
    unfetched,
)
from blockfeat.io.inputs.options import INPUT_FORMATS, FieldNames, InputOptions
from blockfeat.io.inputs.records import document_of_row, read_json_lines, read_parquet, read_warc
from blockfeat.page.document import Document

__all__ = [
    "INPUT_FORMATS",
    "Document",
    "FieldNames",
    "InputOptions",
    "document_of_row",
    "fetch",
    "fetched",
    "list_inputs",
    "parse_network",
    "read_file",
    "read_folder",
    "read_inputs",
    "read_json_lines",
    "read_parquet",
    "read_stdin",
    "read_warc",
]


def read_inputs(
    inputs: Sequence[str], options: InputOptions | None = None, *, on_passed_over: OnPassedOver | None = None
) -> Iterator[Document]:
    """Yield the pages of several inputs, in order, one at a time.

    Parameters
    ----------
    inputs : sequence of str
        Addresses (http, https), ``-`` for standard input, folders and files; standard input if empty. The format of
        a file or of standard input (a page, JSON Lines, a web archive, Parquet) is detected by the suffix, else by
        the first bytes; gzip, xz and zstd are decompressed.
    options : InputOptions, optional
        Format, names of fields, and what may be fetched.
    on_passed_over : callable, optional
        Called with the path of each file in a folder that is not read.

    Yields
    ------
    Document
        An input that cannot be read yields a document with ``error`` set, and reading continues.
    """
    reading = options or InputOptions()
    return fetched(list_inputs(inputs, reading, on_passed_over=on_passed_over), reading)


def list_inputs(
    inputs: Sequence[str], options: InputOptions, *, on_passed_over: OnPassedOver | None = None
) -> Iterator[Document]:
    """Yield the pages of several inputs as `read_inputs` does, but addresses unfetched (`fetched` fetches them)."""
    for name in inputs or ["-"]:
        try:
            yield from _read_input(name, options, on_passed_over)
        except BlockfeatError as error:
            yield Document(id=name, data=None, error=str(error))


def _read_input(name: str, options: InputOptions, on_passed_over: OnPassedOver | None) -> Iterator[Document]:
    """Read one input, an address, ``-`` or a path."""
    if is_web_address(name):
        yield unfetched(name)
    elif name == "-":
        yield from read_stdin(options)
    elif os.path.isdir(name):
        yield from read_folder(name, options, on_passed_over=on_passed_over)
    elif not os.path.exists(name):
        reason = "only http and https addresses can be fetched" if "://" in name else "no such file or folder"
        yield Document(id=name, data=None, error=f"{name}: {reason}")
    else:
        yield from read_path(name, options)
