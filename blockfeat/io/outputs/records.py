"""The record of an extraction: as plain values, as a line of JSON, and as the row of a table with typed columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from blockfeat.content.links import clean_characters
from blockfeat.extraction.extraction import Extraction
from blockfeat.metadata.metadata import Metadata

# Valid inside JSON strings, but line ends for many readers.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def record_of(extraction: Extraction, *, evidence: bool = False) -> dict[str, Any]:
    """Return the record of a page as plain values; with ``evidence`` also ``blocks``."""
    record: dict[str, Any] = plain(extraction.to_dict(evidence=evidence))
    return record


def to_json_line(extraction: Extraction, *, evidence: bool = False) -> str:
    """Return the extraction as JSON on exactly one line, without a line end.

    Parameters
    ----------
    extraction : Extraction
        The page's extraction, also one with an error.
    evidence : bool
        Add ``blocks``: every block with its text, label, role, score, features and XPath.

    Returns
    -------
    str
        The page's record, as the JSON Schema of `record_schema` describes it. Not ASCII only; numbers that JSON does
        not have (NaN, infinity) are null.
    """
    return json.dumps(record_of(extraction, evidence=evidence), ensure_ascii=False, allow_nan=False).translate(
        _LINE_ENDS
    )


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a record."""
    text = files("blockfeat.io.outputs").joinpath("record.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def plain(value: Any) -> Any:
    """Return a value with clean strings, numpy's numbers as Python's, and None for those that JSON does not have."""
    if isinstance(value, str):
        return clean_characters(value)
    if isinstance(value, Mapping):
        return {clean_characters(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Of the columns that are no text; a value without a type here is text, JSON where it is nested.
_TYPES = {
    "schema": "integer",
    "lang_confidence": "number",
    "captions": "texts",
    "comments": "texts",
    "confidence": "number",
    "warnings": "texts",
    "metadata.authors": "texts",
    "metadata.agencies": "texts",
    "metadata.tags": "texts",
    "metadata.paywall": "boolean",
}
# Objects of a record that a page may lack; each value has a column nevertheless.
_OBJECTS = {"metadata": tuple(Metadata().to_dict())}
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


def record_columns(*, evidence: bool = False) -> tuple[Column, ...]:
    """Return the columns of a record, in its order; a nested object has a column for each key, named with a dot.

    With ``evidence`` those of runs that write blocks.
    """
    blank = record_of(Extraction(text=""), evidence=evidence)
    return tuple(Column(".".join(path), path, _TYPES.get(".".join(path), "text")) for path in _paths(blank))


def row_of(record: Mapping[str, Any], columns: tuple[Column, ...]) -> dict[str, Any]:
    """Return the cells of a record by the names of the columns."""
    return {column.name: column.value(record) for column in columns}


def _paths(record: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, value in record.items():
        inner = tuple(value) if isinstance(value, Mapping) else _OBJECTS.get(key, ())
        yield from ((key, name) for name in inner) if inner else [(key,)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
