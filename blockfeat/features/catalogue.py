"""The registry: every feature that a model may name."""

from __future__ import annotations

from collections.abc import Sequence

from blockfeat.errors import ModelError
from blockfeat.features.context import context_features
from blockfeat.features.schema import Feature
from blockfeat.features.ziegler2007 import CANONICAL

__all__ = ["features_named", "registered_features"]


def registered_features() -> tuple[Feature, ...]:
    """Return every feature: the canonical eight and what stands around a block."""
    return context_features()


def features_named(names: Sequence[str]) -> tuple[Feature, ...]:
    """Return the features of these names, in this order.

    Raises
    ------
    ModelError
        A name is not in the registry; the message lists what there is.
    """
    known = {feature.name: feature for feature in CANONICAL}
    if not known.keys() >= set(names):
        known = {feature.name: feature for feature in registered_features()}
    for name in names:
        if name not in known:
            raise ModelError(f"unknown feature {name!r}; known are {', '.join(known)}")
    return tuple(known[name] for name in names)
