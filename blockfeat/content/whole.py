"""Parts of a page that are kept whole or not at all: tables of data, definition lists, preformatted text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import has_elements
from blockfeat.blocks.table import Blocks
from blockfeat.content.tables import DataTable
from blockfeat.page.tags import name_keys

Mask = NDArray[np.bool_]

_PARTS = name_keys(["dl", "pre"])
_DEFINITIONS, _PREFORMATTED = _PARTS
_MOST = 2 / 3
_FEW_WORDS = 40


def completed(blocks: Blocks, kept: Mask, tables: Sequence[DataTable]) -> Mask:
    """Return which blocks are kept once parts that are mostly kept are kept whole.

    A table of data, a definition list or preformatted text is kept whole if two thirds of its words or more are; short
    preformatted text also if the blocks beside it are.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        What the model keeps.
    tables : sequence of DataTable
        The page's tables of data.
    """
    if not tables and not has_elements(blocks.tags, _PARTS):
        return kept
    keys = blocks.tags.key[blocks.containers.element]
    definitions, preformatted = (keys == _DEFINITIONS).nonzero()[0], (keys == _PREFORMATTED).nonzero()[0]
    chosen = kept.copy()
    words = np.concatenate(([0], np.cumsum(blocks.measures.words)))
    kept_words = np.concatenate(([0], np.cumsum(np.where(kept, blocks.measures.words, 0))))
    first_block, end_block = blocks.containers.first_block, blocks.containers.end_block
    parts = [*(table.container for table in tables), *definitions.tolist(), *preformatted.tolist()]
    for part in parts:
        first, end = int(first_block[part]), int(end_block[part])
        if kept_words[end] - kept_words[first] >= _MOST * max(words[end] - words[first], 1):
            chosen[first:end] = True
    for part in preformatted.tolist():
        first, end = int(first_block[part]), int(end_block[part])
        around = [*kept[max(first - 1, 0) : first], *kept[end : end + 1]]
        if first < end and words[end] - words[first] <= _FEW_WORDS and around and all(around):
            chosen[first:end] = True
    return chosen
