"""A table of named columns of the blocks of one page, each column filled by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Columns:
    """Named columns of n blocks.

    Attributes
    ----------
    place : mapping
        Row of each name in ``values``.
    values : float32 array, k × n
        One row for each column, so that each lies in one piece.
    """

    place: Mapping[str, int]
    values: NDArray[np.float32]

    @classmethod
    def empty(cls, place: Mapping[str, int], blocks: int) -> Columns:
        """Make a table of columns that are still to be filled."""
        return cls(place, np.empty((len(place), blocks), dtype=np.float32))

    def __setitem__(self, name: str, column: NDArray[Any] | float) -> None:
        """Fill one column with an array of n or with one value for all blocks."""
        self.values[self.place[name]] = column

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        """Return one column."""
        column: NDArray[np.float32] = self.values[self.place[name]]
        return column
