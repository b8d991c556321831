"""Cut a page into blocks by a tag table (Ziegler & Skubacz 2007, 3.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import CodeChanges, CodeTable
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tag_walk import walk
from blockfeat.blocks.tagtable import BOUNDARY, PRUNE, TagTable, default_code, tag_codes
from blockfeat.lang.measures import FastTokenizer, Tokenizer
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags

Codes = NDArray[np.uint8]

_FEW_WORDS, _MANY_WORDS = 50, 100
_HIDDEN = re.compile(
    rb'\s(?:hidden="|aria-hidden="true"|style="[^"]{0,500}?(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden))',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Blockifier:
    """A tag table prepared for cutting pages into blocks.

    Attributes
    ----------
    table : TagTable
        The table.
    codes : CodeTable
        Operation and roles of every tag; see `blockfeat.blocks.tagtable`.
    changes : CodeChanges
        What changes them, element by element.
    """

    table: TagTable
    codes: CodeTable
    changes: CodeChanges

    @classmethod
    def of(cls, table: TagTable) -> Blockifier:
        """Prepare a tag table."""
        codes = tag_codes(table)
        changes = CodeChanges(
            parts_words=table.other == "remove_without_space",
            line_break=codes["br"] if table.guards.split_at_breaks else -1,
            keeps_holders=bool(table.guards.keep_if_it_holds_paragraphs),
        )
        return cls(table, CodeTable.of(codes, default_code(table)), changes)

    def codes_of(self, tags: Tags) -> tuple[Codes, int]:
        """Return operation and roles of every element, and the groups of names that the page has.

        The guards of the table have been applied to the codes.
        """
        codes, names = self.codes.codes_of(tags, changes=self.changes)
        if self.table.guards.prune_hidden:
            codes[_hidden_elements(tags)] = PRUNE
        return codes, names

    def cut(self, page: Page, segmenter: Tokenizer | None = None, bytes_of_block: int = 0) -> Blocks:
        """Cut a page into text blocks, which will take so many bytes each; see `cut_into_blocks`."""
        segmenter = segmenter or FastTokenizer()
        tags = page.tags if page.tags is not None else Tags.of_markup(b"<html></html>")
        codes, names = self.codes_of(tags)
        cut = partial(walk, tags, names=names, segmenter=segmenter, table=self.table.name, declared=page.declared)
        blocks = cut(codes, self.table.guards.split_at_breaks, bytes_of_block=bytes_of_block)
        is_short = self.table.guards.noscript_rescue and blocks.measures.token_keys.size < _FEW_WORDS
        if is_short and (hidden := tags.named("noscript")).size:
            codes[hidden] = BOUNDARY
            rescued = cut(codes, self.table.guards.split_at_breaks, bytes_of_block=bytes_of_block)
            if rescued.measures.token_keys.size - blocks.measures.token_keys.size > _MANY_WORDS:
                return rescued
        return blocks


def cut_into_blocks(page: Page, table: TagTable, segmenter: Tokenizer | None = None) -> Blocks:
    """Cut a page into text blocks.

    Parameters
    ----------
    page : Page
        The parsed page; one without tags has no blocks.
    table : TagTable
        What each element means.
    segmenter : Tokenizer, optional
        Counts words and sentences; `FastTokenizer` by default.

    Returns
    -------
    Blocks
        The blocks in document order; linear in the size of the page.

    Raises
    ------
    LimitExceeded
        The page has two gigabytes or more.
    """
    return Blockifier.of(table).cut(page, segmenter)


def _hidden_elements(tags: Tags) -> NDArray[np.int64]:
    """Return the elements that are hidden by attribute or inline style."""
    places = np.array([found.start() for found in _HIDDEN.finditer(tags.source)], dtype=np.int64)
    tag = tags.start.searchsorted(places, side="right") - 1
    return np.asarray(tags.opened.searchsorted(tag[places < tags.stop[tag]]))
