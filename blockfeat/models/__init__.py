"""Models: from features to scores, and their files."""

from blockfeat.models.store import DEFAULT_MODEL, bundled_models, load_model, save_model
from blockfeat.models.threshold.model import JOINT, Margins, ThresholdModel

__all__ = [
    "DEFAULT_MODEL",
    "JOINT",
    "Margins",
    "ThresholdModel",
    "bundled_models",
    "load_model",
    "save_model",
]
