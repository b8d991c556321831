"""Pages as tokens: local classifiers and baselines whose scores a maximum subsequence decodes."""

from blockfeat.tokens.adapting import Adapted, AdaptOptions, adapt_to_pages
from blockfeat.tokens.article import ArticleDecision
from blockfeat.tokens.classifier import Importance, Scale, TokenClassifier
from blockfeat.tokens.counting import TokenCounter, common_tags
from blockfeat.tokens.labelling import gold_run
from blockfeat.tokens.naive_bayes import FeatureCounts, NaiveBayes
from blockfeat.tokens.page_tokens import PageTokens
from blockfeat.tokens.vocabulary import Vocabulary

__all__ = [
    "AdaptOptions",
    "Adapted",
    "ArticleDecision",
    "FeatureCounts",
    "Importance",
    "NaiveBayes",
    "PageTokens",
    "Scale",
    "TokenClassifier",
    "TokenCounter",
    "Vocabulary",
    "adapt_to_pages",
    "common_tags",
    "gold_run",
]
