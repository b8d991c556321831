"""The lines of text inside blocks: which words are bold, italic, code or links, and where images stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content.links import Base, safe_target
from blockfeat.content.nodes import Image, Inline, Text
from blockfeat.content.plain import normalised
from blockfeat.content.text_writer import is_wide
from blockfeat.page.formulas import FORMULA
from blockfeat.page.tags import Keys, name_key, name_keys

_BOLD, _ITALIC, _CODE, _RAISED, _LOWERED, _FORMULA, _LINK = 1, 2, 4, 8, 16, 32, 64
_SCRIPTS = {_RAISED: "sup", _LOWERED: "sub"}
_STYLES = (
    (_BOLD, name_keys(["b", "strong"])),
    (_ITALIC, name_keys(["cite", "dfn", "em", "i", "var"])),
    (_CODE, name_keys(["code", "kbd", "samp", "tt"])),
    (_RAISED, name_keys(["sup"])),
    (_LOWERED, name_keys(["sub"])),
    (_FORMULA, name_keys([FORMULA])),
)
# LaTeX as pages hold it for MathJax and KaTeX, and what tells it from money and from brackets in prose.
_LATEX = re.compile(
    r"(\$\$?)(?=\S)((?:[^$\\]|\\.)+?)(?<=\S)\1(?!\w)|\\\(((?:[^\\]|\\[^(])+?)\\\)|\\\[((?:[^\\]|\\[^[])+?)\\\]",
    re.DOTALL,
)
_IS_LATEX = re.compile(r"\\[a-zA-Z]|[\^_{]|\A\s*\w\s*\Z")
# White space, and control characters, which no output may hold.
_GAP = re.compile("[\\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
SOURCES = ("src", "data-src", "data-lazy-src", "data-original")
"""Where pages have the address of an image; those that load images late, not in the first."""


@dataclass(frozen=True)
class Inlines:
    """Styles, links and images of a page's text.

    Attributes
    ----------
    blocks : Blocks
        The page's blocks.
    base : Base
        What the page's relative addresses refer to.
    normalise : bool
        Whether text is brought into a normal form.
    styles : int array, one for each character of the page's text
        Bits for bold, italic, code, raised, lowered and formulas, and above them the number of the link, from 1.
    targets : list of str or None
        The targets of the links.
    images : dict of int to list of (int, Image)
        The images by the block that they stand in, with their places in the page's text.
    loose : dict of int to list of (int, Image)
        Images between blocks, by the block that follows, with their places in the source.
    """

    blocks: Blocks
    base: Base
    normalise: bool
    styles: NDArray[np.int32]
    targets: list[str | None]
    images: dict[int, list[tuple[int, Image]]]
    loose: dict[int, list[tuple[int, Image]]]

    @classmethod
    def of(cls, blocks: Blocks, *, base: Base, normalise: bool, images: bool) -> Inlines:
        """Read a page; linear in its size."""
        styles = np.zeros(len(blocks.page_text.text) + 1, dtype=np.int32)
        for bit, keys in _STYLES:
            styles |= bit * _covered(blocks, keys)
        targets: list[str | None] = [None]
        for element, start, end in zip(
            blocks.anchors.element.tolist(), blocks.anchors.start.tolist(), blocks.anchors.end.tolist(), strict=True
        ):
            href = blocks.tags.attributes(element).get("href") if end > start else None
            target = safe_target(base.resolved(href)) if href else None
            if target is not None:
                styles[start:end] = styles[start:end] % _LINK + _LINK * len(targets)
                targets.append(target)
        inside, loose = _images(blocks, base) if images else ({}, {})
        return cls(blocks, base, normalise, styles, targets, inside, loose)

    def of_block(self, index: int) -> Inline:
        """Return the text of one block."""
        start, end = int(self.blocks.block_starts[index]), int(self.blocks.page_text.block_ends[index]) - 1
        gaps = gaps_of(self.blocks.page_text.text[start:end])
        images = self.images.get(index, [])
        styles = self.styles[start:end]
        cuts = {0, end - start, *(1 + (styles[1:] != styles[:-1]).nonzero()[0]).tolist()}
        cuts |= {min(max(place - start, 0), end - start) for place, _ in images}
        found: list[Text | Image] = []
        waiting = images[::-1]
        ordered = sorted(cuts)
        for first, behind in zip(ordered, [*ordered[1:], end - start], strict=True):
            while waiting and waiting[-1][0] - start <= first:
                found.append(waiting.pop()[1])
            if behind > first:
                self._add(found, self._shown(start, first, behind, gaps), int(styles[first]))
        found.extend(image for _, image in reversed(waiting))
        return tuple(found)

    def _shown(self, start: int, first: int, behind: int, gaps: list[tuple[int, int, str]]) -> str:
        """Return a part of a block's text with its gaps as the page shows them; a gap belongs where it begins."""
        text = self.blocks.page_text.text
        pieces: list[str] = []
        number = bisect_right(gaps, first, key=lambda gap: gap[1])
        place = first
        while number < len(gaps) and gaps[number][0] < behind:
            gap_start, gap_end, shown = gaps[number]
            pieces.append(text[start + place : start + max(gap_start, place)])
            if gap_start >= first:
                pieces.append(shown)
            place = gap_end
            number += 1
        pieces.append(text[start + place : start + behind])
        shown = "".join(pieces)
        return normalised(shown, has_marks=self.blocks.page_text.has_marks) if self.normalise else shown

    def _add(self, found: list[Text | Image], shown: str, style: int) -> None:
        """Add text in one style, and the formulas in it by themselves."""
        piece = Text(
            shown,
            bold=bool(style & _BOLD),
            italic=bool(style & _ITALIC),
            code=bool(style & _CODE),
            target=self.targets[style // _LINK],
            script=_SCRIPTS.get(style & (_RAISED | _LOWERED), ""),
        )
        behind = 0
        for latex in () if piece.code else _LATEX.finditer(shown):
            inner = latex[latex.lastindex or 0]
            if style & _FORMULA or _IS_LATEX.search(inner):
                _append(found, replace(piece, text=shown[behind : latex.start()]))
                mark = "$$" if latex.group().startswith(("$$", "\\[")) else "$"
                found.append(Text(" ".join(inner.split()), target=piece.target, formula=mark))
                behind = latex.end()
        _append(found, replace(piece, text=shown[behind:]))


def _append(found: list[Text | Image], piece: Text) -> None:
    """Add a piece of text, to the one before it if that has the same style."""
    last = found[-1] if found else None
    if isinstance(last, Text) and replace(last, text=piece.text) == piece:
        found[-1] = replace(piece, text=last.text + piece.text)
    elif piece.text:
        found.append(piece)


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
        elif "\r" in white and is_wide(ord(raw[start - 1])) and is_wide(ord(raw[end])):
            shown = ""
        else:
            shown = " "
        gaps.append((start, end, shown))
    return gaps


def _covered(blocks: Blocks, keys: Keys) -> NDArray[np.bool_]:
    """Return which characters of the page's text stand inside an element of these names."""
    elements = np.isin(blocks.tags.key, keys).nonzero()[0]
    change = np.zeros(len(blocks.page_text.text) + 1, dtype=np.int32)
    np.add.at(change, blocks.places[blocks.tags.opened[elements]], 1)
    np.add.at(change, blocks.places[blocks.tags.closed[elements]], -1)
    return np.cumsum(change) > 0


def _images(
    blocks: Blocks, base: Base
) -> tuple[dict[int, list[tuple[int, Image]]], dict[int, list[tuple[int, Image]]]]:
    """Return the images inside of blocks, and those between."""
    inside: dict[int, list[tuple[int, Image]]] = {}
    loose: dict[int, list[tuple[int, Image]]] = {}
    for element in (blocks.tags.key == name_key("img")).nonzero()[0].tolist():
        attributes = blocks.tags.attributes(element)
        given = (attributes.get(name, "").strip() for name in SOURCES)
        address = next((value for value in given if value and not value.startswith("data:")), None)
        source = safe_target(base.resolved(address)) if address else None
        if source is None or source.startswith("mailto:"):
            continue
        image = Image(source, " ".join(attributes.get("alt", "").split()))
        tag = int(blocks.tags.opened[element])
        byte = int(blocks.tags.start[tag])
        index = int(blocks.first_byte.searchsorted(byte, side="right")) - 1
        if index >= 0 and byte < blocks.end_byte[index]:
            inside.setdefault(index, []).append((int(blocks.places[tag]), image))
        else:
            loose.setdefault(index + 1, []).append((byte, image))
    return inside, loose
