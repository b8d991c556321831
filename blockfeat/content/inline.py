"""The lines of text inside blocks: which words are bold, italic, code or links, and where images stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any
from unicodedata import is_normalized

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import sums_before
from blockfeat.blocks.table import Blocks
from blockfeat.content.links import Base, safe_target
from blockfeat.content.nodes import Image, Inline, Text
from blockfeat.content.plain import normalised
from blockfeat.content.text_writer import pieces_of_blocks
from blockfeat.page.formulas import FORMULA
from blockfeat.page.page import check_memory
from blockfeat.page.tags import name_key, name_keys

_BOLD, _ITALIC, _CODE, _RAISED, _LOWERED, _FORMULA, _LINK = 1, 2, 4, 8, 16, 32, 64
_BETWEEN = "\n\n"
_Places = dict[int, list[tuple[int, Image]]]
_BYTES_OF_BLOCK, _BYTES_OF_PIECE, _BYTES_OF_FORMULA = 700, 700, 1_000
# Of signs that become elements and references, which a parser reads again.
_BYTES_OF_BREAK, _BYTES_OF_REFERENCE = 360, 60
_SCRIPTS = {_RAISED: "sup", _LOWERED: "sub"}
_STYLES = {
    **dict.fromkeys(("b", "strong"), _BOLD),
    **dict.fromkeys(("cite", "dfn", "em", "i", "var"), _ITALIC),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), _CODE),
    "sup": _RAISED,
    "sub": _LOWERED,
    FORMULA: _FORMULA,
}
_STYLE_OF = {name_key(name): style for name, style in _STYLES.items()}
_STYLED = np.sort(name_keys(_STYLES))
# LaTeX as pages hold it for MathJax and KaTeX, and what tells it from money and from brackets in prose.
_LATEX = re.compile(
    r"(\$\$?)(?=\S)((?:[^$\\]|\\.)+?)(?<=\S)\1(?!\w)|\\\(((?:[^\\]|\\[^(])+?)\\\)|\\\[((?:[^\\]|\\[^[])+?)\\\]",
    re.DOTALL,
)
_IS_LATEX = re.compile(r"\\[a-zA-Z]|[\^_{]|\A\s*\w\s*\Z")
SOURCES = ("src", "data-src", "data-lazy-src", "data-original")
"""Where pages have the address of an image; those that load images late, not in the first."""


class Inlines:
    """Styles, links and images of the text of a page's kept blocks.

    Attributes
    ----------
    loose : dict of int to list of (int, Image)
        Images between blocks, by the block that follows, with their places in the source.
    made : int
        Bytes that the blocks and what is made of the pieces of text so far will take.
    """

    def __init__(
        self, blocks: Blocks, kept: NDArray[np.bool_], *, url: str | None, normalise: bool, links: bool, images: bool
    ) -> None:
        """Read what is in the kept blocks of a page with this address; linear in the size of the page."""
        self._size, self.normalise = len(blocks.declared.data), normalise
        rows = sums_before(kept)
        spans, base = _styled_spans(blocks, rows), Base.of(blocks.tags, url) if links or images else Base(None)
        self._targets: list[str | None] = [None]
        for element, start, end in _in_kept(blocks, rows, *blocks.anchors[:3]) if links else ():
            href = blocks.tags.attributes(element).get("href")
            target = safe_target(base.resolved(href)) if href else None
            if target is not None:
                spans.append((start, end, _LINK * len(self._targets)))
                self._targets.append(target)
        check_memory(self._size, _BYTES_OF_PIECE * len(spans), "the parts of the text")
        self._images, self.loose = _images(blocks, base) if images and len(blocks) else ({}, {})
        inside = [(place, place, 0) for found in self._images.values() for place, _ in found]
        self._cuts, self._styles = _changes([*spans, *inside])
        cuts = np.array(self._cuts, dtype=np.int32)
        self._text, firsts, (cuts_before, ends) = pieces_of_blocks(blocks, kept.nonzero()[0], cuts)
        # A number is read from a buffer several times as fast as from an array.
        self._rows, self._starts, self._firsts = rows.data, blocks.block_starts.data, firsts.data
        self._cuts_before, self._ends = cuts_before.data, ends.data
        self._looks = {style: self._look(style) for style in {*self._styles}}
        self._has_marks, is_ascii = blocks.page_text.has_marks, self._text.isascii()
        self._is_changed = normalise and not is_ascii and (self._has_marks or not is_normalized("NFC", self._text))
        self._is_simple = not self._is_changed and "$" not in self._text and "\\" not in self._text
        pieces = len(self._targets) + len(inside) + sum(map(len, self.loose.values()))
        self.made = _BYTES_OF_BLOCK * len(blocks) + _BYTES_OF_PIECE * pieces
        self.made += _BYTES_OF_BREAK * (self._text.count("\n") - 2 * self._text.count(_BETWEEN))
        self.made += _BYTES_OF_REFERENCE * sum(map(self._text.count, "&<>"))

    def of_block(self, index: int) -> Inline:
        """Return the text of a block that is kept."""
        row = self._rows[index]
        first, end = self._firsts[row], self._firsts[row + 1]
        start = self._ends[first - 1]
        start += len(_BETWEEN) if start else 0
        waiting = self._images[index][::-1] if index in self._images else []
        if end == first + 1 and self._is_simple and not waiting:
            shown = self._text[start : self._ends[first]]
            self._count(_BYTES_OF_PIECE if shown else 0)
            return (Text(shown, *self._looks[self._styles[self._cuts_before[first] - 1]]),) if shown else ()
        found: list[Text | Image] = []
        for piece in range(first, end):
            cut = self._cuts_before[piece] - 1
            while waiting and waiting[-1][0] <= max(self._cuts[cut], self._starts[index]):
                found.append(waiting.pop()[1])
            shown, start = self._text[start : self._ends[piece]], self._ends[piece]
            shown = normalised(shown, has_marks=self._has_marks) if self._is_changed else shown
            if shown:
                self._add(found, shown, self._styles[cut])
        found.extend(image for _, image in reversed(waiting))
        return tuple(found)

    def _look(self, style: int) -> tuple[Any, ...]:
        """Return how text in one style is set, where it leads, and its script."""
        bits = (style & bit != 0 for bit in (_BOLD, _ITALIC, _CODE))
        return *bits, self._targets[style // _LINK], _SCRIPTS.get(style & (_RAISED | _LOWERED), "")

    def _add(self, found: list[Text | Image], shown: str, style: int) -> None:
        """Add text in one style, and the formulas in it by themselves."""
        own, behind = self._looks[style], 0
        for latex in _LATEX.finditer(shown) if ("$" in shown or "\\" in shown) and not style & _CODE else ():
            inner = latex[latex.lastindex or 0]
            if style & _FORMULA or _IS_LATEX.search(inner):
                self._append(found, Text(shown[behind : latex.start()], *own))
                mark = "$$" if latex.group().startswith(("$$", "\\[")) else "$"
                self._append(found, Text(" ".join(inner.split()), target=own[3], formula=mark))
                behind = latex.end()
        self._append(found, Text(shown[behind:], *own))

    def _append(self, found: list[Text | Image], piece: Text) -> None:
        """Add a piece of text, to the one before it if that has the same style."""
        last = found[-1] if found else None
        if isinstance(last, Text) and not piece.formula and last[1:] == piece[1:]:
            found[-1] = piece._replace(text=last.text + piece.text)
        elif piece.text:
            found.append(piece)
            self._count(_BYTES_OF_FORMULA if piece.formula else _BYTES_OF_PIECE)

    def _count(self, made: int) -> None:
        """Count bytes that a piece takes."""
        self.made += made
        check_memory(self._size, self.made, "the parts of the text")


def _in_kept(
    blocks: Blocks, rows: NDArray[np.int32], elements: NDArray[Any], starts: NDArray[np.int32], ends: NDArray[np.int32]
) -> Iterator[tuple[int, int, int]]:
    """Return the elements that have characters of kept blocks in them, with start and end in the page's text.

    ``rows`` is how many blocks are kept before each, and of all.
    """
    first, last = (blocks.page_text.block_ends.searchsorted(*of) for of in ((starts, "right"), (ends, "left")))
    shown = (starts < ends) & (rows.take(last + 1, mode="clip") > rows[first])
    return zip(*(column[shown].tolist() for column in (elements, starts, ends)), strict=True)


def _styled_spans(blocks: Blocks, rows: NDArray[np.int32]) -> list[tuple[int, int, int]]:
    """Return start and end of the elements in kept blocks that have a style, and that style."""
    tags, places = blocks.tags, blocks.places
    elements = (_STYLED.take(_STYLED.searchsorted(tags.key), mode="clip") == tags.key).nonzero()[0]
    spans = _in_kept(blocks, rows, elements, places[tags.opened[elements]], places[tags.closed[elements]])
    return [(start, end, _STYLE_OF[int(tags.key[element])]) for element, start, end in spans]


def _changes(spans: Sequence[tuple[int, int, int]]) -> tuple[list[int], list[int]]:
    """Return the places from which on a text has another style, and that style: of links in one another the last.

    The first place is 0. Spans of the style 0, which are images, are places too.
    """
    steps = [step for start, end, style in spans for step in ((start, 1, style), (end, -1, style))]
    depths = dict.fromkeys((style for _, _, style in spans), 0)
    links, bits = [0], 0
    changes, styles = [0], [0]
    for place, group in groupby(sorted(steps), key=itemgetter(0)):
        is_image = False
        for _, step, style in group:
            is_image |= style == 0
            depths[style] += step
            if style >= _LINK and step > 0:
                links.append(style)
            elif style < _LINK and depths[style] == (step > 0):
                bits ^= style  # the outermost element begins, or has ended
        while links[-1] and not depths[links[-1]]:
            links.pop()
        now = links[-1] + bits
        if now != styles[-1] or is_image:
            styles.append(now)
            changes.append(place)
    return changes, styles


def _images(blocks: Blocks, base: Base) -> tuple[_Places, _Places]:
    """Return the images inside of blocks, and those between."""
    inside: _Places = {}
    loose: _Places = {}
    tags, size, taken = blocks.tags, len(blocks.declared.data), 0
    elements = (tags.key == name_key("img")).nonzero()[0]
    opened = tags.opened[elements]
    offsets = tags.start[opened]
    owners = blocks.first_byte.searchsorted(offsets, side="right") - 1
    is_inside = (owners >= 0) & (offsets < blocks.end_byte[owners])
    columns = (elements, owners, is_inside, np.where(is_inside, blocks.places[opened], offsets))
    for element, index, stands_inside, place in zip(*(column.tolist() for column in columns), strict=True):
        attributes = tags.attributes(element)
        given = (attributes.get(name, "").strip() for name in SOURCES)
        address = next((value for value in given if value and not value.startswith("data:")), None)
        source = safe_target(base.resolved(address)) if address else None
        if source is None or source.startswith("mailto:"):
            continue
        image = Image(source, " ".join(attributes.get("alt", "").split()))
        found, key = (inside, index) if stands_inside else (loose, index + 1)
        found.setdefault(key, []).append((place, image))
        taken += 1
        check_memory(size, _BYTES_OF_PIECE * taken, "the parts of the text")
    return inside, loose
