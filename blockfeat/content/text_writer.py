"""The text of blocks and tables as it is shown: white space folded, blocks and cells parted.

One pass over code points; compiled (C types in ``text_writer.pxd``).
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import sums_before
from blockfeat.blocks.table import Blocks, Indices
from blockfeat.lang.characters import CONTROL, SPACE

MOST_COLUMNS = 64
"""Maximum number of columns of a data table."""

_MOST_COLUMNS = MOST_COLUMNS
_IS_GAP = SPACE | CONTROL
_NEW_LINE, _RETURN, _BLANK = (ord(character) for character in "\n\r ")
# What a gap between two words holds.
_HAS_WHITE, _HAS_RETURN, _HAS_NEW_LINE = 1, 2, 4
# Of a character in UTF-8, and so of what is written for one.
_MOST_BYTES = 4
_NEVER = 0x7FFFFFFF


def text_of_blocks(blocks: Blocks, chosen: NDArray[np.int64]) -> str:
    """Return the texts of some blocks, a blank line between two of them; those that show nothing are left out.

    White space is folded: to a newline where an element breaks the line, to nothing where only the source does so
    between two wide characters, to a blank otherwise.
    """
    return pieces_of_blocks(blocks, chosen, np.empty(0, dtype=np.int32))[0]


def pieces_of_blocks(blocks: Blocks, chosen: NDArray[np.int64], cuts: Indices) -> tuple[str, Indices, Indices]:
    """Return the texts of some blocks as `text_of_blocks` does, and the pieces that end with a block or at a cut.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    chosen : int array, n
        Those that are written, in order.
    cuts : int array
        Places in the page's text, in ascending order. A gap belongs to the piece that it begins in.

    Returns
    -------
    text : str
        The texts.
    firsts : int array, n + 1
        The first piece of each block, which begins behind the blank line; the piece before the first one is empty.
    pieces : int array, 2 × pieces
        How many cuts stand at or before the beginning of each piece, and where it ends in the text.
    """
    writer = Writer(blocks, blocks.page_text.codes.size * _MOST_BYTES)
    firsts = np.empty(chosen.size + 1, dtype=np.int32)
    pieces = np.empty((2, chosen.size + cuts.size + 1), dtype=np.int32)
    writer.write_blocks(chosen, cuts, firsts, pieces)
    return writer.text(), firsts, pieces[:, : writer.piece]


def text_of_table(blocks: Blocks, kept: NDArray[np.bool_], first: Indices, end: Indices, grid: Indices) -> str:
    """Return the text of a table, a line for each row that shows something, its cells parted by tabs.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that are shown.
    first, end : int array, one for each cell
        The blocks of each cell are those from first (inclusive) to end (exclusive).
    grid : int array, rows × columns
        The cell that is shown in each place, -1 for none; see `grid_of`.
    """
    start, stop = int(first.min()), int(end.max())
    number = sums_before(kept[start:stop])
    text, _, (_, ends) = pieces_of_blocks(blocks, start + kept[start:stop].nonzero()[0], np.empty(0, dtype=np.int32))
    spans, written = (number[first - start].data, number[end - start].data, ends.data), StringIO()
    # A row at a time: the texts of all cells would take ten times as much memory.
    for cells in grid:
        row = "\t".join([_text_of_cell(text, *spans, cell) if cell >= 0 else "" for cell in cells.tolist()])
        if row.strip("\t"):
            written.write(f"\n{row}")
    return written.getvalue()[1:]


def _text_of_cell(text: str, first: Sequence[int], behind: Sequence[int], ends: Sequence[int], cell: int) -> str:
    """Return the texts of the blocks of a cell in one line, given the first and last of each cell and their ends."""
    parts = [text[ends[block] : ends[block + 1]].strip("\n") for block in range(first[cell], behind[cell])]
    return " ".join(filter(None, parts)).replace("\n", " ")


class Writer:
    """Writes texts of blocks, one behind the other, in UTF-8."""

    def __init__(self, blocks: Blocks, room: int) -> None:
        """Allocate a buffer of ``room`` bytes."""
        page = blocks.page_text
        columns: cython.const[cython.int][:, ::1] = blocks.columns
        self.codes, self.classes, self.starts, self.ends = page.codes.data, page.classes, columns[0], columns[1]
        self.has_wide = blocks.measures.has_unspaced
        self.written = np.empty(room, dtype=np.uint8)
        self.out = self.written
        self.size = self.characters = self.piece = self.cut = 0
        self.next_cut = _NEVER

    def text(self) -> str:
        """Return what was written."""
        return str(self.written[: self.size].data, "utf-8")

    def write_blocks(
        self,
        chosen: cython.const[cython.longlong][::1],
        cuts: cython.const[cython.int][::1],
        firsts: cython.int[::1],
        pieces: cython.int[:, ::1],
    ) -> cython.int:
        """Write the texts of blocks, a blank line between two of them; note the first piece of each."""
        number: cython.Py_ssize_t
        before: cython.Py_ssize_t
        characters: cython.int
        self.cuts, self.pieces = cuts, pieces
        for number in range(chosen.shape[0]):
            self._end_piece(self.starts[chosen[number]])
            firsts[number] = self.piece
            before, characters = self.size, self.characters
            if before:
                self._put(_NEW_LINE)
                self._put(_NEW_LINE)
            if not self._write_block(chosen[number]):
                self.size, self.characters = before, characters
        self._end_piece(0)
        firsts[chosen.shape[0]] = self.piece
        return 0

    def _end_piece(self, place: cython.int) -> cython.int:
        """Note the end of a piece; the next one begins at a place."""
        self.pieces[0, self.piece] = self.cut
        self.pieces[1, self.piece] = self.characters
        self.piece += 1
        while self.cut < self.cuts.shape[0] and self.cuts[self.cut] <= place:
            self.cut += 1
        self.next_cut = self.cuts[self.cut] if self.cut < self.cuts.shape[0] else _NEVER
        return 0

    def _write_block(self, block: cython.Py_ssize_t) -> cython.bint:
        """Write the text of a block; return whether it shows something."""
        place: cython.int
        code: cython.uint
        before: cython.uint = 0
        gap: cython.int = 0
        for place in range(self.starts[block], self.ends[block]):
            code = self.codes[place]
            # Zero-width space, word joiner and byte-order mark part words, but are no white space.
            if self.classes[place] & _IS_GAP and code not in (0x200B, 0x2060, 0xFEFF):
                if not gap and self.next_cut <= place:
                    self._end_piece(place)
                gap |= _HAS_NEW_LINE if code == _NEW_LINE else _HAS_RETURN if code == _RETURN else _HAS_WHITE
                continue
            if gap and before:
                if gap & _HAS_NEW_LINE:
                    self._put(_NEW_LINE)
                elif not (gap & _HAS_RETURN and self.has_wide and is_wide(before) and is_wide(code)):
                    self._put(_BLANK)
            gap = 0
            if self.next_cut <= place:
                self._end_piece(place)
            self._put(code)
            before = code
        return before != 0

    def _put(self, code: cython.uint) -> cython.int:
        """Write a character in UTF-8."""
        self.characters += 1
        if code >= 0x80:
            if code < 0x800:
                self._put_byte(0xC0 | code >> 6)
            else:
                if code < 0x10000:
                    self._put_byte(0xE0 | code >> 12)
                else:
                    self._put_byte(0xF0 | code >> 18)
                    self._put_byte(0x80 | code >> 12 & 0x3F)
                self._put_byte(0x80 | code >> 6 & 0x3F)
            code = 0x80 | code & 0x3F
        return self._put_byte(code)

    def _put_byte(self, byte: cython.uint) -> cython.int:
        self.out[self.size] = byte
        self.size += 1
        return 0


def is_wide(code: cython.uint) -> cython.bint:
    """Return whether a character is a wide one of a script without spaces between words.

    A line end in the source is no space between two of them.
    """
    if code < 0x2E80:
        return False
    return (
        code <= 0x303F
        or 0x3041 <= code <= 0x30FF
        or 0x3105 <= code <= 0x312F
        or 0x31A0 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFF01 <= code <= 0xFF60
        or 0xFFE0 <= code <= 0xFFE6
        or 0x20000 <= code <= 0x3FFFD
    )


def grid_of(columns: Indices, rows: Indices, row_ends: Indices) -> Indices:
    """Return the cell in each place of a table, -1 where a cell beside or above it spans more, or none is there.

    Parameters
    ----------
    columns, rows : int array, one for each cell
        How many columns and rows the cell spans, at least 1.
    row_ends : int array, one for each row
        Number of the cell behind each row's last one.
    """
    none = np.empty((0, 0), dtype=np.int32)
    width = _place_cells(columns.data, rows.data, row_ends.data, none.data)
    grid = np.full((row_ends.size, width), -1, dtype=np.int32)
    _place_cells(columns.data, rows.data, row_ends.data, grid.data)
    return grid


def _place_cells(
    columns: cython.const[cython.int][::1],
    rows: cython.const[cython.int][::1],
    row_ends: cython.const[cython.int][::1],
    grid: cython.int[:, ::1],
) -> cython.int:
    """Write each cell into a grid, unless that is empty; return the number of columns."""
    # In how many of the rows below each column is taken by a cell above.
    taken: cython.int[::1] = np.zeros(MOST_COLUMNS, dtype=np.int32).data
    row: cython.Py_ssize_t
    cell: cython.int = 0
    column: cython.int
    stop: cython.int
    width: cython.int = 0
    is_written: cython.bint = grid.shape[0] > 0
    for row in range(row_ends.shape[0]):
        column = _first_free(taken, 0)
        while cell < row_ends[row]:
            if is_written and column < _MOST_COLUMNS:
                grid[row, column] = cell
            stop = min(column + columns[cell], _MOST_COLUMNS)
            while column < stop:
                taken[column] = rows[cell] - 1
                column += 1
            column = _first_free(taken, column)
            cell += 1
        width = max(width, column)
    return width


def _first_free(taken: cython.int[::1], column: cython.int) -> cython.int:
    """Return the first column from here on that no cell above takes; count the row for those that are."""
    while column < _MOST_COLUMNS and taken[column]:
        taken[column] -= 1
        column += 1
    return column
