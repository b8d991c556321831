"""A page as a browser lays it out: elements and texts with their rectangles and styles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from blockfeat.errors import CorpusError

__all__ = ["TEXT", "LaidOutNode", "Rectangle", "RenderedPage"]

TEXT = "#text"
"""The tag of a text."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle in CSS pixels; y grows downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """X of the right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Y of the lower edge."""
        return self.y + self.height

    @property
    def area(self) -> float:
        """Width times height, in square pixels."""
        return self.width * self.height

    @classmethod
    def around(cls, rectangles: Iterable[Rectangle]) -> Rectangle:
        """Return the smallest rectangle that holds all; an empty one at the origin for none."""
        found = list(rectangles)
        if not found:
            return cls(0, 0, 0, 0)
        x, y = min(one.x for one in found), min(one.y for one in found)
        return cls(x, y, max(one.right for one in found) - x, max(one.bottom for one in found) - y)


@dataclass(frozen=True, slots=True)
class LaidOutNode:
    """An element or a text of a page.

    Attributes
    ----------
    parent : int
        Index of the element around it, below its own; -1 for the outermost.
    tag : str
        Name of the element in lower case; `TEXT` for a text.
    box : Rectangle
        Where it stands, from the upper left corner of the page; empty where it has no place.
    visible : bool
        Whether a reader could see it: it has an extent, stands on the page, and no element around hides it.
    display : str
        Computed ``display``; that of the element around for a text.
    font_size : float
        In pixels.
    font_weight : int
        From 100 to 900; 400 is regular.
    background : str
        Colour behind it as CSS writes it, taken from the nearest element around that has one.
    text : str
        The characters of a text, each run of white space as one space, those at its ends too; empty for an element.
    """

    parent: int
    tag: str
    box: Rectangle
    visible: bool
    display: str
    font_size: float
    font_weight: int
    background: str
    text: str = ""

    @property
    def is_text(self) -> bool:
        """Whether it is a text."""
        return self.tag == TEXT


@dataclass(frozen=True)
class RenderedPage:
    """The layout of a page, or why there is none.

    Attributes
    ----------
    corpus, id : str
        Which page it is.
    digest : str
        Hash of its markup.
    nodes : tuple of LaidOutNode
        In document order, the outermost element first; texts without a place are among them, elements without are not.
    width, height : float
        Extent of the page in pixels.
    linked_styles : int
        Style sheets that the page refers to and that an offline browser does not have.
    own_styles : int
        ``style`` elements with rules in the page itself.
    error : str or None
        Why the page could not be rendered.
    """

    corpus: str
    id: str
    digest: str
    nodes: tuple[LaidOutNode, ...] = ()
    width: float = 0.0
    height: float = 0.0
    linked_styles: int = 0
    own_styles: int = 0
    error: str | None = None

    @cached_property
    def children(self) -> Mapping[int, list[int]]:
        """The nodes inside each element, in document order."""
        found: dict[int, list[int]] = defaultdict(list)
        for index, node in enumerate(self.nodes):
            found[node.parent].append(index)
        return found

    @cached_property
    def ends(self) -> list[int]:
        """For each node the index behind its last descendant."""
        found = list(range(1, len(self.nodes) + 1))
        for index in range(len(self.nodes) - 1, 0, -1):
            parent = self.nodes[index].parent
            if parent >= 0:
                found[parent] = max(found[parent], found[index])
        return found

    @cached_property
    def lines(self) -> list[int]:
        """For each node the innermost element around it, or itself, that starts a line of its own; -1 for none."""
        found: list[int] = []
        for index, node in enumerate(self.nodes):
            starts = not node.is_text and node.display != "inline"
            found.append(index if starts else found[node.parent] if node.parent >= 0 else -1)
        return found

    def texts(self, index: int) -> list[LaidOutNode]:
        """Return the visible texts of a node and of all inside of it, in document order."""
        return [node for node in self.nodes[index : self.ends[index]] if node.is_text and node.visible]

    def text(self, index: int) -> str:
        """Return the visible text of a node, a line for each element that starts one."""
        parts: list[str] = []
        line = None
        for place in range(index, self.ends[index]):
            node = self.nodes[place]
            if node.tag == "br":
                parts.append("\n")
            elif node.is_text and node.visible:
                if self.lines[place] != line:
                    parts.append("\n")
                line = self.lines[place]
                parts.append(node.text)
        return "".join(parts).strip()

    def to_record(self) -> dict[str, Any]:
        """Return plain values for a line of JSON: a list for each column of the nodes."""
        record: dict[str, Any] = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name != "nodes"
        }
        columns: dict[str, list[Any]] = {field.name: [] for field in fields(LaidOutNode)}
        for node in self.nodes:
            for name, column in columns.items():
                value = getattr(node, name)
                column.append(list(asdict(value).values()) if name == "box" else value)
        return record | {"nodes": columns}

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> RenderedPage:
        """Read a page from what `to_record` wrote.

        Raises
        ------
        CorpusError
            The record is none of a rendered page.
        """
        try:
            columns = {**record["nodes"], "box": [Rectangle(*box) for box in record["nodes"]["box"]]}
            nodes = tuple(
                LaidOutNode(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)
            )
            page = cls(**{**record, "nodes": nodes})
        except (KeyError, TypeError, ValueError) as error:
            raise CorpusError(f"no record of a rendered page: {error!r}") from None
        if any(node.parent >= index for index, node in enumerate(nodes)):
            raise CorpusError(f"rendered page {page.id!r}: a node stands before the element around it")
        return page
