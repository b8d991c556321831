"""Agreement with what the page declares itself: its title, its descriptions, and its text in JSON-LD."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features import places
from blockfeat.features.keys import KeyTable
from blockfeat.lang.measures import keys_of_text, runs_of_three
from blockfeat.page.page import DeclaredText

DECLARED_COLUMNS = frozenset(("declared_share", "declared_other", "page_declared", "page_declared_words"))
"""Names of the columns about the page's JSON-LD."""

_LONGEST_TITLE = 600
_RUN = 3


def title_words(declared: DeclaredText) -> tuple[NDArray[np.uint64], int]:
    """Return the keys of the words of a page's title, then of its descriptions; and how many are of the title."""
    title = declared.title[:_LONGEST_TITLE]
    keys, starts = keys_of_text(f"{title}\n{declared.descriptions}")
    return keys, int(starts.searchsorted(len(title)))


def add_declared(rows: NDArray[np.float32], blocks: Blocks) -> None:
    """Fill the columns about the page's JSON-LD, which are 0 where it declares no text.

    Parameters
    ----------
    rows : float32 array, n × 85
        What is filled, a row for each block.
    blocks : Blocks
        The blocks of a page.
    """
    own = runs_of_three(blocks.measures.token_keys)
    body, other = blocks.declared.body, blocks.declared.other
    if body:
        table = _table(body)
        found = table.places(own)
        rows[:, places.DECLARED_SHARE], covered = _covered_share(found >= 0, blocks)
        distinct = np.count_nonzero(np.bincount(found + 1, minlength=2)[1:])
        rows[:, places.PAGE_DECLARED] = distinct / max(table.keys.size, 1)
        rows[:, places.PAGE_DECLARED_WORDS] = np.log1p(covered)
    if other:
        rows[:, places.DECLARED_OTHER], _ = _covered_share(_table(other).places(own) >= 0, blocks)


def _table(text: str) -> KeyTable:
    """Return the runs of three words of a text."""
    runs = runs_of_three(keys_of_text(text)[0])
    runs.sort()
    is_first = np.ones(runs.size, dtype=np.bool_)
    np.not_equal(runs[1:], runs[:-1], out=is_first[1:])
    return KeyTable.of(runs[is_first])


def _covered_share(is_found: NDArray[np.bool_], blocks: Blocks) -> tuple[NDArray[np.float64], int]:
    """Return the share of each block's words that are in runs that were found; and how many of the page's are."""
    measures = blocks.measures
    covered = np.zeros(measures.token_block.size, dtype=np.bool_)
    for shift in range(_RUN):
        covered[shift : shift + is_found.size] |= is_found
    counts = np.bincount(measures.token_block[covered], minlength=measures.words.size)
    return counts / np.maximum(measures.words, 1), int(np.count_nonzero(covered))
