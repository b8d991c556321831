"""How good an extraction is: metrics, confidence intervals, scores over labelled pages."""

from __future__ import annotations

from blockfeat._extras import require_extra
from blockfeat.training.evaluation.evaluate import Evaluation, GroupScores, PageScore, evaluate, score_page
from blockfeat.training.evaluation.metrics import (
    Difference,
    Interval,
    Scores,
    SnippetScores,
    confidence_interval,
    cosine_length_ratio,
    paired_difference,
    shingle_scores,
    snippet_scores,
    text_only_score,
    word_scores,
)

__all__ = [
    "Difference",
    "Evaluation",
    "GroupScores",
    "Interval",
    "PageScore",
    "Scores",
    "SnippetScores",
    "confidence_interval",
    "cosine_length_ratio",
    "evaluate",
    "paired_difference",
    "score_page",
    "shingle_scores",
    "snippet_scores",
    "text_only_score",
    "word_scores",
]

require_extra("train", what=__name__)
