"""The schema of features: name, unit, range, side of a threshold that favours content, and source."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.lang.index import StopWordRatios

Column = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """Input of the feature functions: the page's blocks and their stop-word ratios."""

    blocks: Blocks
    stop_words: StopWordRatios


@dataclass(frozen=True)
class Feature:
    """One measure of a block.

    Attributes
    ----------
    name : str
        Name in model files and explanations.
    title : str
        Name for people.
    unit : str
        What the number counts.
    low, high : float
        Range in which the swarm looks for a threshold; values may lie outside.
    bound : str
        ``"minimum"`` if content lies at or above the threshold, ``"maximum"`` if at or below.
    source : str
        Paper and section, or formula.
    form : str
        How a value is written for people: one of `blockfeat.features.phrases.FORMS`.
    more, less : str
        What a high and a low value say of a block, as a phrase in which ``{}`` is the value.
    topic : str
        What the feature is about; of features with one topic a reason names one. Its name, where empty.
    zero : bool
        Whether ``less`` holds for values of at most ``low`` alone.
    compute : callable, optional
        Pure function from `Measured` to a float array over the blocks; None for the context features, which rest on
        shared sums and are computed together (`blockfeat.features.context.context_columns`).
    """

    name: str
    title: str
    unit: str
    low: float
    high: float
    bound: str
    source: str
    form: str = "decimal"
    more: str = ""
    less: str = ""
    topic: str = ""
    zero: bool = False
    compute: Callable[[Measured], Column] | None = None

    @property
    def sign(self) -> float:
        """1 for a minimum, -1 for a maximum."""
        return 1.0 if self.bound == "minimum" else -1.0


def read_features(file: str, computed: Mapping[str, Callable[[Measured], Column]]) -> tuple[Feature, ...]:
    """Return the features that a bundled TOML file lists, in its order; some with the function that computes them."""
    document = tomllib.loads(files("blockfeat.features").joinpath(file).read_text(encoding="utf-8"))
    return tuple(
        Feature(name=name, compute=computed.get(name), **{"title": name.replace("_", " "), **entry})
        for name, entry in document.items()
    )


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
