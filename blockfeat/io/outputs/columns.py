"""Records as rows of a table: the columns of an extraction, their types, and data frames of pandas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blockfeat.extraction.extraction import Extraction
from blockfeat.io.outputs import to_json_line

if TYPE_CHECKING:
    import pandas

# Of the columns that are no text; a value without a type here is text, JSON where it is nested.
_TYPES = {
    "schema": "integer",
    "lang_confidence": "number",
    "captions": "texts",
    "comments": "texts",
    "confidence": "number",
    "site_repeated": "integer",
    "warnings": "texts",
    "metadata.authors": "texts",
    "metadata.agencies": "texts",
    "metadata.tags": "texts",
    "metadata.paywall": "boolean",
}
# Objects of a record that a page may lack; each value has a column nevertheless.
_OBJECTS = {
    "metadata": (
        "title",
        "headline",
        "authors",
        "agencies",
        "published",
        "modified",
        "site",
        "canonical_url",
        "description",
        "image",
        "language",
        "section",
        "tags",
        "paywall",
        "licence",
        "sources",
    )
}
_PYTHON_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "text": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, the keys that lead to it in a record, and its type (`_TYPES`)."""

    name: str
    path: tuple[str, ...]
    type: str

    def value(self, record: Mapping[str, Any]) -> Any:
        """Return the value of the column in a record, None where it has none; what has another type as JSON text."""
        value: Any = record
        for key in self.path:
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is None:
            return None
        if self.type == "texts":
            items = value if isinstance(value, list) else [value]
            return [item if isinstance(item, str) else _json(item) for item in items]
        if isinstance(value, _PYTHON_TYPES[self.type]):
            return value
        return _json(value) if self.type == "text" else None


def record_columns(*, evidence: bool = False, site: bool = False) -> tuple[Column, ...]:
    """Return the columns of a record, in its order; a nested object has a column for each key, named with a dot.

    With ``evidence`` and ``site`` those of runs that write blocks, and that use site profiles.
    """
    blank = plain_record(Extraction(text="", site_repeated=0 if site else None), evidence=evidence)
    return tuple(Column(".".join(path), path, _TYPES.get(".".join(path), "text")) for path in _paths(blank))


def plain_record(extraction: Extraction, *, evidence: bool = False) -> dict[str, Any]:
    """Return the record of an extraction as its JSON line has it."""
    record: dict[str, Any] = json.loads(to_json_line(extraction, evidence=evidence))
    return record


def row_of(record: Mapping[str, Any], columns: tuple[Column, ...]) -> dict[str, Any]:
    """Return the cells of a record by the names of the columns."""
    return {column.name: column.value(record) for column in columns}


def _paths(record: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, value in record.items():
        inner = tuple(value) if isinstance(value, Mapping) else _OBJECTS.get(key, ())
        yield from ((key, name) for name in inner) if inner else [(key,)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_PANDAS_TYPES = {"text": "string", "texts": "object", "integer": "Int64", "number": "Float64", "boolean": "boolean"}


def typed_frame(
    rows: Sequence[Mapping[str, Any]], columns: tuple[Column, ...], index: pandas.Index | None = None
) -> pandas.DataFrame:
    """Return a data frame with a row for each mapping; every column has the type of its values, also where all miss."""
    import pandas

    cells = {
        column.name: pandas.Series([row[column.name] for row in rows], index=index, dtype=_PANDAS_TYPES[column.type])
        for column in columns
    }
    return pandas.DataFrame(cells, index=index)


def cell_text(cell: object) -> str | None:
    """Return a cell as text; None where it is missing or empty."""
    if cell is None or cell != cell or str(cell) == "<NA>":
        return None
    return str(cell) or None


def kind_of_cell(cell: object) -> str:
    """Return the name of a cell's type, ``"missing"`` where it has no value."""
    is_missing = cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell != cell
    return "missing" if is_missing else type(cell).__name__
