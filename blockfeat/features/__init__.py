"""Blocks to numbers: the features, by column."""

from blockfeat.features.canonical import CANONICAL, CANONICAL_NAMES
from blockfeat.features.measuring import STOP_WORD_SCOPES, MeasuredPage, Measurer
from blockfeat.features.registry import Feature, Measured, feature_matrix, features_named
from blockfeat.features.stopwords import StopWordRatios, stop_word_ratios

__all__ = [
    "CANONICAL",
    "CANONICAL_NAMES",
    "Feature",
    "Measured",
    "MeasuredPage",
    "Measurer",
    "STOP_WORD_SCOPES",
    "StopWordRatios",
    "feature_matrix",
    "features_named",
    "stop_word_ratios",
]
