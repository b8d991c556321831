"""The measuring stage of Web2Text: the blocks of a page, and beside them its text leaves with their features."""

from __future__ import annotations

from dataclasses import dataclass

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import TagTable
from blockfeat.features.measuring import MeasuredPage, Measurer
from blockfeat.lang.identify import Identifier
from blockfeat.page.page import Page
from blockfeat.papers.web2text.features import PageFeatures, page_features
from blockfeat.papers.web2text.leaves import LeafMeasurer


@dataclass(frozen=True, eq=False)
class MeasuredLeaves(MeasuredPage):
    """A page as Web2Text reads it.

    Attributes
    ----------
    leaves : Blocks
        The page's text leaves.
    leaf_features : PageFeatures
        The features of the leaves and of the edges between them.
    """

    leaves: Blocks
    leaf_features: PageFeatures


@dataclass(frozen=True)
class Web2TextMeasurer:
    """Cuts pages into blocks and into text leaves.

    Attributes
    ----------
    blocks : Measurer
        Cuts pages into the blocks of the result; no features of them are computed.
    leaves : LeafMeasurer
        Cuts pages into text leaves.
    """

    blocks: Measurer
    leaves: LeafMeasurer

    @classmethod
    def of(cls, table: TagTable, identifier: Identifier, *, languages: tuple[str, ...] = ()) -> Web2TextMeasurer:
        """Make a measurer with the tag table of the result; the identifier may be shared."""
        blocks = Measurer(cutter=Cutter.of(table), features=(), identifier=identifier, languages=languages)
        return cls(blocks, LeafMeasurer.of(identifier))

    @property
    def identifier(self) -> Identifier:
        """Language identification."""
        return self.blocks.identifier

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredLeaves:
        """Measure a page; ``lang`` is its language where the caller knows it, identified otherwise."""
        measured = self.blocks.measure(page, lang=lang)
        leaves = self.leaves.measure(page, lang=measured.lang)
        return MeasuredLeaves(
            blocks=measured.blocks,
            matrix=measured.matrix,
            lang=measured.lang,
            stop_words=measured.stop_words,
            leaves=leaves.blocks,
            leaf_features=page_features(leaves),
        )
