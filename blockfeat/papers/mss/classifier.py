"""The local classifier: naive Bayes over counts of features (Pasternack & Roth 2009, 6.2), its scores, its storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Positive, Ranged, between, number, stored
from blockfeat._numeric import Floats, places_among, probabilities
from blockfeat.errors import ModelError
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.vocabulary import Ids, Vocabulary, surroundings, token_ids

Counts = NDArray[np.uint32]

GRAM_SIZES = (1, 3)
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9))


# Log odds are clipped, so that no probability is 0 or 1.
_MOST = 50.0
KINDS = ("grams", "unclosed", "around")
"""Kinds of features that naive Bayes counts."""
_VALUES = ("inside", "outside", "size", "smoothing", "neighbours", "balanced")
_COLUMNS = ("key", "inside", "outside", "sources")
Arrays = Mapping[str, NDArray[Any]]


def gram_keys(ids: Ids, size: int) -> Ids:
    """Return the key of the gram of ``size`` tokens that begins at each token: uint32 array, n; its own for size 1."""
    if size == 1:
        return ids
    mixed = np.zeros(ids.size, dtype=np.uint64)
    for place, factor in zip(range(size), _FACTORS, strict=False):
        mixed[: ids.size - place] += (ids[place:].astype(np.uint64) + np.uint64(1)) * factor
    return token_ids(mixed)


@dataclass(frozen=True, eq=False)
class FeatureCounts:
    """How often each feature was seen inside and outside of article text.

    Attributes
    ----------
    key : uint32 array, n
        Keys of the features, ascending.
    inside, outside : uint32 array, n
        Number of tokens with the feature inside and outside of the text.
    sources : uint32 array, n
        Number of sites that the feature was seen on.
    """

    key: Ids
    inside: Counts
    outside: Counts
    sources: Counts

    def __post_init__(self) -> None:
        """Check that the columns fit."""
        if not self.key.shape == self.inside.shape == self.outside.shape == self.sources.shape:
            raise ModelError("the counts of features must have one entry for each feature")
        if np.any(self.key[1:] <= self.key[:-1]):
            raise ModelError("the features of counts must ascend")

    @classmethod
    def of(cls, keys: Ids, is_inside: NDArray[np.bool_]) -> FeatureCounts:
        """Count the features of all tokens of one site."""
        key, number = np.unique(keys, return_inverse=True)
        inside = np.bincount(number[is_inside], minlength=key.size).astype(np.uint32)
        outside = np.bincount(number[~is_inside], minlength=key.size).astype(np.uint32)
        return cls(key, inside, outside, np.ones(key.size, dtype=np.uint32))

    @classmethod
    def sum(cls, parts: Sequence[FeatureCounts]) -> FeatureCounts:
        """Return the sum of the counts of different sites."""
        if not parts:
            return cls.of(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=bool))
        key, number = np.unique(np.concatenate([part.key for part in parts]), return_inverse=True)
        columns = [np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS[1:]]
        return cls(key, *(np.bincount(number, own, minlength=key.size).astype(np.uint32) for own in columns))

    def __len__(self) -> int:
        """Return the number of features."""
        return int(self.key.size)

    def chosen(self, which: NDArray[np.bool_]) -> FeatureCounts:
        """Return the counts of the features that a mask chooses."""
        return FeatureCounts(self.key[which], self.inside[which], self.outside[which], self.sources[which])

    def find(self, keys: Ids) -> NDArray[np.int64]:
        """Return the index of each feature among the counted ones, -1 for one that was not counted."""
        return places_among(keys, self.key)


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """Naive Bayes over three features of a token: its gram, the most recent unclosed tag and its surroundings.

    A feature that was never seen is equally likely for both labels, as in the paper. With ``neighbours``, a token whose
    gram was never seen gets the sum of the log odds of its neighbours' grams (7.7).

    Attributes
    ----------
    grams, unclosed, around : FeatureCounts
        Counts of grams, of most recent unclosed tags and of `surroundings`; empty ones contribute nothing.
    inside, outside : int
        Number of training tokens inside and outside of the text.
    size : int
        Tokens in a gram: 3, or 1.
    smoothing : float
        Added to both counts of every feature; above 0.
    neighbours : bool
        Whether tokens with unseen grams get the log odds of their neighbours' grams.
    balanced : bool
        Whether both labels have the same prior, so that a token with unseen features has log odds of 0; else the priors
        are those of the training tokens.
    """

    grams: FeatureCounts
    unclosed: FeatureCounts
    around: FeatureCounts
    inside: int
    outside: int
    size: int = 3
    smoothing: float = 0.5
    neighbours: bool = False
    balanced: bool = False
    _odds: tuple[Floats, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the values; compute the log odds of every feature."""
        if self.size not in GRAM_SIZES or not self.smoothing > 0 or self.inside < 1 or self.outside < 1:
            raise ModelError("naive Bayes needs grams of 1 or 3 tokens, smoothing above 0, and tokens of both labels")
        with np.errstate(all="ignore"):
            odds = tuple(map(self._log_odds, (self.grams, self.unclosed, self.around)))
        if not all(np.isfinite(each).all() for each in (*odds, np.log(self.inside) - np.log(self.outside))):
            raise ModelError("naive Bayes has counts or a smoothing that give no finite log odds")
        object.__setattr__(self, "_odds", odds)

    def log_odds(self, ids: Ids, unclosed: Ids, around: Ids) -> Floats:
        """Return the log odds that each token is inside of the text: float array, n.

        Parameters
        ----------
        ids, unclosed : uint32 array, n
            Identifiers of the tokens and of the most recent unclosed tags (`Vocabulary.ids`).
        around : uint32 array, n
            `blockfeat.papers.mss.vocabulary.surroundings` of the tokens.
        """
        place = self.grams.find(gram_keys(ids, self.size))
        total = self._odds[0][place]
        if self.neighbours and place.size > 1:
            unseen = np.flatnonzero(place < 0)
            beside = np.concatenate(([0.0], total, [0.0]))
            total[unseen] = beside[unseen] + beside[unseen + 2]
        if not self.balanced:
            total += np.log(self.inside / self.outside)
        for counts, odds, keys in ((self.unclosed, self._odds[1], unclosed), (self.around, self._odds[2], around)):
            if len(counts):
                total += odds[counts.find(keys)]
        return np.asarray(total)

    def _log_odds(self, counts: FeatureCounts) -> Floats:
        """Return log(P(feature | inside) / P(feature | outside)) of each feature, with 0 at the end for unseen ones."""
        added = self.smoothing
        inside = (counts.inside + added) / (self.inside + added * (len(counts) + 1))
        outside = (counts.outside + added) / (self.outside + added * (len(counts) + 1))
        return np.append(np.log(inside) - np.log(outside), 0.0)


@dataclass(frozen=True)
class Scale(Ranged):
    """How the log odds of a token are turned into its score.

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

    error = ModelError

    name: Literal["probability", "log odds"] = "probability"
    bias: Annotated[float, between(-1e9, 1e9)] = 0.0
    limit: Positive = 4.0

    def scores(self, log_odds: Floats) -> Floats:
        """Return the scores for some log odds."""
        if self.name == "probability":
            return probabilities(log_odds, limit=_MOST) - 0.5 + self.bias
        return np.clip(log_odds + self.bias, -self.limit, self.limit)


@dataclass(frozen=True, eq=False)
class Importance:
    """Weights by which tokens near the borders of the text count more (Pasternack & Roth 2009, 6.2.4).

    Attributes
    ----------
    weight : float array
        Weight m of each gram of the classifier, from 0 to 1, in the order of the grams.
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
        Maps tokens to identifiers.
    bayes : NaiveBayes
        Gives the log odds of tokens.
    scale : Scale
        How log odds are turned into scores.
    importance : Importance, optional
        Weights of the grams by their distance from the borders.
    """

    vocabulary: Vocabulary
    bayes: NaiveBayes
    scale: Scale = Scale()
    importance: Importance | None = None

    def __post_init__(self) -> None:
        """Check the number of weights."""
        if self.importance is not None and self.importance.weight.shape != self.bayes.grams.key.shape:
            raise ModelError("there must be one importance weight for each gram")

    def log_odds(self, tokens: PageTokens) -> Floats:
        """Return the log odds that each token is inside of the text."""
        ids, unclosed = self.vocabulary.ids(tokens)
        around = surroundings(tokens) if len(self.bayes.around) else ids
        return self.bayes.log_odds(ids, unclosed, around)

    def probabilities(self, tokens: PageTokens) -> Floats:
        """Return the probability that each token is inside of the text."""
        return probabilities(self.log_odds(tokens), limit=_MOST)

    def scores(self, tokens: PageTokens) -> Floats:
        """Return the score of each token."""
        scores = self.scale.scores(self.log_odds(tokens))
        if self.importance is None:
            return scores
        place = self.bayes.grams.find(gram_keys(self.vocabulary.ids(tokens)[0], self.bayes.size))
        weight = np.append(self.importance.weight, 0.0)[place]
        return np.asarray(scores * (weight * self.importance.factor + 1.0))

    def to_values(self) -> dict[str, Any]:
        """Return the values other than the arrays, as plain values for JSON."""
        document: dict[str, Any] = {
            "tags": list(self.vocabulary.tags),
            "scale": asdict(self.scale),
            "bayes": {name: getattr(self.bayes, name) for name in _VALUES},
        }
        return document | ({} if self.importance is None else {"importance": self.importance.factor})

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name: the stems, the counts, and the weights of the grams."""
        arrays = {"form": _steps(self.vocabulary.form), "stem": self.vocabulary.stem}
        for name in KINDS:
            counts: FeatureCounts = getattr(self.bayes, name)
            for column in _COLUMNS:
                values = getattr(counts, column)
                arrays[f"{name}_{column}"] = _steps(values) if column == "key" else values
        if self.importance is not None:
            arrays["weight"] = self.importance.weight.astype(np.float16)
        return arrays

    @classmethod
    def from_document(cls, document: Mapping[str, Any], arrays: Arrays) -> TokenClassifier:
        """Create a classifier from what `to_values` and `to_arrays` returned.

        Raises
        ------
        KeyError, TypeError, AttributeError, ValueError
            Something is missing or wrong.
        """
        grams, unclosed, around = (
            FeatureCounts(
                _sums(_column(arrays, f"{name}_key")), *(_column(arrays, f"{name}_{column}") for column in _COLUMNS[1:])
            )
            for name in KINDS
        )
        importance = None
        if "importance" in document:
            importance = Importance(arrays["weight"].astype(np.float64), number(document, "importance"))
        return cls(
            Vocabulary(stored((), document["tags"], "tags"), _sums(_column(arrays, "form")), _column(arrays, "stem")),
            NaiveBayes(grams, unclosed, around, **document["bayes"]),
            stored(Scale(), document["scale"], "scale"),
            importance,
        )


def _column(arrays: Arrays, name: str) -> Counts:
    if arrays[name].ndim != 1:
        raise ModelError(f"{name!r} is no row of counts")
    return arrays[name].astype(np.uint32, casting="safe")


def _steps(ascending: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the differences between ascending numbers, which compress far better."""
    return np.diff(ascending, prepend=np.uint32(0))


def _sums(steps: NDArray[Any]) -> NDArray[np.uint32]:
    return np.cumsum(steps, dtype=np.uint32)
