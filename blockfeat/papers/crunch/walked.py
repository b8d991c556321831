"""A tree as columns, so that every filter is a loop over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree


@dataclass(frozen=True, eq=False)
class Walked:
    """The elements of a tree in document order.

    Attributes
    ----------
    elements : list of lxml elements, n
        The elements; comments are not among them.
    names : list of str, n
        Their names, lower case.
    parent : list of int, n
        Index of the element around each; -1 for the first.
    end : list of int, n
        Index behind the last element inside each.
    """

    elements: list[etree._Element]
    names: list[str]
    parent: list[int]
    end: list[int]

    @classmethod
    def of(cls, root: etree._Element) -> Walked:
        """Walk a tree; linear, without recursion."""
        elements = list(root.iter(etree.Element))
        index: dict[etree._Element | None, int] = {element: place for place, element in enumerate(elements)}
        parent = [-1, *(index[element.getparent()] for element in elements[1:])]
        end = list(range(1, len(elements) + 1))
        for place in range(len(elements) - 1, 0, -1):
            end[parent[place]] = max(end[parent[place]], end[place])
        return cls(elements, [str(element.tag).lower() for element in elements], parent, end)

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.elements)

    def is_link(self, index: int) -> bool:
        """Return whether an element is a link: an anchor with an address."""
        return self.names[index] == "a" and self.elements[index].get("href") is not None

    def links_around(self) -> list[int]:
        """Return for each element the innermost link that it is or is inside of, -1 for none: n."""
        around: list[int] = []
        for index, parent in enumerate(self.parent):
            around.append(index if self.is_link(index) else around[parent] if parent >= 0 else -1)
        return around

    def outermost(self, chosen: bytearray) -> Iterator[int]:
        """Yield those of some elements that are inside of no other."""
        index = chosen.find(1)
        while index >= 0:
            yield index
            index = chosen.find(1, self.end[index])
