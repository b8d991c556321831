"""What the documents of all model files have in common: the tag table, the schema and the errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from blockfeat.blocks.tagtable import BUNDLED_TABLES, TagTable, load_table
from blockfeat.errors import BlockfeatError, ConfigError, ModelError
from blockfeat.features.measuring import Measurer, MeasuringOptions
from blockfeat.lang.identify import Identifier
from blockfeat.models.model import Arrays, ReadFile

_SCHEMA = 1


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


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What every model says of where it comes from.

    Attributes
    ----------
    languages : tuple of str
        Languages that the model was trained on; empty for any.
    record : mapping
        How the model was made: corpora, seed, options, scores, versions, command.
    report : TrainingReport, optional
        Report of the training that has just made it; a model that was read from a file has none.
    """

    languages: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    report: Any = field(default=None, compare=False)


class Documented(Origin, ABC):
    """A model that is written as a document of plain values and arrays; its dataclass says where these stand."""

    kind: ClassVar[str]
    name: str
    table: TagTable

    @abstractmethod
    def own_values(self) -> dict[str, Any]:
        """Return what the document has beside the values of every model, as JSON can hold it."""

    def own_arrays(self) -> Arrays:
        """Return the weights; a model without any is a JSON file."""
        return {}

    @classmethod
    @abstractmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes that `own_values` and `own_arrays` wrote; what goes wrong need not name the file."""

    def to_document(self) -> tuple[dict[str, Any], Arrays]:
        """Return the model as plain values that JSON can hold, and its weights; see `blockfeat.models.model.Model`."""
        document = {
            "kind": self.kind,
            "schema": _SCHEMA,
            "name": self.name,
            "table": table_value(self.table),
            **self.own_values(),
            "languages": list(self.languages),
            "record": dict(self.record),
        }
        return document, self.own_arrays()

    @classmethod
    def from_document(
        cls, document: Mapping[str, Any], arrays: Arrays, *, where: str = "model", read: ReadFile | None = None
    ) -> Self:
        """Make a model from what `to_document` returned.

        Raises
        ------
        ModelError
            Something is missing or wrong; the message names ``where`` and the key.
        TableError
            There is no such table, or it is bad.
        """
        check_schema(document, where=where)
        with reading_values(where):
            common = {
                "table": table_from_value(document["table"], where=where),
                "name": str(document["name"]),
                "languages": tuple(document["languages"]),
                "record": document.get("record", {}),
            }
            return cls(**common, **cls.own_attributes(document, arrays, read))


@dataclass(frozen=True, kw_only=True)
class FeatureModel(Documented):
    """A model that reads features of blocks.

    Attributes
    ----------
    stop_word_scope, segmenter : str
        How stop words are counted, and words and sentences cut (see `blockfeat.features.measuring.Measurer`).
    """

    stop_word_scope: str = "page"
    segmenter: str = "fast"

    def measurer(self: MeasuringOptions, identifier: Identifier) -> Measurer:
        """Return the measuring stage: the model's table, features, languages and segmenter."""
        return Measurer.of(self, identifier)


def measuring_values(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the blocks of a model are measured, by the names of the model's attributes."""
    return {name: document[name] for name in ("stop_word_scope", "segmenter")}


def check_schema(document: Mapping[str, Any], *, where: str) -> None:
    """Check that a document has the schema that this version reads.

    Raises
    ------
    ModelError
        It has another; the message names ``where``.
    """
    if document.get("schema") != _SCHEMA:
        raise ModelError(f"{where}: schema {document.get('schema')!r} is not {_SCHEMA}, which this version reads")


@contextmanager
def reading_values(where: str) -> Iterator[None]:
    """Turn what goes wrong while the values of a document are read into one error that names ``where``.

    Errors of tables, which name it themselves, pass as they are.

    Raises
    ------
    ModelError
        Something is missing or wrong.
    """
    try:
        yield
    except (ModelError, ConfigError) as error:
        raise ModelError(f"{where}: {error}") from error
    except BlockfeatError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ModelError(f"{where}: missing or wrong value: {error}") from error
