"""Writers of tables: CSV, and Parquet by row groups."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from blockfeat._files import writing
from blockfeat.errors import MissingExtraError
from blockfeat.io.outputs.columns import Column, row_of
from blockfeat.io.outputs.rendering import Rendered

if TYPE_CHECKING:
    import pyarrow


TABLE_FORMATS = ("csv", "parquet")
_ROWS_OF_A_GROUP = 1000
_CHARACTERS_OF_A_GROUP = 16 * 1024 * 1024


class CsvWriter:
    """Writes a row for each document, failed ones too, under a line with the names of the columns.

    Each row is written whole when its document is done. Lists and nested values are JSON.
    """

    def __init__(self, stream: IO[bytes], columns: tuple[Column, ...], *, name: str = "standard output") -> None:
        self._stream = stream
        self._columns = columns
        self._name = name
        self._write([column.name for column in columns])

    def write(self, rendered: Rendered) -> None:
        """Write one row."""
        row = row_of(rendered.record or {}, self._columns)
        self._write([_cell(value) for value in row.values()])

    def close(self) -> None:
        """Leave the stream to its owner: every row is written."""

    def _write(self, cells: list[str]) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        with writing(self._name):
            self._stream.write(line.getvalue().encode("utf-8", "replace"))
            self._stream.flush()


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class ParquetFileWriter:
    """Writes a row for each document, failed ones too, to a Parquet file, a group of rows at a time.

    The file has its name when it is whole: Parquet has its table of contents at the end.
    """

    def __init__(self, path: Path, columns: tuple[Column, ...]) -> None:
        try:
            import pyarrow
            from pyarrow.parquet import ParquetWriter
        except ImportError as error:
            raise MissingExtraError(f"{path}: Parquet files need pyarrow: pip install blockfeat[parquet]") from error
        self._path = path
        self._partial = path.with_name(path.name + ".part")
        self._columns = columns
        self._schema: pyarrow.Schema = pyarrow.schema([(column.name, _arrow_type(column)) for column in columns])
        self._rows: list[Mapping[str, Any]] = []
        self._characters = 0
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = ParquetWriter(str(self._partial), self._schema, compression="zstd")

    def write(self, rendered: Rendered) -> None:
        """Take one row; write the group where it is full."""
        row = row_of(rendered.record or {}, self._columns)
        self._rows.append(row)
        self._characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(self._rows) >= _ROWS_OF_A_GROUP or self._characters >= _CHARACTERS_OF_A_GROUP:
            self._write_group()

    def close(self) -> None:
        """Write the last group and give the file its name; nothing the second time."""
        if not self._file.is_open:
            return
        if self._rows:
            self._write_group()
        with writing(self._path):
            self._file.close()
            self._partial.replace(self._path)

    def _write_group(self) -> None:
        import pyarrow

        with writing(self._path):
            self._file.write_table(pyarrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._characters = [], 0


def _arrow_type(column: Column) -> pyarrow.DataType:
    import pyarrow

    types = {
        "text": pyarrow.string(),
        "texts": pyarrow.list_(pyarrow.string()),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
    }
    return types[column.type]
