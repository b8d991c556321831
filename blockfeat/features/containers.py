"""What the elements around each block say: semantic tags, roles, words of classes and ids."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.columns import Columns
from blockfeat.features.cues import bundled_cues
from blockfeat.features.layout import Layout

__all__ = ["add_around"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_COUNTED = 14
_WIDE = 0.6
_FAR = 20
_MOST = 3
_ROOTS = 2


def add_around(columns: Columns, layout: Layout, width: Floats) -> tuple[Flags, Flags]:
    """Fill the columns about the elements around each block.

    Parameters
    ----------
    columns : Columns
        What is filled.
    layout : Layout
        The page's containers, c of them around n blocks.
    width : float array, c
        Share of the page's words that each holds. What speaks against a container does not count where it holds
        most of the page.

    Returns
    -------
    negative, shunned : bool array, n
        Whether an element around each block speaks against it, and whether text inside one hardly counts.
    """
    masks = bundled_cues().masks
    bits = layout.cues.bits.copy()
    bits[:_ROOTS] = 0
    bits[width > _WIDE] &= ~masks["against"]
    n = layout.inner.size
    counts, (last_against, last_for) = _gathered(layout, bits, masks)
    columns.fill("around_positive", np.minimum(counts[: _COUNTED - 1], _MOST))
    columns["page_paragraphs"] = np.count_nonzero(counts[_COUNTED - 1]) / n
    columns["negatives"] = np.minimum(counts[_COUNTED], 8)
    own = layout.depth[layout.inner]
    columns["depth"] = np.minimum(own, 60)
    columns["negative_steps"] = np.minimum(own - last_against + _FAR * (last_against == 0), _FAR)
    columns["positive_below_negative"] = np.maximum(np.minimum(last_for - last_against, 8), -8)
    main_heading = layout.first[(bits & masks["h1"]).nonzero()[0]]
    columns["h1_before"] = np.minimum(np.bincount(main_heading, minlength=n).cumsum(), 4)
    columns["page_articles"] = math.log1p(np.count_nonzero(bits & masks["article"]))
    return counts[_COUNTED] > 0, counts[_COUNTED + 1] > 0


def _gathered(
    layout: Layout, bits: NDArray[np.uint32], masks: Mapping[str, np.uint32]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return what the containers around each block say.

    How many say each of the first kinds, how many cues speak against the block, and how many of these are shunned:
    16 × n. And the depth of the deepest that speaks against it and of that which speaks for it, 0 where there is none.
    """
    # Eight counts to a number, a byte each: they stay apart, for 256 elements of one kind are hardly in each other.
    says = np.unpackbits(bits.astype(np.uint16).view(np.uint8), bitorder="little").reshape(-1, 16)
    negative = bits & masks["against"]
    says[:, _COUNTED] = np.bitwise_count(negative)
    says[:, _COUNTED + 1] = np.bitwise_count(bits & masks["shunned"])
    deepest = np.zeros((2, bits.size), dtype=np.int64)
    np.multiply(layout.depth, negative != 0, out=deepest[0])
    np.multiply(layout.depth, bits & masks["positive"] != 0, out=deepest[1])
    sums, highest = layout.gather(says.view(np.int64).T, deepest)
    # Bytes of a number stand side by side: counts by blocks.
    return sums.view(np.uint8).reshape(2, -1, 8).transpose(0, 2, 1).reshape(16, -1), highest
