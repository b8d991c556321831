"""Probabilities of content from the scores of any model, of one meaning: one half is where the model decides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities

__all__ = ["content_chances", "content_logits"]

_BY_WORD = ("thresholds", "tokens")
_MOST_ODDS = 30.0


def content_logits(
    kind: str, scores: NDArray[np.floating[Any]], words: NDArray[np.integer[Any]]
) -> NDArray[np.floating[Any]]:
    """Return the scores of blocks on the scale of logits: n.

    Parameters
    ----------
    kind : str
        Kind of the model. ``"sequence"``, ``"margin"`` and ``"web2text"`` score by log odds; ``"thresholds"`` and
        ``"tokens"`` by sums over the words of a block, which are divided by their number.
    scores, words : arrays, n
        Score of each block, above 0 for content, and its words.
    """
    return scores / np.maximum(words, 1).astype(np.float64) if kind in _BY_WORD else scores


def content_chances(
    kind: str, scores: NDArray[np.floating[Any]], words: NDArray[np.integer[Any]]
) -> NDArray[np.floating[Any]]:
    """Return the probability of content of each block, as `content_logits` takes the scores: n, from 0 to 1."""
    return probabilities(content_logits(kind, scores, words), limit=_MOST_ODDS)
