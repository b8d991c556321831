"""A row of a matrix, read by the names of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class NamedRow(Mapping[str, float]):
    """One row of a matrix as a mapping from the names of its columns to its values.

    All rows share the matrix and the names: a page of many blocks would need gigabytes for a dictionary each.

    Parameters
    ----------
    matrix : float array, n × k
        The values of all rows.
    places : mapping
        The column of each name, k of them.
    row : int
        Which row.
    """

    __slots__ = ("_matrix", "_places", "_row")

    def __init__(self, matrix: NDArray[np.floating[Any]], places: Mapping[str, int], row: int) -> None:
        self._matrix = matrix
        self._places = places
        self._row = row

    def __getitem__(self, name: str) -> float:
        """Return the value of one column; KeyError for a name that there is not."""
        return float(self._matrix[self._row, self._places[name]])

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._places)

    def __repr__(self) -> str:
        """Show it as a dictionary."""
        return repr(dict(self))
