"""Automatic labels of text leaves from a gold text, by characters (Vogels et al. 2018, 4.1.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import longest_increasing
from blockfeat.blocks.table import Blocks
from blockfeat.lang.characters import SPACE, character_classes
from blockfeat.lang.measures import code_points, lower
from blockfeat.lang.word_keys import keys_of_spans

CONTENT_SHARE = 2 / 3
"""A leaf is content where at least this share of it stands in the gold."""

_WINDOW = 10
_SHORTEST_RUN = 4
_MOST_CELLS = 25_000_000
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
Keys = NDArray[np.uint64]
Codes = NDArray[np.uint32]
# Where a part begins and ends on the page, and in the gold.
_Part = tuple[int, int, int, int]


def aligned_share(blocks: Blocks, gold: str) -> NDArray[np.float64]:
    """Return the share of each block's characters that stands in the gold, 0 to 1.

    Parameters
    ----------
    blocks : Blocks
        The blocks of a page, in any segmentation.
    gold : str
        The text that a person says is the content, or that another extractor returned.

    Returns
    -------
    float array, n
        Characters other than white space, upper and lower case alike.
    """
    page = code_points(lower(blocks.page_text.text))
    solid = np.flatnonzero(blocks.page_text.classes & SPACE == 0)
    matched = matched_characters(page[solid], _solid_codes(gold))
    owner = np.searchsorted(blocks.page_text.block_ends, solid, side="right")
    counts = np.bincount(owner, minlength=len(blocks))
    shares: NDArray[np.float64] = np.bincount(owner, weights=matched, minlength=len(blocks)) / np.maximum(counts, 1)
    return shares


def labels_from_shares(shares: NDArray[np.float64], words: NDArray[np.integer[Any]]) -> Flags:
    """Return which leaves are content, given what share of each stands in the gold.

    Content is what has at least two thirds of it in the gold; a leaf without words (a bullet, a full stop behind a
    link) is content where the nearest leaves with words on both sides are.

    Parameters
    ----------
    shares : float array, n
        Share of each leaf that stands in the gold, by words or by characters.
    words : int array, n
        Words of each leaf.
    """
    content = shares >= CONTENT_SHARE - 1e-9
    worded = np.flatnonzero(words > 0)
    silent = np.flatnonzero(words == 0)
    if worded.size:
        behind = np.searchsorted(worded, silent)
        between = (behind > 0) & (behind < worded.size)
        left, right = worded[behind[between] - 1], worded[behind[between]]
        content[silent[between]] = content[left] & content[right]
    return content


def _solid_codes(text: str) -> Codes:
    codes = code_points(lower(text))
    solid: Codes = codes[character_classes().take(codes) & SPACE == 0]
    return solid


def matched_characters(page: Codes, gold: Codes) -> Flags:
    """Return which characters of a page stand in the gold, in its order.

    Both are divided at windows of ten characters that occur once in each, in the same order (the longest such chain),
    again and again until a part has no such window; what is left is aligned by its longest common subsequence, of
    which runs of at least four characters count.

    Parameters
    ----------
    page, gold : uint32 array
        Code points without white space.
    """
    matched = np.zeros(page.size, dtype=np.bool_)
    keys = _window_keys(page), _window_keys(gold)
    parts: list[_Part] = [(0, page.size, 0, gold.size)]
    while parts:
        part = parts.pop()
        start, stop, gold_start, gold_stop = part
        if stop == start or gold_stop == gold_start:
            continue
        chain = _common_windows(*keys, part)
        if chain.size:
            parts += _divided(part, chain, matched)
        else:
            _align_rest(page, gold, part, matched)
    return matched


def _window_keys(codes: Codes) -> Keys:
    """Return a number for each window of ten characters."""
    starts = np.arange(max(codes.size - _WINDOW + 1, 0))
    return keys_of_spans(codes, starts, starts + _WINDOW)


def _common_windows(page: Keys, gold: Keys, part: _Part) -> Indices:
    """Return places of windows that occur once on both sides of a part, in order on both: k × 2."""
    start, stop, gold_start, gold_stop = part
    first, places = _single(page[start : max(stop - _WINDOW + 1, start)])
    second, gold_places = _single(gold[gold_start : max(gold_stop - _WINDOW + 1, gold_start)])
    _, here, there = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    pairs = np.column_stack((places[here] + start, gold_places[there] + gold_start))
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return pairs[longest_increasing(pairs[:, 1].tolist())]


def _single(keys: Keys) -> tuple[Keys, Indices]:
    """Return the keys that occur once, and where."""
    found, places, counts = np.unique(keys, return_index=True, return_counts=True)
    return found[counts == 1], places[counts == 1]


def _divided(part: _Part, chain: Indices, matched: Flags) -> list[_Part]:
    """Mark the windows of a chain as matched; return what lies between them."""
    start, stop, gold_start, gold_stop = part
    parts = []
    for here, there in chain.tolist():
        # A window that overlaps the one before it is matched as far as both sides overlap alike.
        skipped = max(start - here, gold_start - there, 0)
        if skipped >= _WINDOW:
            continue
        parts.append((start, here + skipped, gold_start, there + skipped))
        start, gold_start = here + _WINDOW, there + _WINDOW
        matched[here + skipped : start] = True
    parts.append((start, stop, gold_start, gold_stop))
    return [found for found in parts if found[1] > found[0] and found[3] > found[2]]


def _align_rest(page: Codes, gold: Codes, part: _Part, matched: Flags) -> None:
    """Align a part without common windows by dynamic programming."""
    from rapidfuzz.distance import LCSseq

    start, stop, gold_start, gold_stop = part
    if min(stop - start, gold_stop - gold_start) < _SHORTEST_RUN:
        return
    if (stop - start) * (gold_stop - gold_start) > _MOST_CELLS:
        return
    texts = page[start:stop].tolist(), gold[gold_start:gold_stop].tolist()
    for run in LCSseq.opcodes(*texts):
        if run.tag == "equal" and run.src_end - run.src_start >= _SHORTEST_RUN:
            matched[start + run.src_start : start + run.src_end] = True
