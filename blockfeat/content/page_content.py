"""The content of one extraction, made when a format is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content.nodes import Node

Nodes = Callable[[bool], tuple[Node, ...]]
"""Makes the nodes of a page's content, with its images or without."""


@dataclass(frozen=True, eq=False)
class PageNodes:
    """Makes the nodes of the kept blocks of one page; see `Nodes`."""

    blocks: Blocks
    kept: NDArray[np.bool_]
    url: str | None
    normalise: bool

    def __call__(self, images: bool) -> tuple[Node, ...]:
        """Return the nodes."""
        # Imported here, for most extractions are asked for their text alone.
        from blockfeat.content.build import nodes_of
        from blockfeat.content.inline import Inlines
        from blockfeat.content.links import Base

        base = Base.of(self.blocks.tags, self.url)
        inlines = Inlines.of(self.blocks, base=base, normalise=self.normalise, images=images)
        return nodes_of(self.blocks, self.kept, inlines)
