"""Reasons in words: the features that decided about a block, as phrases that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.phrases import NAMED, ContainerNames, phrase
from blockfeat.features.schema import Feature

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


def with_note(words: str, note: str) -> str:
    """Return a phrase with a note in brackets, inside those that the phrase ends with."""
    return f"{words[:-1]}, {note})" if words.endswith(")") else f"{words} ({note})"
