"""White space of a block's text, folded as a browser shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable

# White space, and control characters, which no output may hold.
_GAP = re.compile("[\\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# Wide characters of scripts that put no spaces between words: a line end in the source is no space between two of them.
_WIDE = (
    "\u2e80-\u303f\u3041-\u30ff\u3105-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6"
    "\U00020000-\U0003fffd"
)
_WIDE_BEFORE = re.compile(f"[{_WIDE}]")


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
