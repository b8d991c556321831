"""The command ``blockfeat models``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blockfeat.commands import console

if TYPE_CHECKING:
    from blockfeat.models.model import Model

__all__ = ["models"]

_METRICS = {"f1": "word F1", "cosine": "cosine × length ratio"}
# How a model turns scores into kept blocks, where that is a part of the kind and not an option of the model.
_DECODERS = {
    "sequence": "each block",
    "margin": "viterbi",
    "web2text": "viterbi",
    "longest-block": "longest block",
    "simple": "mss",
    "classifier": "mss",
}


def models() -> None:
    """List the bundled models."""
    from blockfeat.models import DEFAULT_MODEL, bundled_models, load_model

    rows = []
    for name in bundled_models():
        model = load_model(name)
        shown = f"{name} (used by default)" if name == DEFAULT_MODEL else name
        rows.append([shown, model.table.name, *_facts(model), ",".join(model.languages) or "any", _score(model)])
    columns = ["model", "tag table", "kind", "decoder", "features", "languages", "score on test pages"]
    console.show_table("", columns, rows)


def _facts(model: Model) -> tuple[str, str, str]:
    """Return the kind of a model, how it decodes scores to kept blocks, and the number of its features."""
    kind = getattr(model, "kind", type(model).__name__)
    decoder = getattr(model, "decoder", None)
    system = getattr(model, "system", kind)
    decoding = decoder.name if decoder is not None else _DECODERS.get(system, "")
    features = len(model.features) or len(getattr(model, "columns", ()))
    return kind, decoding, str(features) if features else "-"


def _score(model: Model) -> str:
    """Return the score on test pages that its training has recorded, with its metric."""
    test = model.record.get("scores", {}).get("test") or {}
    return f"{test['extraction']:.3f} ({_METRICS[test['metric']]})" if test else ""
