"""Plain text of the kept blocks: blocks parted by blank lines, in the shape that they have on the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import has_key
from blockfeat.blocks.table import Blocks
from blockfeat.content.code import PREFORMATTED, code_parts, code_text
from blockfeat.content.raised import with_marked_scripts
from blockfeat.content.tables import DataTable
from blockfeat.content.text_writer import text_of_blocks, text_of_table

# Breaks (zero-width space, word joiner, byte-order mark), marks of direction, invisible operators.
_DROPPED = "\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
# Letters that joiners shape (Arabic to Mongolian, Indic, presentation forms, later scripts) and what emoji are made of.
_SHAPED = "\u0590-\u18af\ua800-\uabff\ufb1d-\ufdff\ufe0f\ufe70-\ufefc\u203c-\u2bff\u3030\u303d\U00010a00-\U0001faff"
_MARKS = re.compile(f"[{_DROPPED}]+")
_JOINERS = re.compile(f"(?<![{_SHAPED}])[\u200c\u200d]+|[\u200c\u200d]+(?!\\S)")
_BLANK_LINES = re.compile(r"\n{3,}")


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
        text = _JOINERS.sub("", _MARKS.sub("", text))
    return unicodedata.normalize("NFC", text)


def plain_text(blocks: Blocks, kept: NDArray[np.bool_], tables: Sequence[DataTable], *, normalise: bool = True) -> str:
    """Return the text of the kept blocks, a blank line between two of them.

    A line break of the page is one of the text; preformatted text keeps its lines (without empty ones in a row, which
    part blocks); a table of data is a line a row, its cells parted by tabs. Raised and lowered text is marked; see
    `blockfeat.content.raised`.

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
    if tables or has_key(blocks.containers.key, PREFORMATTED):
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
        shaped[part.first] = _BLANK_LINES.sub("\n\n", code_text(blocks, part))
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
