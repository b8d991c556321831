"""The thirteen rules of VIPS that say which nodes are divided (Cai et al. 2003, section 4.1, tables 1 and 2).

The report gives no numbers for its thresholds and says of several degrees of coherence only what they depend on:
those are chosen here (`RuleOptions`, `degree_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from experiments.vips.layout import Rectangle
from experiments.vips.visual_nodes import VisualNodes

__all__ = ["CUT", "DIVIDE", "RULES", "Round", "RuleOptions", "Verdict", "degree_of", "judge", "tag_class"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a node: it is divided, it is a block with a degree of coherence, or it is cut away.

    Attributes
    ----------
    divide : bool
        Its children are looked at in its place.
    degree : int or None
        Degree of coherence of the block that it is, 1 to 10; None where it is divided or cut away.
    """

    divide: bool = False
    degree: int | None = None


DIVIDE, CUT = Verdict(divide=True), Verdict()


@dataclass(frozen=True)
class RuleOptions:
    """Thresholds of size, as shares of the area of the block that is divided, by `tag_class`.

    Attributes
    ----------
    with_text : mapping
        A node with text of its own below this share is not divided (rule 9).
    largest_child : mapping
        A node whose largest child is below this share is not divided (rule 10).
    """

    with_text: Mapping[str, float] = field(
        default_factory=lambda: {"inline": 0.05, "table": 0.05, "tr": 0.05, "td": 0.05, "p": 0.1, "other": 0.05}
    )
    largest_child: Mapping[str, float] = field(
        default_factory=lambda: {"inline": 0.02, "table": 0.02, "tr": 0.02, "td": 0.02, "p": 0.05, "other": 0.02}
    )


@dataclass
class Round:
    """One round of block extraction: what it divides, and what was decided so far.

    Attributes
    ----------
    nodes : VisualNodes
        The page.
    roots : tuple of int
        The nodes of the block that is divided; the body in the first round.
    options : RuleOptions
        The thresholds.
    fixed : dict
        Nodes that are not divided in this round, with their degree of coherence (rule 8).
    undivided : set
        Nodes that were looked at and not divided.
    """

    nodes: VisualNodes
    roots: tuple[int, ...]
    options: RuleOptions = field(default_factory=RuleOptions)
    fixed: dict[int, int] = field(default_factory=dict)
    undivided: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Measure the block."""
        self._area = Rectangle.around(self.nodes.boxes[root] for root in self.roots).area

    def share(self, index: int) -> float:
        """Return the relative size of a node: its area by that of the block, 0 to 1."""
        return self.nodes.boxes[index].area / self._area if self._area else 0.0


Rule: TypeAlias = Callable[[int, Round], Verdict | None]
_CLOSE_TO_TEXT = frozenset(
    {
        "p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "a", "td", "th", "dt", "dd", "blockquote", "pre", "caption",
        "figcaption", "label", "address", "button",
    }
)  # fmt: skip
_FAR_FROM_TEXT = frozenset({"body", "html", "form", "table", "center", "main"})
_SMALL = 0.05


def degree_of(tag: str, share: float, low: int, high: int) -> int:
    """Return a degree of coherence from the tag and the relative size of a node.

    Two more for elements that mostly hold a text, one more for those between text and page, one more for a node of
    less than 5 % of the block.

    Parameters
    ----------
    tag : str
        Name of the element.
    share : float
        Relative size, 0 to 1.
    low, high : int
        The lowest and the highest degree that the rule gives.
    """
    rank = 2 if tag in _CLOSE_TO_TEXT else 0 if tag in _FAR_FROM_TEXT else 1
    return min(low + rank + (share < _SMALL), high)


def _degree(index: int, round: Round, low: int, high: int) -> int:
    return degree_of(round.nodes.page.nodes[index].tag, round.share(index), low, high)


def rule_1_no_valid_child(index: int, round: Round) -> Verdict | None:
    """Cut a node away that is no text and has no valid children."""
    return CUT if not round.nodes.children(index) else None


def rule_2_only_child(index: int, round: Round) -> Verdict | None:
    """Divide a node whose only valid child is no text."""
    children = round.nodes.children(index)
    return DIVIDE if len(children) == 1 and not round.nodes.is_text(children[0]) else None


def rule_3_only_root(index: int, round: Round) -> Verdict | None:
    """Divide a node that is all of the block."""
    return DIVIDE if round.roots == (index,) else None


def rule_4_texts_only(index: int, round: Round) -> Verdict | None:
    """Keep a node of text nodes and virtual text nodes: degree 10 where their fonts are the same, else 9."""
    if all(round.nodes.is_textual(child) for child in round.nodes.children(index)):
        return Verdict(degree=10 if len(round.nodes.fonts(index)) <= 1 else 9)
    return None


def rule_5_line_break_child(index: int, round: Round) -> Verdict | None:
    """Divide a node with a line-break node among its children."""
    return DIVIDE if any(map(round.nodes.is_line_break, round.nodes.children(index))) else None


def rule_6_hr_child(index: int, round: Round) -> Verdict | None:
    """Divide a node with an ``hr`` among its children."""
    tags = (round.nodes.page.nodes[child].tag for child in round.nodes.children(index))
    return DIVIDE if "hr" in tags else None


def rule_7_larger_children(index: int, round: Round) -> Verdict | None:
    """Divide a node that is smaller than its children together."""
    boxes = round.nodes.boxes
    own = round.nodes.page.nodes[index].box.area
    return DIVIDE if sum(boxes[child].area for child in round.nodes.children(index)) > own else None


def rule_8_other_background(index: int, round: Round) -> Verdict | None:
    """Divide a node with another background than a child; keep that child in this round: degree 6 to 8."""
    nodes = round.nodes
    others = [
        child
        for child in nodes.children(index)
        if not nodes.is_text(child) and nodes.background(child) != nodes.background(index)
    ]
    for child in others:
        round.fixed[child] = _degree(child, round, 6, 8)
    return DIVIDE if others else None


def rule_9_small_with_text(index: int, round: Round) -> Verdict | None:
    """Keep a small node with a text node or a virtual one among its children: degree 5 to 8."""
    small = round.share(index) < round.options.with_text[tag_class(index, round.nodes)]
    if small and any(map(round.nodes.is_textual, round.nodes.children(index))):
        return Verdict(degree=_degree(index, round, 5, 8))
    return None


def rule_10_small_children(index: int, round: Round) -> Verdict | None:
    """Keep a node whose largest child is small: degree 5 to 8."""
    largest = max(map(round.share, round.nodes.children(index)), default=0.0)
    if largest < round.options.largest_child[tag_class(index, round.nodes)]:
        return Verdict(degree=_degree(index, round, 5, 8))
    return None


def rule_11_undivided_sibling(index: int, round: Round) -> Verdict | None:
    """Keep a node if the sibling before it was kept: degree 5 to 8."""
    is_kept = round.nodes.sibling_before(index) in round.undivided
    return Verdict(degree=_degree(index, round, 5, 8)) if is_kept else None


def rule_12_divide(index: int, round: Round) -> Verdict | None:
    """Divide a node."""
    return DIVIDE


def rule_13_keep(index: int, round: Round) -> Verdict | None:
    """Keep a node whole: degree 4 to 8."""
    return Verdict(degree=_degree(index, round, 4, 8))


_FIRST = (rule_1_no_valid_child, rule_2_only_child, rule_3_only_root)
_INLINE: tuple[Rule, ...] = (
    *_FIRST,
    rule_4_texts_only,
    rule_5_line_break_child,
    rule_6_hr_child,
    rule_7_larger_children,
    rule_9_small_with_text,
    rule_10_small_children,
    rule_12_divide,
)
RULES: Mapping[str, tuple[Rule, ...]] = {
    "inline": _INLINE,
    "table": (*_FIRST, rule_8_other_background, rule_10_small_children, rule_13_keep),
    "tr": (*_FIRST, rule_7_larger_children, rule_8_other_background, rule_10_small_children, rule_13_keep),
    "td": (
        *_FIRST,
        rule_4_texts_only,
        rule_9_small_with_text,
        rule_10_small_children,
        rule_11_undivided_sibling,
        rule_13_keep,
    ),
    "p": _INLINE,
    "other": tuple(rule for rule in _INLINE if rule is not rule_5_line_break_child),
}
"""The rules for each class of nodes, in their order; the first that says something decides (table 2)."""


def tag_class(index: int, nodes: VisualNodes) -> str:
    """Return the key of a node in `RULES`."""
    if nodes.is_inline(index):
        return "inline"
    tag = nodes.page.nodes[index].tag
    return {"table": "table", "tr": "tr", "td": "td", "th": "td", "p": "p"}.get(tag, "other")


def judge(index: int, round: Round) -> Verdict:
    """Return what becomes of a node; a text is a block of degree 10."""
    if round.nodes.is_text(index):
        return Verdict(degree=10)
    if index in round.fixed and round.nodes.children(index):
        return Verdict(degree=round.fixed[index])
    for rule in RULES[tag_class(index, round.nodes)]:
        verdict = rule(index, round)
        if verdict is not None:
            return verdict
    raise AssertionError("the last rule of each class decides")
