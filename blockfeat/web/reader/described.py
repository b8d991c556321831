"""Models and decisions in words, for the API and the page on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blockfeat.blocks.block import Block
from blockfeat.features.catalogue import registered_features
from blockfeat.features.phrases import FORMS, NAMED, limit, phrase
from blockfeat.features.schema import Feature
from blockfeat.models.model import Model
from blockfeat.models.threshold import ThresholdModel

_MOST_MOVING = 16


def described_model(name: str, model: Model) -> dict[str, Any]:
    """Return a model's name, kind, features and what can be chosen of it."""
    return {
        "name": name,
        "kind": model.kind,
        "decoding": model.decoding,
        "has_decoders": isinstance(model, ThresholdModel),
        "tag_table": model.table.name,
        "languages": list(model.languages),
        "features": list(model.feature_names),
    }


def described_thresholds(model: Model, lang: str | None) -> list[dict[str, Any]]:
    """Return the thresholds of a model for a page of a language; none for models without thresholds."""
    if not isinstance(model, ThresholdModel):
        return []
    thresholds = model.thresholds_for(lang).tolist()
    return [
        {
            "feature": feature.name,
            "title": feature.title,
            "unit": feature.unit,
            "bound": feature.bound,
            "threshold": threshold,
            "words": limit(feature, threshold),
        }
        for feature, threshold in zip(model.features, thresholds, strict=True)
    ]


def features_by_name() -> dict[str, Feature]:
    """Return every feature that is described, by its name."""
    return {feature.name: feature for feature in registered_features()}


def usual_values(blocks: Sequence[Block]) -> dict[str, float]:
    """Return the mean of each feature over the blocks of a page."""
    if not blocks:
        return {}
    sums: Counter[str] = Counter()
    for block in blocks:
        sums.update(block.features)
    return {name: value / len(blocks) for name, value in sums.items()}


def described_features(
    block: Block,
    thresholds: Sequence[Mapping[str, Any]],
    features: Mapping[str, Feature],
    usual: Mapping[str, float],
) -> list[dict[str, Any]]:
    """Return the features of a block in words: all that have a threshold, else those that moved the score most.

    Parameters
    ----------
    block : Block
        The block.
    thresholds : sequence of mapping
        What `described_thresholds` returned.
    features : mapping
        What `features_by_name` returned.
    usual : mapping
        Above which value a feature without a threshold counts as high: what `usual_values` returned.
    """
    limits = {each["feature"]: each for each in thresholds}
    names = [*block.features, *(name for name in block.failed if name not in block.features)]
    if block.contributions:
        names = sorted(names, key=lambda name: -abs(block.contributions.get(name, 0.0)))[:_MOST_MOVING]
    return [_described(name, block, limits.get(name), features.get(name), usual.get(name, 0.0)) for name in names]


def _described(
    name: str, block: Block, threshold: Mapping[str, Any] | None, feature: Feature | None, usual: float
) -> dict[str, Any]:
    value = block.features.get(name)
    failed = name in block.failed
    says = None
    if feature is not None and value is not None:
        # Of a bound that fails, the value lies on the other side.
        is_high = value > usual if threshold is None else (feature.bound == "minimum") != failed
        says = phrase(feature, value, is_high=is_high)
    return {
        "feature": name,
        "title": feature.title if feature is not None else name.replace("_", " "),
        "unit": feature.unit if feature is not None else "",
        "value": value,
        "written": _written(feature, value),
        "threshold": threshold["words"] if threshold else None,
        "failed": failed,
        "contribution": block.contributions.get(name),
        "says": says,
    }


def _written(feature: Feature | None, value: float | None) -> str:
    """Return a value as people read it."""
    if value is None:
        return "not known"
    if feature is None or feature.form == NAMED:
        return f"{value:.4g}"
    return FORMS[feature.form](value)
