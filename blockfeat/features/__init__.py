"""Blocks to numbers: the features, by column."""

from blockfeat.features.canonical import CANONICAL, CANONICAL_NAMES
from blockfeat.features.catalogue import features_named
from blockfeat.features.measuring import STOP_WORD_SCOPES, MeasuredPage, Measurer
from blockfeat.features.registry import Feature, Measured, feature_matrix
from blockfeat.features.stopwords import StopWordRatios, stop_word_ratios

__all__ = [
    "CANONICAL",
    "CANONICAL_NAMES",
    "STOP_WORD_SCOPES",
    "Feature",
    "Measured",
    "MeasuredPage",
    "Measurer",
    "StopWordRatios",
    "feature_matrix",
    "features_named",
    "stop_word_ratios",
]
