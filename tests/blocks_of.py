"""Cut a page given as markup: for tests of what works on blocks."""

from __future__ import annotations

from blockfeat.blocks.cut import cut_into_blocks
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import load_table
from blockfeat.page.page import Page


def blocks_of(html: str, table: str = "html5") -> Blocks:
    """Return the blocks of a page by a bundled table."""
    return cut_into_blocks(Page.parse(html), load_table(table))
