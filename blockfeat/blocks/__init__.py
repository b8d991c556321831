"""Pages to blocks: tag tables and the walk that cuts a page."""

from blockfeat.blocks.block import Block, Link
from blockfeat.blocks.cut import Cutter, cut_into_blocks
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import BUNDLED_TABLES, TagTable, load_table

__all__ = ["BUNDLED_TABLES", "Block", "Blocks", "Cutter", "Link", "TagTable", "cut_into_blocks", "load_table"]
