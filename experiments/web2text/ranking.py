"""Query likelihood and a relevance model over texts, and measures of a ranking: P@10, R@10, average precision, nDCG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blockfeat.lang import tokenize

__all__ = ["Index", "Measures", "measures_of"]

Floats = NDArray[np.float64]
_MU = 1_000.0
_FEEDBACK, _TERMS, _ORIGINAL = 10, 50, 0.5
_DEPTH = 10


@dataclass(frozen=True, eq=False)
class Index:
    """Counts of words of texts.

    Attributes
    ----------
    places : mapping
        Column of each word.
    counts : sparse array, texts × words
        How often a text has a word.
    """

    places: Mapping[str, int]
    counts: sparse.csr_array

    @classmethod
    def of(cls, texts: Sequence[str]) -> Index:
        """Count the words of texts."""
        places: dict[str, int] = {}
        rows = [[places.setdefault(word, len(places)) for word in tokenize(text)] for text in texts]
        columns = np.array([place for row in rows for place in row], dtype=np.int64)
        owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        shape = (len(rows), max(len(places), 1))
        return cls(places, sparse.csr_array((np.ones(columns.size), (owner, columns)), shape=shape))

    def query_likelihood(self, query: str) -> Floats:
        """Return the log-likelihood of a query under each text, Dirichlet smoothed (Zhai & Lafferty 2001)."""
        words = [self.places[word] for word in tokenize(query) if word in self.places]
        return self._likelihood({word: words.count(word) / len(words) for word in words})

    def relevance_model(self, query: str) -> Floats:
        """Return the likelihood of the query mixed with words of the best ten texts (RM3; Lavrenko & Croft 2001)."""
        words = [self.places[word] for word in tokenize(query) if word in self.places]
        own = {word: words.count(word) / len(words) for word in words}
        first = self._likelihood(own)
        best = np.argsort(-first, kind="stable")[:_FEEDBACK]
        weight = np.exp((first[best] - first[best].max()) * max(len(words), 1))
        shares = self.counts[best].multiply(1 / np.maximum(self._lengths[best], 1)[:, None])
        found = np.asarray((weight / weight.sum()) @ shares.toarray())
        top = np.argsort(-found, kind="stable")[:_TERMS]
        mixed = {int(word): (1 - _ORIGINAL) * float(found[word] / found[top].sum()) for word in top}
        for word, share in own.items():
            mixed[word] = mixed.get(word, 0.0) + _ORIGINAL * share
        return self._likelihood(mixed)

    @property
    def _lengths(self) -> Floats:
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    def _likelihood(self, query: Mapping[int, float]) -> Floats:
        """Return Σ q(w) log p(w | text) over the words of a query."""
        columns = np.array(list(query), dtype=np.int64)
        weights = np.array(list(query.values()))
        if not columns.size:
            return np.zeros(self.counts.shape[0])
        chosen = self.counts[:, columns].toarray()
        background = chosen.sum(axis=0) / self.counts.sum()
        return np.asarray(np.log((chosen + _MU * background) / (self._lengths + _MU)[:, None]) @ weights)


@dataclass(frozen=True)
class Measures:
    """Measures of one ranking: precision and recall of the first ten, average precision, nDCG of the first ten."""

    precision: float
    recall: float
    average_precision: float
    ndcg: float


def measures_of(scores: Floats, grades: Mapping[int, int], left_out: int) -> Measures:
    """Return the measures of a ranking by scores.

    Parameters
    ----------
    scores : float array
        Of each text; of equal ones the earlier text is first.
    grades : mapping
        Relevance of the relevant texts, from 1.
    left_out : int
        The text that the query comes from, which is not ranked.
    """
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if place != left_out]
    gains = np.array([grades.get(place, 0) for place in order])
    hits = np.cumsum(gains > 0)
    ranks = np.arange(1, gains.size + 1)
    discount = 1 / np.log2(ranks[:_DEPTH] + 1)
    ideal = np.sort(np.array(list(grades.values())))[::-1][:_DEPTH]
    return Measures(
        float(hits[_DEPTH - 1] / _DEPTH),
        float(hits[_DEPTH - 1] / len(grades)),
        float((hits / ranks)[gains > 0].sum() / len(grades)),
        float((2.0 ** gains[:_DEPTH] - 1) @ discount / ((2.0**ideal - 1) @ discount[: ideal.size])),
    )
