"""Known-item retrieval: the rank of the one text that a query seeks, by BM25."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import InputError, MissingExtraError
from blockfeat.lang.measures import tokenize

__all__ = ["known_item_ranks"]


def known_item_ranks(texts: Sequence[str], queries: Sequence[str], wanted: Sequence[int]) -> NDArray[np.float64]:
    """Return for each query the rank of the text that it seeks among all by BM25, 1 for the best.

    Of texts with the same score the one sought stands in the middle; a text that has none of the words is not found
    and its rank is infinite. Words are those of `blockfeat.lang.tokenize`; k1 is 1.5 and b is 0.75.

    Parameters
    ----------
    texts, queries : sequence of str
        What is indexed, and what is searched for.
    wanted : sequence of int
        The text that each query seeks.

    Raises
    ------
    InputError
        There are not as many wanted texts as queries, or no texts, or a wanted text is not among them.
    MissingExtraError
        The package bm25s is not installed.
    """
    try:
        bm25s: Any = import_module("bm25s")
    except ImportError as error:
        raise MissingExtraError("retrieval needs bm25s; install blockfeat[retrieval]") from error
    if len(wanted) != len(queries) or not texts or not all(0 <= place < len(texts) for place in wanted):
        raise InputError(f"{len(queries)} queries do not fit {len(wanted)} wanted of {len(texts)} texts")
    ranks = np.full(len(queries), np.inf)
    documents = [tokenize(text) for text in texts]
    if not any(documents):
        return ranks
    index = bm25s.BM25()
    index.index(documents, show_progress=False)
    known = index.vocab_dict
    for number, (query, place) in enumerate(zip(queries, wanted, strict=True)):
        words = [word for word in tokenize(query) if word in known]
        scores = index.get_scores(words) if words else np.zeros(len(texts))
        own = scores[place]
        if own > 0:
            ranks[number] = 1 + np.count_nonzero(scores > own) + (np.count_nonzero(scores == own) - 1) / 2
    return ranks
