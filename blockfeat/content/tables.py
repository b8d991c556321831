"""Tables of data among the blocks of a page: where they are, and which block stands in which cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import has_key
from blockfeat.blocks.table import Blocks
from blockfeat.content.text_writer import MOST_COLUMNS, grid_of
from blockfeat.page.tags import name_keys

Mask = NDArray[np.bool_]

_TABLE, _ROW, _CELL, _HEADER = name_keys(["table", "tr", "td", "th"])
_TABLES = name_keys(["table"])
_NOT_DATA = name_keys(["h1", "h2", "h3", "h4", "h5", "h6", "form", "article", "section", "blockquote"])
_SPAN = re.compile(rb'\s(col|row)span="\s*([0-9]{1,4})')
_FEW = 2
_MOST_WORDS = 60
_MOST_WORDS_WITH_HEADER = 150

_PARTS = name_keys(["dl", "pre"])
_DEFINITIONS, _PREFORMATTED = _PARTS
_MOST = 2 / 3
_FEW_WORDS = 40


@dataclass(frozen=True, slots=True, eq=False)
class DataTable:
    """A table of data: the blocks from first to end are inside it, those of no cell are its caption.

    Attributes
    ----------
    container : int
        The table's element, a container.
    first_block, end_block : int
        Its blocks are those from first (inclusive) to end (exclusive).
    first, end : int array, one for each cell
        The blocks of each cell likewise.
    is_header : bool array, one for each cell
        Which cells are headers.
    columns, rows : int array, one for each cell
        How many columns and rows each spans.
    row_ends : int array, one for each row
        Number of the cell behind each row's last one.
    """

    container: int
    first_block: int
    end_block: int
    first: NDArray[np.int32]
    end: NDArray[np.int32]
    is_header: Mask
    columns: NDArray[np.int32]
    rows: NDArray[np.int32]
    row_ends: NDArray[np.int32]

    def grid(self) -> NDArray[np.int32]:
        """Return the cell in each place, rows × columns, -1 where there is none; see `grid_of`."""
        return grid_of(self.columns, self.rows, self.row_ends)

    def in_cells(self) -> Mask:
        """Return which of the table's blocks stand in a cell."""
        size = self.end_block - self.first_block + 1
        opened, closed = (np.bincount(column - self.first_block, minlength=size) for column in (self.first, self.end))
        inside: Mask = (opened - closed).cumsum()[:-1] > 0
        return inside


def data_tables(blocks: Blocks, kept: Mask) -> list[DataTable]:
    """Return the tables of data that hold a kept block, in order; linear in the containers inside of tables.

    A table is one of data if no other stands inside it, half of its rows or more have two cells or more, and no cell
    holds a heading, a form, or so many words that it is rather a column of a layout.
    """
    containers, tags = blocks.containers, blocks.tags
    if not has_key(blocks.containers.key, _TABLES):
        return []
    tables = (blocks.containers.key == _TABLE).nonzero()[0]
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    holds_kept = kept_before[containers.end_block[tables]] > kept_before[containers.first_block[tables]]
    ends = containers.element.searchsorted(tags.opened.searchsorted(tags.closed[containers.element[tables]]))
    holds_kept[:-1] &= tables[1:] >= ends[:-1]
    if not holds_kept.any():
        return []
    words_before = np.concatenate(([0], np.cumsum(blocks.measures.words)))
    read = (
        _read(blocks, words_before, table, end)
        for table, end in zip(tables[holds_kept].tolist(), ends[holds_kept].tolist(), strict=True)
    )
    return [table for table in read if table is not None]


def _read(blocks: Blocks, words_before: NDArray[np.int64], table: int, end: int) -> DataTable | None:
    """Read the cells of one table; None if it is a layout."""
    containers = blocks.containers
    inside = blocks.containers.key[table + 1 : end]
    if has_key(inside, _NOT_DATA):
        return None
    is_header = inside == _HEADER
    cells = ((inside == _CELL) | is_header).nonzero()[0]
    row = (inside == _ROW).cumsum()[cells]
    # What stands before the first row is in no row.
    cells, row = cells[row > 0], row[row > 0]
    if not cells.size:
        return None
    first, end_block = (column[cells + table + 1] for column in (containers.first_block, containers.end_block))
    columns, rows = _spans(blocks, table, cells + table + 1)
    row_starts = np.flatnonzero(np.diff(row, prepend=0))
    # Cells of pictures have no text: a header row says that they are cells of a table.
    is_filled = (end_block > first) | (np.count_nonzero(is_header[cells] & (row == row[0])) >= _FEW)
    wide_rows = np.count_nonzero(np.add.reduceat(is_filled, row_starts, dtype=np.int64) >= _FEW)
    if wide_rows < max(_FEW, (row_starts.size + 1) // 2):
        return None
    if np.add.reduceat(columns, row_starts).max() > MOST_COLUMNS:
        return None
    most = _MOST_WORDS_WITH_HEADER if is_header[cells].any() else _MOST_WORDS
    if (words_before[end_block] - words_before[first]).max() > most:
        return None
    return DataTable(
        container=table,
        first_block=int(containers.first_block[table]),
        end_block=int(containers.end_block[table]),
        first=first,
        end=end_block,
        is_header=is_header[cells],
        columns=columns,
        rows=rows,
        row_ends=np.append(row_starts[1:], cells.size).astype(np.int32),
    )


def _spans(blocks: Blocks, table: int, cells: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return how many columns and rows each cell of a table spans, given by their containers."""
    tags, elements = blocks.tags, blocks.containers.element[cells]
    columns, rows = np.ones((2, cells.size), dtype=np.int32)
    element = int(blocks.containers.element[table])
    first, last = int(tags.start[tags.opened[element]]), int(tags.start[tags.closed[element]])
    if tags.source.find(b'span="', first, last) < 0:
        return columns, rows
    starts = tags.start[tags.opened[elements]]
    for found in _SPAN.finditer(tags.source, first, last):
        cell = int(starts.searchsorted(found.start(), side="right")) - 1
        if cell >= 0 and found.start() < tags.stop[tags.opened[elements[cell]]]:
            (columns if found[1] == b"col" else rows)[cell] = min(max(int(found[2]), 1), MOST_COLUMNS)
    return columns, rows


def completed(blocks: Blocks, kept: Mask, tables: Sequence[DataTable]) -> Mask:
    """Return which blocks are kept once parts that are mostly kept are kept whole.

    A table of data is kept whole if half of its words or more are, and is dropped whole otherwise. A definition list or
    preformatted text is kept whole if two thirds of its words or more are; short preformatted text also if the blocks
    beside it are.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        What the model keeps.
    tables : sequence of DataTable
        The page's tables of data.
    """
    keys = blocks.containers.key
    if not tables and not has_key(keys, _PARTS):
        return kept
    definitions, preformatted = (keys == _DEFINITIONS).nonzero()[0], (keys == _PREFORMATTED).nonzero()[0]
    chosen = kept.copy()
    words = np.concatenate(([0], np.cumsum(blocks.measures.words)))
    kept_words = np.concatenate(([0], np.cumsum(np.where(kept, blocks.measures.words, 0))))
    first_block, end_block = blocks.containers.first_block, blocks.containers.end_block
    for table in tables:
        first, end = table.first_block, table.end_block
        chosen[first:end] = 2 * (kept_words[end] - kept_words[first]) >= words[end] - words[first]
    for part in [*definitions.tolist(), *preformatted.tolist()]:
        first, end = int(first_block[part]), int(end_block[part])
        if kept_words[end] - kept_words[first] >= _MOST * max(words[end] - words[first], 1):
            chosen[first:end] = True
    for part in preformatted.tolist():
        first, end = int(first_block[part]), int(end_block[part])
        around = [*kept[max(first - 1, 0) : first], *kept[end : end + 1]]
        if first < end and words[end] - words[first] <= _FEW_WORDS and around and all(around):
            chosen[first:end] = True
    return chosen
