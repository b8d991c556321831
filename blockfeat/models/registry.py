"""The registry: every kind of model by its name."""

from __future__ import annotations

from blockfeat.errors import ModelError
from blockfeat.models.margin.model import MarginModel
from blockfeat.models.model import Model
from blockfeat.models.sequence.model import SequenceModel
from blockfeat.models.threshold.model import ThresholdModel
from blockfeat.models.tokens.model import TokenModel
from blockfeat.models.web2text.model import Web2TextModel

__all__ = ["MODEL_KINDS", "model_class"]

MODEL_KINDS: dict[str, type[Model]] = {
    cls.kind: cls for cls in (ThresholdModel, MarginModel, SequenceModel, TokenModel, Web2TextModel)
}
"""Class of each kind of model."""


def model_class(kind: object, *, where: str) -> type[Model]:
    """Return the class of a kind of model.

    Raises
    ------
    ModelError
        The kind is unknown; the message names ``where`` and lists the known kinds.
    """
    if not isinstance(kind, str) or kind not in MODEL_KINDS:
        raise ModelError(f"{where}: kind {kind!r} is unknown; known are {', '.join(MODEL_KINDS)}")
    return MODEL_KINDS[kind]
