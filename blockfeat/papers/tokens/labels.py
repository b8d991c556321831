"""The run of a page's tokens that a gold text stands for: labels for training (Pasternack & Roth 2009, 5.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.data.align import align_words
from blockfeat.lang.words import keys_of_words, tokenize
from blockfeat.models.runs import best_run
from blockfeat.papers.tokens.page_tokens import SYMBOL, PageTokens

Indices = NDArray[np.integer[Any]]
Keys = NDArray[np.uint64]

_LEAST_FOUND = 0.5
_LEAST_TEXT_TOKENS = 50
PAPER_TAGS = 0.2
"""Highest share of tags among the tokens of a labelled run in the paper (5.1)."""


def gold_run(tokens: PageTokens, gold: str, *, most_tags: float = 1.0) -> tuple[int, int] | None:
    """Return the first token and the end (exclusive) of the run that holds the gold text; None if it is not there.

    Words of page and gold are aligned (`blockfeat.data.align`). The run is the one with the most aligned
    words less other words, so that stray matches (the title in the head, a teaser) do not stretch it.

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
        None where less than half of the gold's words are in the run, where it has fewer than 50 words and symbols, or
        too many tags (5.1).
    """
    words = np.flatnonzero(tokens.is_word)
    # Numbers are one token, but here their digits count.
    page_keys = keys_of_words(tokens.texts(words))
    gold_keys = keys_of_words(tokenize(gold))
    place = aligned_words(page_keys, gold_keys)
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


def aligned_words(page: Keys, gold: Keys) -> Indices:
    """Return for each word of a page, by its key, the place in the gold of the word that it is matched with, or -1."""
    return align_words(page.tolist(), gold.tolist())


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
