"""Lines inside the text that point at other texts: "Read also: …"."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.extraction.phrases import begins_with

_LINKED = 0.5
_MOST_WORDS = 40


def pointers(blocks: Blocks, kept: NDArray[np.bool_]) -> list[int]:
    """Return the blocks that are kept, but only point at other texts.

    Those of at most 40 words, half of them links, that begin with a phrase such as "read also" (``phrase_lists``). None
    where that would leave nothing of the text.
    """
    measures = blocks.measures
    words: NDArray[np.integer[Any]] = measures.words
    linked = (measures.anchor_words >= _LINKED * words) & (words <= _MOST_WORDS) & kept
    found = [block for block in linked.nonzero()[0].tolist() if begins_with("read_also", blocks.raw_text(block))]
    return found if len(found) < int(kept.sum()) else []
