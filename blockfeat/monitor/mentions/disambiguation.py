"""Which sense an ambiguous name has: words around it that speak for the brand or for a namesake, given or learnt.

A logistic regression over the words near a name. Given words (of a brand's description in Wikidata, say) are its prior;
mentions that people have judged update it (maximum a posteriori with a Gaussian prior around the given weights).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from blockfeat.lang import stop_words_if_any, tokenize
from blockfeat.monitor.mentions.brand import Brand

_AROUND = 150
_GIVEN = 1.5
_STRENGTH = 1.0
# A name is taken away where it is more than two to one that it is a namesake's: recall is dearer than precision.
_LEAST = -0.8
_STEPS, _RATE = 300, 0.5
_LEAST_USES = 2
_LIGHT = 0.05
_SHOWN = 3
_BEFORE, _BEHIND = "<", ">"


def sense_features(text: str, start: int, end: int, *, lang: str | None = None) -> frozenset[str]:
    """Return what is near a name: words within 150 characters; the words beside it, with ``<`` and ``>`` before them.

    Stop words of the language count only beside it. Scripts without spaces have their characters, and pairs of these.
    """
    before = text[max(0, start - _AROUND) : start]
    behind = text[end : end + _AROUND]
    left, right = tokenize(before), tokenize(behind)
    if len(before) == _AROUND:
        left = left[1:]
    if len(behind) == _AROUND:
        right = right[:-1]
    pairs = (a + b for words in (left, right) for a, b in pairwise(words) if len(a) == len(b) == 1)
    beside = [_BEFORE + left[-1]] if left else []
    beside += [_BEHIND + right[0]] if right else []
    return frozenset((*left, *right, *pairs)) - stop_words_if_any(lang) | frozenset(beside)


@dataclass(frozen=True)
class SenseModel:
    """Distinguishes mentions of a brand from those of its namesakes.

    Attributes
    ----------
    weights : mapping of str to float
        By feature; above 0 speaks for the brand.
    bias : float
        Where no known feature is near.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    bias: float = 0.0

    @classmethod
    def of_words(cls, about: Iterable[str], others: Iterable[str], *, bias: float = 0.0) -> SenseModel:
        """Return the model of given words: those that speak for the brand, and those that speak for a namesake."""
        weights: dict[str, float] = {}
        for words, weight in ((others, -_GIVEN), (about, _GIVEN)):
            weights |= {word: weight for phrase in words for word in tokenize(phrase)}
        return cls(weights, bias)

    def score(self, features: Iterable[str]) -> float:
        """Return the log-odds of the brand."""
        return self.bias + sum(self.weights.get(feature, 0.0) for feature in features)

    def is_brand(self, features: Iterable[str]) -> bool:
        """Return whether a name is taken for the brand's."""
        return self.score(features) > _LEAST

    def because(self, features: Iterable[str]) -> str:
        """Return the words that speak most strongly for what the score says."""
        sign = 1.0 if self.is_brand(features) else -1.0
        strongest = sorted((-sign * self.weights.get(feature, 0.0), feature) for feature in features)
        return ", ".join(shown_feature(feature) for weight, feature in strongest[:_SHOWN] if weight < 0)

    def learn(self, examples: Sequence[tuple[frozenset[str], bool, float]]) -> SenseModel:
        """Return this model updated by judged mentions.

        Parameters
        ----------
        examples : sequence of (set of str, bool, float)
            Features of a mention, whether it is of the brand, and how much it counts (1 for a judged one).
        """
        uses = Counter(feature for features, _, _ in examples for feature in features)
        names = sorted({name for name, count in uses.items() if count >= _LEAST_USES} | set(self.weights))
        place = {name: number for number, name in enumerate(names)}
        matrix = np.zeros((len(examples), len(names) + 1))
        matrix[:, -1] = 1.0
        for row, (features, _, _) in enumerate(examples):
            matrix[row, [place[feature] for feature in features if feature in place]] = 1.0
        right = np.array([is_brand for _, is_brand, _ in examples], dtype=float)
        counts = np.array([count for _, _, count in examples])
        prior = np.array([*(self.weights.get(name, 0.0) for name in names), self.bias])
        weights = prior.copy()
        # Gradient steps of Adagrad: the problem is convex, and small.
        squares = np.full(prior.size, 1e-6)
        for _ in range(_STEPS):
            probability = 1.0 / (1.0 + np.exp(-np.clip(matrix @ weights, -30, 30)))
            gradient = matrix.T @ (counts * (probability - right)) + _STRENGTH * (weights - prior)
            squares += gradient**2
            weights -= _RATE * gradient / np.sqrt(squares)
        kept = {
            name: round(float(value), 3) for name, value in zip(names, weights[:-1], strict=True) if abs(value) > 0.05
        }
        return SenseModel(kept, round(float(weights[-1]), 3))

    def to_dict(self) -> dict[str, object]:
        """Return plain values that JSON can hold."""
        return {"weights": dict(self.weights), "bias": self.bias}

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> SenseModel:
        """Return the model of such values; what is no finite number is left out."""
        weights, bias = values.get("weights"), values.get("bias")
        found = weights.items() if isinstance(weights, Mapping) else ()
        kept = {str(name): float(value) for name, value in found if _is_number(value)}
        return cls(kept, float(bias) if _is_number(bias) else 0.0)  # type: ignore[arg-type]


def shown_feature(feature: str) -> str:
    """Return a feature for people: a word, or one right before or after the name (``"the …"``, ``"… county"``)."""
    if feature.startswith(_BEFORE):
        return f"{feature[1:]} …"
    return f"… {feature[1:]}" if feature.startswith(_BEHIND) else feature


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def senses_of(brands: Iterable[Brand]) -> dict[str, SenseModel]:
    """Return the models of the words that brands are given, by their names; none for brands without."""
    return {
        brand.name: SenseModel.of_words(brand.about, brand.others) for brand in brands if brand.about or brand.others
    }
