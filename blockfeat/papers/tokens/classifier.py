"""From tokens to scores: the local classifier with its vocabulary and the way its certainty becomes a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.errors import ModelError
from blockfeat.papers.tokens.naive_bayes import NaiveBayes, gram_keys
from blockfeat.papers.tokens.page_tokens import PageTokens
from blockfeat.papers.tokens.surroundings import surroundings
from blockfeat.papers.tokens.vocabulary import Vocabulary

Floats = NDArray[np.float64]

SCALES = ("probability", "log odds")
_MOST = 50.0


@dataclass(frozen=True)
class Scale:
    """How certainty becomes a score.

    Attributes
    ----------
    name : str
        ``"probability"``: p - 0.5 + bias (Pasternack & Roth 2009, 6.2.3 and 7.7). ``"log odds"``: log(p / (1 - p)) +
        bias, cut off at ± ``limit``.
    bias : float
        Added to every score; above 0 favours recall.
    limit : float
        Greatest absolute score on the scale of log odds.
    """

    name: str = "probability"
    bias: float = 0.0
    limit: float = 4.0

    def __post_init__(self) -> None:
        """Check the values."""
        if self.name not in SCALES or not self.limit > 0 or not np.isfinite(self.bias):
            raise ModelError(f"unknown scale of scores: {self}; known are {', '.join(SCALES)}")

    def scores(self, log_odds: Floats) -> Floats:
        """Return the scores for some log odds."""
        if self.name == "probability":
            return bounded_probabilities(log_odds) - 0.5 + self.bias
        return np.clip(log_odds + self.bias, -self.limit, self.limit)


@dataclass(frozen=True, eq=False)
class Importance:
    """How much more the tokens near the borders of the text count (Pasternack & Roth 2009, 6.2.4).

    Attributes
    ----------
    weight : float array
        Weight m of each gram of the classifier, from 0 to 1, in their order.
    factor : float
        The paper's c: scores are multiplied by m · c + 1.
    """

    weight: Floats
    factor: float = 24.0


@dataclass(frozen=True, eq=False)
class TokenClassifier:
    """Scores the tokens of a page: above 0 inside of article text, below outside.

    Attributes
    ----------
    vocabulary : Vocabulary
        Which tokens are the same.
    bayes : NaiveBayes
        The counts.
    scale : Scale
        How certainty becomes a score.
    importance : Importance, optional
        Weights of grams near borders.
    """

    vocabulary: Vocabulary
    bayes: NaiveBayes
    scale: Scale = Scale()
    importance: Importance | None = None

    def __post_init__(self) -> None:
        """Check that the weights fit."""
        if self.importance is not None and self.importance.weight.shape != self.bayes.grams.key.shape:
            raise ModelError("there must be one importance weight for each gram")

    def log_odds(self, tokens: PageTokens) -> Floats:
        """Return the log odds that each token is inside of the text."""
        ids, unclosed = self.vocabulary.ids(tokens)
        around = surroundings(tokens) if len(self.bayes.around) else ids
        return self.bayes.log_odds(ids, unclosed, around)

    def probabilities(self, tokens: PageTokens) -> Floats:
        """Return the probability that each token is inside of the text."""
        return bounded_probabilities(self.log_odds(tokens))

    def scores(self, tokens: PageTokens) -> Floats:
        """Return the score of each token."""
        scores = self.scale.scores(self.log_odds(tokens))
        if self.importance is None:
            return scores
        place = self.bayes.grams.find(gram_keys(self.vocabulary.ids(tokens)[0], self.bayes.size))
        weight = np.append(self.importance.weight, 0.0)[place]
        return np.asarray(scores * (weight * self.importance.factor + 1.0))


def bounded_probabilities(log_odds: Floats) -> Floats:
    """Return the probabilities of log odds, never 0 or 1."""
    return probabilities(log_odds, limit=_MOST)
