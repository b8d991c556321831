"""Whether what was extracted is an article at all (Pasternack & Roth 2009, 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.blocks.table import Blocks
from blockfeat.errors import ModelError

__all__ = ["ARTICLE_FEATURES", "ArticleDecision", "article_features", "has_article_length"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST_PARAGRAPHS = 2
LEAST_SENTENCES = 8
_PARAGRAPH_WORDS = 10
ARTICLE_FEATURES = (
    "log_words",
    "log_sentences",
    "log_paragraphs",
    "words_in_paragraphs",
    "link_density",
    "share_of_page",
    "words_per_block",
    "words_per_sentence",
    "links_of_page",
)
"""What the learnt decision looks at; see `article_features`."""


def has_article_length(blocks: Blocks, kept: Mask) -> bool:
    """Tell whether an extraction has the least length of a news article: two paragraphs and eight sentences.

    A paragraph is a kept block of at least ten words.
    """
    measures = blocks.measures
    paragraphs = kept & (measures.words >= _PARAGRAPH_WORDS)
    return bool(paragraphs.sum() >= LEAST_PARAGRAPHS and measures.sentences[kept].sum() >= LEAST_SENTENCES)


def article_features(blocks: Blocks, kept: Mask) -> Floats:
    """Return the `ARTICLE_FEATURES` of an extraction: float array.

    Logarithms (of 1 + x) of the kept words, sentences and paragraphs; the share of the kept words that stands in
    paragraphs, that inside links, and that of the page's words which is kept, each 0 to 1; the logarithm of words by
    kept block and by sentence; the share of the words inside links on the whole page.
    """
    measures = blocks.measures
    words = float(measures.words[kept].sum())
    all_words = float(measures.words.sum())
    sentences = float(measures.sentences[kept].sum())
    paragraphs = kept & (measures.words >= _PARAGRAPH_WORDS)
    return np.array(
        [
            np.log1p(words),
            np.log1p(sentences),
            np.log1p(paragraphs.sum()),
            measures.words[paragraphs].sum() / max(words, 1.0),
            measures.anchor_words[kept].sum() / max(words, 1.0),
            words / max(all_words, 1.0),
            np.log1p(words / max(float(kept.sum()), 1.0)),
            np.log1p(words / max(sentences, 1.0)),
            measures.anchor_words.sum() / max(all_words, 1.0),
        ],
        dtype=np.float64,
    )


@dataclass(frozen=True, eq=False)
class ArticleDecision:
    """A learnt decision whether an extraction is an article: logistic regression over `ARTICLE_FEATURES`.

    Attributes
    ----------
    weights : float array
        One for each feature.
    bias : float
        Added to their sum.
    least : float
        Probability from which on it is an article.
    """

    weights: Floats
    bias: float
    least: float = 0.5

    def __post_init__(self) -> None:
        """Check the number of weights."""
        if self.weights.shape != (len(ARTICLE_FEATURES),):
            raise ModelError(f"a decision about articles needs {len(ARTICLE_FEATURES)} weights")

    def probability(self, blocks: Blocks, kept: Mask) -> float:
        """Return the probability that an extraction is an article; 0 for an empty one."""
        if not kept.any():
            return 0.0
        return float(probabilities(article_features(blocks, kept) @ self.weights + self.bias))

    def is_article(self, blocks: Blocks, kept: Mask) -> bool:
        """Tell whether an extraction is long enough and probable enough to be an article."""
        return has_article_length(blocks, kept) and self.probability(blocks, kept) >= self.least
