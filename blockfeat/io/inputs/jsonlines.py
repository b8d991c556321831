"""Pages from JSON Lines, plain or packed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Any

from blockfeat._json_lines import lines_of, parse_object
from blockfeat.errors import BlockfeatError, InputError
from blockfeat.io.inputs.options import DAMAGE, PACKED_SUFFIXES, FieldNames, check_json_lines, peeked, unpacked
from blockfeat.page.document import Document

JSON_LINES_SUFFIXES = tuple(
    plain + packed for plain in (".jsonl", ".ndjson", ".json") for packed in ("", *PACKED_SUFFIXES)
)
_MOST_NAMES = 12


def read_json_lines(path: str | os.PathLike[str], *, fields: FieldNames | None = None) -> Iterator[Document]:
    """Yield the pages of a file with one JSON object per line, one at a time.

    An object has ``html`` (str) and may have ``id`` (str or int), ``url``, ``lang`` and ``charset`` (str
    or null). The id of a record without one is ``<file>:<line>``. A bad line yields a document whose
    ``error`` names file and line, and reading continues; a damaged or truncated compressed file yields the
    records before the damage and then one document with ``error``.

    Parameters
    ----------
    path : str or PathLike
        The file, plain or packed with gzip, xz or zstd.
    fields : FieldNames, optional
        What the fields are called.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            yield from json_lines(name, stream, fields or FieldNames())
    except (OSError, BlockfeatError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield Document(id=name, data=None, error=f"{name}: cannot be read: {reason}")


def json_lines(name: str, stream: IO[bytes], fields: FieldNames) -> Iterator[Document]:
    """Yield the pages of a stream of JSON Lines, plain or packed, as `read_json_lines` does."""
    number = 0
    try:
        head, whole = peeked(unpacked(stream))
        check_json_lines(head)
        for number, line in lines_of(whole):
            yield _document(f"{name}:{number}", line, fields)
    except InputError as error:
        yield Document(id=name, data=None, error=f"{name}: {error}")
    except DAMAGE as error:
        place = f"{name}: damaged after line {number}" if number else f"{name}: cannot be read"
        reason = getattr(error, "strerror", None) or str(error)
        yield Document(id=name, data=None, error=f"{place}: {reason}")


def _document(place: str, line: bytes | None, fields: FieldNames) -> Document:
    """Make a document of one line; ``error`` is set for a bad one."""
    try:
        return _parse(place, line, fields)
    except InputError as error:
        return Document(id=place, data=None, error=f"{place}: {error}")


def _parse(place: str, line: bytes | None, fields: FieldNames) -> Document:
    record = parse_object(line, InputError)
    html = record.get(fields.html)
    if not isinstance(html, str):
        raise InputError(f'"{fields.html}" must be a string' if fields.html in record else _no_page(record, fields))
    return Document(
        id=_identifier(record, fields.id) or place,
        data=html,
        url=_optional_text(record, fields.url),
        lang=_optional_text(record, fields.lang),
        charset=_optional_text(record, fields.charset),
    )


def _no_page(record: dict[str, Any], fields: FieldNames) -> str:
    """Return a message with the names that the record has."""
    names = ", ".join(list(record)[:_MOST_NAMES]) or "none"
    return f'no "{fields.html}" in the record (its fields: {names}; --fields html=NAME names the page\'s)'


def _identifier(record: dict[str, Any], key: str) -> str | None:
    """Return the record's id; a whole number is one too."""
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _optional_text(record, key)


def _optional_text(record: dict[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f'"{key}" must be a string or null, not {type(value).__name__}')
    return value or None
