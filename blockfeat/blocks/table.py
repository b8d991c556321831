"""``Blocks``: the text blocks of a page as a table, one array a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat.lang.measures import PageText, TextMeasures

__all__ = ["Anchors", "Blocks", "Containers"]

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Containers:
    """The boundary elements of a page, in document order.

    Attributes
    ----------
    elements : list of lxml elements
        The element of each container.
    parent : int array
        Index of the container around each; -1 for the outermost.
    first_block, end_block : int array
        The blocks inside each container are those from first (inclusive) to end (exclusive).
    """

    elements: list[etree._Element]
    parent: Indices
    first_block: Indices
    end_block: Indices


@dataclass(frozen=True)
class Anchors:
    """The anchors of a page: element, and first and end piece of each."""

    elements: list[etree._Element]
    first_piece: Indices
    end_piece: Indices


@dataclass(frozen=True)
class Blocks:
    """The text blocks of a page in document order.

    Attributes
    ----------
    pieces : list of str
        Text nodes as they stand on the page; each block's pieces are followed by one line break piece.
    first_piece, end_piece : int array, n
        The pieces of each block.
    page_text : PageText
        The pieces in one string, with the position of each.
    measures : TextMeasures
        Words, anchor words, format words, sentences and characters of each block.
    held_tags : list of str
        Tags of the inline elements that the blocks held or that were opened just before them, in order.
    held_end : int array, n
        Position in ``held_tags`` behind those of each block.
    role_counts : dict of int array, n
        Elements of each role of the tag table, ``"format"``, ``"list"``, ``"structure"``: inline elements that
        the block held, boundary elements that were opened just before it.
    container : int array, n
        Innermost boundary element around each block.
    containers : Containers
        The boundary elements.
    anchors : Anchors
        The anchors.
    table : str
        Name of the tag table that cut the page.
    segmenter : str
        Name of the segmenter that counted words and sentences.
    """

    pieces: list[str]
    first_piece: Indices
    end_piece: Indices
    page_text: PageText
    measures: TextMeasures
    held_tags: list[str]
    held_end: Indices
    role_counts: dict[str, Indices]
    container: Indices
    containers: Containers
    anchors: Anchors
    table: str
    segmenter: str

    def __len__(self) -> int:
        """Return the number of blocks."""
        return int(self.first_piece.size)

    def text(self, index: int) -> str:
        """Return the text of one block, white space folded to single spaces, without control characters."""
        raw = self.raw_text(index)
        if self.measures.has_controls:
            raw = "".join(" " if is_control(character) else character for character in raw)
        return " ".join(raw.split())

    def texts(self, indices: Sequence[int] | None = None) -> list[str]:
        """Return the texts of some blocks, or of all."""
        return [self.text(index) for index in (range(len(self)) if indices is None else indices)]

    def raw_text(self, index: int) -> str:
        """Return the text of one block as it stands on the page."""
        return "".join(self.pieces[self.first_piece[index] : self.end_piece[index]])

    def held_elements(self, index: int) -> dict[str, int]:
        """Return the count of every element type that one block held or that was opened just before it."""
        start = int(self.held_end[index - 1]) if index else 0
        boundaries = self.containers
        opened = np.flatnonzero((boundaries.first_block == index) & (boundaries.end_block > index))
        tags = [str(boundaries.elements[place].tag) for place in opened.tolist()]
        return dict(Counter(tags + self.held_tags[start : int(self.held_end[index])]))

    def ancestors(self, index: int) -> list[etree._Element]:
        """Return the boundary elements around one block, innermost first."""
        found = []
        container = int(self.container[index])
        while container >= 0:
            found.append(self.containers.elements[container])
            container = int(self.containers.parent[container])
        return found


def is_control(character: str) -> bool:
    """Tell whether a character is a control character or surrogate other than white space."""
    return not character.isspace() and (
        character < " " or "\x7f" <= character < "\xa0" or "\ud800" <= character < "\ue000"
    )
