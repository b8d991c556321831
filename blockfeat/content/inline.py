"""The lines of text inside blocks: which words are bold, italic, code or links, and where images stand."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content.links import Base, safe_target
from blockfeat.content.nodes import Image, Inline, Text
from blockfeat.content.plain import normalised
from blockfeat.content.text_writer import is_wide
from blockfeat.page.formulas import FORMULA
from blockfeat.page.page import check_memory
from blockfeat.page.tags import name_key, name_keys

_BOLD, _ITALIC, _CODE, _RAISED, _LOWERED, _FORMULA, _LINK = 1, 2, 4, 8, 16, 32, 64
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
# White space, and control characters, which no output may hold: all gaps but one blank.
_GAP = re.compile("[{0}](?:(?<! )[{0}]*|[{0}]+)".format("\\s\x00-\x1f\x7f-\x9f\ud800-\udfff"))
# Stands in place of what is left out, so that all else stays where it is: gaps hold every such character of the page.
_PAD = "\x00"
SOURCES = ("src", "data-src", "data-lazy-src", "data-original")
"""Where pages have the address of an image; those that load images late, not in the first."""


@dataclass
class Inlines:
    """Styles, links and images of the text of a page's kept blocks.

    Attributes
    ----------
    blocks : Blocks
        The page's blocks.
    normalise : bool
        Whether text is brought into a normal form.
    changes : list of int
        The places in the page's text from which on it has another style; the first is 0.
    styles : list of int, one for each change
        Bits for bold, italic, code, raised, lowered and formulas, and above them the number of the link, from 1.
    targets : list of str or None
        The targets of the links.
    images : dict of int to list of (int, Image)
        The images by the block that they stand in, with their places in the page's text.
    loose : dict of int to list of (int, Image)
        Images between blocks, by the block that follows, with their places in the source.
    made : int
        Bytes that the blocks and what is made of the pieces of text so far will take.
    """

    blocks: Blocks
    normalise: bool
    changes: list[int]
    styles: list[int]
    targets: list[str | None]
    images: _Places
    loose: _Places
    made: int

    def __post_init__(self) -> None:
        """Find where the blocks begin and end; a number is read from a buffer several times as fast as an array."""
        self.starts, self.ends = self.blocks.block_starts.data, self.blocks.page_text.block_ends.data

    @classmethod
    def of(
        cls, blocks: Blocks, kept: NDArray[np.bool_], *, url: str | None, normalise: bool, links: bool, images: bool
    ) -> Inlines:
        """Read what is in the kept blocks of a page with this address; linear in the size of the page."""
        spans = _styled_spans(blocks, kept)
        base = Base.of(blocks.tags, url) if links or images else Base(None)
        targets: list[str | None] = [None]
        anchors = blocks.anchors
        shown = _in_kept(blocks, kept, anchors.start, anchors.end) & links
        columns = (column[shown].tolist() for column in (anchors.element, anchors.start, anchors.end))
        for element, start, end in zip(*columns, strict=True):
            href = blocks.tags.attributes(element).get("href")
            target = safe_target(base.resolved(href)) if href else None
            if target is not None:
                spans.append((start, end, _LINK * len(targets)))
                targets.append(target)
        check_memory(len(blocks.declared.data), _BYTES_OF_PIECE * len(spans), "the parts of the text")
        inside, loose = _images(blocks, base) if images else ({}, {})
        beside = len(targets) + sum(map(len, (*inside.values(), *loose.values())))
        made = _BYTES_OF_BLOCK * len(blocks) + _BYTES_OF_PIECE * beside
        return cls(blocks, normalise, *_changes(spans), targets, inside, loose, made)

    def of_block(self, index: int) -> Inline:
        """Return the text of one block."""
        start, end = self.starts[index], self.ends[index] - 1
        text = self._shown(start, end)
        self.made += _BYTES_OF_BREAK * text.count("\n")
        self.made += _BYTES_OF_REFERENCE * (text.count("&") + text.count("<") + text.count(">"))
        waiting = self.images.get(index, [])[::-1]
        number = bisect_right(self.changes, start)
        changes = self.changes[number : bisect_left(self.changes, end, number)]
        places = (min(max(place, start), end) for place, _ in waiting)
        cuts = sorted({start, *changes, *places}) if changes or waiting else [start]
        found: list[Text | Image] = []
        for first, behind in zip(cuts, [*cuts[1:], end], strict=True):
            while waiting and waiting[-1][0] <= first:
                found.append(waiting.pop()[1])
            shown = text[first - start : behind - start].replace(_PAD, "")
            shown = normalised(shown, has_marks=self.blocks.page_text.has_marks) if self.normalise else shown
            if shown:
                self._add(found, shown, self.styles[bisect_right(self.changes, first) - 1])
        found.extend(image for _, image in reversed(waiting))
        return tuple(found)

    def _shown(self, start: int, end: int) -> str:
        """Return a part of the page's text, each gap as the page shows it and filled up to its length behind that."""
        raw, measures = self.blocks.page_text.text[start:end], self.blocks.measures
        if "\r" in raw and not measures.has_unspaced:
            raw = raw.replace("\r", " ")
        inner = raw.strip()
        if measures.has_controls or " ".join(inner.split()) != inner:
            inner = _GAP.sub(_shown_gap, inner)
        return inner if len(inner) == len(raw) else inner.rjust(len(raw.rstrip()), _PAD).ljust(len(raw), _PAD)

    def _add(self, found: list[Text | Image], shown: str, style: int) -> None:
        """Add text in one style, and the formulas in it by themselves."""
        script = _SCRIPTS.get(style & (_RAISED | _LOWERED), "")
        target, is_code = self.targets[style // _LINK], bool(style & _CODE)
        own = (bool(style & _BOLD), bool(style & _ITALIC), is_code, target, script)
        behind = 0
        for latex in () if is_code or not ("$" in shown or "\\" in shown) else _LATEX.finditer(shown):
            inner = latex[latex.lastindex or 0]
            if style & _FORMULA or _IS_LATEX.search(inner):
                self._append(found, Text(shown[behind : latex.start()], *own))
                mark = "$$" if latex.group().startswith(("$$", "\\[")) else "$"
                self._append(found, Text(" ".join(inner.split()), target=target, formula=mark))
                behind = latex.end()
        self._append(found, Text(shown[behind:], *own))

    def _append(self, found: list[Text | Image], piece: Text) -> None:
        """Add a piece of text, to the one before it if that has the same style."""
        last = found[-1] if found else None
        if isinstance(last, Text) and not piece.formula and last.style == piece.style:
            found[-1] = replace(piece, text=last.text + piece.text)
        elif piece.text:
            found.append(piece)
            self.made += _BYTES_OF_FORMULA if piece.formula else _BYTES_OF_PIECE
            check_memory(len(self.blocks.declared.data), self.made, "the parts of the text")


def _shown_gap(gap: re.Match[str]) -> str:
    """Return what a gap between words of a block is on the page, filled up to its length.

    That is a newline where an element breaks the line, nothing where only the source does so between two wide
    characters, and at both ends of the text; a blank otherwise.
    """
    (start, end), raw, white = gap.span(), gap.string, gap.group()
    if start == 0 or end == len(raw):
        shown = ""
    elif "\n" in white:
        shown = "\n"
    elif "\r" in white and is_wide(ord(raw[start - 1])) and is_wide(ord(raw[end])):
        shown = ""
    else:
        shown = " "
    return shown.ljust(end - start, _PAD)


def _in_kept(
    blocks: Blocks, kept: NDArray[np.bool_], starts: NDArray[np.int32], ends: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return which parts of the page's text, from start to end each, have characters of kept blocks in them."""
    kept_before = np.concatenate(([0], kept.cumsum(), kept.sum(keepdims=True)))
    first, last = (blocks.page_text.block_ends.searchsorted(*of) for of in ((starts, "right"), (ends, "left")))
    return (starts < ends) & (kept_before[last + 1] > kept_before[first])


def _styled_spans(blocks: Blocks, kept: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Return start and end of the elements in kept blocks that have a style, and that style."""
    tags, places = blocks.tags, blocks.places
    elements = (_STYLED.take(_STYLED.searchsorted(tags.key), mode="clip") == tags.key).nonzero()[0]
    starts, ends = places[tags.opened[elements]], places[tags.closed[elements]]
    shown = _in_kept(blocks, kept, starts, ends)
    styles = map(_STYLE_OF.__getitem__, tags.key[elements[shown]].tolist())
    return list(zip(starts[shown].tolist(), ends[shown].tolist(), styles, strict=True))


def _changes(spans: Sequence[tuple[int, int, int]]) -> tuple[list[int], list[int]]:
    """Return the places from which on a text has another style, and that style: of links in one another the last."""
    steps = [step for start, end, style in spans for step in ((start, 1, style), (end, -1, style))]
    depths: Counter[int] = Counter()
    links, bits = [0], 0
    changes, styles = [0], [0]
    for place, group in groupby(sorted(steps), key=itemgetter(0)):
        for _, step, style in group:
            depths[style] += step
            if style >= _LINK and step > 0:
                links.append(style)
            elif style < _LINK and depths[style] == (step > 0):
                bits ^= style  # the outermost element begins, or has ended
        while links[-1] and not depths[links[-1]]:
            links.pop()
        now = links[-1] + bits
        if now != styles[-1]:
            styles.append(now)
            changes.append(place)
    return changes, styles


def _images(blocks: Blocks, base: Base) -> tuple[_Places, _Places]:
    """Return the images inside of blocks, and those between."""
    inside: _Places = {}
    loose: _Places = {}
    tags = blocks.tags
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
    return inside, loose
