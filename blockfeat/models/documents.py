"""What the documents of all model files have in common: the tag table, the schema, the errors, and the bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import BUNDLED_TABLES, TagTable, load_table
from blockfeat.errors import BlockfeatError, ModelError, OutputError

__all__ = [
    "check_schema",
    "common_values",
    "document_array",
    "json_bytes",
    "npz_bytes",
    "reading_values",
    "table_from_value",
    "table_value",
    "write_whole",
]


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


def common_values(document: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """Return what the document of every model of blocks tells, by the names of the model's attributes.

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
        "stop_word_scope": document["stop_word_scope"],
        "segmenter": document["segmenter"],
        "record": document.get("record", {}),
    }


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


def document_array(document: Mapping[str, Any]) -> NDArray[np.uint8]:
    """Return a document as JSON in an array of bytes, to stand beside the weights in an npz file."""
    return np.frombuffer(json.dumps(document, ensure_ascii=False).encode(), dtype=np.uint8)


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """Return the bytes of a JSON file that a person can read."""
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def npz_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a compressed npz file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a model file, whole or not at all.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    target = Path(path)
    partial = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(target)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
