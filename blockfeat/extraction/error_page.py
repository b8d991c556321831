"""Whether a page says that what was asked for is not there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.extraction.phrases import has_any
from blockfeat.page.tags import name_keys

Mask = NDArray[np.bool_]

_TITLES = name_keys(["h1", "h2"])
_MOST_WORDS_OF_ERRORS = 120
_FEW_WORDS = 40
_BEGIN = 160


def is_error_page(blocks: Blocks, kept: Mask, title: str | None) -> bool:
    """Return whether a page of little text says that there is nothing.

    Looks at nothing where more than 120 words are kept. Phrases that name the page ("page not found") count in the
    title and in main headings; on a page of at most 40 words that are kept, all phrases count, in their begin too.
    """
    words = int(blocks.measures.words[kept].sum())
    if words > _MOST_WORDS_OF_ERRORS:
        return False
    keys = blocks.tags.key[blocks.containers.element]
    headings = (np.isin(keys, _TITLES)[blocks.container] & (blocks.container >= 0)).nonzero()[0]
    said = [title or "", *blocks.texts(headings[:3].tolist())]
    if any(has_any("error_page", text) for text in said):
        return True
    if words > _FEW_WORDS:
        return False
    said.append(" ".join(blocks.texts(kept.nonzero()[0][:3].tolist()))[:_BEGIN])
    return any(has_any(kind, text) for kind in ("error_page", "error") for text in said)
