"""Features: measures of each block and of its surroundings."""

from blockfeat.features.measuring import STOP_WORD_SCOPES, MeasuredPage, Measurer, feature_matrix, features_named
from blockfeat.features.schema import CANONICAL, CANONICAL_NAMES, Feature, Measured
from blockfeat.lang.stopwords import StopWordRatios, stop_word_ratios

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
