"""Features in words: what the value of a feature says of a block, as a phrase that a person can read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import expm1, isfinite
from types import MappingProxyType

from blockfeat.features.schema import Feature

NAMED = "name"
"""The form of features whose phrase names a container instead of the value."""

_MOST = 30.0
_ONE_OF_MANY = re.compile(r"((?<![\d.,])1 (?:word|sentence|block|level|container|article))s\b")


def phrase(feature: Feature, value: float, *, is_high: bool, container: str | None = None) -> str | None:
    """Return what a value says of a block; None where the feature has no phrase that holds for it.

    Parameters
    ----------
    feature : Feature
        The feature.
    value : float
        Its value.
    is_high : bool
        Whether the value counts as high, against a threshold or the mean.
    container : str, optional
        The container around the block that the feature is about, for phrases that name it.
    """
    is_lowest = value <= feature.low
    if feature.zero and is_high == is_lowest:
        return None
    words = feature.more if is_high else feature.less
    if feature.form == NAMED:
        # Without a name, the phrase would say less than nothing.
        return words.format(container) if container or not is_high else None
    return _ONE_OF_MANY.sub(r"\1", words.format(FORMS[feature.form](value))) if words else None


def limit(feature: Feature, threshold: float) -> str:
    """Return the threshold of a feature in words, such as "at most 3 of 10"."""
    if not isfinite(threshold):
        return "no limit"
    return f"at {'least' if feature.sign > 0 else 'most'} {FORMS[feature.form](threshold)}"


def _tenths(value: float) -> str:
    """Return a share as "9 of 10", "all", "no"."""
    tenths = round(10 * value)
    if 0 < value < 1:
        tenths = min(max(tenths, 1), 9)
    return "no" if tenths <= 0 else "all" if tenths >= 10 else f"{tenths} of 10"


def _percent(value: float) -> str:
    """Return a share; some count what is repeated, and come to more than all."""
    return f"{100 * min(value, 1):.0f} %"


def _decimal(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{value:.1f}".removesuffix(".0")


def _count(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def _exponent(value: float) -> str:
    """Return a number of which the feature is log(1 + number)."""
    return f"{expm1(min(value, _MOST)):,.0f}"


FORMS: Mapping[str, Callable[[float], str]] = MappingProxyType(
    {
        "decimal": _decimal,
        "percent": _percent,
        "tenths": _tenths,
        "count": _count,
        "log": _exponent,
        "none": _decimal,
        NAMED: _count,
    }
)
"""How values are written, by the names that `Feature.form` may have."""
