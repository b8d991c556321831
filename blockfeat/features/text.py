"""Columns from the words of the blocks: words of clutter, agreement with the page's title and description."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.columns import Columns
from blockfeat.features.cues import bundled_cues
from blockfeat.features.layout import numbered
from blockfeat.lang.words import keys_of_text
from blockfeat.page.tags import Tags

__all__ = ["add_wording"]

Floats = NDArray[np.float64]
_SHORT = 8
_FAR = 40
_LONGEST = 600
_MOST_DESCRIPTIONS = 4
_TITLE, _DESCRIPTION = np.uint32(1 << 30), np.uint32(1 << 31)
_NAME = b'escription"'
_CONTENT = re.compile(rb'\scontent="([^"]*)"')


def add_wording(columns: Columns, blocks: Blocks, words: Floats, heading: NDArray[np.bool_]) -> None:
    """Fill the columns about the words of each block.

    Parameters
    ----------
    columns : Columns
        What is filled.
    blocks : Blocks
        The blocks of a page, n of them.
    words : float array, n
        Words of each.
    heading : bool array, n
        Blocks that stand in a heading.
    """
    cues = bundled_cues()
    n = words.size
    keys, bits, sizes = _own_words(blocks.tags)
    places, bits = cues.of_words(blocks.measures.token_keys, keys, bits)
    owner = blocks.measures.token_block[places]
    counts = np.empty((len(cues.text_kinds) + 2, n))
    for row, bit in zip(counts, (*range(len(cues.text_kinds)), 30, 31), strict=True):
        row[:] = np.bincount(owner[(bits & np.uint32(1 << bit)).nonzero()[0]], minlength=n)
    shares = counts / np.maximum(words, 1.0)
    columns.fill("words_promotion", shares[:-2])
    columns["title_share"], columns["description_share"] = shares[-2:]
    columns["title_cover"] = counts[-2] / (sizes[0] + 1.0)
    columns["description_cover"] = counts[-1] / (sizes[1] + 1.0)
    places = np.arange(n)
    last = np.maximum.accumulate(np.where(heading, places, -1))
    columns["since_heading"] = np.where(last >= 0, np.minimum(places - last, _FAR), _FAR)
    reply = cues.text_kinds.index("reply")
    columns["heading_reply"] = np.where(last >= 0, shares[reply][last], 0.0)
    replies = (counts[reply] * (words <= _SHORT)).cumsum()
    columns["replies_before"] = np.log1p(np.concatenate(((0.0,), replies[:-1])))


def _own_words(tags: Tags) -> tuple[NDArray[np.uint64], NDArray[np.uint32], tuple[int, int]]:
    """Return the words of the page's title and description: keys ascending, bits; the sizes of both."""
    title = " ".join(tags.text(element)[:_LONGEST] for element in tags.named("title")[:1].tolist())
    found, starts = keys_of_text(f"{title}\n{_description(tags.source)}")
    number = numbered(found)
    in_title = int(starts.searchsorted(len(title)))
    size = int(number.max(initial=-1)) + 1
    keys, bits = np.empty(size, dtype=np.uint64), np.zeros(size, dtype=np.uint32)
    keys[number] = found
    bits[number[:in_title]] = _TITLE
    bits[number[in_title:]] |= _DESCRIPTION
    return keys, bits, (int(np.count_nonzero(bits & _TITLE)), int(np.count_nonzero(bits & _DESCRIPTION)))


def _description(source: bytes) -> str:
    """Return the page's descriptions (plain, og, twitter), one a line."""
    head = source.find(b"<body")
    head = head if head >= 0 else len(source)
    found: list[str] = []
    at = source.find(_NAME, 0, head)
    while at >= 0 and len(found) < _MOST_DESCRIPTIONS:
        stop = source.find(b">", at)
        tag = source[source.rfind(b"<", 0, at) : stop]
        content = _CONTENT.search(tag) if tag.startswith(b"<meta ") else None
        if content:
            found.append(unescape(content[1][:_LONGEST].decode("utf-8", "replace")))
        at = source.find(_NAME, stop, head)
    return "\n".join(dict.fromkeys(found))
