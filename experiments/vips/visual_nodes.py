"""The classes of nodes that the rules of VIPS speak of (Cai et al. 2003, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from experiments.vips.layout import Rectangle, RenderedPage

__all__ = ["INLINE_TAGS", "VisualNodes"]

INLINE_TAGS = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
        "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    }
)  # fmt: skip
"""Tags of inline text: they change the looks of characters and break no line."""


@dataclass(frozen=True)
class VisualNodes:
    """A page as VIPS sees it; nodes are named by their index.

    Attributes
    ----------
    page : RenderedPage
        The page.
    """

    page: RenderedPage

    @cached_property
    def boxes(self) -> list[Rectangle]:
        """The extent of each node with all that is visible inside of it, empty for nodes with nothing to see.

        An element around floats often has no height of its own, yet is seen.
        """
        nodes = self.page.nodes
        parts: list[list[Rectangle]] = [[node.box] if node.visible else [] for node in nodes]
        found = [Rectangle(0, 0, 0, 0)] * len(nodes)
        for index in range(len(nodes) - 1, -1, -1):
            if parts[index]:
                found[index] = Rectangle.around(parts[index])
                if nodes[index].parent >= 0:
                    parts[nodes[index].parent].append(found[index])
        return found

    @cached_property
    def root(self) -> int | None:
        """The ``body``; the outermost element where there is none; None for an empty page."""
        bodies = [index for index, node in enumerate(self.page.nodes) if node.tag == "body"]
        return bodies[0] if bodies else 0 if self.page.nodes else None

    def is_valid(self, index: int) -> bool:
        """Whether a node can be seen: neither its width nor its height is zero."""
        return self.boxes[index].area > 0

    def children(self, index: int) -> list[int]:
        """Return the valid nodes right inside a node."""
        return [child for child in self.page.children.get(index, ()) if self.is_valid(child)]

    @cached_property
    def _siblings(self) -> list[int | None]:
        last: dict[int, int] = {}
        found: list[int | None] = []
        for index, node in enumerate(self.page.nodes):
            found.append(last.get(node.parent))
            if self.is_valid(index):
                last[node.parent] = index
        return found

    def sibling_before(self, index: int) -> int | None:
        """Return the valid node before a node in the same element; None for the first."""
        return self._siblings[index]

    def is_text(self, index: int) -> bool:
        """Whether a node is free text."""
        return self.page.nodes[index].is_text

    def is_inline(self, index: int) -> bool:
        """Whether a node is an inline node: a tag of inline text that breaks no line here."""
        node = self.page.nodes[index]
        return node.tag in INLINE_TAGS and node.display.startswith(("inline", "contents", "ruby"))

    def is_line_break(self, index: int) -> bool:
        """Whether a node is a line-break node: an element that is no inline node."""
        return not self.is_text(index) and not self.is_inline(index)

    @cached_property
    def _virtual_texts(self) -> list[bool]:
        nodes = self.page.nodes
        found = [not node.is_text and self.is_inline(index) for index, node in enumerate(nodes)]
        holds_valid = [False] * len(nodes)
        for index in range(len(nodes) - 1, 0, -1):
            parent = nodes[index].parent
            if parent >= 0 and self.is_valid(index):
                holds_valid[parent] = True
                found[parent] &= nodes[index].is_text or found[index]
        return [one and held for one, held in zip(found, holds_valid, strict=True)]

    def is_virtual_text(self, index: int) -> bool:
        """Whether a node is a virtual text node: an inline node of texts and virtual text nodes only."""
        return self._virtual_texts[index]

    def is_textual(self, index: int) -> bool:
        """Whether a node is a text node or a virtual one."""
        return self.is_text(index) or self.is_virtual_text(index)

    def background(self, index: int) -> str:
        """Return the colour behind a node."""
        return self.page.nodes[index].background

    def fonts(self, index: int) -> set[tuple[float, int]]:
        """Return size and weight of the fonts of the visible texts of a node."""
        return {(text.font_size, text.font_weight) for text in self.page.texts(index)}
