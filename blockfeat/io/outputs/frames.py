"""Rows of records as a data frame of pandas with typed columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from blockfeat.io.outputs.columns import Column

if TYPE_CHECKING:
    import pandas


_TYPES = {"text": "string", "texts": "object", "integer": "Int64", "number": "Float64", "boolean": "boolean"}


def typed_frame(
    rows: Sequence[Mapping[str, Any]], columns: tuple[Column, ...], index: pandas.Index | None = None
) -> pandas.DataFrame:
    """Return a data frame with a row for each mapping; every column has the type of its values, also where all miss."""
    import pandas

    cells = {
        column.name: pandas.Series([row[column.name] for row in rows], index=index, dtype=_TYPES[column.type])
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
