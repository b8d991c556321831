"""``MetadataReader``: reads the metadata of a page when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.metadata.metadata import Metadata
from blockfeat.page.page import Page


@dataclass(frozen=True, eq=False)
class MetadataReader:
    """Reads the metadata of one page.

    Attributes
    ----------
    page : Page
        The page.
    blocks : Blocks
        Its blocks.
    kept : bool array, n
        Which of them are text.
    headline : int or None
        The block that is the headline.
    """

    page: Page
    blocks: Blocks
    kept: NDArray[np.bool_]
    headline: int | None = None

    def __call__(self) -> Metadata:
        """Return what the page says of itself."""
        # The patterns take some ten milliseconds to compile, which a run that writes text need not wait for.
        from blockfeat.metadata.read import read_metadata

        return read_metadata(self.page, self.blocks, self.kept, self.headline)
