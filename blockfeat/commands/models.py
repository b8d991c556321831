"""The command ``blockfeat models``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blockfeat.commands import console

if TYPE_CHECKING:
    from blockfeat.models.model import Model


def models() -> None:
    """List the bundled models."""
    from blockfeat.models import DEFAULT_MODEL, bundled_models, load_model

    rows = []
    for name in bundled_models():
        model = load_model(name)
        shown = f"{name} (used by default)" if name == DEFAULT_MODEL else name
        languages = ",".join(model.languages) or "any"
        features = str(len(model.feature_names) or "-")
        rows.append([shown, model.kind, model.table.name, model.decoding, features, languages, _score(model)])
    columns = ["model", "kind", "tag table", "decoding", "features", "languages", "score on test pages"]
    console.show_table("", columns, rows)


def _score(model: Model) -> str:
    """Return the scores on test pages that its training has recorded, with their metrics.

    Pages with gold text and pages with snippets have a score each; records of version 0.1 have one over both.
    """
    from blockfeat.training.evaluation.strategies import METRICS

    test = model.record.get("scores", {}).get("test") or {}
    groups = [test] if "metric" in test else list(test.values())
    return "; ".join(f"{group['extraction']:.3f} ({METRICS[group['metric']]})" for group in groups)
