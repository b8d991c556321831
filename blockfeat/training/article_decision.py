"""Learning to tell articles from other pages, for token models (Pasternack & Roth 2009, 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import fit_logistic
from blockfeat.blocks.cut import cut_into_blocks
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.split import folds_by_host
from blockfeat.errors import BlockfeatError, CorpusError
from blockfeat.models.tokens.article import ArticleDecision, article_features
from blockfeat.models.tokens.model import TokenModel
from blockfeat.models.tokens.run_blocks import kept_blocks
from blockfeat.page.page import Page

__all__ = ["LearntDecision", "learn_article_decision"]

_RIDGE = 1.0
_FOLDS = 5
_FEWEST = 20


@dataclass(frozen=True)
class LearntDecision:
    """A decision about articles, and its accuracy in five folds by host, 0 to 1."""

    decision: ArticleDecision
    accuracy: float


def learn_article_decision(model: TokenModel, pages: Sequence[LabelledPage], *, seed: int = 0) -> LearntDecision | None:
    """Learn from pages with a ``page_type`` which extractions are articles.

    None where there are fewer than 20 articles or fewer than 20 other pages, or fewer than five hosts.
    """
    rows: dict[int, NDArray[np.float64]] = {}
    for page in pages:
        found = _features(model, page)
        if found is not None:
            rows[id(page)] = found
    usable = [page for page in pages if id(page) in rows]
    is_article = np.array([page.page_type == "article" for page in usable], dtype=np.bool_)
    if min(is_article.sum(), (~is_article).sum()) < _FEWEST:
        return None
    try:
        folds = folds_by_host(usable, _FOLDS, seed)
    except CorpusError:
        return None
    right = sum(_right(rows, training, test) for training, test in folds)
    return LearntDecision(_fit(rows, usable), right / len(usable))


def _features(model: TokenModel, page: LabelledPage) -> NDArray[np.float64] | None:
    """Return the features of what a model keeps of a page; None where it keeps nothing."""
    try:
        parsed = Page.parse(page.html)
    except BlockfeatError:
        return None
    blocks = cut_into_blocks(parsed, model.table)
    found = model.find(parsed.tags)
    kept = kept_blocks(found.tokens, found.is_taken, blocks)
    return article_features(blocks, kept) if kept.any() else None


def _right(rows: dict[int, NDArray[np.float64]], training: Sequence[LabelledPage], test: Sequence[LabelledPage]) -> int:
    """Return how many test pages are decided right by what the training pages teach."""
    decision = _fit(rows, training)
    matrix = np.array([rows[id(page)] for page in test])
    said = matrix @ decision.weights + decision.bias > 0
    return int((said == np.array([page.page_type == "article" for page in test])).sum())


def _fit(rows: dict[int, NDArray[np.float64]], pages: Sequence[LabelledPage]) -> ArticleDecision:
    """Fit a logistic regression with a small ridge, and round it for the file."""
    matrix = np.array([rows[id(page)] for page in pages])
    label = np.array([page.page_type == "article" for page in pages])
    mean, spread = matrix.mean(axis=0), matrix.std(axis=0) + 1e-9
    scaled = np.column_stack(((matrix - mean) / spread, np.ones(label.size)))
    weights = fit_logistic(scaled, label, ridge=_RIDGE, steps=50)
    plain = weights[:-1] / spread
    return ArticleDecision(np.round(plain, 4), round(float(weights[-1] - plain @ mean), 4))
