"""What every model of blockfeat can do: label the blocks of a page, and say why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import TagTable
from blockfeat.features.measuring import MeasuredPage
from blockfeat.features.schema import Feature
from blockfeat.page.page import Page

__all__ = ["BlockReason", "Model", "Prediction", "best_blocks"]

_OF_THE_BEST = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """What a model says of the blocks of a page.

    Attributes
    ----------
    scores : float array, n
        Score of each block; above 0 speaks for content.
    kept : bool array, n
        The blocks that are content.
    """

    scores: NDArray[np.float64]
    kept: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BlockReason:
    """Why a block was kept or dropped.

    Attributes
    ----------
    reason : str
        One sentence.
    features : mapping
        Value of every feature that the model looked at, by name.
    failed : tuple of str
        Names of the features whose threshold the block failed; empty for models without thresholds.
    contributions : mapping
        By how much each feature moved the score, by name; empty for models that cannot tell.
    """

    reason: str
    features: Mapping[str, float] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    contributions: Mapping[str, float] = field(default_factory=dict)


@runtime_checkable
class Model(Protocol):
    """A model that labels the blocks of a page."""

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    @property
    def table(self) -> TagTable:
        """How pages are cut into blocks for it."""
        ...

    @property
    def features(self) -> tuple[Feature, ...]:
        """What is measured of the blocks for it."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that it was trained for; empty for any."""
        ...

    @property
    def stop_word_scope(self) -> str:
        """How stop words are counted (see `blockfeat.features.measuring.Measurer`)."""
        ...

    @property
    def segmenter(self) -> str:
        """How words and sentences are cut."""
        ...

    @property
    def record(self) -> Mapping[str, Any]:
        """Where it comes from."""
        ...

    def favouring(self, side: str) -> Model:
        """Return a copy that favours ``"precision"`` or ``"recall"``."""
        ...

    def predict(self, page: Page, measured: MeasuredPage) -> Prediction:
        """Score the blocks of a page and say which are content."""
        ...

    def explain(self, page: Page, measured: MeasuredPage, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Say for each block why it was kept or dropped."""
        ...


def best_blocks(log_odds: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Return the best blocks of a page, for models that would keep none: n.

    Those with at least 0.8 of the highest probability of content, 1 / (1 + exp(-log odds)); compared as logarithms,
    for probabilities too small for a number of 64 bits.
    """
    if not log_odds.size:
        return np.zeros(0, dtype=np.bool_)
    chance = -np.logaddexp(0.0, -log_odds.astype(np.float64))
    return np.asarray(chance >= np.log(_OF_THE_BEST) + chance.max())
