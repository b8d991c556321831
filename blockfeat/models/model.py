"""The interface of models: measure a page, predict the labels of its blocks, explain them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import stored
from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.tagtable import BUNDLED_TABLES, TagTable, load_table
from blockfeat.errors import BlockfeatError, ConfigError, ModelError, QueryError
from blockfeat.features.measuring import FeatureExtractor, PageFeatures
from blockfeat.features.schema import NamedRow
from blockfeat.lang.identify import Identifier
from blockfeat.lang.spacy_segmenter import segmenter_for
from blockfeat.page.page import Page

_SHARE_OF_BEST = 0.8

Arrays = Mapping[str, NDArray[Any]]
"""Named arrays of a model's file."""


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Scores and labels of the blocks of a page.

    Attributes
    ----------
    scores : float array, n
        Score of each block; above 0 favours content.
    kept : bool array, n
        The blocks that are content.
    log_odds : float array, n, optional
        Logits of the probabilities of content, of models whose scores are measured from a cut.
    """

    scores: NDArray[np.float64]
    kept: NDArray[np.bool_]
    log_odds: NDArray[np.floating[Any]] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class BlockReason:
    """Why a block was kept or dropped.

    Attributes
    ----------
    reason : str
        One sentence; empty for models that only provide contributions.
    features : mapping
        Value of every feature of the model, by name.
    failed : tuple of str
        Names of the features whose threshold the block failed; empty for models without thresholds.
    contributions : mapping
        Contribution of each feature to the score, by name; empty for models that do not provide it.
    """

    reason: str = ""
    features: Mapping[str, float] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    contributions: Mapping[str, float] = field(default_factory=dict)


class PageMeasurer(Protocol):
    """The stage before a model: cuts a page into blocks and computes the features that the model needs."""

    @property
    def identifier(self) -> Identifier:
        """Language identification."""

    def measure(self, page: Page, *, lang: str | None = None) -> PageFeatures:
        """Measure a page; ``lang`` is its language where the caller knows it, identified otherwise."""


class ReadFile(Protocol):
    """Reads another model file of the same folder: its document and its arrays."""

    def __call__(self, name: str) -> tuple[Mapping[str, Any], Arrays]:
        """Return document and arrays of the file called ``name``."""


@runtime_checkable
class Model(Protocol):
    """A model that labels the blocks of a page."""

    @property
    def kind(self) -> str:
        """Kind of model, as model files and ``blockfeat train --kind`` name it."""

    @property
    def name(self) -> str:
        """Name of the model."""

    @property
    def table(self) -> TagTable:
        """Tag table that cuts pages into blocks."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features that the model reads."""

    @property
    def decoding(self) -> str:
        """How scores become labels, in a word or two."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model was trained on; empty for any."""

    @property
    def record(self) -> Mapping[str, Any]:
        """How the model was made: corpora, seed, options, scores, versions, command."""

    def measurer(self, identifier: Identifier) -> PageMeasurer:
        """Return the measuring stage that the model was trained with; the identifier may be shared."""

    def predict(self, measured: PageFeatures) -> Prediction:
        """Return scores and labels of the blocks of a page that `measurer` measured."""

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return for each block why it was kept or dropped, from the same features as `predict`."""

    def favouring(self, side: str) -> Model:
        """Return a copy that favours ``"precision"`` or ``"recall"``."""

    def to_document(self) -> tuple[dict[str, Any], Arrays]:
        """Return the model as plain values that JSON can hold, and its weights; no arrays make a JSON file."""

    @classmethod
    def from_document(cls, document: Mapping[str, Any], arrays: Arrays, *, where: str, read: ReadFile) -> Model:
        """Make a model from what `to_document` returned.

        Parameters
        ----------
        document, arrays : mapping
            Values and weights.
        where : str
            Name of the file in messages.
        read : callable
            Reads a file beside it that the document refers to.

        Raises
        ------
        ModelError
            Something is missing or wrong; the message names ``where`` and the key.
        """


def best_blocks(log_odds: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Return the best blocks of a page, for models that would keep none: n.

    Those with at least 0.8 of the highest probability of content, 1 / (1 + exp(-log odds)); compared as logarithms,
    for probabilities too small for 64 bits.
    """
    if not log_odds.size:
        return np.zeros(0, dtype=np.bool_)
    log_probability = -np.logaddexp(0.0, -log_odds.astype(np.float64))
    return np.asarray(log_probability >= np.log(_SHARE_OF_BEST) + log_probability.max())


_SCHEMA = 1


def table_value(table: TagTable) -> str | dict[str, Any]:
    """Return how a document names a table: a bundled one by its name, another as plain values."""
    is_bundled = table.name in BUNDLED_TABLES and load_table(table.name) == table
    return table.name if is_bundled else table.to_dict()


def table_from_value(value: Any, *, where: str) -> TagTable:
    """Return the table that `table_value` named.

    Raises
    ------
    ModelError
        There is no bundled table of that name; a model file does not make one read other files.
    TableError
        The table is bad.
    """
    if not isinstance(value, str):
        return TagTable.from_dict(value, where=where)
    if value not in BUNDLED_TABLES:
        raise ModelError(f"unknown table {value!r}; known are {', '.join(BUNDLED_TABLES)}")
    return load_table(value)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Provenance that every model records.

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
    measured_by: ClassVar[tuple[str, ...]] = ()
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
        document = {"kind": self.kind, "schema": _SCHEMA, "name": self.name, "table": table_value(self.table)}
        document |= {name: getattr(self, name) for name in self.measured_by} | self.own_values()
        document |= {"languages": list(self.languages), "record": dict(self.record)}
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
                "languages": stored((), document["languages"], "languages"),
                "record": stored({}, document.get("record", {}), "record"),
                **{name: stored("", document[name], name) for name in cls.measured_by},
            }
            return cls(**common | cls.own_attributes(document, arrays, read))


@dataclass(frozen=True, kw_only=True)
class FeatureModel(Documented):
    """A model that reads features of blocks.

    Attributes
    ----------
    stop_word_scope, segmenter : str
        How stop words are counted, and words and sentences cut (see `blockfeat.features.measuring.FeatureExtractor`).
    """

    measured_by: ClassVar[tuple[str, ...]] = ("segmenter", "stop_word_scope")

    stop_word_scope: str = "page"
    segmenter: str = "fast"

    def measurer(self: Any, identifier: Identifier) -> FeatureExtractor:
        """Return the measuring stage: the model's table, features, languages and segmenter."""
        # Some models have their features as a field, others as a property.
        cutter, only = Blockifier.of(self.table), self.languages[0] if len(self.languages) == 1 else None
        segmenter = segmenter_for(self.segmenter, only)
        return FeatureExtractor(cutter, self.features, identifier, self.languages, self.stop_word_scope, segmenter)

    def reasons(self: Any, matrix: NDArray[Any], contributions: NDArray[Any]) -> tuple[BlockReason, ...]:
        """Return the features of each block, and what each of them added to its score."""
        rows = (NamedRow.rows(values, self.feature_names) for values in (matrix, contributions))
        return tuple(BlockReason(features=own, contributions=moved) for own, moved in zip(*rows, strict=True))


def floats(arrays: Arrays, name: str) -> NDArray[np.float32]:
    """Return weights of a file in 32 bits.

    Raises
    ------
    ModelError
        They are no floats.
    KeyError
        They are missing.
    """
    if arrays[name].dtype.kind != "f":
        raise ModelError(f"weights {name!r} are {arrays[name].dtype}, not floats")
    return np.ascontiguousarray(arrays[name], dtype=np.float32)


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
    except (ModelError, ConfigError, QueryError) as error:
        raise ModelError(f"{where}: {error}") from error
    except BlockfeatError:
        raise
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        raise ModelError(f"{where}: missing or wrong value: {error}") from error
