"""All features of blocks: the eight of the paper, then what stands around a block, in the tree and on the page."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.block import add_neighbours, add_own, terminals
from blockfeat.features.columns import Columns
from blockfeat.features.containers import add_around
from blockfeat.features.json_ld import add_declared
from blockfeat.features.layout import Layout, running_total
from blockfeat.features.neighbourhood import add_surroundings
from blockfeat.features.schema import Feature, Measured
from blockfeat.features.text import add_wording
from blockfeat.features.ziegler2007 import CANONICAL

__all__ = ["context_columns", "context_features", "context_places"]

Floats = NDArray[np.float64]


@cache
def context_features() -> tuple[Feature, ...]:
    """Return the eight features of the paper, then the context features as ``context.toml`` lists them."""
    document = tomllib.loads(files("blockfeat.features").joinpath("context.toml").read_text(encoding="utf-8"))
    context = (Feature(name=name, title=name.replace("_", " "), **entry) for name, entry in document.items())
    return (*CANONICAL, *context)


@cache
def context_places() -> Mapping[str, int]:
    """Return the column of each feature in `context_columns`, in order."""
    return {feature.name: place for place, feature in enumerate(context_features())}


def context_columns(measured: Measured) -> NDArray[np.float32]:
    """Return all features of a page, in the order of `context_features`.

    Parameters
    ----------
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.

    Returns
    -------
    float32 array, n × k
        Each column lies in one piece. Linear in the page, but for sorting.
    """
    blocks = measured.blocks
    columns = Columns.empty(context_places(), len(blocks))
    if len(blocks):
        for feature in CANONICAL:
            if feature.compute is not None:
                columns[feature.name] = feature.compute(measured)
        _fill(columns, measured)
    return columns.values.T


def _fill(columns: Columns, measured: Measured) -> None:
    blocks = measured.blocks
    words = blocks.measures.words.astype(np.float64)
    anchors = blocks.measures.anchor_words.astype(np.float64)
    density = anchors / np.maximum(words, 1.0)
    terminal = terminals(blocks)
    layout = Layout.of(blocks)
    width = _add_containers(columns, layout, words, anchors)
    add_own(columns, blocks, words, anchors, terminal)
    negative, shunned = add_around(columns, layout, width)
    add_wording(columns, blocks, words, columns["around_heading"] > 0)
    add_declared(columns, blocks, words)
    seed = _good(words, density, terminal, negative)
    seed[shunned] *= 0.1
    add_surroundings(columns, layout, seed, words)
    add_neighbours(columns, density, terminal, layout.path)


def _good(words: Floats, density: Floats, terminal: Floats, negative: NDArray[np.bool_]) -> Floats:
    """Return the good words of each block: prose of some length, without links, not inside what speaks against it."""
    good = words * (1.0 - 2.5 * density).clip(0.0, 1.0) * ((words - 6.0) / 14.0).clip(0.0, 1.0)
    good[terminal == 0] *= 0.5
    good[negative] *= 0.3
    return np.asarray(good)


def _add_containers(columns: Columns, layout: Layout, words: Floats, anchors: Floats) -> Floats:
    """Fill the columns about links, size and block length of containers; return each one's share of the words."""
    total = running_total(words)
    inside, linked = layout.sums(total), layout.sums(running_total(anchors))
    width = inside / max(float(total[-1]), 1.0)
    columns.fill("link_density_1", (linked / np.maximum(inside, 1.0))[layout.levels])
    columns["width_1"] = width[layout.levels[0]]
    columns["block_length_1"] = np.log1p(inside / (layout.end - layout.first))[layout.levels[0]]
    columns["path_blocks"] = np.log1p(np.bincount(layout.path))[layout.path]
    return np.asarray(width)
