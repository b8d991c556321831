"""All features of blocks: the eight of the paper, then what stands around a block, in the tree and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from random import getrandbits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.features.block_kernel import add_own
from blockfeat.features.context_kernel import add_context
from blockfeat.features.cues import Cues, bundled_cues
from blockfeat.features.declared import DECLARED_COLUMNS, add_declared, title_words
from blockfeat.features.keys import WordFlags
from blockfeat.features.nesting import Nesting
from blockfeat.features.places import COLUMNS
from blockfeat.features.schema import Feature, Measured, read_features
from blockfeat.features.ziegler2007 import CANONICAL, PAPER_STOP_WORD_RATIO


@cache
def context_features() -> tuple[Feature, ...]:
    """Return the eight features of the paper, then the context features as ``context.toml`` lists them."""
    return (*CANONICAL, *read_features("context.toml", {}))


@cache
def context_places() -> Mapping[str, int]:
    """Return the column of each feature in `context_columns`, in order."""
    return {feature.name: place for place, feature in enumerate(context_features())}


def context_columns(
    measured: Measured, *, names: Sequence[str] | None = None, cues: Cues | None = None
) -> NDArray[np.float32]:
    """Return features of a page by name.

    Parameters
    ----------
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.
    names : sequence of str, optional
        Names of features, k of them; all, in the order of `context_features`, if not given.
    cues : Cues, optional
        What tags, attributes and words say; the bundled ones if not given.

    Returns
    -------
    float32 array, n × k
        A row for each block. Linear in the page.

    Raises
    ------
    ModelError
        A name is not that of a feature.
    """
    places = context_places()
    unknown = [name for name in names or () if name not in places]
    if unknown:
        raise ModelError(f"unknown features: {', '.join(unknown)}")
    rows = np.zeros((measured.blocks.block_starts.size, len(COLUMNS)), dtype=np.float32)
    if len(rows):
        _fill(rows, measured, bundled_cues() if cues is None else cues)
        if measured.blocks.declared.scripts and (names is None or not DECLARED_COLUMNS.isdisjoint(names)):
            add_declared(rows, measured.blocks)
    return rows if names is None else rows.take([places[name] for name in names], axis=1)


def _fill(rows: NDArray[np.float32], measured: Measured, cues: Cues) -> None:
    """Fill the rows of a page's blocks, at least one, but for the columns about its JSON-LD."""
    blocks, spread = measured.blocks, getrandbits(64) | 1
    title, in_title = title_words(blocks.declared)
    flags = WordFlags.of(blocks.measures.token_keys, cues.words, title=title, title_words=in_title, spread=spread)
    add_own(rows, blocks, measured.stop_words.normalised, flags, spread)
    add_context(rows, blocks, Nesting.of(blocks, cues), cues, spread)


def feature_matrix(features: Sequence[Feature], measured: Measured) -> NDArray[np.floating[Any]]:
    """Return the features of all blocks of a page.

    Parameters
    ----------
    features : sequence of Feature
        What to compute, k of them; none where nothing is to be measured.
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.

    Returns
    -------
    float array, n × k
        One column a feature, in the order asked for: 64 bits where all are functions of single blocks, 32 bits where
        context features, which rest on shared sums, are among them.
    """
    functions = [feature.compute for feature in features]
    if None in functions:
        is_all = features == context_features()
        return context_columns(measured, names=None if is_all else [feature.name for feature in features])
    matrix = np.empty((len(measured.blocks), len(features)), dtype=np.float64)
    for column, compute in enumerate(functions):
        if compute is not None:
            matrix[:, column] = compute(measured)
    return matrix


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
