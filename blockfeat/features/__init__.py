"""Features: measures of each block and of its surroundings."""

from blockfeat.features.context import feature_matrix, features_named
from blockfeat.features.measuring import STOP_WORD_SCOPES, MeasuredPage, Measurer
from blockfeat.features.schema import Feature, Measured
from blockfeat.features.ziegler2007 import CANONICAL, CANONICAL_NAMES
from blockfeat.lang.index import StopWordRatios, stop_word_ratios

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
