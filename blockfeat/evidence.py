"""Evidence: each block of an extraction with its place, kind, links, measures and the reason of its verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat.blocks.block import Block, Link
from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import MeasuredPage
from blockfeat.models.threshold import ThresholdModel
from blockfeat.page import Page

__all__ = ["Evidence"]

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ITEMS = frozenset({"li", "dd", "dt"})
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_CELLS = frozenset({"td", "th"})
_CAPTIONS = frozenset({"figcaption", "caption"})


@dataclass(frozen=True)
class Evidence:
    """Makes the blocks of one extraction when they are asked for."""

    page: Page
    measured: MeasuredPage
    model: ThresholdModel
    scores: NDArray[np.float64]
    kept: NDArray[np.bool_]

    def __call__(self) -> tuple[Block, ...]:
        """Return every block of the page."""
        blocks = self.measured.blocks
        paths = xpaths(self.page, blocks)
        links = _links_by_block(blocks)
        margins = self.model.feature_margins(self.measured.matrix, self.measured.lang)
        thresholds = self.model.thresholds_for(self.measured.lang)
        names = [feature.name for feature in self.model.features]
        made = []
        for index in range(len(blocks)):
            kind, level, ordered = _kind(blocks.ancestors(index))
            failed = tuple(name for name, margin in zip(names, margins[index], strict=True) if margin < 0)
            values = dict(zip(names, self.measured.matrix[index].tolist(), strict=True))
            text = blocks.raw_text(index).strip("\n") if kind == "preformatted" else blocks.text(index)
            made.append(
                Block(
                    index=index,
                    text=text,
                    words=int(blocks.measures.words[index]),
                    xpath=paths[int(blocks.container[index])],
                    kind=kind,
                    level=level,
                    ordered=ordered,
                    links=() if kind == "preformatted" else _links_in(blocks, index, links.get(index, [])),
                    kept=bool(self.kept[index]),
                    score=float(self.scores[index]),
                    features=values,
                    failed=failed,
                    reason=self._reason(bool(self.kept[index]), failed, values, thresholds.tolist()),
                )
            )
        return tuple(made)

    def _reason(self, kept: bool, failed: tuple[str, ...], values: dict[str, float], thresholds: list[float]) -> str:
        """Say in one sentence why a block was kept or dropped."""
        told = "; ".join(
            f"{feature.title} {values[feature.name]:.2f} is {'below' if feature.sign > 0 else 'above'} {limit:.2f}"
            for feature, limit in zip(self.model.features, thresholds, strict=True)
            if feature.name in failed
        )
        if kept:
            return "kept: all thresholds hold" if not failed else f"kept: inside the best run, though {told}"
        return f"dropped: {told}" if failed else "dropped: all thresholds hold, but outside the best run"


def xpaths(page: Page, blocks: Blocks) -> list[str]:
    """Return the path of every container; linear in the size of the page."""
    wanted = set(blocks.containers.elements)
    found: dict[etree._Element, str] = {}
    if page.root is None:
        return []
    steps: dict[etree._Element, str] = {page.root: f"/{page.root.tag}"}
    for parent in page.root.iter(etree.Element):
        numbers: Counter[str] = Counter()
        for child in parent.iterchildren(etree.Element):
            numbers[child.tag] += 1
            steps[child] = f"{child.tag}[{numbers[child.tag]}]"
    for element in blocks.containers.elements:
        around = element.getparent()
        while around is not None and around not in wanted:
            around = around.getparent()
        path = [steps[element]]
        between = element.getparent()
        while between is not None and between is not around:
            path.append(steps[between])
            between = between.getparent()
        prefix = found[around] + "/" if around is not None else ""
        found[element] = prefix + "/".join(reversed(path))
    return [found[element] for element in blocks.containers.elements]


def _kind(ancestors: list[etree._Element]) -> tuple[str, int, bool]:
    """Kind, level and whether numbered, by the innermost ancestor that says something."""
    for place, element in enumerate(ancestors):
        tag = element.tag
        if tag in _HEADINGS:
            return "heading", _HEADINGS[tag], False
        if tag in _ITEMS:
            lists = [outer.tag for outer in ancestors[place:] if outer.tag in _LISTS]
            return "list_item", max(1, len(lists)), bool(lists) and lists[0] == "ol"
        if tag in ("pre", "listing", "xmp"):
            return "preformatted", 0, False
        if tag == "blockquote":
            return "quote", 0, False
        if tag in _CAPTIONS:
            return "caption", 0, False
        if tag in _CELLS:
            return "table_cell", 0, False
    return "paragraph", 0, False


def _links_by_block(blocks: Blocks) -> dict[int, list[int]]:
    """Anchors with an href by the block that they start in."""
    anchors = blocks.anchors
    owners = np.searchsorted(blocks.end_piece, anchors.first_piece, side="right")
    links: dict[int, list[int]] = {}
    for anchor, owner in enumerate(owners.tolist()):
        if owner < len(blocks) and anchors.elements[anchor].get("href"):
            links.setdefault(owner, []).append(anchor)
    return links


def _links_in(blocks: Blocks, index: int, anchors: list[int]) -> tuple[Link, ...]:
    """Places of the anchors of one block in its folded text."""
    if not anchors:
        return ()
    first, end = int(blocks.first_piece[index]), int(blocks.end_piece[index])
    places = _folded_places(blocks.pieces[first:end])
    made = []
    for anchor in anchors:
        start = max(first, int(blocks.anchors.first_piece[anchor])) - first
        stop = min(end, int(blocks.anchors.end_piece[anchor])) - first
        spans = [span for span in places[start:stop] if span is not None]
        if spans:
            href = blocks.anchors.elements[anchor].get("href") or ""
            made.append(Link(spans[0][0], spans[-1][1], href))
    return tuple(sorted(made, key=lambda link: link.start))


def _folded_places(pieces: list[str]) -> list[tuple[int, int] | None]:
    """Start and end of each piece in the text of all with white space folded; None for blank pieces."""
    places: list[tuple[int, int] | None] = []
    length, gap = 0, False
    for piece in pieces:
        content = " ".join(piece.split())
        gap = gap or piece[:1].isspace()
        if not content:
            places.append(None)
            continue
        start = length + (1 if gap and length else 0)
        length = start + len(content)
        gap = piece[-1].isspace()
        places.append((start, length))
    return places
