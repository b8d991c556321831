"""Layouts made by hand, so that the rules can be tested without a browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from experiments.vips.layout import TEXT, LaidOutNode, Rectangle, RenderedPage
from experiments.vips.visual_nodes import INLINE_TAGS, VisualNodes

WHITE = "rgb(255, 255, 255)"


@dataclass(frozen=True)
class Box:
    """An element or, with `text`, a text; `rect` is x, y, width, height."""

    tag: str
    rect: tuple[float, float, float, float]
    inside: Sequence[Box] = field(default_factory=tuple)
    text: str = ""
    size: float = 16.0
    weight: int = 400
    background: str = WHITE
    visible: bool = True


def text(rect: tuple[float, float, float, float], words: str = "words", *, size: float = 16, weight: int = 400) -> Box:
    return Box(TEXT, rect, text=words, size=size, weight=weight)


def paragraph(rect: tuple[float, float, float, float], words: str = "words", *, size: float = 16) -> Box:
    return Box("p", rect, [text(rect, words, size=size)], size=size)


def page(root: Box, **others: object) -> RenderedPage:
    nodes: list[LaidOutNode] = []

    def add(box: Box, parent: int, display: str) -> None:
        if box.tag != TEXT:
            display = "inline" if box.tag in INLINE_TAGS else "block"
        own = len(nodes)
        styles = (box.visible, display, box.size, box.weight, box.background, box.text)
        nodes.append(LaidOutNode(parent, box.tag, Rectangle(*box.rect), *styles))
        for child in box.inside:
            add(child, own, display)

    add(root, -1, "block")
    box = Rectangle(*root.rect)
    return RenderedPage("test", "page", "digest", tuple(nodes), box.right, box.bottom, **others)  # type: ignore[arg-type]


def nodes_of(root: Box) -> VisualNodes:
    return VisualNodes(page(root))
