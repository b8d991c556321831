"""Cut a page given as markup: for tests of what works on blocks."""

from blockfeat.blocks.blockify import cut_into_blocks
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import load_table
from blockfeat.lang.measures import Tokenizer
from blockfeat.page.page import Page


def blocks_of(html: str, table: str = "html5", segmenter: Tokenizer | None = None) -> Blocks:
    """Return the blocks of a page by a bundled table."""
    return cut_into_blocks(Page.parse(html), load_table(table), segmenter)


def ancestors_of(blocks: Blocks, index: int) -> list[int]:
    """Return the boundary elements around one block, innermost first."""
    found = []
    container = int(blocks.container[index])
    while container >= 0:
        found.append(int(blocks.containers.element[container]))
        container = int(blocks.containers.parent[container])
    return found
