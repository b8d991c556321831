"""``Blocks``: the text blocks of a page as a table, one array a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import CONTROL
from blockfeat.lang.measures import PageText, TextMeasures
from blockfeat.page.json_ld import NOTHING_DECLARED, DeclaredText
from blockfeat.page.tags import Tags

Indices = NDArray[np.int32]


@dataclass(frozen=True)
class Containers:
    """The boundary elements of a page, in document order.

    Attributes
    ----------
    element : int array
        The element of each, as `Tags` numbers them.
    parent : int array
        Index of the container around each; -1 for the outermost.
    first_block, end_block : int array
        The blocks inside each container are those from first (inclusive) to end (exclusive).
    """

    element: Indices
    parent: Indices
    first_block: Indices
    end_block: Indices


@dataclass(frozen=True)
class Anchors:
    """The anchors of a page: element, as `Tags` numbers them, and first and end position in the page's text."""

    element: Indices
    start: Indices
    end: Indices


@dataclass(frozen=True)
class Blocks:
    """The text blocks of a page in document order.

    Attributes
    ----------
    tags : Tags
        The tags and elements of the page.
    page_text : PageText
        The text of all blocks in one string, white space folded, with the end of each block.
    block_starts : int array, n
        Where each block begins in it.
    first_byte, end_byte : int array, n
        Where the markup of each block begins and ends in the source of ``tags``.
    measures : TextMeasures
        Words, anchor words, format words, sentences and characters of each block.
    role_counts : dict of int array, n
        Elements of each role of the tag table, ``"format"``, ``"list"``, ``"structure"``: inline elements that
        the block held, boundary elements that were opened just before it.
    container : int array, n
        Innermost boundary element around each block.
    containers : Containers
        The boundary elements.
    anchors : Anchors
        The anchors.
    places : int array, one for each tag
        Where each tag stands in the page's text.
    table : str
        Name of the tag table that cut the page.
    segmenter : str
        Name of the segmenter that counted words and sentences.
    declared : DeclaredText
        What the page's JSON-LD declares to be its text.
    """

    tags: Tags
    page_text: PageText
    block_starts: Indices
    first_byte: Indices
    end_byte: Indices
    measures: TextMeasures
    role_counts: dict[str, Indices]
    container: Indices
    containers: Containers
    anchors: Anchors
    places: Indices
    table: str
    segmenter: str
    declared: DeclaredText = NOTHING_DECLARED

    def __len__(self) -> int:
        """Return the number of blocks."""
        return int(self.block_starts.size)

    def text(self, index: int) -> str:
        """Return the text of one block, white space folded to single spaces, without control characters."""
        raw = self.raw_text(index)
        if self.measures.has_controls:
            first = int(self.block_starts[index])
            is_control = self.page_text.classes[first : first + len(raw)] & CONTROL != 0
            raw = "".join(" " if bad else character for bad, character in zip(is_control.tolist(), raw, strict=True))
        return " ".join(raw.split())

    def texts(self, indices: Sequence[int] | None = None) -> list[str]:
        """Return the texts of some blocks, or of all."""
        chosen = slice(None) if indices is None else indices
        if self.measures.has_controls:
            return [self.text(index) for index in np.arange(len(self))[chosen].tolist()]
        text = self.page_text.text
        spans = zip(self.block_starts[chosen].tolist(), self.page_text.block_ends[chosen].tolist(), strict=True)
        return [" ".join(text[start : end - 1].split()) for start, end in spans]

    def raw_text(self, index: int) -> str:
        """Return the text of one block as it was measured, line breaks folded too."""
        return self.page_text.text[int(self.block_starts[index]) : int(self.page_text.block_ends[index]) - 1]

    def ancestors(self, index: int) -> list[int]:
        """Return the boundary elements around one block, innermost first."""
        found = []
        container = int(self.container[index])
        while container >= 0:
            found.append(int(self.containers.element[container]))
            container = int(self.containers.parent[container])
        return found
