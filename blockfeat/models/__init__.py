"""Models: from features to scores, and their files."""

from blockfeat.models.store import DEFAULT_MODEL, bundled_models, load_model, save_model

__all__ = [
    "DEFAULT_MODEL",
    "bundled_models",
    "load_model",
    "save_model",
]
