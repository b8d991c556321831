"""Pages from Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from blockfeat.errors import InputError, MissingExtraError
from blockfeat.sources.document import Document

__all__ = ["PARQUET_SUFFIXES", "read_parquet"]

PARQUET_SUFFIXES = (".parquet",)
_OPTIONAL_COLUMNS = ("id", "url", "lang", "charset")
_ROWS_AT_ONCE = 64


def read_parquet(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the pages of a Parquet file, a few rows in memory at a time.

    The column ``html`` (string or binary) is required; ``id``, ``url``, ``lang`` and ``charset`` are
    optional. The id of a row without one is ``<file>:<row>``, rows counted from 1. A bad row or a damaged
    file yields a document with ``error``.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    name = os.fspath(path)
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtraError(f"{name}: Parquet files need pyarrow: pip install blockfeat[parquet]") from error
    try:
        with ParquetFile(name) as file:
            columns = set(file.schema_arrow.names)
            if "html" not in columns:
                raise InputError('no column "html"')
            wanted = ["html", *(column for column in _OPTIONAL_COLUMNS if column in columns)]
            number = 0
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=wanted):
                for row in batch.to_pylist():
                    number += 1
                    yield _document(f"{name}:{number}", row)
    except (OSError, pyarrow.ArrowException, InputError) as error:
        yield Document(id=name, data=None, error=f"{name}: cannot be read: {error}")


def _document(place: str, row: dict[str, Any]) -> Document:
    """Make a document of one row; ``error`` is set for a bad one."""
    html = row["html"]
    if not isinstance(html, (str, bytes)):
        kind = "empty" if html is None else f"{type(html).__name__}, not string or binary"
        return Document(id=place, data=None, error=f'{place}: "html" is {kind}')
    identifier, url, lang, charset = (_text(row.get(column)) for column in _OPTIONAL_COLUMNS)
    return Document(id=identifier or place, data=html, url=url, lang=lang, charset=charset)


def _text(value: object) -> str | None:
    """Return a cell as text; whole numbers may be ids."""
    return str(value) if value is not None and value != "" else None
