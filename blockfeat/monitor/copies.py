"""Copies: the keys by which nearly equal texts are found, and what makes one a copy of another.

A text is seen as the set of its runs of four words (characters where words are not spaced), taken over the main text
only: another charset, another menu or another layout change nothing. MinHash (Broder 1997) over that set, cut into
bands (locality-sensitive hashing: Indyk & Motwani 1998), gives keys that texts share when they are alike; the sets
themselves decide.
"""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.measures import keys_of_text

# 16 bands of 4: texts with half of their runs in common share a key 64 times in 100, with 0.8 of them always.
BANDS = 16
_ROWS = 4
_RUN = 4
_PERMUTATIONS = BANDS * _ROWS
_SEED = 1
_HALF = np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)


Runs = NDArray[np.uint64]
"""What `runs_of_words` gives."""


def runs_of_words(text: str) -> Runs:
    """Return the keys of all different runs of four words, sorted; empty for shorter texts.

    Letters are compared as NFKC has them, without case.
    """
    keys, _ = keys_of_text(unicodedata.normalize("NFKC", text).casefold())
    if keys.size < _RUN:
        return np.empty(0, dtype=np.uint64)
    count = keys.size - _RUN + 1
    runs = np.zeros(count, dtype=np.uint64)
    for place in range(_RUN):
        runs = (runs ^ keys[place : place + count]) * _MIX
        runs ^= runs >> _HALF
    return np.unique(runs)


def bands_of(runs: Runs, *, min_words: int) -> tuple[int, ...]:
    """Return the keys of a text's bands, as signed numbers of 64 bits; empty for a text with too few runs.

    Parameters
    ----------
    runs : uint64 array
        What `runs_of_words` gives.
    min_words : int
        Texts with fewer different runs get no keys: a template that two of them share is most of such a text.
    """
    if runs.size < min_words:
        return ()
    from rensa import RMinHash

    (signature,) = RMinHash.digest_matrix_from_flat_token_hashes(runs, [0, runs.size], _PERMUTATIONS, _SEED).to_rows()
    rows = np.asarray(signature, dtype=np.uint64).reshape(BANDS, _ROWS)
    keys = np.zeros(BANDS, dtype=np.uint64)
    for place in range(_ROWS):
        keys = (keys ^ rows[:, place]) * _MIX
        keys ^= keys >> _HALF
    return tuple(keys.view(np.int64).tolist())


def containment(first: Runs, second: Runs) -> float:
    """Return the share of the smaller set that the larger has too, or 0 where one is more than twice the other.

    A copy with a paragraph more or less is a copy; a digest that holds an article is none.
    """
    smaller, larger = sorted((first.size, second.size))
    if smaller == 0 or larger > 2 * smaller:
        return 0.0
    return float(np.intersect1d(first, second, assume_unique=True).size / smaller)
