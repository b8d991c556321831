"""Models, formats, decisions and their differences as plain values for the API and the reader's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_table
from blockfeat.blocks import Block, Blocks
from blockfeat.extraction import Extraction
from blockfeat.features import FORMS, NAMED, Feature, limit, phrase, registered_features
from blockfeat.models import Model, ThresholdModel
from blockfeat.web.coloured import analysis_of

_MOST_MOVING = 16


def described_model(name: str, model: Model) -> dict[str, Any]:
    """Return a model's name, kind and features, and which options it has."""
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
    """Return every registered feature by its name."""
    return {feature.name: feature for feature in registered_features()}


def usual_values(blocks: Sequence[Block]) -> dict[str, float]:
    """Return the mean of each feature over the blocks of a page."""
    sums: Counter[str] = Counter()
    for block in blocks:
        sums.update(block.features)
    return {name: value / len(blocks) for name, value in sums.items()}


def described_features(
    block: Block, thresholds: Sequence[Mapping[str, Any]], features: Mapping[str, Feature], usual: Mapping[str, float]
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
        The values above which features without a threshold count as high: what `usual_values` returned.
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
        # A value that breaks a minimum is low, one that breaks a maximum high.
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
    """Return a value formatted for people."""
    if value is None:
        return "not known"
    if feature is None or feature.form == NAMED:
        return f"{value:.4g}"
    return FORMS[feature.form](value)


_MEDIA = bundled_table("blockfeat.web.reader", "media.toml")


def media_of(name: str) -> dict[str, str]:
    """Return title, media type and file suffix of a format."""
    title, media_type, suffix = _MEDIA.get(name, (name, "text/plain", "txt"))
    return {"name": name, "title": title, "media_type": media_type, "suffix": suffix}


_HALF = 0.5
_Decided = tuple[Blocks, NDArray[np.bool_]]


def differing_blocks(first: Extraction, second: Extraction) -> dict[str, Any]:
    """Return the blocks about which two extractions of one page decide differently.

    Models may cut a page in different ways: blocks are compared by the markup that they cover. A block differs where
    the other extraction decides differently about at least half of its text, in bytes.

    Returns
    -------
    dict
        ``first`` and ``second``, each with ``model``, ``blocks``, ``kept``, ``words_kept`` and ``differing`` (indices);
        ``agreement``, the word F1 of the two texts, from 0 to 1, as bags of words; None where both are empty.
    """
    own, other, agreement = _decided(first), _decided(second), _agreement(first.text, second.text)
    return {"first": _side(first.model, own, other), "second": _side(second.model, other, own), "agreement": agreement}


def _side(model: str, own: _Decided, other: _Decided) -> dict[str, Any]:
    blocks, kept = own
    return {
        "model": model,
        "blocks": len(blocks),
        "kept": int(kept.sum()),
        "words_kept": int(blocks.measures.words[kept].sum()),
        "differing": _differing(blocks, kept, *other),
    }


def _decided(extraction: Extraction) -> _Decided:
    analysis = analysis_of(extraction)
    return analysis.measured.blocks, analysis.prediction.kept


def _differing(blocks: Blocks, kept: Any, others: Blocks, others_kept: Any) -> list[int]:
    """Return the indices of the blocks of which the other extraction decides at least half differently."""
    if not len(blocks):
        return []
    same = blocks.tags.source == others.tags.source
    # Running sums of the other's bytes, all and kept ones, interpolated between the ends of its blocks.
    first, end = _spans(others, same)
    places = np.column_stack([first, end]).ravel()
    covered = np.column_stack([np.zeros(first.size), end - first]).ravel().cumsum()
    gained = np.column_stack([np.zeros(first.size), (end - first) * others_kept]).ravel().cumsum()
    if not places.size:
        return np.flatnonzero(kept).tolist()
    own = _spans(blocks, same)
    all_of_other, kept_of_other = _between(own, places, covered), _between(own, places, gained)
    share = np.divide(kept_of_other, all_of_other, out=np.zeros(len(blocks)), where=all_of_other > 0)
    return np.flatnonzero(kept == (share <= _HALF)).tolist()


def _spans(blocks: Blocks, same: bool) -> tuple[Any, Any]:
    """Return where blocks begin and end: in the mended markup, or in the page as it was read where that differs."""
    first, end = blocks.first_byte.astype(np.float64), blocks.end_byte.astype(np.float64)
    if same:
        return first, end
    tags = blocks.tags
    origin = np.maximum.accumulate(tags.origin)
    return np.interp(first, tags.start, origin), np.interp(end, tags.start, origin)


def _between(spans: tuple[Any, Any], places: Any, sums: Any) -> Any:
    """Return by how much a running sum grows inside each span."""
    return np.interp(spans[1], places, sums) - np.interp(spans[0], places, sums)


def _agreement(first: str, second: str) -> float | None:
    """Return the F1 of two texts as bags of words."""
    bags: Sequence[Counter[str]] = [Counter(text.split()) for text in (first, second)]
    total = sum(bag.total() for bag in bags)
    return 2 * (bags[0] & bags[1]).total() / total if total else None
