"""λ and the validation figures of the bundled model, as its file has them."""

from __future__ import annotations

from blockfeat.errors import ModelError
from blockfeat.models import load_model
from blockfeat.papers.web2text.model import Web2TextModel
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.web2text.study import Study

__all__ = ["bundled_section"]


def bundled_section(study: Study) -> str:
    """Return λ of the bundled model, and F1 on its validation pages by λ."""
    model = load_model("web2text")
    if not isinstance(model, Web2TextModel):
        raise ModelError(f"the bundled model 'web2text' is of kind {type(model).__name__}")
    scores = model.record.get("validation_f1", {})
    rows = [(weight, f"{score:.4f}") for weight, score in scores.items()]
    head = f"The bundled model has λ = {model.labeller.interpolation:g}. F1 on its validation pages by λ:\n\n"
    return head + markdown_table(("λ", "F1"), rows)
