"""Reasons in words: the features that decided about a block, as phrases that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.errors import TableError
from blockfeat.features.context import feature_matrix, features_named
from blockfeat.features.measuring import MeasuredPage
from blockfeat.features.phrases import NAMED, ContainerNames, phrase
from blockfeat.features.schema import Feature, Measured

MOST_NAMED = 3
"""At most so many features are named in a reason."""


@dataclass(frozen=True)
class Wording:
    """Puts features of the blocks of one page into words.

    Attributes
    ----------
    features : sequence of Feature
        The features, k of them.
    matrix : float array, n × k
        Their values.
    blocks : Blocks
        The page's n blocks.
    """

    features: Sequence[Feature]
    matrix: NDArray[np.floating[Any]]
    blocks: Blocks

    @cached_property
    def _names(self) -> ContainerNames:
        return ContainerNames(self.blocks)

    def phrase(self, block: int, column: int, *, is_high: bool) -> str | None:
        """Return what the value of one feature says of a block; None where it has no words for it."""
        feature = self.features[column]
        name = self._names.around(block, feature.name) if feature.form == NAMED and is_high else None
        return phrase(feature, float(self.matrix[block, column]), is_high=is_high, container=name)


# What is said of a block where a model cannot tell what decided: features and the values from which on they speak
# for content or against it.
_AGAINST = {
    "anchor_ratio": 0.5,
    "around_related": 0.5,
    "around_comment": 0.5,
    "around_footer": 0.5,
    "around_aside": 0.5,
    "around_form": 0.5,
    "around_dialog": 0.5,
    "around_negative": 0.5,
}
_FOR = {"sentence_count": 1.5, "log_words": 3.2, "around_main": 0.5, "around_positive": 0.5}
_SHORT = {"log_words": 2.4, "terminal": 0.2}
_OF_SINGLE_BLOCKS = ("anchor_ratio", "sentence_count")


@dataclass(frozen=True)
class Described:
    """Says of blocks what stands out, whatever the model that decided about them."""

    wording: Wording

    @classmethod
    def of(cls, measured: MeasuredPage) -> Described:
        """Measure what is said of the blocks of a page."""
        names = tuple(dict.fromkeys([*_AGAINST, *_FOR, *_SHORT]))
        columns = Measured(measured.blocks, measured.stop_words)
        try:
            features = features_named(names)
            matrix = feature_matrix(features, columns)
        except TableError:
            # Some tables of one's own leave blocks outside of all containers.
            features = features_named(_OF_SINGLE_BLOCKS)
            matrix = feature_matrix(features, columns)
        return cls(Wording(features, matrix, measured.blocks))

    def what(self, block: int, *, kept: bool) -> str:
        """Return up to two phrases that fit the decision about a block; empty where nothing stands out."""
        places = {feature.name: column for column, feature in enumerate(self.wording.features)}
        row = self.wording.matrix[block].tolist()
        high = [
            name for name, least in (_FOR if kept else _AGAINST).items() if name in places and row[places[name]] > least
        ]
        low = [name for name, most in _SHORT.items() if not kept and name in places and row[places[name]] < most]
        found = [self.wording.phrase(block, places[name], is_high=name in high) for name in (*high, *low)]
        return ", ".join([words for words in found if words][:2])


def with_note(words: str, note: str) -> str:
    """Return a phrase with a note in brackets, inside those that the phrase ends with."""
    return f"{words[:-1]}, {note})" if words.endswith(")") else f"{words} ({note})"
