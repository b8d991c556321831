"""Known-item retrieval over extracted text: does extraction help a search engine? (after Vogels et al. 2018, 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import InputError, MissingExtraError
from blockfeat.lang.words import tokenize

__all__ = ["RetrievalScores", "known_item_ranks", "known_item_scores"]


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """How well pages are found again by a query that was made from each.

    Attributes
    ----------
    mean_reciprocal_rank : float
        Mean of 1 / rank of the page that a query was made from, 0 to 1.
    first : float
        Share of queries whose page comes first.
    queries : int
        Queries.
    """

    mean_reciprocal_rank: float
    first: float
    queries: int


def known_item_ranks(texts: Sequence[str], queries: Sequence[str]) -> NDArray[np.float64]:
    """Return for each query the rank of its own text among all by BM25, 1 for the best.

    Of texts with the same score the one sought stands in the middle; a text that has none of the words is not found
    and its rank is infinite. Words are those of `blockfeat.lang.tokenize`; k1 is 1.5 and b is 0.75.

    Parameters
    ----------
    texts, queries : sequence of str
        Text i is the one that query i seeks.

    Raises
    ------
    InputError
        There are not as many queries as texts, or none.
    MissingExtraError
        The package bm25s is not installed.
    """
    try:
        bm25s: Any = import_module("bm25s")
    except ImportError as error:
        raise MissingExtraError("retrieval needs bm25s; install blockfeat[retrieval]") from error
    if len(texts) != len(queries) or not texts:
        raise InputError(f"{len(queries)} queries do not fit {len(texts)} texts")
    ranks = np.full(len(texts), np.inf)
    documents = [tokenize(text) for text in texts]
    if not any(documents):
        return ranks
    index = bm25s.BM25()
    index.index(documents, show_progress=False)
    known = index.vocab_dict
    for number, query in enumerate(queries):
        words = [word for word in tokenize(query) if word in known]
        scores = index.get_scores(words) if words else np.zeros(len(texts))
        own = scores[number]
        if own > 0:
            ranks[number] = 1 + np.count_nonzero(scores > own) + (np.count_nonzero(scores == own) - 1) / 2
    return ranks


def known_item_scores(texts: Sequence[str], queries: Sequence[str]) -> RetrievalScores:
    """Score texts by `known_item_ranks`."""
    ranks = known_item_ranks(texts, queries)
    return RetrievalScores(float(np.mean(1 / ranks)), float(np.mean(ranks == 1)), ranks.size)
