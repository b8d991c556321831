"""The content structure of a page: a tree of visual blocks (Cai et al. 2003, section 4.3).

The report merges the blocks beside the separators of lowest weight, then those of the next, up to the highest weight:
what the heaviest separators part is parted first in the tree. Here the tree is built from the top with the same result,
but for one thing: the separators of a part are found anew within it, so that columns below a banner are parted
(``anew=False``: they are not).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from experiments.vips.extraction import ExtractedBlock, extract_blocks
from experiments.vips.layout import Rectangle, RenderedPage
from experiments.vips.rules import RuleOptions
from experiments.vips.separators import clusters, separators
from experiments.vips.visual_nodes import VisualNodes

__all__ = ["VisualBlock", "degree_between", "segment"]

_DEEPEST = 100
Pool = list[ExtractedBlock]


@dataclass(frozen=True, slots=True)
class VisualBlock:
    """A node of the content structure.

    Attributes
    ----------
    nodes : tuple of int
        The nodes of the page that it is made of, in document order.
    box : Rectangle
        Its extent.
    degree : int
        Degree of coherence, 1 to 10, never above that of a part.
    parts : tuple of VisualBlock
        The blocks that it is divided into; none for a leaf.
    """

    nodes: tuple[int, ...]
    box: Rectangle
    degree: int
    parts: tuple[VisualBlock, ...] = ()

    def all(self) -> list[VisualBlock]:
        """Return the block and all in it, each before its parts."""
        found, waiting = [], [self]
        while waiting:
            block = waiting.pop()
            found.append(block)
            waiting += reversed(block.parts)
        return found


def degree_between(weight: int) -> int:
    """Return the degree of coherence of a block by the heaviest separator in it: 10 for none, one less for each 2."""
    return max(1, 10 - (weight + 1) // 2)


def segment(
    page: RenderedPage, *, granularity: int = 8, options: RuleOptions | None = None, anew: bool = True
) -> VisualBlock | None:
    """Return the content structure of a page; None for a page with nothing to see.

    Parameters
    ----------
    page : RenderedPage
        The page.
    granularity : int
        Permitted degree of coherence, 1 to 10: a block below it is divided further where it can be, blocks that
        together reach it are not parted.
    options : RuleOptions, optional
        Thresholds of the rules.
    anew : bool
        Whether separators are found anew within each part; False for those that cross the whole of a divided block
        alone, as in the report.
    """
    nodes = VisualNodes(page)
    if nodes.root is None or not nodes.is_valid(nodes.root):
        return None
    return _Construction(nodes, granularity, options or RuleOptions(), anew).run(nodes.root)


Strips = list[tuple[list[Pool], list[int]]]
"""From top to bottom, and from left to right: groups of blocks, and the weights of the separators between them."""


@dataclass
class _Draft:
    """A block whose parts are not known yet."""

    pool: Pool
    parent: int
    depth: int
    strips: Strips | None = None
    degree: int = 10
    parts: list[VisualBlock] = field(default_factory=list)


@dataclass
class _Construction:
    """Builds the tree: drafts from the top, then blocks from the leaves."""

    nodes: VisualNodes
    granularity: int
    options: RuleOptions
    anew: bool

    def __post_init__(self) -> None:
        """Find the ``hr`` elements."""
        page = self.nodes.page
        self._rules = [node.box for node in page.nodes if node.tag == "hr" and node.visible]

    def run(self, root: int) -> VisualBlock | None:
        """Return the tree of a node."""
        drafts: list[_Draft] = []
        waiting = [_Draft(extract_blocks(self.nodes, (root,), self.options), -1, 0)]
        while waiting:
            draft = waiting.pop()
            drafts.append(draft)
            draft.pool = self._divided(draft.pool)
            own = len(drafts) - 1
            parts = self._parts(draft)
            waiting += [_Draft(part, own, draft.depth + 1, draft.strips) for part in reversed(parts)]
        for draft in reversed(drafts):
            block = _block(draft)
            if block is None or draft.parent < 0:
                continue
            drafts[draft.parent].parts.insert(0, block)
        return _block(drafts[0])

    def _divided(self, pool: Pool) -> Pool:
        """Divide a single block, round by round, until it is coherent enough or falls into several."""
        while len(pool) == 1 and pool[0].degree < self.granularity:
            found = extract_blocks(self.nodes, (pool[0].node,), self.options)
            if not found or found == pool:
                break
            pool = found
        return pool

    def _strips(self, pool: Pool) -> Strips:
        """Return the separators that cross a pool."""
        strips: Strips = []
        for horizontal in (True, False):
            groups = clusters(pool, horizontal=horizontal)
            between = separators(groups, self.nodes, self._rules, horizontal=horizontal)
            strips.append((groups, [one.weight for one in between]))
        return strips

    def _parts(self, draft: _Draft) -> list[Pool]:
        """Set the degree of a draft; return the parts that its heaviest separators leave, none for a leaf."""
        pool = draft.pool
        draft.degree = min((block.degree for block in pool), default=10)
        if len(pool) < 2:
            return []
        if self.anew or draft.strips is None or not _holds(draft.strips, pool):
            draft.strips = self._strips(pool)
        groups, weight = _parted(pool, draft.strips)
        draft.degree = min(draft.degree, degree_between(weight))
        if draft.degree >= self.granularity:
            return []
        if len(groups) < 2 or draft.depth >= _DEEPEST:
            return [[block] for block in pool]
        return groups


def _holds(strips: Strips, pool: Pool) -> bool:
    """Return whether the blocks of a pool are among those that separators part: it was not divided since."""
    known = {block.node for group in strips[0][0] for block in group}
    return all(block.node in known for block in pool)


def _parted(pool: Pool, strips: Strips) -> tuple[list[Pool], int]:
    """Return the groups of a pool between the heaviest separators of one direction, and their weight."""
    best: tuple[list[Pool], int] = ([pool], 0)
    inside = {block.node for block in pool}
    for all_groups, all_weights in strips:
        places = [n for n, group in enumerate(all_groups) if any(block.node in inside for block in group)]
        groups = [[block for block in all_groups[n] if block.node in inside] for n in places]
        weights = [max(all_weights[one:other]) for one, other in pairwise(places)]
        weight = max(weights, default=-1)
        if weight > best[1] or (weight >= 0 and len(best[0]) == 1):
            best = (_joined(groups, [own < weight for own in weights]), weight)
    return best


def _joined(groups: Sequence[Pool], joins: Sequence[bool]) -> list[Pool]:
    """Join each group with the one before it where that is asked for."""
    found = [list(groups[0])]
    for group, join in zip(groups[1:], joins, strict=True):
        if join:
            found[-1] += group
        else:
            found.append(list(group))
    return found


def _block(draft: _Draft) -> VisualBlock | None:
    """Return the block of a draft whose parts are complete; None for one without anything in it."""
    if not draft.pool:
        return None
    nodes = tuple(sorted(block.node for block in draft.pool))
    box = Rectangle.around(block.box for block in draft.pool)
    degree = min((draft.degree, *(part.degree for part in draft.parts)))
    return VisualBlock(nodes, box, degree, tuple(draft.parts))
