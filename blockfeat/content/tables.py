"""Tables of data among the blocks of a page: where they are, and which block stands in which cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import has_elements, has_key
from blockfeat.blocks.table import Blocks
from blockfeat.page.tags import Keys, name_keys

Mask = NDArray[np.bool_]

_TABLE, _ROW, _CELL, _HEADER = name_keys(["table", "tr", "td", "th"])
_TABLES = name_keys(["table"])
_NOT_DATA = name_keys(["h1", "h2", "h3", "h4", "h5", "h6", "form", "article", "section", "blockquote"])
_SPAN = re.compile(r'\s(col|row)span="\s*([0-9]{1,4})')
_MOST_COLUMNS = 64
_MOST_WORDS = 60
_MOST_WORDS_WITH_HEADER = 150

_PARTS = name_keys(["dl", "pre"])
_DEFINITIONS, _PREFORMATTED = _PARTS
_MOST = 2 / 3
_FEW_WORDS = 40


@dataclass(slots=True)
class GridCell:
    """A cell: its blocks are those from first (inclusive) to end (exclusive)."""

    first_block: int
    end_block: int
    is_header: bool
    columns: int = 1
    rows: int = 1


_EMPTY = GridCell(0, 0, False)


@dataclass(slots=True)
class DataTable:
    """A table of data: the blocks from first to end are inside it, those of no cell are its caption."""

    container: int
    first_block: int
    end_block: int
    rows: list[list[GridCell]] = field(default_factory=list)

    def grid(self) -> Iterator[list[GridCell]]:
        """Return its rows, all of the same length, with empty cells where one cell spans more."""
        width = max(sum(cell.columns for cell in row) for row in self.rows)
        # In how many of the rows below each column is taken by a cell above.
        taken = [0] * _MOST_COLUMNS
        rows = []
        for row in self.rows:
            line: list[GridCell] = []
            for cell in row:
                _skip_taken(line, taken)
                for place in range(min(cell.columns, _MOST_COLUMNS - len(line))):
                    taken[len(line)] = cell.rows - 1
                    line.append(_EMPTY if place else cell)
            _skip_taken(line, taken)
            width = max(width, len(line))
            rows.append(line)
        for line in rows:
            yield line + [_EMPTY] * (width - len(line))


def _skip_taken(line: list[GridCell], taken: list[int]) -> None:
    """Put empty cells where a cell of a row above reaches down."""
    while len(line) < _MOST_COLUMNS and taken[len(line)]:
        taken[len(line)] -= 1
        line.append(_EMPTY)


def data_tables(blocks: Blocks, kept: Mask) -> list[DataTable]:
    """Return the tables of data that hold a kept block, in order; linear in the containers inside of tables.

    A table is one of data if no other stands inside it, half of its rows or more have two cells or more, and no cell
    holds a heading, a form, or so many words that it is rather a column of a layout.
    """
    containers, tags = blocks.containers, blocks.tags
    if not has_elements(tags, _TABLES):
        return []
    elements = (tags.key == _TABLE).nonzero()[0]
    tables = containers.element.searchsorted(elements)
    # The tables that are no containers are pruned, or parts of what is.
    is_container = containers.element[np.minimum(tables, containers.element.size - 1)] == elements
    elements, tables = elements[is_container], tables[is_container]
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    holds_kept = kept_before[containers.end_block[tables]] > kept_before[containers.first_block[tables]]
    ends = containers.element.searchsorted(tags.opened.searchsorted(tags.closed[elements]))
    holds_kept[:-1] &= tables[1:] >= ends[:-1]
    if not holds_kept.any():
        return []
    keys = tags.key[containers.element]
    words_before = np.concatenate(([0], np.cumsum(blocks.measures.words)))
    read = (
        _read(blocks, keys, words_before, table, end)
        for table, end in zip(tables[holds_kept].tolist(), ends[holds_kept].tolist(), strict=True)
    )
    return [table for table in read if table is not None]


def _read(blocks: Blocks, keys: Keys, words_before: NDArray[np.int64], table: int, end: int) -> DataTable | None:
    """Read the cells of one table; None if it is a layout."""
    containers = blocks.containers
    inside = keys[table + 1 : end]
    if has_key(inside, _NOT_DATA):
        return None
    data = DataTable(table, int(containers.first_block[table]), int(containers.end_block[table]))
    has_spans = _has_spans(blocks, table)
    is_part = (inside == _CELL) | (inside == _ROW) | (inside == _HEADER)
    for place in is_part.nonzero()[0].tolist():
        container = table + 1 + place
        if inside[place] == _ROW:
            data.rows.append([])
        elif data.rows:
            data.rows[-1].append(_cell(blocks, container, bool(inside[place] == _HEADER), has_spans=has_spans))
    data.rows = [row for row in data.rows if row]
    return data if _is_data(data, words_before) else None


def _has_spans(blocks: Blocks, table: int) -> bool:
    """Return whether a cell of a table spans columns or rows."""
    tags, element = blocks.tags, int(blocks.containers.element[table])
    first, last = int(tags.start[tags.opened[element]]), int(tags.start[tags.closed[element]])
    return tags.source.find(b'span="', first, last) >= 0


def _cell(blocks: Blocks, container: int, is_header: bool, *, has_spans: bool) -> GridCell:
    """Return a cell with the columns and rows that it spans."""
    containers = blocks.containers
    if not has_spans:
        return GridCell(int(containers.first_block[container]), int(containers.end_block[container]), is_header)
    spans = {"col": 1, "row": 1}
    for direction, number in _SPAN.findall(blocks.tags.start_tag(int(containers.element[container]))):
        spans[direction] = min(max(int(number), 1), _MOST_COLUMNS)
    first, end = int(containers.first_block[container]), int(containers.end_block[container])
    return GridCell(first, end, is_header, spans["col"], spans["row"])


def _is_data(data: DataTable, words_before: NDArray[np.int64]) -> bool:
    """Return whether rows and cells are those of a table of data."""
    filled = [sum(cell.end_block > cell.first_block for cell in row) for row in data.rows]
    if sum(count >= 2 for count in filled) < max(2, (len(filled) + 1) // 2):
        return False
    if max(sum(cell.columns for cell in row) for row in data.rows) > _MOST_COLUMNS:
        return False
    has_header = any(cell.is_header for row in data.rows for cell in row)
    cells = [cell for row in data.rows for cell in row]
    words = words_before[[cell.end_block for cell in cells]] - words_before[[cell.first_block for cell in cells]]
    return bool(words.max() <= (_MOST_WORDS_WITH_HEADER if has_header else _MOST_WORDS))


def completed(blocks: Blocks, kept: Mask, tables: Sequence[DataTable]) -> Mask:
    """Return which blocks are kept once parts that are mostly kept are kept whole.

    A table of data, a definition list or preformatted text is kept whole if two thirds of its words or more are; short
    preformatted text also if the blocks beside it are.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        What the model keeps.
    tables : sequence of DataTable
        The page's tables of data.
    """
    if not tables and not has_elements(blocks.tags, _PARTS):
        return kept
    keys = blocks.tags.key[blocks.containers.element]
    definitions, preformatted = (keys == _DEFINITIONS).nonzero()[0], (keys == _PREFORMATTED).nonzero()[0]
    chosen = kept.copy()
    words = np.concatenate(([0], np.cumsum(blocks.measures.words)))
    kept_words = np.concatenate(([0], np.cumsum(np.where(kept, blocks.measures.words, 0))))
    first_block, end_block = blocks.containers.first_block, blocks.containers.end_block
    parts = [*(table.container for table in tables), *definitions.tolist(), *preformatted.tolist()]
    for part in parts:
        first, end = int(first_block[part]), int(end_block[part])
        if kept_words[end] - kept_words[first] >= _MOST * max(words[end] - words[first], 1):
            chosen[first:end] = True
    for part in preformatted.tolist():
        first, end = int(first_block[part]), int(end_block[part])
        around = [*kept[max(first - 1, 0) : first], *kept[end : end + 1]]
        if first < end and words[end] - words[first] <= _FEW_WORDS and around and all(around):
            chosen[first:end] = True
    return chosen
