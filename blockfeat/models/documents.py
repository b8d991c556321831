"""What the documents of all model files have in common: the tag table, the schema and the errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from blockfeat.blocks.tagtable import BUNDLED_TABLES, TagTable, load_table
from blockfeat.errors import BlockfeatError, ModelError


def table_value(table: TagTable) -> str | dict[str, Any]:
    """Return how a document names a table: a bundled one by its name, another as plain values."""
    is_bundled = table.name in BUNDLED_TABLES and load_table(table.name) == table
    return table.name if is_bundled else table.to_dict()


def table_from_value(value: Any, *, where: str) -> TagTable:
    """Return the table that `table_value` named.

    Raises
    ------
    TableError
        There is no such table, or it is bad.
    """
    return load_table(value) if isinstance(value, str) else TagTable.from_dict(value, where=where)


class _Named(Protocol):
    """What the documents of all kinds of models hold."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def table(self) -> TagTable: ...
    @property
    def languages(self) -> tuple[str, ...]: ...
    @property
    def record(self) -> Mapping[str, Any]: ...


def document_of(model: _Named, schema: int, **own: Any) -> dict[str, Any]:
    """Return the document of a model: what all kinds have, and the values of its own."""
    return {
        "kind": model.kind,
        "schema": schema,
        "name": model.name,
        "table": table_value(model.table),
        **own,
        "languages": list(model.languages),
        "record": dict(model.record),
    }


def named_values(document: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """Return the values that `document_of` writes of every model, by the names of the model's attributes.

    Raises
    ------
    KeyError, TypeError
        Something is missing or wrong; see `reading_values`.
    TableError
        There is no such table, or it is bad.
    """
    return {
        "table": table_from_value(document["table"], where=where),
        "name": str(document["name"]),
        "languages": tuple(document["languages"]),
        "record": document.get("record", {}),
    }


def common_values(document: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """Return `named_values`, and how the blocks of a model are measured.

    Raises
    ------
    KeyError, TypeError
        Something is missing or wrong; see `reading_values`.
    TableError
        There is no such table, or it is bad.
    """
    measuring = {name: document[name] for name in ("stop_word_scope", "segmenter")}
    return named_values(document, where=where) | measuring


def check_schema(document: Mapping[str, Any], schema: int, *, where: str) -> None:
    """Check that a document has the schema that this version reads.

    Raises
    ------
    ModelError
        It has another; the message names ``where``.
    """
    if document.get("schema") != schema:
        raise ModelError(f"{where}: schema {document.get('schema')!r} is not {schema}, which this version reads")


@contextmanager
def reading_values(where: str, *, prefixed: type[BlockfeatError] | tuple[()] = ()) -> Iterator[None]:
    """Turn what goes wrong while the values of a document are read into one error that names ``where``.

    Parameters
    ----------
    where : str
        What messages call the document.
    prefixed : type, optional
        Errors of blockfeat whose own message does not name ``where`` yet; others pass as they are.

    Raises
    ------
    ModelError
        Something is missing or wrong.
    """
    try:
        yield
    except prefixed as error:
        raise ModelError(f"{where}: {error}") from error
    except BlockfeatError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ModelError(f"{where}: missing or wrong value: {error}") from error
