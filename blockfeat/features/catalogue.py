"""The registry: every feature that a model may name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from blockfeat.errors import ModelError
from blockfeat.features.context import context_features
from blockfeat.features.schema import Feature
from blockfeat.features.ziegler2007 import CANONICAL, PAPER_STOP_WORD_RATIO


def registered_features() -> tuple[Feature, ...]:
    """Return every feature: the canonical eight, the paper's own stop-word ratio, and the context features."""
    return (*context_features(), PAPER_STOP_WORD_RATIO)


def features_named(names: Sequence[str], *, where: str = "") -> tuple[Feature, ...]:
    """Return the features of these names, in this order.

    Parameters
    ----------
    names : sequence of str
        Names of features.
    where : str
        What the message of an error begins with.

    Raises
    ------
    ModelError
        A name is not in the registry; the message lists the closest names.
    """
    known = {feature.name: feature for feature in (*CANONICAL, PAPER_STOP_WORD_RATIO)}
    if not known.keys() >= set(names):
        known = {feature.name: feature for feature in registered_features()}
    for name in names:
        if name not in known:
            prefix, closest = f"{where}: " if where else "", get_close_matches(name, known, cutoff=0.0)
            raise ModelError(f"{prefix}unknown feature {name!r}; the closest names are {', '.join(closest)}")
    return tuple(known[name] for name in names)
