"""Plain text of the kept blocks, in the shape that they have on the page, and the tables of data among them.

Blocks are separated by blank lines. Raised and lowered text (`sup`, `sub`) is shown by characters, as nothing else can
show it there.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import sums_before
from blockfeat.blocks.element_codes import DEFINITIONS, KEYS, PREFORMATTED, SCRIPTS, TABLE
from blockfeat.blocks.table import Blocks, Mask
from blockfeat.content.code import code_parts, code_text
from blockfeat.content.text_writer import MOST_COLUMNS, grid_of, text_of_blocks, text_of_table
from blockfeat.lang.characters import character_classes
from blockfeat.lang.measures import code_points
from blockfeat.page.tags import are_among, name_key, name_keys
from blockfeat.page.utf_8 import places_of

_TABLE, _ROW, _CELL, _HEADER = name_keys(["table", "tr", "td", "th"])
_NOT_DATA = name_keys(["h1", "h2", "h3", "h4", "h5", "h6", "form", "article", "section", "blockquote"])
_SPAN = re.compile(rb'\s(col|row)span="\s*([0-9]{1,4})')
_FEW = 2
MOST_WORDS, MOST_WORDS_WITH_HEADER = 60, 150
"""A cell of a table of data has at most so many words."""

_DEFINITIONS, _PREFORMATTED = name_keys(["dl", "pre"])
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
        return np.asarray((opened - closed).cumsum()[:-1] > 0)


def data_tables(blocks: Blocks, kept: Mask, known: Sequence[DataTable] = ()) -> list[DataTable]:
    """Return the tables of data that hold a kept block, in order; linear in the containers inside of tables.

    Those that are known are not read again.

    A table is one of data if no other stands inside it, half of its rows or more have two cells or more, and no cell
    holds a heading, a form, or so many words that it is rather a column of a layout.
    """
    containers, tags = blocks.containers, blocks.tags
    if not blocks.names & TABLE:
        return []
    tables = (containers.key == _TABLE).nonzero()[0]
    kept_before = sums_before(kept)
    is_chosen = kept_before[containers.end_block[tables]] > kept_before[containers.first_block[tables]]
    elements = containers.element[tables]
    closed = tags.closed[elements]
    is_chosen[:-1] &= tags.opened[elements[1:]] > closed[:-1]
    ends = containers.element.searchsorted(tags.opened.searchsorted(closed[is_chosen]))
    spans = zip(tables[is_chosen].tolist(), ends.tolist(), strict=True)
    read = {data.container: data for data in known}
    return [data for table, end in spans if (data := read.get(table) or _read(blocks, table, end))]


def _read(blocks: Blocks, table: int, end: int) -> DataTable | None:
    """Read the cells of one table; None if it is a layout."""
    containers = blocks.containers
    inside = containers.key[table + 1 : end]
    is_header = inside == _HEADER
    cells = ((inside == _CELL) | is_header).nonzero()[0]
    if cells.size < _FEW * _FEW or are_among(inside, _NOT_DATA).any():
        return None
    row = (inside == _ROW).cumsum(dtype=np.int32)[cells]
    # What stands before the first row is in no row.
    cells, row = (cells, row) if row[0] else (cells[row > 0], row[row > 0])
    numbers, is_header = cells + table + 1, is_header[cells]
    first, end_block = containers.first_block[numbers], containers.end_block[numbers]
    own_first, own_end = int(containers.first_block[table]), int(containers.end_block[table])
    words_before = sums_before(blocks.measures.words[own_first:own_end])
    most = MOST_WORDS_WITH_HEADER if is_header.any() else MOST_WORDS
    if not cells.size or (words_before[end_block - own_first] - words_before[first - own_first]).max() > most:
        return None
    begins_row = np.ones(row.size, dtype=np.bool_)
    begins_row[1:] = row[1:] != row[:-1]
    row_starts = begins_row.nonzero()[0]
    # Cells of pictures have no text: a header row says that they are cells of a table.
    is_filled = (end_block > first) | (np.count_nonzero(is_header & (row == row[0])) >= _FEW)
    wide_rows = np.count_nonzero(np.add.reduceat(is_filled, row_starts, dtype=np.int64) >= _FEW)
    if wide_rows < max(_FEW, (row_starts.size + 1) // 2):
        return None
    columns, rows = _spans(blocks, table, numbers)
    if np.add.reduceat(columns, row_starts).max() > MOST_COLUMNS:
        return None
    return DataTable(
        container=table,
        first_block=own_first,
        end_block=own_end,
        first=first,
        end=end_block,
        is_header=is_header,
        columns=columns,
        rows=rows,
        row_ends=np.array([*row_starts[1:].tolist(), cells.size], dtype=np.int32),
    )


def _spans(blocks: Blocks, table: int, cells: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return how many columns and rows each cell of a table spans, given by their containers."""
    tags, elements = blocks.tags, blocks.containers.element[cells]
    columns, rows = np.ones((2, cells.size), dtype=np.int32)
    element = int(blocks.containers.element[table])
    first, last = int(tags.start[tags.opened[element]]), int(tags.start[tags.closed[element]])
    starts = tags.start[tags.opened[elements]]
    places = places_of(b'span="', tags.source, first, last)
    for found in filter(None, (_SPAN.match(tags.source, place - 4) for place in places)):
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
    if not tables and not blocks.names & (DEFINITIONS | PREFORMATTED):
        return kept
    chosen = kept.copy()
    words = sums_before(blocks.measures.words)
    kept_words = sums_before(np.where(kept, blocks.measures.words, 0))
    for table in tables:
        first, end = table.first_block, table.end_block
        chosen[first:end] = 2 * (kept_words[end] - kept_words[first]) >= words[end] - words[first]
    parts = (keys == _DEFINITIONS) | (keys == _PREFORMATTED)
    starts, ends = blocks.containers.first_block[parts], blocks.containers.end_block[parts]
    size, around = words[ends] - words[starts], np.concatenate(([True], kept, [True]))
    is_whole = kept_words[ends] - kept_words[starts] >= _MOST * np.maximum(size, 1)
    is_between = around[starts] & around[ends + 1] & ((starts > 0) | (ends < kept.size))
    is_whole |= (keys[parts] == _PREFORMATTED) & (starts < ends) & (size <= _FEW_WORDS) & is_between
    opened, closed = (np.bincount(column[is_whole], minlength=kept.size + 1) for column in (starts, ends))
    return chosen | ((opened - closed).cumsum()[:-1] > 0)


_RAISED = name_key("sup")
_SUPERSCRIPTS = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))
# Endings of ordinal numbers and titles, which are read as letters.
_ENDINGS_IN_USE = "a as de e eme er le lle mlle mme nd o os r rd re st te ten tes th ème ère"
_ENDINGS = frozenset(_ENDINGS_IN_USE.split())
_MOST_IN_BRACES = 20
# Signs that links to a place are shown by: of a heading, and as a picture of a link.
_SIGNS = frozenset("#¶§🔗\ufe0f\uf0c1")
# Breaks (zero-width space, word joiner, byte-order mark), marks of direction, invisible operators.
_DROPPED = (*"\u061c\u180e\u200b\u200e\u200f\ufeff", *map(chr, (*range(0x202A, 0x202F), *range(0x2060, 0x2070))))
# Letters that joiners shape (Arabic to Mongolian, Indic, presentation forms, later scripts) and what emoji are made of.
_SHAPED = "\u0590-\u18af\ua800-\uabff\ufb1d-\ufdff\ufe0f\ufe70-\ufefc\u203c-\u2bff\u3030\u303d\U00010a00-\U0001faff"
_JOINERS = f"(?<![{_SHAPED}])[\u200c\u200d]+|[\u200c\u200d]+(?!\\S)"


def normalised(text: str, *, has_marks: bool = True) -> str:
    """Return a text in Unicode's normal form C, without marks that have no width.

    Dropped are zero-width spaces, word joiners, byte-order marks, marks and embeddings of direction; zero-width joiners
    and non-joiners stay where they shape letters (Persian, Indic scripts) or emoji.

    Parameters
    ----------
    text : str
        The text.
    has_marks : bool
        False where it is known to hold no such mark.
    """
    if text.isascii():
        return text
    if has_marks:
        # A pattern of a set takes several times as long as a search for each.
        for mark in _DROPPED:
            text = text.replace(mark, "")
        if "\u200c" in text or "\u200d" in text:
            text = re.sub(_JOINERS, "", text)
    return unicodedata.normalize("NFC", text)


def plain_text(blocks: Blocks, kept: NDArray[np.bool_], tables: Sequence[DataTable], *, normalise: bool = True) -> str:
    """Return the text of the kept blocks, a blank line between two of them.

    A line break of the page is one of the text; preformatted text keeps its lines (without empty ones in a row, which
    part blocks); a table of data is a line a row, its cells parted by tabs. Raised and lowered text is marked.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        Those that are kept.
    tables : sequence of DataTable
        The tables of data that hold kept blocks.
    normalise : bool
        Whether the text is brought into a normal form; see `blockfeat.content.plain.normalised`.
    """
    blocks = with_marked_scripts(blocks)
    if tables or blocks.names & PREFORMATTED:
        text = _shaped(blocks, kept, tables)
    else:
        text = text_of_blocks(blocks, kept.nonzero()[0])
    return normalised(text, has_marks=blocks.page_text.has_marks) if normalise else text


def _shaped(blocks: Blocks, kept: NDArray[np.bool_], tables: Sequence[DataTable]) -> str:
    """Return the text of the kept blocks with preformatted text and tables of data in their shape."""
    ordinary = kept.copy()
    shaped: dict[int, str] = {}
    for table in tables:
        inside = ordinary[table.first_block : table.end_block]
        is_cell = table.in_cells() & inside
        if is_cell.any():
            # All of its rows stand in the place of the first block of its cells.
            first = table.first_block + int(is_cell.argmax())
            shaped[first] = text_of_table(blocks, kept, table.first, table.end, table.grid())
            inside[is_cell] = False
    for part in code_parts(blocks, ordinary):
        shaped[part.first] = re.sub(r"\n{3,}", "\n\n", code_text(blocks, part))
        ordinary[part.first : part.end] = False
    chosen = ordinary.nonzero()[0]
    pieces = []
    behind = 0
    for index in sorted(shaped):
        place = int(chosen.searchsorted(index))
        if place > behind:
            pieces.append(text_of_blocks(blocks, chosen[behind:place]))
        pieces.append(shaped[index])
        behind = place
    pieces.append(text_of_blocks(blocks, chosen[behind:]))
    return "\n\n".join(filter(None, pieces))


def without_permalinks(blocks: Blocks) -> Blocks:
    """Return blocks with blanks in place of anchor links, whose text is only a sign such as "¶" or "#"."""
    return _rewritten(blocks, _permalinks(blocks)) if blocks.anchors.signs else blocks


def _permalinks(blocks: Blocks) -> Iterator[tuple[int, int, str]]:
    text, anchors = blocks.page_text.text, blocks.anchors
    for anchor in anchors.signs:
        start, end = int(anchors.start[anchor]), int(anchors.end[anchor])
        if _SIGNS.issuperset(text[start:end]):
            tag = blocks.tags.start_tag(int(anchors.element[anchor]))
            if "🔗" in text[start:end] or "#" in tag:
                yield start, end, " " * (end - start)


def with_marked_scripts(blocks: Blocks) -> Blocks:
    """Return blocks with raised and lowered text written so that its meaning stays, where they have any.

    Numbers and signs become characters of Unicode (10²³, H₂O), all else stands in braces behind a mark (``x^{ab}``).
    What is a link is the mark of a footnote and stands behind a blank. Endings of ordinals ("7th"), symbols, and what
    stands at the beginning of a word stay as they are, and so does preformatted text.
    """
    if not blocks.names & SCRIPTS:
        return blocks
    return replace(_rewritten(blocks, _marked_scripts(blocks)), names=blocks.names & ~SCRIPTS)


def _marked_scripts(blocks: Blocks) -> Iterator[tuple[int, int, str]]:
    tags, text, anchors = blocks.tags, blocks.page_text.text, blocks.anchors
    raised = are_among(tags.key, KEYS[SCRIPTS]).nonzero()[0]
    starts, ends = (blocks.places[column[raised]] for column in (tags.opened, tags.closed))
    # Where the anchors up to each have ended: one that begins before the end of a script reaches into it.
    reach = np.append(0, np.maximum.accumulate(anchors.end))
    is_link = reach[anchors.start.searchsorted(ends)] > starts
    for element, start, end, linked in zip(raised.data, starts.data, ends.data, is_link.tolist(), strict=True):
        if 0 < start < end and text[start - 1].strip() and text[start:end].strip():
            yield start, end, _shown(text[start:end], is_raised=tags.key[element] == _RAISED, is_link=linked)


def _outside_of_code(blocks: Blocks, spans: Iterator[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of text that stand in a block that is not preformatted."""
    in_code: Mask | None = None
    ends = blocks.page_text.block_ends
    for span in spans:
        if in_code is None:
            in_code = np.zeros(len(blocks), dtype=np.bool_)
            for part in code_parts(blocks, ~in_code):
                in_code[part.first : part.end] = True
        block = int(ends.searchsorted(span[0], side="right"))
        if block < len(blocks) and not in_code[block] and span[1] <= ends[block]:
            yield span


def _rewritten(blocks: Blocks, spans: Iterator[tuple[int, int, str]]) -> Blocks:
    """Return blocks with other text from start to end of each span; of spans in one another the outermost counts.

    Those in preformatted text do not.
    """
    text, written = blocks.page_text.text, StringIO()
    places, shifts = array("i"), array("i", [0])
    behind = 0
    for start, end, shown in _outside_of_code(blocks, spans):
        if start >= behind and shown != text[start:end]:
            written.write(text[behind:start])
            written.write(shown)
            behind = end
            places.append(end)
            shifts.append(shifts[-1] + len(shown) - (end - start))
    if not places:
        return blocks
    written.write(text[behind:])
    marked = written.getvalue()
    codes = code_points(marked)
    by_place = np.array(shifts, dtype=np.int32)
    columns = blocks.columns.copy()
    columns[:2] += by_place[np.searchsorted(places, columns[:2], side="right")]
    classes = character_classes().take(codes)
    page_text = blocks.page_text._replace(text=marked, codes=codes, classes=classes, block_ends=columns[1])
    return replace(blocks, columns=columns, page_text=page_text)


def _shown(text: str, *, is_raised: bool, is_link: bool) -> str:
    """Return what is written for raised or lowered text."""
    inner = text.strip()
    if (is_raised and inner.lower() in _ENDINGS) or not any(character.isalnum() for character in inner):
        return text
    if is_link or len(inner) > _MOST_IN_BRACES:
        return f" {text}"
    characters = _SUPERSCRIPTS if is_raised else _SUBSCRIPTS
    if all(character in characters for character in inner):
        return "".join(characters[character] for character in inner)
    return f"{'^' if is_raised else '_'}{{{inner}}}"
