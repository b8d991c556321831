"""Put a page's text together by hand, as the cut does: for tests of segmenters."""

from collections.abc import Sequence

import numpy as np

from blockfeat.lang.characters import character_classes
from blockfeat.lang.measures import PageText, code_points

Piece = tuple[str, int]


def page_text_of(blocks: Sequence[str | Sequence[Piece]]) -> PageText:
    """Return the page text of some blocks: each a str, or pieces with their flags (1 anchor, 2 format)."""
    pieces: list[Piece] = []
    block_ends = []
    for block in blocks:
        pieces += [(block, 0)] if isinstance(block, str) else list(block)
        pieces.append(("\n", 0))
        block_ends.append(sum(len(text) for text, _ in pieces))
    text = "".join(text for text, _ in pieces)
    codes = code_points(text)
    classes = character_classes().take(codes)
    return PageText(
        text=text,
        codes=codes,
        classes=classes,
        block_ends=np.array(block_ends, dtype=np.int32),
        pieces=np.array([np.cumsum([len(text) for text, _ in pieces]), [flag for _, flag in pieces]], dtype=np.int32),
    )
