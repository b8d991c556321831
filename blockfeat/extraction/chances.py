"""Probabilities of content of blocks, from the predictions of any model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.models.model import Prediction

_BY_WORD = ("thresholds", "tokens")
_MOST_ODDS = 30.0


def content_logits(
    kind: str, scores: NDArray[np.floating[Any]], words: NDArray[np.integer[Any]]
) -> NDArray[np.floating[Any]]:
    """Return the scores of blocks on the scale of logits, 0 where the model decides: n.

    Parameters
    ----------
    kind : str
        Kind of the model. ``"sequence"``, ``"margin"`` and ``"web2text"`` score by log odds; ``"thresholds"`` and
        ``"tokens"`` by sums over the words of a block, which are divided by their number.
    scores, words : arrays, n
        Score of each block, above 0 for content, and its words.
    """
    return scores / np.maximum(words, 1).astype(np.float64) if kind in _BY_WORD else scores


def content_chances(kind: str, prediction: Prediction, words: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return the probability of content of each block: n, from 0 to 1.

    The model's own where it has one, whatever its cut is; else that of `content_logits`, one half where it decides.
    """
    logits = prediction.log_odds
    if logits is None:
        logits = content_logits(kind, prediction.scores, words)
    return probabilities(logits, limit=_MOST_ODDS)
