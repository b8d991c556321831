"""Columns of agreement with the text that the page itself declares in JSON-LD."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.columns import Columns
from blockfeat.lang.words import keys_of_text

__all__ = ["add_declared"]

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]
_RUN = 3
# Odd numbers: a run of words is their keys times these, modulo 2**64.
_FACTORS = (np.uint64(1), np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_NAMES = ("declared_share", "declared_other", "page_declared", "page_declared_words")


def add_declared(columns: Columns, blocks: Blocks, words: Floats) -> None:
    """Fill the columns about the page's JSON-LD; all are 0 where it declares no text.

    Parameters
    ----------
    columns : Columns
        What is filled.
    blocks : Blocks
        The blocks of a page, n of them.
    words : float array, n
        Words of each.
    """
    columns.fill(_NAMES[0], np.zeros((len(_NAMES), words.size)))
    if not blocks.declared:
        return
    own = _runs(blocks.measures.token_keys)
    for name, text in zip(_NAMES, (blocks.declared.body, blocks.declared.other), strict=False):
        declared = np.unique(_runs(keys_of_text(text)[0]))
        if not declared.size or not own.size:
            continue
        place = np.minimum(declared.searchsorted(own), declared.size - 1)
        found = declared[place] == own
        covered = np.zeros(own.size + _RUN - 1, dtype=np.bool_)
        for shift in range(_RUN):
            covered[shift : shift + own.size] |= found
        share = np.bincount(blocks.measures.token_block[covered], minlength=words.size) / np.maximum(words, 1.0)
        columns[name] = np.minimum(share, 1.0)
        if name == _NAMES[0]:
            columns["page_declared"] = np.unique(place[found]).size / declared.size
            columns["page_declared_words"] = np.log1p(np.count_nonzero(covered))


def _runs(keys: Keys) -> Keys:
    """Return a number for each run of three words; none for a text of fewer."""
    count = max(keys.size - _RUN + 1, 0)
    runs = np.zeros(count, dtype=np.uint64)
    for shift, factor in enumerate(_FACTORS):
        runs += keys[shift : shift + count] * factor
    return runs
