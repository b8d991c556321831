"""The measuring stage of Crunch: the blocks of a page, its tree, and the element that each character stands in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, elements_behind, text_places
from blockfeat.features.measuring import MeasuredPage, Measurer
from blockfeat.page.page import Page
from blockfeat.papers.crunch.decision import Walked

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ElementText:
    """How many characters, white space aside, each block has in each element itself.

    Attributes
    ----------
    block, element, count : int array, k
        The pairs of block and innermost element that have characters in common, and their number.
    total : int array, n
        Characters of each block.
    """

    block: Indices
    element: Indices
    count: Indices
    total: Indices

    def share_left(self, is_left: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the share of each block's characters that stand in elements that are left: n, from 0 to 1."""
        left = np.bincount(self.block, weights=self.count * is_left[self.element], minlength=self.total.size)
        return np.asarray(left / np.maximum(self.total, 1))


@dataclass(frozen=True, eq=False)
class MeasuredTree(MeasuredPage):
    """A page as Crunch reads it.

    Attributes
    ----------
    page : Page
        The page with its tree.
    text : ElementText
        Where the text of the blocks stands in it.
    """

    page: Page
    text: ElementText

    @cached_property
    def walked(self) -> Walked:
        """The page's tree; the elements have the numbers that they have in the tags of the blocks."""
        root = self.page.tree
        return Walked([], [], [], []) if root is None else Walked.of(root)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the tree, whose elements cannot be pickled; it is walked again at its next use."""
        return {name: value for name, value in vars(self).items() if name != "walked"}


@dataclass(frozen=True)
class CrunchMeasurer(Measurer):
    """Cuts pages into blocks, of which no features are computed, and keeps their trees."""

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredTree:
        """Measure a page; ``lang`` is its language where the caller knows it, identified otherwise."""
        measured = super().measure(page, lang=lang)
        return MeasuredTree(**vars(measured), page=page, text=element_text(measured.blocks))


def element_text(blocks: Blocks) -> ElementText:
    """Return where the characters of a page's blocks stand; linear in the size of the page."""
    if not len(blocks):
        nothing = np.zeros(0, dtype=np.int64)
        return ElementText(nothing, nothing, nothing, nothing)
    places, elements = text_places(blocks), len(blocks.tags)
    pairs, count = np.unique(places.block * elements + elements_behind(blocks)[places.tag], return_counts=True)
    total = np.bincount(places.block, minlength=len(blocks))
    return ElementText(pairs // elements, pairs % elements, count, total)
