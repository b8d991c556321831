"""Plain text of the kept blocks: blocks parted by blank lines, in the shape that they have on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import has_elements
from blockfeat.blocks.preformatted import preformatted_text
from blockfeat.blocks.table import Blocks
from blockfeat.content.normal import normalised
from blockfeat.content.tables import DataTable
from blockfeat.content.white_space import shown_texts
from blockfeat.page.tags import name_keys

_PREFORMATTED = name_keys(["listing", "pre", "xmp"])
_BLANK_LINES = re.compile(r"\n{3,}")


def plain_text(blocks: Blocks, kept: NDArray[np.bool_], tables: Sequence[DataTable], *, normalise: bool = True) -> str:
    """Return the text of the kept blocks, a blank line between two of them.

    A line break of the page is one of the text; preformatted text keeps its lines (without empty ones in a row, which
    part blocks); a table of data is a line a row, its cells parted by tabs.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        Those that are kept.
    tables : sequence of DataTable
        The tables of data that hold kept blocks.
    normalise : bool
        Whether the text is brought into a normal form; see `blockfeat.content.normal.normalised`.
    """
    chosen = kept.nonzero()[0]
    texts = _texts(blocks, chosen)
    if tables or has_elements(blocks.tags, _PREFORMATTED):
        texts = _shaped(blocks, tables, dict(zip(chosen.tolist(), texts, strict=True)))
    text = "\n\n".join(texts)
    return normalised(text, has_marks=blocks.page_text.has_marks) if normalise else text


def _texts(blocks: Blocks, chosen: NDArray[np.int64]) -> list[str]:
    """Return the texts of blocks without any other shape than line breaks."""
    text = blocks.page_text.text
    has_controls, has_wide = blocks.measures.has_controls, bool(blocks.measures.unspaced_words.any())
    spans = zip(blocks.block_starts[chosen].tolist(), blocks.page_text.block_ends[chosen].tolist(), strict=True)
    return shown_texts([text[start : end - 1] for start, end in spans], has_controls=has_controls, has_wide=has_wide)


def _shaped(blocks: Blocks, tables: Sequence[DataTable], texts: dict[int, str]) -> list[str]:
    """Return the texts of blocks in the shape of preformatted text and of tables of data."""
    for index in _preformatted(blocks):
        if index in texts:
            texts[index] = _BLANK_LINES.sub("\n\n", preformatted_text(blocks, index))
    for table in tables:
        lines = _rows(table, texts)
        cells = {index for row in table.rows for cell in row for index in range(cell.first_block, cell.end_block)}
        inside = [index for index in range(table.first_block, table.end_block) if index in cells and index in texts]
        for number, index in enumerate(inside):
            # All of its rows stand for the first block of its cells.
            texts[index] = "" if number else "\n".join(lines)
    return [text for text in texts.values() if text]


def _preformatted(blocks: Blocks) -> Iterator[int]:
    """Return the blocks inside of preformatted elements."""
    keys = blocks.tags.key[blocks.containers.element]
    is_preformatted = np.isin(keys, _PREFORMATTED)
    behind = 0
    for container in is_preformatted.nonzero()[0].tolist():
        first, end = int(blocks.containers.first_block[container]), int(blocks.containers.end_block[container])
        yield from range(max(first, behind), end)
        behind = max(behind, end)


def _rows(table: DataTable, texts: dict[int, str]) -> list[str]:
    """Return the rows of a table that have something in them, their cells parted by tabs."""
    lines = []
    for row in table.grid():
        inside = ([texts.get(index, "") for index in range(cell.first_block, cell.end_block)] for cell in row)
        cells = [" ".join(" ".join(found).split()) for found in inside]
        if any(cells):
            lines.append("\t".join(cells))
    return lines
