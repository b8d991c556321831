"""How many pages inputs have, where that can be known without reading them through."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from blockfeat.io.inputs.files import format_by_suffix, members
from blockfeat.io.inputs.options import PACKED_SUFFIXES, InputOptions
from blockfeat.io.inputs.records import count_rows
from blockfeat.io.inputs.urls import is_web_address
from blockfeat.page.document import Document

# Counting the lines of a larger file takes longer than a user waits without an answer.
_MOST_BYTES = 1024 * 1024 * 1024
_CHUNK = 1024 * 1024


def count_pages(inputs: Sequence[str], options: InputOptions) -> int | None:
    """Return the number of pages of inputs; None where one has to be read to know (archives, packed files, streams).

    A JSON Lines file has a page a line, a Parquet file says its number of rows.
    """
    return _sum(_count(name, options) for name in inputs)


def _sum(counts: Iterable[int | None]) -> int | None:
    """Return the sum of some counts; None where one is not known."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _count(name: str, options: InputOptions) -> int | None:
    if name == "-":
        return None
    if is_web_address(name) or not os.path.exists(name):
        return 1
    if not os.path.isdir(name):
        return _count_file(name, options)
    found = members(name, options)
    return _sum(1 if isinstance(member, Document) else _count_file(member, options) for member in found)


def _count_file(name: str, options: InputOptions) -> int | None:
    format = options.format if options.format != "auto" else format_by_suffix(name)
    if format == "html":
        return 1
    if format == "parquet":
        return count_rows(name)
    if format in ("jsonl", "urls") and not name.lower().endswith(PACKED_SUFFIXES):
        return _count_lines(name, comments=format == "urls")
    return None


def _count_lines(name: str, *, comments: bool) -> int | None:
    """Return the number of lines of a file that are not blank; None for a large one."""
    try:
        if os.path.getsize(name) > _MOST_BYTES:
            return None
        with open(name, "rb") as stream:
            if comments:
                return sum(1 for line in stream if line.strip() and not line.lstrip().startswith(b"#"))
            lines, last = 0, b""
            while chunk := stream.read(_CHUNK):
                lines += chunk.count(b"\n")
                last = chunk[-1:]
            return lines + (last not in (b"", b"\n"))
    except OSError:
        return 1
