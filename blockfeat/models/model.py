"""The interface of models: measure a page, predict the labels of its blocks, explain them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import TagTable
from blockfeat.features.measuring import MeasuredPage
from blockfeat.lang.identify import Identifier
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
        One sentence; empty for models that can only say how far each feature moved the score.
    features : mapping
        Value of every feature of the model, by name.
    failed : tuple of str
        Names of the features whose threshold the block failed; empty for models without thresholds.
    contributions : mapping
        How far each feature moved the score, by name; empty for models that do not know.
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
        ...

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredPage:
        """Measure a page; ``lang`` is its language where the caller knows it, identified otherwise."""
        ...


class ReadFile(Protocol):
    """Reads another model file of the same folder: its document and its arrays."""

    def __call__(self, name: str) -> tuple[Mapping[str, Any], Arrays]:
        """Return document and arrays of the file called ``name``."""
        ...


@runtime_checkable
class Model(Protocol):
    """A model that labels the blocks of a page."""

    @property
    def kind(self) -> str:
        """Kind of model, as model files and ``blockfeat train --kind`` name it."""
        ...

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    @property
    def table(self) -> TagTable:
        """Tag table that cuts pages into blocks."""
        ...

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features that the model reads."""
        ...

    @property
    def decoding(self) -> str:
        """How scores become labels, in a word or two."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model was trained on; empty for any."""
        ...

    @property
    def record(self) -> Mapping[str, Any]:
        """How the model was made: corpora, seed, options, scores, versions, command."""
        ...

    def measurer(self, identifier: Identifier) -> PageMeasurer:
        """Return the measuring stage that the model was trained with; the identifier may be shared."""
        ...

    def predict(self, measured: MeasuredPage) -> Prediction:
        """Return scores and labels of the blocks of a page that `measurer` measured."""
        ...

    def explain(self, measured: MeasuredPage, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return for each block why it was kept or dropped, from the same features as `predict`."""
        ...

    def favouring(self, side: str) -> Model:
        """Return a copy that favours ``"precision"`` or ``"recall"``."""
        ...

    def to_document(self) -> tuple[dict[str, Any], Arrays]:
        """Return the model as plain values that JSON can hold, and its weights; no arrays make a JSON file."""
        ...

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
        ...


def best_blocks(log_odds: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Return the best blocks of a page, for models that would keep none: n.

    Those with at least 0.8 of the highest probability of content, 1 / (1 + exp(-log odds)); compared as logarithms,
    for probabilities too small for 64 bits.
    """
    if not log_odds.size:
        return np.zeros(0, dtype=np.bool_)
    log_probability = -np.logaddexp(0.0, -log_odds.astype(np.float64))
    return np.asarray(log_probability >= np.log(_SHARE_OF_BEST) + log_probability.max())
