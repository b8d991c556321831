"""Token models as documents: plain values, and the counts of their classifier as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.papers.tokens.classifier import Importance, Scale, TokenClassifier
from blockfeat.papers.tokens.naive_bayes import FeatureCounts, NaiveBayes
from blockfeat.papers.tokens.vocabulary import Vocabulary

_COUNTS = ("grams", "unclosed", "around")
_COLUMNS = ("key", "inside", "outside", "sources")
Arrays = Mapping[str, NDArray[Any]]


def classifier_to_document(classifier: TokenClassifier) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return a classifier as plain values and arrays of counts."""
    bayes, scale = classifier.bayes, classifier.scale
    document: dict[str, Any] = {
        "tags": list(classifier.vocabulary.tags),
        "scale": {"name": scale.name, "bias": scale.bias, "limit": scale.limit},
        "bayes": {
            "inside": bayes.inside,
            "outside": bayes.outside,
            "size": bayes.size,
            "smoothing": bayes.smoothing,
            "neighbours": bayes.neighbours,
            "balanced": bayes.balanced,
        },
    }
    arrays = {"form": _steps(classifier.vocabulary.form), "stem": classifier.vocabulary.stem}
    for name in _COUNTS:
        counts: FeatureCounts = getattr(bayes, name)
        for column in _COLUMNS:
            values = getattr(counts, column)
            arrays[f"{name}_{column}"] = _steps(values) if column == "key" else values
    if classifier.importance is not None:
        document["importance"] = classifier.importance.factor
        arrays["weight"] = classifier.importance.weight.astype(np.float16)
    return document, arrays


def classifier_from_document(document: Mapping[str, Any], arrays: Arrays) -> TokenClassifier:
    """Make a classifier from what `classifier_to_document` returned.

    Raises
    ------
    KeyError, TypeError, AttributeError, ValueError
        Something is missing or wrong.
    """
    columns = {
        name: FeatureCounts(
            _sums(arrays[f"{name}_key"]),
            *(arrays[f"{name}_{column}"].astype(np.uint32, casting="safe") for column in _COLUMNS[1:]),
        )
        for name in _COUNTS
    }
    classifier = TokenClassifier(
        vocabulary=Vocabulary(tuple(document["tags"]), _sums(arrays["form"]), arrays["stem"].astype(np.uint32)),
        bayes=NaiveBayes(columns["grams"], columns["unclosed"], columns["around"], **document["bayes"]),
        scale=Scale(**document["scale"]),
    )
    if "importance" not in document:
        return classifier
    weight = arrays["weight"].astype(np.float64)
    return replace(classifier, importance=Importance(weight, float(document["importance"])))


def _steps(ascending: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the steps between ascending numbers, which compress far better."""
    return np.diff(ascending, prepend=np.uint32(0))


def _sums(steps: NDArray[Any]) -> NDArray[np.uint32]:
    return np.cumsum(steps, dtype=np.uint32)
