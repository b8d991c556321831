"""The margin model: soft thresholds with weights that a person can read, decoded as a chain with two costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import number, stored
from blockfeat.blocks.tagtable import TagTable
from blockfeat.errors import ConfigError, ModelError
from blockfeat.features.measuring import PageFeatures, features_named
from blockfeat.features.schema import Feature
from blockfeat.models.decoding import best_chain, expectation, favoured_cut, logit, page_cut
from blockfeat.models.layers import Floats, soft_scores
from blockfeat.models.model import Arrays, BlockReason, FeatureModel, Prediction, ReadFile, best_blocks


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
        What is added at or above threshold + softness; below 0 for a feature that is evidence against content.
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
class MarginModel(FeatureModel):
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
    cut : float
        Probability from which a block is content by itself, above 0 and below 1; the scores are log odds.
    sure : float
        Expected F1 of a page below which the cut is lower; 0 for never. See `blockfeat.models.decoding.page_cut`.
    languages, stop_word_scope, segmenter, record
        As for every model.
    """

    kind: ClassVar[str] = "margin"
    decoding: ClassVar[str] = "viterbi"

    name: str
    table: TagTable
    terms: tuple[SoftThreshold, ...]
    bias: float = 0.0
    transitions: Transitions = field(default_factory=Transitions)
    cut: float = 0.5
    sure: float = 0.0

    def __post_init__(self) -> None:
        """Check that the features are known and the bias is a number."""
        features_named(self.feature_names, where=f"model {self.name!r}")
        if len({term.feature for term in self.terms}) < len(self.terms):
            raise ModelError(f"model {self.name!r} names a feature twice")
        if not isfinite(self.bias):
            raise ModelError(f"model {self.name!r}: the bias must be finite")
        if not (0 < self.cut < 1 and 0 <= self.sure <= 1):
            raise ModelError(f"model {self.name!r}: 'cut' must lie between 0 and 1, 'sure' be from 0 to 1")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in the order of the terms."""
        return tuple(term.feature for term in self.terms)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features, in the order of the terms."""
        return features_named(self.feature_names)

    @cached_property
    def _numbers(self) -> Floats:
        """Thresholds, softnesses and weights: 3 × k."""
        rows = [(term.threshold, term.softness, term.weight) for term in self.terms]
        return np.array(rows, dtype=np.float64).reshape(-1, 3).T.copy()

    def contributions(self, matrix: NDArray[np.floating[Any]]) -> Floats:
        """Return what each feature adds to the score of each block: n × k."""
        thresholds, softnesses, weights = self._numbers
        return np.asarray(np.clip((matrix.astype(np.float64) - thresholds) / softnesses, -1.0, 1.0) * weights)

    def scores(self, matrix: NDArray[np.floating[Any]]) -> Floats:
        """Return the log odds of each block, the sum of bias and contributions: n × k to n."""
        thresholds, softnesses, weights = self._numbers
        return soft_scores(matrix.astype(np.float64), thresholds, softnesses, weights, self.bias)

    def choose(self, scores: Floats) -> NDArray[np.bool_]:
        """Return the blocks that are content: the labels with the highest sum of scores less costs (Viterbi).

        Where no block is, the best are; see `best_blocks`.
        """
        costs = np.array([[0.0, -self.transitions.enter, -self.transitions.leave, 0.0]])
        kept = best_chain(scores, costs)
        return kept if kept.any() else best_blocks(scores)

    def predict(self, measured: PageFeatures) -> Prediction:
        """Score the blocks of a page (log odds above those of the page's cut) and decode their labels."""
        odds = self.scores(measured.matrix)
        expected = expectation(odds.astype(np.float32), measured.blocks.measures.words)
        scores = odds - logit(page_cut(self.cut, expected, sure=self.sure))
        return Prediction(scores, self.choose(scores), log_odds=odds)

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return for each block its features and what each added to the score; ``reason`` stays empty."""
        return self.reasons(measured.matrix, self.contributions(measured.matrix))

    def favouring(self, side: str) -> MarginModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: the cut moves by a logit of 1.5."""
        return replace(self, cut=favoured_cut(self.cut, side))

    def own_values(self) -> dict[str, Any]:
        """Return the values of the model file."""
        return {
            "bias": self.bias,
            "transitions": asdict(self.transitions),
            "cut": self.cut,
            "sure": self.sure,
            "features": {
                term.feature: {"threshold": term.threshold, "softness": term.softness, "weight": term.weight}
                for term in self.terms
            },
        }

    @classmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes that `own_values` and `own_arrays` wrote."""
        return {
            "terms": tuple(_term(name, values) for name, values in document["features"].items()),
            "bias": number(document, "bias"),
            "transitions": stored(Transitions(), document["transitions"], "transitions"),
            # Files of 0.2 have neither.
            "cut": number(document, "cut", 0.5),
            "sure": number(document, "sure", 0.0),
        }


def _term(name: str, values: Mapping[str, Any]) -> SoftThreshold:
    """Read what one feature adds."""
    try:
        return SoftThreshold(str(name), **{str(key): number(values, key) for key in values})
    except (TypeError, AttributeError, ConfigError) as error:
        raise ModelError(f"feature {name!r}: missing or wrong value: {error}") from error
