"""The registry: every feature that a model may name."""

from __future__ import annotations

from collections.abc import Sequence

from blockfeat.errors import ModelError
from blockfeat.features.canonical import CANONICAL
from blockfeat.features.registry import Feature

__all__ = ["REGISTERED", "features_named"]

REGISTERED: tuple[Feature, ...] = CANONICAL
"""Every feature."""


def features_named(names: Sequence[str]) -> tuple[Feature, ...]:
    """Return the features of these names, in this order.

    Raises
    ------
    ModelError
        A name is not in the registry; the message lists what there is.
    """
    known = {feature.name: feature for feature in REGISTERED}
    for name in names:
        if name not in known:
            raise ModelError(f"unknown feature {name!r}; known are {', '.join(known)}")
    return tuple(known[name] for name in names)
