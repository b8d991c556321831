"""Term counts of a page's blocks beside those of its gold text, as sparse arrays made once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.lang.characters import UNSPACED, character_classes
from blockfeat.lang.words import tokenize


@dataclass(frozen=True)
class PageTerms:
    """Terms of one page.

    Attributes
    ----------
    row, block, count : arrays of equal length
        ``count`` occurrences of term ``row`` in block ``block``; sorted by row.
    gold : float32 array, one for each row
        Occurrences of each term in the gold text.
    gold_length, gold_norm : float
        Sum and Euclidean norm of the gold text's term counts.
    """

    row: NDArray[np.int64]
    block: NDArray[np.int64]
    count: NDArray[np.float32]
    gold: NDArray[np.float32]
    gold_length: float
    gold_norm: float


def count_terms(blocks: Blocks, gold: str, *, single_characters: bool = False) -> PageTerms:
    """Count the terms of each block and of the gold text.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    gold : str
        The page's main text.
    single_characters : bool
        Count words of one character too. Without, as the paper does, only terms longer than one character and
        single characters of scripts without spaces.
    """
    gold_counts = Counter(word for word in tokenize(gold) if single_characters or is_term(word))
    tokens, owners = blocks.measures.tokens, blocks.measures.token_block
    rows: dict[str, int] = {}
    numbers = np.fromiter(
        (
            rows.setdefault(word, len(rows)) if single_characters or len(word) > 1 or is_term(word) else -1
            for word in tokens
        ),
        dtype=np.int64,
        count=len(tokens),
    )
    used = numbers >= 0
    n = max(1, len(blocks))
    pairs, counts = np.unique(numbers[used] * n + owners[used], return_counts=True)
    frequencies = np.array(list(gold_counts.values()), dtype=np.float64)
    return PageTerms(
        row=pairs // n,
        block=pairs % n,
        count=counts.astype(np.float32),
        gold=np.array([gold_counts.get(word, 0) for word in rows], dtype=np.float32),
        gold_length=float(frequencies.sum()),
        gold_norm=float(np.sqrt((frequencies**2).sum())),
    )


def is_term(word: str) -> bool:
    """Return whether a word counts as a term: longer than one character, or of a script without spaces."""
    return len(word) > 1 or bool(character_classes().table[ord(word)] & UNSPACED)
