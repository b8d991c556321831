"""Pages from Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Any

from blockfeat._extras import require_extra
from blockfeat.errors import InputError
from blockfeat.io.inputs.options import FieldNames
from blockfeat.page.document import Document

PARQUET_SUFFIXES = (".parquet",)
_ROWS_AT_ONCE = 64
_MOST_NAMES = 20


def read_parquet(path: str | os.PathLike[str], *, fields: FieldNames | None = None) -> Iterator[Document]:
    """Yield the pages of a Parquet file, a few rows in memory at a time.

    The column ``html`` (string or binary) is required; ``id``, ``url``, ``lang`` and ``charset`` are
    optional. The id of a row without one is ``<file>:<row>``, rows counted from 1. A bad row or a damaged
    file yields a document with ``error``.

    Parameters
    ----------
    path : str or PathLike
        The file.
    fields : FieldNames, optional
        What the columns are called.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    name = os.fspath(path)
    return parquet_pages(name, name, fields or FieldNames())


def parquet_pages(name: str, source: str | IO[bytes], fields: FieldNames) -> Iterator[Document]:
    """Yield the pages of a Parquet file, given by path or as a stream that can be sought, as `read_parquet` does."""
    _check_extra(name)
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(source) as file:
            names = file.schema_arrow.names
            if fields.html not in names:
                found = ", ".join(names[:_MOST_NAMES])
                raise InputError(
                    f'no column "{fields.html}" (its columns: {found}; --fields html=NAME names the page\'s)'
                )
            wanted = [fields.html, *(name for name in _optional(fields) if name in names)]
            number = 0
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=list(dict.fromkeys(wanted))):
                for row in batch.to_pylist():
                    number += 1
                    yield _document(f"{name}:{number}", row, fields)
    except (OSError, pyarrow.ArrowException, InputError) as error:
        yield Document(id=name, data=None, error=f"{name}: cannot be read: {error}")


def count_rows(path: str) -> int | None:
    """Return the number of rows that a Parquet file says it has; None where it cannot be read."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        return None
    try:
        with ParquetFile(path) as file:
            return int(file.metadata.num_rows)
    except (OSError, pyarrow.ArrowException):
        return None


def _check_extra(name: str) -> None:
    require_extra("parquet", what=f"{name}: a Parquet file")


def _optional(fields: FieldNames) -> tuple[str, str, str, str]:
    return fields.id, fields.url, fields.lang, fields.charset


def _document(place: str, row: dict[str, Any], fields: FieldNames) -> Document:
    """Make a document of one row; ``error`` is set for a bad one."""
    html = row[fields.html]
    if not isinstance(html, (str, bytes)):
        kind = "empty" if html is None else f"{type(html).__name__}, not string or binary"
        return Document(id=place, data=None, error=f'{place}: "{fields.html}" is {kind}')
    identifier, url, lang, charset = (_text(row.get(column)) for column in _optional(fields))
    return Document(id=identifier or place, data=html, url=url, lang=lang, charset=charset)


def _text(value: object) -> str | None:
    """Return a cell as text; whole numbers may be ids."""
    return str(value) if value is not None and value != "" else None
