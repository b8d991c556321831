"""Models that were trained without some corpora, for figures on pages that a model has not seen.

``python -m experiments.nested_folds --by family --save tools/left_out`` trains them, each by the recipe of
a bundled model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from blockfeat.errors import CorpusError
from blockfeat.models.model import Model
from blockfeat.models.store import load_model

__all__ = ["LEFT_OUT", "left_out_models"]

LEFT_OUT = Path(__file__).resolve().parent.parent / "tools" / "left_out"
"""The folder that has the models."""


def left_out_models(folder: Path = LEFT_OUT, *, recipe: str = "default", seed: int = 1) -> Mapping[str, Model]:
    """Return, for each corpus, the model that was trained without it and without its publishers.

    Raises
    ------
    CorpusError
        The folder has none of this recipe and seed.
    """
    models = [load_model(path) for path in sorted(folder.glob(f"{recipe}-{seed}-without-*"))]
    if not models:
        raise CorpusError(f"{folder}: no model by the recipe {recipe!r} with seed {seed}")
    return {corpus: model for model in models for corpus in model.record["left out"]}
