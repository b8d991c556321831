"""The margin model: soft thresholds with weights that a person can read, decoded as a chain with two costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import TagTable
from blockfeat.decode.viterbi import best_labels
from blockfeat.errors import ModelError
from blockfeat.features.context import context_columns, context_features, context_places
from blockfeat.features.measuring import MeasuredPage
from blockfeat.features.named_row import NamedRow
from blockfeat.features.schema import Feature, Measured
from blockfeat.models.documents import check_schema, common_values, reading_values, table_value
from blockfeat.models.model import BlockReason, Prediction, best_blocks
from blockfeat.page.page import Page

__all__ = ["MarginModel", "SoftThreshold", "Transitions", "soft_values"]

Array = NDArray[np.float64]

KIND = "margin"
_SCHEMA = 1
_TOLD = 3
_FAVOUR = 1.5


@dataclass(frozen=True, slots=True)
class SoftThreshold:
    """What one feature adds to the score of a block: weight · clip((value - threshold) / softness, -1, 1).

    Attributes
    ----------
    feature : str
        Name of the feature.
    threshold : float
        Value that adds nothing, in the unit of the feature.
    softness : float
        Distance from the threshold at which the feature counts in full, in its unit; above 0.
    weight : float
        What is added at or above threshold + softness; below 0 for a feature that speaks against content.
    """

    feature: str
    threshold: float
    softness: float
    weight: float

    def __post_init__(self) -> None:
        """Check the values."""
        if not all(map(isfinite, (self.threshold, self.softness, self.weight))) or self.softness <= 0:
            raise ModelError(f"feature {self.feature!r} needs finite numbers and a softness above 0")


@dataclass(frozen=True, slots=True)
class Transitions:
    """What it costs, in units of the score, that content begins (``enter``) or ends (``leave``); at least 0.

    Content that begins with the first block or ends with the last costs nothing there.
    """

    enter: float = 0.0
    leave: float = 0.0

    def __post_init__(self) -> None:
        """Check the values."""
        if not (isfinite(self.enter) and isfinite(self.leave) and self.enter >= 0 and self.leave >= 0):
            raise ModelError("the costs of transitions must be finite and at least 0")


@dataclass(frozen=True)
class MarginModel:
    """Soft thresholds over some of the context features, a bias, and two costs; all in one short JSON file.

    Attributes
    ----------
    name : str
        Name of the model.
    table : TagTable
        How pages are cut.
    terms : tuple of SoftThreshold
        What is added up.
    bias : float
        Score of a block at all thresholds.
    transitions : Transitions
        What a change from one block to the next costs; 0 and 0 leave each block to itself.
    languages, stop_word_scope, segmenter, record
        As for every model.
    """

    name: str
    table: TagTable
    terms: tuple[SoftThreshold, ...]
    bias: float = 0.0
    transitions: Transitions = field(default_factory=Transitions)
    languages: tuple[str, ...] = ()
    stop_word_scope: str = "page"
    segmenter: str = "fast"
    record: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the features are known and the bias is a number."""
        unknown = [name for name in self.columns if name not in context_places()]
        if unknown:
            raise ModelError(f"model {self.name!r} has features that are unknown: {', '.join(unknown)}")
        if len({term.feature for term in self.terms}) < len(self.terms):
            raise ModelError(f"model {self.name!r} names a feature twice")
        if not isfinite(self.bias):
            raise ModelError(f"model {self.name!r}: the bias must be finite")

    @property
    def features(self) -> tuple[Feature, ...]:
        """Nothing is measured ahead: the context features rest on shared sums and are taken together."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the features, in the order of the terms."""
        return tuple(term.feature for term in self.terms)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Column of each term's feature among the context features."""
        return np.array([context_places()[name] for name in self.columns], dtype=np.int64)

    @cached_property
    def _titles(self) -> tuple[str, ...]:
        """Name of each term's feature for people."""
        return tuple(context_features()[place].title for place in self._places.tolist())

    @cached_property
    def _numbers(self) -> Array:
        """Thresholds, softnesses and weights: 3 × k."""
        rows = [(term.threshold, term.softness, term.weight) for term in self.terms]
        return np.array(rows, dtype=np.float64).reshape(-1, 3).T

    def matrix(self, measured: MeasuredPage) -> Array:
        """Return the values of the terms' features: n × k."""
        columns = context_columns(Measured(measured.blocks, measured.stop_words))
        return columns.T[self._places].T.astype(np.float64)

    def contributions(self, matrix: Array) -> Array:
        """Return what each feature adds to the score of each block: n × k."""
        thresholds, softnesses, weights = self._numbers
        return np.asarray(soft_values(matrix, thresholds, softnesses) * weights)

    def scores(self, matrix: Array) -> Array:
        """Return the score of each block, the sum of bias and contributions: n × k to n."""
        return np.asarray(self.contributions(matrix).sum(axis=1) + self.bias)

    def choose(self, scores: Array) -> NDArray[np.bool_]:
        """Return the blocks that are content: the labels with the highest sum of scores less costs (Viterbi).

        Where no block is, the best are; see `best_blocks`.
        """
        count = scores.size
        unary = np.column_stack((np.zeros(count), scores))
        costs = np.array([0.0, -self.transitions.enter, -self.transitions.leave, 0.0])
        kept = best_labels(unary, np.broadcast_to(costs, (max(count - 1, 0), 4)))
        return kept if kept.any() else best_blocks(scores)

    def predict(self, page: Page, measured: MeasuredPage) -> Prediction:
        """Score the blocks of a page and decode their labels."""
        scores = self.scores(self.matrix(measured))
        return Prediction(scores, self.choose(scores))

    def explain(self, page: Page, measured: MeasuredPage, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Say for each block what its features added to the score.

        Named are the strongest for or against, by what they add beyond their mean on the page: what a feature adds
        to every block alike tells nothing of one.
        """
        matrix = self.matrix(measured)
        added = self.contributions(matrix)
        beyond = added - added.mean(axis=0) if len(added) > 1 else added
        found = []
        places = {name: column for column, name in enumerate(self.columns)}
        both = zip(prediction.scores.tolist(), prediction.kept.tolist(), strict=True)
        for place, (score, kept) in enumerate(both):
            speaks_for = score > 0
            told = self._told(matrix[place], added[place], beyond[place] * (1 if speaks_for else -1), speaks_for)
            state = "kept" if kept else "dropped"
            found.append(
                BlockReason(
                    reason=f"{state}: {told}" if kept == speaks_for else f"{state} with its neighbours, though {told}",
                    features=NamedRow(matrix, places, place),
                    contributions=NamedRow(added, places, place),
                )
            )
        return tuple(found)

    def _told(self, values: Array, added: Array, beyond: Array, speaks_for: bool) -> str:
        """Name the strongest features on one side."""
        order = [place for place in np.argsort(-beyond, kind="stable").tolist() if beyond[place] > 0]
        titles = self._titles
        agreeing = [place for place in order if added[place] and (added[place] > 0) == speaks_for]
        named = (f"{titles[k]} {values[k]:.2f} ({added[k]:+.1f})" for k in agreeing[:_TOLD])
        return ", ".join(named) or "no single feature decides"

    def favouring(self, side: str) -> MarginModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: the bias moves by 1.5."""
        return replace(self, bias=self.bias + (-_FAVOUR if side == "precision" else _FAVOUR))

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values that a person can read and edit and JSON can hold."""
        return {
            "kind": KIND,
            "schema": _SCHEMA,
            "name": self.name,
            "table": table_value(self.table),
            "segmenter": self.segmenter,
            "stop_word_scope": self.stop_word_scope,
            "languages": list(self.languages),
            "bias": self.bias,
            "transitions": {"enter": self.transitions.enter, "leave": self.transitions.leave},
            "features": {
                term.feature: {"threshold": term.threshold, "softness": term.softness, "weight": term.weight}
                for term in self.terms
            },
            "record": dict(self.record),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, where: str = "model") -> MarginModel:
        """Make a model of plain values.

        Raises
        ------
        ModelError
            Something is missing or wrong; the message names ``where`` and the key.
        """
        check_schema(document, _SCHEMA, where=where)
        with reading_values(where, prefixed=ModelError):
            common = common_values(document, where=where)
            return cls(
                **common,
                terms=tuple(_term(name, values) for name, values in document["features"].items()),
                bias=float(document["bias"]),
                transitions=Transitions(**{str(key): float(cost) for key, cost in document["transitions"].items()}),
            )


def soft_values(
    values: NDArray[np.floating[Any]], thresholds: NDArray[np.floating[Any]], softnesses: NDArray[np.floating[Any]]
) -> NDArray[np.floating[Any]]:
    """Return clip((value - threshold) / softness, -1, 1) for each block and feature: n × k."""
    return np.asarray(np.clip((values - thresholds) / softnesses, -1.0, 1.0))


def _term(name: str, values: Mapping[str, Any]) -> SoftThreshold:
    """Read what one feature adds."""
    try:
        return SoftThreshold(str(name), **{str(key): float(value) for key, value in values.items()})
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"feature {name!r}: missing or wrong value: {error}") from error
