"""Sums of good text over the surroundings of each block: containers, windows, paths, the page's main container.

A block's own evidence gives seeds; what stands around it decides. Containers are ranges of blocks, so every sum is a
difference of two running totals.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.columns import Columns
from blockfeat.features.layout import Layout

__all__ = ["add_surroundings"]

Floats = NDArray[np.float64]
_MAIN = 0.6
_WIDE = 0.85
_STRONG = 8.0
_FAR = 60
_TINY = 1e-9
_REACH = 5


def add_surroundings(columns: Columns, layout: Layout, seed: Floats, words: Floats) -> None:
    """Fill the columns about good text around each block.

    Parameters
    ----------
    columns : Columns
        What is filled.
    layout : Layout
        The page's containers.
    seed : float array, n
        Good words of each block, at least 0.
    words : float array, n
        Words of each block.
    """
    n, path = seed.size, layout.path
    total = float(seed.sum()) + _TINY
    share = seed / total
    # Running totals, carried on beyond both ends of the page by the reach of the widest window.
    padded = np.zeros((2, n + 1 + 2 * _REACH))
    share.cumsum(out=padded[0, _REACH + 1 : -_REACH])
    words.cumsum(out=padded[1, _REACH + 1 : -_REACH])
    padded[:, -_REACH:] = padded[:, -_REACH - 1, None]
    totals = padded[:, _REACH:-_REACH]
    columns["good"] = np.log1p(seed)
    columns["page_good"] = math.log1p(total)
    columns["top_share"] = seed / (seed.max() + _TINY)
    columns["good_before"] = totals[0, :-1]
    columns["good_after"] = 1.0 - totals[0, 1:]
    inside, inside_words = layout.sums(totals[0]), layout.sums(totals[1])
    density = inside * (total / (inside_words + 1.0))
    columns.fill("share_1", inside[layout.levels])
    places = np.arange(n)
    deepest = _add_main(columns, layout, inside, places)
    first, end = int(layout.first[deepest]), int(layout.end[deepest])
    columns["main_distance"] = np.minimum(places - first, 0) + np.maximum(places - (end - 1), 0)
    columns["main_size"] = (end - first) / n
    columns["main_position"] = ((places - first) / (end - first)).clip(-5.0, 5.0)
    columns["main_density"] = density[deepest]
    columns["main_words"] = inside_words[deepest] / max(totals[1, -1], 1.0)
    for reach in (1, _REACH):
        low, high = _REACH - reach, _REACH + reach + 1
        near = padded[:, high : high + n] - padded[:, low : low + n]
        columns[f"window_density_{reach}"] = near[0] * (total / (near[1] + 1.0))
    columns["window_share"] = near[0]
    on_path = np.bincount(path, weights=share)
    columns["path_share"] = on_path[path]
    columns["path_density"] = (on_path * total / (np.bincount(path, weights=words) + 1.0))[path]
    strong = (seed >= _STRONG).nonzero()[0]
    upcoming = np.concatenate((strong, (n + _FAR,)))[strong.searchsorted(places, side="right")]
    columns["gap_after"] = np.minimum(upcoming - places, _FAR)


def _add_main(columns: Columns, layout: Layout, inside: Floats, places: NDArray[np.int64]) -> int:
    """Fill in the steps of each block up to the deepest container that holds much; return that of the main one.

    The containers that hold more than half of the page lie one in the other, the deepest last.
    """
    chain = (inside >= _MAIN - _TINY).nonzero()[0]
    if chain.size == 0:
        chain = np.zeros(1, dtype=np.int64)
    first, end = layout.first[chain], layout.end[chain]
    fresh = np.ones(chain.size, dtype=np.bool_)
    fresh[1:] = (first[1:] != first[:-1]) | (end[1:] != end[:-1])
    first, end = first[fresh], end[fresh]
    wide = max(int(np.count_nonzero(inside[chain[fresh]] >= _WIDE - _TINY)), 1)
    for name, size in (("main_steps", first.size), ("wide_steps", wide)):
        # Blocks leave the chain's containers from the deepest, which ends first, outwards.
        left = end[:size][::-1].searchsorted(places, side="right")
        columns[name] = np.minimum(size + left - first[:size].searchsorted(places, side="right"), 30)
    return int(chain[-1])
