"""Confidence: the word F1 that is to be expected of an extraction, from the scores of its blocks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities

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


CONFIDENCE_MEASURES = (
    "expected", "near the cut", "certainty", "lost", "words", "share", "blocks", "switches", "gaps",
    "article", "front page",
)  # fmt: skip
"""Names of the measures, in their order."""

_LEAST, _MOST_SCORE = 1e-3, 6.0
_OF_LISTS = 0.83


def confidence_measures(
    kind: str,
    scores: NDArray[np.floating[Any]],
    kept: NDArray[np.bool_],
    words: NDArray[np.integer[Any]],
    page: NDArray[np.float64],
) -> list[float] | None:
    """Return what the confidence is told from; None where nothing is kept.

    Parameters
    ----------
    kind : str
        Kind of the model; scores of some are sums over words.
    scores, kept, words : arrays, n
        Score of each block, whether it is kept, and its words.
    page : float array, 3
        Probabilities of the kinds of pages, `blockfeat.extraction.page_kind.LEARNT`.
    """
    if not kept.any():
        return None
    sizes = np.maximum(words, 1).astype(np.float64)
    logits = content_logits(kind, scores, words)
    chance = probabilities(logits, limit=_MOST_ODDS)
    total = float(sizes[kept].sum())
    found = float((chance * sizes)[kept].sum())
    first, last = kept.nonzero()[0][[0, -1]]
    expected = 2 * found / (total + float((chance * sizes).sum()))
    bounded = min(max(expected, _LEAST), 1 - _LEAST)
    return [
        log(bounded / (1 - bounded)),
        float(sizes[np.abs(logits) < 1].sum()) / total,
        float((sizes * np.clip(logits, -_MOST_SCORE, _MOST_SCORE))[kept].sum()) / total,
        float((chance * sizes)[~kept].sum()) / total,
        log1p(total),
        total / float(sizes.sum()),
        log1p(int(kept.sum())),
        float(np.count_nonzero(kept[1:] != kept[:-1])) / int(kept.sum()),
        log1p((float(sizes[first : last + 1].sum()) - total) / total),
        float(page[0]),
        float(page[2]),
    ]


def expected_f1(kind: str, measures: Sequence[float] | None, *, is_list: bool = False) -> float | None:
    """Return the word F1 to be expected, from 0 to 1; None where there are no measures, or none were calibrated.

    A logistic regression for each kind of model (``confidence.json``, written by ``experiments/expected_f1.py``). Of
    lists in the place of a main text less is to be expected: on the development pages .63 where it says .76.
    """
    weights = _weights().get(kind)
    if weights is None or measures is None:
        return None
    terms = zip(CONFIDENCE_MEASURES, measures, strict=True)
    total = weights["bias"] + sum(
        weights[name] * min(max(value, weights[f"least {name}"]), weights[f"most {name}"]) for name, value in terms
    )
    expected = 1 / (1 + exp(-min(max(total, -30.0), 30.0)))
    return round(expected * _OF_LISTS if is_list else expected, 3)


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Return the bundled weights by kind of model, a constant that is read at its first use."""
    found: Mapping[str, Mapping[str, float]] = json.loads(
        files("blockfeat.extraction").joinpath("confidence.json").read_text(encoding="utf-8")
    )
    return found
