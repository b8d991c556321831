"""The registry: the class of every kind of model, imported when a model of the kind is used."""

from __future__ import annotations

from importlib import import_module

from blockfeat.errors import ModelError
from blockfeat.models.model import Model

MODEL_KINDS = {
    "thresholds": ("blockfeat.models.threshold", "ThresholdModel"),
    "margin": ("blockfeat.models.margin", "MarginModel"),
    "sequence": ("blockfeat.models.sequence", "SequenceModel"),
    "tokens": ("blockfeat.papers.tokens.model", "TokenModel"),
    "crunch": ("blockfeat.papers.crunch.model", "CrunchModel"),
    "web2text": ("blockfeat.papers.web2text.model", "Web2TextModel"),
}
"""Module and class of each kind of model."""


def model_class(kind: object, *, where: str) -> type[Model]:
    """Return the class of a kind of model.

    Raises
    ------
    ModelError
        The kind is unknown; the message names ``where`` and lists the known kinds.
    """
    if not isinstance(kind, str) or kind not in MODEL_KINDS:
        raise ModelError(f"{where}: kind {kind!r} is unknown; known are {', '.join(MODEL_KINDS)}")
    module, name = MODEL_KINDS[kind]
    cls: type[Model] = getattr(import_module(module), name)
    return cls
