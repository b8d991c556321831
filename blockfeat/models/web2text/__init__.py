"""Web2Text: structured labelling of text leaves by two networks and Viterbi (Vogels, Ganea & Eickhoff 2018)."""

from blockfeat.models.web2text.catalogue import BLOCK_FEATURES, EDGE_FEATURES, Web2TextFeature
from blockfeat.models.web2text.features import PageFeatures, page_features
from blockfeat.models.web2text.labeller import LeafLabeller, LeafPrediction
from blockfeat.models.web2text.leaves import LeafMeasurer, leaf_table

__all__ = [
    "BLOCK_FEATURES",
    "EDGE_FEATURES",
    "LeafLabeller",
    "LeafMeasurer",
    "LeafPrediction",
    "PageFeatures",
    "Web2TextFeature",
    "leaf_table",
    "page_features",
]
