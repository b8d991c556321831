"""Plain text of the kept blocks: blocks parted by blank lines, in the shape that they have on the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import has_elements
from blockfeat.blocks.table import Blocks
from blockfeat.content.tables import DataTable
from blockfeat.page.tags import name_keys

# White space, and control characters, which no output may hold.
_GAP = re.compile("[\\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# Wide characters of scripts that put no spaces between words: a line end in the source is no space between two of them.
_WIDE = (
    "\u2e80-\u303f\u3041-\u30ff\u3105-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6"
    "\U00020000-\U0003fffd"
)
_WIDE_BEFORE = re.compile(f"[{_WIDE}]")

# Breaks (zero-width space, word joiner, byte-order mark), marks of direction, invisible operators.
_DROPPED = "\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
# Letters that joiners shape (Arabic to Mongolian, Indic, presentation forms, later scripts) and what emoji are made of.
_SHAPED = "\u0590-\u18af\ua800-\uabff\ufb1d-\ufdff\ufe0f\ufe70-\ufefc\u203c-\u2bff\u3030\u303d\U00010a00-\U0001faff"
_MARKS = re.compile(f"[{_DROPPED}]+")
_JOINERS = re.compile(f"(?<![{_SHAPED}])[\u200c\u200d]+|[\u200c\u200d]+(?!\\S)")
_PREFORMATTED = name_keys(["listing", "pre", "xmp"])
_BLANK_LINES = re.compile(r"\n{3,}")


def gaps_of(raw: str) -> list[tuple[int, int, str]]:
    """Return where each gap between words stands in the raw text of a block, and what it is on the page.

    That is a newline where an element breaks the line, nothing where only the source does so between two wide
    characters, and at both ends of the text; a blank otherwise.
    """
    gaps = []
    for gap in _GAP.finditer(raw):
        start, end = gap.span()
        white = gap.group()
        if start == 0 or end == len(raw):
            shown = ""
        elif "\n" in white:
            shown = "\n"
        elif "\r" in white and _WIDE_BEFORE.match(raw[start - 1]) and _WIDE_BEFORE.match(raw[end]):
            shown = ""
        else:
            shown = " "
        gaps.append((start, end, shown))
    return gaps


def shown_texts(raw: Iterable[str], *, has_controls: bool, has_wide: bool) -> list[str]:
    """Return the raw texts of blocks with their gaps as the page shows them.

    Parameters
    ----------
    raw : iterable of str
        Texts as the walk over the page has written them.
    has_controls, has_wide : bool
        Whether there may be control characters and words of scripts without spaces in them; it takes longer then.
    """
    if has_controls:
        raw = [_CONTROL.sub(" ", text) for text in raw]
    if has_wide:
        return [folded(text) if "\r" in text and not text.isascii() else _shown(text) for text in raw]
    return [_shown(text) for text in raw]


def _shown(raw: str) -> str:
    return _lines(raw) if "\n" in raw else _line(raw)


def _line(raw: str) -> str:
    """Return a text with single blanks."""
    line = raw.replace("\r", " ")
    # Of white space only the blank is printable. Most texts are as they should be, which is faster found out than made.
    if "  " not in line and line.isprintable():
        return line.strip(" ")
    return " ".join(raw.split())


def _lines(raw: str) -> str:
    """Return a text with single blanks, and newlines where there are some."""
    lines = map(_line, raw.split("\n"))
    return "\n".join(line for line in lines if line)


def folded(raw: str) -> str:
    """Return the raw text of a block with its gaps as the page shows them."""
    pieces: list[str] = []
    behind = 0
    for start, end, shown in gaps_of(raw):
        pieces += (raw[behind:start], shown)
        behind = end
    pieces.append(raw[behind:])
    return "".join(pieces)


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
        Whether the text is brought into a normal form; see `blockfeat.content.plain.normalised`.
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
            texts[index] = _BLANK_LINES.sub("\n\n", blocks.preformatted_text(index))
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
