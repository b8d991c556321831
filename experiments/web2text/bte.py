"""Body Text Extraction: the stretch of a page with the most words and the fewest tags (Finn et al. 2001)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.table import Blocks
from blockfeat.models.decoding import best_run
from blockfeat.page.page import Page
from blockfeat.papers.web2text.leaves import leaf_table

__all__ = ["BodyTextExtractor", "body_leaves"]


def body_leaves(leaves: Blocks) -> NDArray[np.bool_]:
    """Return which text leaves of a page are its body: one stretch of them; linear in the page.

    With 1 for each tag and 0 for each word of the page, the stretch from i to j maximises the tags before i, the words
    from i to j and the tags behind j (Finn, Kushmerick & Smyth 2001, 4). Tags outside are all tags less those inside,
    so this is the stretch with the greatest sum of words less tags.

    Parameters
    ----------
    leaves : Blocks
        A page cut by `blockfeat.papers.web2text.leaves.leaf_table`: tags stand between its blocks only.
    """
    body = np.zeros(len(leaves), dtype=np.bool_)
    if not len(leaves):
        return body
    tag = np.searchsorted(leaves.tags.start, leaves.first_byte, side="right")
    scores = np.empty(2 * len(leaves) - 1)
    scores[0::2] = leaves.measures.words
    scores[1::2] = tag[:-1] - tag[1:]
    start, end = best_run(scores)
    body[(start + 1) // 2 : (end + 1) // 2] = True
    return body


@dataclass(frozen=True)
class BodyTextExtractor:
    """Extracts the body text of pages, to be called like the function of a peer."""

    cutter: Blockifier

    @classmethod
    def make(cls) -> BodyTextExtractor:
        """Make one."""
        return cls(Blockifier.of(leaf_table()))

    def __call__(self, html: str, lang: str | None = None, url: str | None = None) -> str:
        """Return the text of the body, a line for each leaf."""
        leaves = self.cutter.cut(Page.parse(html, url=url))
        return "\n".join(leaves.texts(np.flatnonzero(body_leaves(leaves)).tolist()))
