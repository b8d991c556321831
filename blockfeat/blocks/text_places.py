"""Where the characters of blocks stand in the markup: by tag and by element."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.lang.characters import SPACE

Indices = NDArray[np.int64]


class TextPlaces(NamedTuple):
    """The characters of a page's blocks, white space aside: the tag that each stands behind, and its block."""

    tag: Indices
    block: Indices


def text_places(blocks: Blocks) -> TextPlaces:
    """Return where the characters of a page's blocks stand; linear in the size of the page."""
    if not len(blocks):
        return TextPlaces(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    characters = (blocks.page_text.classes & SPACE == 0).nonzero()[0]
    block = blocks.block_starts.searchsorted(characters, side="right") - 1
    tag = blocks.places.searchsorted(characters, side="right") - 1
    return TextPlaces(tag.astype(np.int64), block.astype(np.int64))


def elements_behind(blocks: Blocks) -> Indices:
    """Return the innermost element behind each tag: behind an end tag, or an empty element, the one around it."""
    tags = blocks.tags
    behind = np.full(tags.start.size, -1, dtype=np.int64)
    behind[tags.opened] = np.arange(len(tags))
    behind[tags.closed] = tags.parents()
    return behind
