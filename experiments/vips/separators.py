"""Visual separators between blocks, and their weights (Cai et al. 2003, section 4.2).

A separator is a strip across the whole pool that crosses no block. The report starts with one that covers the pool and
lets each block split, shrink or remove separators; what is left at the end, without the strips at the border, are the
gaps between the blocks as one axis sees them, which are found here by sorting. A strip may be without extent: where two
blocks touch, a line between them crosses neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from experiments.vips.extraction import ExtractedBlock
from experiments.vips.layout import Rectangle
from experiments.vips.visual_nodes import VisualNodes

__all__ = ["MOST_WEIGHT", "Separator", "clusters", "separators", "weight_of"]

_TOUCHING = 1.0  # pixels that blocks may overlap by and still be apart
_PIXELS_A_POINT = 10
_MOST_THICKNESS = 8
_TAG, _BACKGROUND, _FONT, _GROWING_FONT, _ALIKE = 3, 2, 2, 2, -2
MOST_WEIGHT = 1 + _MOST_THICKNESS + _TAG + _BACKGROUND + _FONT + _GROWING_FONT
"""The weight of a separator that has all cues."""


@dataclass(frozen=True, slots=True)
class Separator:
    """A strip between blocks.

    Attributes
    ----------
    horizontal : bool
        Whether it lies between what is above and below; otherwise between left and right.
    start, end : float
        Its edges in pixels, on the y axis where it is horizontal, else on the x axis.
    weight : int
        How strongly it parts, at least 0.
    """

    horizontal: bool
    start: float
    end: float
    weight: int


def _span(box: Rectangle, horizontal: bool) -> tuple[float, float]:
    return (box.y, box.bottom) if horizontal else (box.x, box.right)


def clusters(blocks: Sequence[ExtractedBlock], *, horizontal: bool) -> list[list[ExtractedBlock]]:
    """Return the blocks in groups between which a separator runs, from top to bottom or from left to right."""
    found: list[list[ExtractedBlock]] = []
    end = float("-inf")
    for block in sorted(blocks, key=lambda one: _span(one.box, horizontal)):
        start, stop = _span(block.box, horizontal)
        # An overlap counts as touching only where it is no more than a part of the block.
        if not found or start >= end - min(_TOUCHING, (stop - start) / 2):
            found.append([])
        found[-1].append(block)
        end = max(end, stop)
    return found


def separators(
    groups: Sequence[Sequence[ExtractedBlock]], nodes: VisualNodes, rules: Sequence[Rectangle], *, horizontal: bool
) -> list[Separator]:
    """Return the separators between consecutive groups, one fewer than there are groups.

    Parameters
    ----------
    groups : sequence
        As `clusters` returns them.
    nodes : VisualNodes
        The page.
    rules : sequence of Rectangle
        Where the page has ``hr`` elements.
    horizontal : bool
        The direction that the groups were made in.
    """
    found = []
    for before, behind in pairwise(groups):
        start = max(_span(block.box, horizontal)[1] for block in before)
        end = max(min(_span(block.box, horizontal)[0] for block in behind), start)
        first = [block for block in before if _span(block.box, horizontal)[1] >= start - _TOUCHING]
        second = [block for block in behind if _span(block.box, horizontal)[0] <= end + _TOUCHING]
        has_rule = any(_lies_in(rule, start, end, horizontal) for rule in rules)
        weight = weight_of(first, second, nodes, thickness=end - start, has_rule=has_rule, horizontal=horizontal)
        found.append(Separator(horizontal, start, end, weight))
    return found


def _lies_in(box: Rectangle, start: float, end: float, horizontal: bool) -> bool:
    first, last = _span(box, horizontal)
    return first >= start - _TOUCHING and last <= end + _TOUCHING


def weight_of(
    before: Sequence[ExtractedBlock],
    behind: Sequence[ExtractedBlock],
    nodes: VisualNodes,
    *,
    thickness: float,
    has_rule: bool,
    horizontal: bool,
) -> int:
    """Return the weight of a separator, 0 to `MOST_WEIGHT`, by the five cues of the report.

    Thickness: one point, and one for each 10 pixels, at most 8 of them; none where the blocks touch. An ``hr`` in it:
    3. Other backgrounds on its sides: 2. Of horizontal ones, other fonts on the sides: 2, and 2 more if the one above
    is smaller; texts alone on both sides: -2.

    Parameters
    ----------
    before, behind : sequence of ExtractedBlock
        The blocks that touch it on either side.
    nodes : VisualNodes
        The page.
    thickness : float
        In pixels.
    has_rule : bool
        Whether an ``hr`` lies in it.
    horizontal : bool
        Its direction.
    """
    weight = 1 + min(int(thickness) // _PIXELS_A_POINT, _MOST_THICKNESS) if thickness > 0 else 0
    weight += _TAG * has_rule
    weight += _BACKGROUND * (_backgrounds(before, nodes) != _backgrounds(behind, nodes))
    if horizontal:
        above, below = _fonts(before, nodes), _fonts(behind, nodes)
        if above and below:
            weight += _FONT * (above != below)
            weight += _GROWING_FONT * (max(above)[0] < max(below)[0])
        weight += _ALIKE * (_are_texts(before, nodes) and _are_texts(behind, nodes))
    return max(weight, 0)


def _backgrounds(blocks: Sequence[ExtractedBlock], nodes: VisualNodes) -> set[str]:
    return {nodes.background(block.node) for block in blocks}


def _fonts(blocks: Sequence[ExtractedBlock], nodes: VisualNodes) -> set[tuple[float, int]]:
    return {font for block in blocks for font in nodes.fonts(block.node)}


def _are_texts(blocks: Sequence[ExtractedBlock], nodes: VisualNodes) -> bool:
    """Whether blocks are nothing but text."""
    return all(
        nodes.is_textual(block.node) or all(map(nodes.is_textual, nodes.children(block.node))) for block in blocks
    )
