"""Writers of tables: CSV, and Parquet by row groups."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import IO, Any

from blockfeat._extras import require_extra
from blockfeat._files import writing
from blockfeat.io.outputs.formats import Column, Rendered, row_of

# First characters of what a spreadsheet reads as a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_ROWS_OF_A_GROUP = 1000
_CHARACTERS_OF_A_GROUP = 16 * 1024 * 1024


def csv_line(cells: Iterable[object], *, end: str = "\n") -> str:
    """Return a line of a CSV file; text that spreadsheets would read as a formula is escaped, other values are JSON."""
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator=end).writerow(map(_cell, cells))
    return line.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        # Texts of pages are untrusted: an apostrophe marks them as text, not a formula.
        return f"'{value}" if value.startswith(_FORMULAS) else value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


class CsvWriter:
    """Writes a CSV file: a header line, then a row for each document, failed ones included.

    Each row is written as soon as its document is done. Lists and nested values are JSON.
    """

    def __init__(self, stream: IO[bytes], columns: tuple[Column, ...], *, name: str = "standard output") -> None:
        self._stream, self._columns, self._name = stream, columns, name
        self._write([column.name for column in columns])

    def write(self, rendered: Rendered) -> None:
        """Write one row."""
        self._write(row_of(rendered.record or {}, self._columns).values())

    def close(self) -> None:
        """Do nothing: every row is written, and the caller closes the stream."""

    def _write(self, cells: Iterable[object]) -> None:
        with writing(self._name):
            self._stream.write(csv_line(cells).encode("utf-8", "replace"))
            self._stream.flush()


class ParquetRows:
    """Writes rows to a Parquet file, one row group at a time, so that memory is bounded.

    Parameters
    ----------
    stream : binary file
        Where the file is written; it stays open.
    types : mapping of str to str
        The columns, each with its type: ``text``, ``texts``, ``integer``, ``number`` or ``boolean``.
    name : str
        Name of the file in error messages.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """

    def __init__(self, stream: IO[bytes], types: Mapping[str, str], *, name: str) -> None:
        require_extra("parquet", what=f"{name}: a Parquet file")
        import pyarrow
        from pyarrow.parquet import ParquetWriter

        self._name = name
        known = _arrow_types(pyarrow)
        self._schema = pyarrow.schema([(name, known[type]) for name, type in types.items()])
        self._table_of = pyarrow.Table.from_pylist
        self._rows: list[Mapping[str, Any]] = []
        self._characters = 0
        with writing(name):
            self._file = ParquetWriter(stream, self._schema, compression="zstd")

    def write(self, row: Mapping[str, Any]) -> None:
        """Add one row; write the row group if it is full."""
        self._rows.append(row)
        self._characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(self._rows) >= _ROWS_OF_A_GROUP or self._characters >= _CHARACTERS_OF_A_GROUP:
            self._write_group()

    def close(self) -> None:
        """Write the last row group and the file's footer."""
        if self._rows:
            self._write_group()
        with writing(self._name):
            self._file.close()

    def _write_group(self) -> None:
        with writing(self._name):
            self._file.write_table(self._table_of(list(map(dict, self._rows)), schema=self._schema))
        self._rows, self._characters = [], 0


class ParquetFileWriter(ParquetRows):
    """Writes a row for each document, failed ones included, to a Parquet file, whose metadata stands at the end."""

    def __init__(self, stream: IO[bytes], columns: tuple[Column, ...], *, name: str) -> None:
        super().__init__(stream, {column.name: column.type for column in columns}, name=name)
        self._columns = columns

    def write(self, rendered: Rendered) -> None:  # type: ignore[override]
        """Add one row."""
        super().write(row_of(rendered.record or {}, self._columns))


def nested(row: Mapping[str, Any], columns: Iterable[Column]) -> dict[str, Any]:
    """Return a row with the cells of each nested object as a dict, None for an object whose cells are all None."""
    found: dict[str, Any] = {}
    for column in columns:
        *outer, name = column.path
        (found.setdefault(outer[0], {}) if outer else found)[name] = row[column.name]
    objects = {name: cell for name, cell in found.items() if isinstance(cell, dict)}
    return found | {name: None for name, cell in objects.items() if all(value is None for value in cell.values())}


def nested_schema(pyarrow: Any, columns: Iterable[Column]) -> Any:
    """Return the Arrow schema of the rows of `nested`, with nested objects as structs; takes the module pyarrow."""
    types, chosen = _arrow_types(pyarrow), tuple(columns)
    fields = nested({column.name: types[column.type] for column in chosen}, chosen)
    structs = {name: pyarrow.struct(inner) for name, inner in fields.items() if isinstance(inner, dict)}
    return pyarrow.schema(fields | structs)


def _arrow_types(pyarrow: Any) -> dict[str, Any]:
    names = {"text": "string", "integer": "int64", "number": "float64", "boolean": "bool_"}
    types = {type: getattr(pyarrow, name)() for type, name in names.items()}
    return types | {"texts": pyarrow.list_(types["text"])}
