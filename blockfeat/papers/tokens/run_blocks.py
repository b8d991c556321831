"""From a run of tokens back to the page: the blocks that it covers, and their scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.papers.tokens.page_tokens import PageTokens

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_LEAST_SHARE = 0.5


def block_scores(tokens: PageTokens, scores: Floats, blocks: Blocks) -> Floats:
    """Return the sum of the scores of the tokens in each block: float array n."""
    return _sums_by_block(tokens, scores, blocks)


def kept_blocks(tokens: PageTokens, is_taken: Mask, blocks: Blocks) -> Mask:
    """Return which blocks are part of an extraction: those of whose words at least half are taken.

    Parameters
    ----------
    tokens : PageTokens
        The page's tokens.
    is_taken : bool array
        The tokens that were extracted.
    blocks : Blocks
        The page's blocks. One without words is kept where any of its tokens is taken.
    """
    taken = _sums_by_block(tokens, (is_taken & ~tokens.is_tag).astype(np.float64), blocks)
    has_words = _sums_by_block(tokens, tokens.is_word.astype(np.float64), blocks) > 0
    return (taken > 0) & (~has_words | (covered_shares(tokens, is_taken, blocks) >= _LEAST_SHARE))


def covered_shares(tokens: PageTokens, is_taken: Mask, blocks: Blocks) -> Floats:
    """Return the share of each block's words that is taken, 0 to 1: float array n; 0 for a block without words."""
    words = tokens.is_word
    taken = _sums_by_block(tokens, (words & is_taken).astype(np.float64), blocks)
    return taken / np.maximum(_sums_by_block(tokens, words.astype(np.float64), blocks), 1.0)


def _sums_by_block(tokens: PageTokens, values: Floats, blocks: Blocks) -> Floats:
    upto = np.concatenate(([0.0], np.cumsum(values)))
    first = np.searchsorted(tokens.first_byte, blocks.first_byte)
    end = np.searchsorted(tokens.first_byte, blocks.end_byte)
    return np.asarray(upto[end] - upto[first])
