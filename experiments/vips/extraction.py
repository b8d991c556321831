"""Block extraction of VIPS: the visual blocks of a page, or of a block that is divided further (section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.vips.layout import Rectangle
from experiments.vips.rules import Round, RuleOptions, judge
from experiments.vips.visual_nodes import VisualNodes

__all__ = ["ExtractedBlock", "extract_blocks"]


@dataclass(frozen=True, slots=True)
class ExtractedBlock:
    """A node that is one visual block.

    Attributes
    ----------
    node : int
        Index of the node.
    box : Rectangle
        Its extent.
    degree : int
        Degree of coherence, 1 to 10.
    """

    node: int
    box: Rectangle
    degree: int


def extract_blocks(
    nodes: VisualNodes, roots: tuple[int, ...], options: RuleOptions | None = None
) -> list[ExtractedBlock]:
    """Return the visual blocks of some nodes, in document order: the pool of one round.

    Parameters
    ----------
    nodes : VisualNodes
        The page.
    roots : tuple of int
        The nodes of the block that is divided.
    options : RuleOptions, optional
        Thresholds of the rules.
    """
    this = Round(nodes, roots, options or RuleOptions())
    found: list[ExtractedBlock] = []
    waiting = [root for root in reversed(roots) if nodes.is_valid(root)]
    while waiting:
        index = waiting.pop()
        verdict = judge(index, this)
        if verdict.divide:
            waiting += reversed(nodes.children(index))
            continue
        this.undivided.add(index)
        if verdict.degree is not None:
            found.append(ExtractedBlock(index, nodes.boxes[index], verdict.degree))
    return found
