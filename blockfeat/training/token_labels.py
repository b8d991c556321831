"""The run of a page's tokens that a gold text stands for: labels for training (Pasternack & Roth 2009, 5.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.decode.runs import best_run
from blockfeat.lang.words import keys_of_words, tokenize
from blockfeat.models.tokens.page_tokens import SYMBOL, PageTokens

__all__ = ["PAPER_TAGS", "aligned_words", "gold_run"]

Indices = NDArray[np.int64]
Keys = NDArray[np.uint64]

_LEAST_ROW = 3
_LEAST_FOUND = 0.5
_LEAST_TEXT_TOKENS = 50
_MOST_PAIRS = 500_000_000
PAPER_TAGS = 0.2
"""Highest share of tags among the tokens of a labelled run in the paper (5.1)."""


def gold_run(tokens: PageTokens, gold: str, *, most_tags: float = 1.0) -> tuple[int, int] | None:
    """Return the first token and the end (exclusive) of the run that holds the gold text; None if it is not there.

    Words of page and gold are aligned by their longest common subsequence; of that, rows of at least three words
    count. The run is the one with the most aligned words less other words, so that stray matches (the title in the
    head, a teaser) do not stretch it.

    Parameters
    ----------
    tokens : PageTokens
        The page's tokens.
    gold : str
        The page's gold text.
    most_tags : float
        Highest share of tags among the tokens of the run, 0 to 1: `PAPER_TAGS`, or 1 to take every run. Of modern
        pages the paper's value leaves out many with links in their text.

    Returns
    -------
    tuple of int, or None
        None where less than half of the gold's words are in the run, where it has fewer than 50 words and symbols or
        too many tags (5.1), or where page and gold are too long to align.
    """
    words = np.flatnonzero(tokens.is_word)
    # Numbers are one token, but here their digits count.
    page_keys = keys_of_words(tokens.texts(words))
    gold_keys = keys_of_words(tokenize(gold))
    place = aligned_words(page_keys, gold_keys)
    if place is None:
        return None
    first, end = best_run(np.where(place >= 0, 1.0, -1.0))
    if end == first:
        return None
    first, end = _extended(page_keys, gold_keys, place, first, end)
    if (place[first:end] >= 0).sum() < _LEAST_FOUND * gold_keys.size:
        return None
    start, stop = int(words[first]), int(words[end - 1]) + 1
    # What ends the last sentence belongs to the text: symbols up to the next tag, word or space.
    while stop < len(tokens) and tokens.kind[stop] == SYMBOL and tokens.first_byte[stop] == tokens.end_byte[stop - 1]:
        stop += 1
    tags = int(tokens.is_tag[start:stop].sum())
    is_long = stop - start - tags >= _LEAST_TEXT_TOKENS
    return (start, stop) if is_long and tags <= most_tags * (stop - start) else None


def aligned_words(page: Keys, gold: Keys) -> Indices | None:
    """Return for each word of a page the word of the gold that it is, in order, in rows of at least three, else -1.

    None where page and gold are too long to align.
    """
    from rapidfuzz.distance import LCSseq  # 20 ms that only training needs

    place = np.full(page.size, -1, dtype=np.int64)
    if not page.size or not gold.size:
        return place
    if page.size * gold.size > _MOST_PAIRS:
        return None
    for step in LCSseq.opcodes(page.tolist(), gold.tolist()):
        if step.tag == "equal" and step.src_end - step.src_start >= min(_LEAST_ROW, gold.size):
            place[step.src_start : step.src_end] = np.arange(step.dest_start, step.dest_end)
    return place


def _extended(page: Keys, gold: Keys, place: Indices, first: int, end: int) -> tuple[int, int]:
    """Extend a run as long as page and gold agree: a teaser may have been aligned with the first sentence instead."""
    before, behind = int(place[first]) - 1, int(place[end - 1]) + 1
    while first > 0 and before >= 0 and page[first - 1] == gold[before]:
        first, before = first - 1, before - 1
        place[first] = before + 1
    while end < page.size and behind < gold.size and page[end] == gold[behind]:
        place[end] = behind
        end, behind = end + 1, behind + 1
    return first, end
