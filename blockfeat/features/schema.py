"""The schema of features: name, unit, range, side of a threshold that favours content, and source."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_table
from blockfeat.blocks.table import Blocks
from blockfeat.lang.stopwords import StopWordRatios

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
        Search range of particle swarm optimisation for a threshold; values may lie outside.
    bound : str
        ``"minimum"`` if content lies at or above the threshold, ``"maximum"`` if at or below.
    source : str
        Paper and section, or formula.
    form : str
        How a value is written for people: one of `blockfeat.features.phrases.FORMS`.
    more, less : str
        Phrases about a block with a high and with a low value, in which ``{}`` stands for the value.
    topic : str
        What the feature is about; of features with one topic a reason names one. Its name, where empty.
    zero : bool
        Whether ``less`` holds for values of at most ``low`` alone.
    compute : callable, optional
        Pure function from `Measured` to a float array over the blocks; None for the context features, which rest on
        shared sums and are computed together (`blockfeat.features.measuring.context_columns`).
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
    document = bundled_table("blockfeat.features", file)
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

    @classmethod
    def rows(cls, matrix: NDArray[np.floating[Any]], names: Sequence[str]) -> list[NamedRow]:
        """Return every row of a matrix whose columns have these names."""
        places = {name: place for place, name in enumerate(names)}
        return [cls(matrix, places, row) for row in range(len(matrix))]

    def __getitem__(self, name: str) -> float:
        """Return the value of one column; KeyError for a name that there is not."""
        return float(self._matrix[self._row, self._places[name]])

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._places)

    def items(self) -> ItemsView[str, float]:
        """Return the names with their values, all read at once."""
        return dict(zip(self._places, self._matrix[self._row].tolist(), strict=True)).items()

    def __repr__(self) -> str:
        """Show it as a dictionary."""
        return repr(dict(self))


def _share(part: NDArray[np.integer[Any]], whole: NDArray[np.integer[Any]]) -> Column:
    """Divide part by whole; 0 where the whole is 0."""
    return np.asarray(part / np.maximum(whole, 1))


def average_sentence_length(measured: Measured) -> Column:
    """Return the words per sentence."""
    return _share(measured.blocks.measures.words, measured.blocks.measures.sentences)


def sentence_count(measured: Measured) -> Column:
    """Return the number of sentences; a block of text without a stop is one."""
    return measured.blocks.measures.sentences.astype(np.float64)


def character_distribution(measured: Measured) -> Column:
    """Return letters and digits divided by all characters other than white space."""
    return _share(measured.blocks.measures.alphanumerics, measured.blocks.measures.characters)


def stop_word_ratio(measured: Measured) -> Column:
    """Stop words by words, over what running prose of the language has; argmax over languages."""
    return measured.stop_words.normalised


def paper_stop_word_ratio(measured: Measured) -> Column:
    """Stop words by all other words, a block of stop words alone counted with one other; argmax over languages."""
    words = measured.blocks.measures.words
    stop_words = measured.stop_words.ratio * words
    return np.asarray(stop_words / np.maximum(words - stop_words, 1.0))


def anchor_ratio(measured: Measured) -> Column:
    """Return words inside anchors divided by words."""
    return _share(measured.blocks.measures.anchor_words, measured.blocks.measures.words)


def format_tag_ratio(measured: Measured) -> Column:
    """Return formatting elements divided by words."""
    return _share(measured.blocks.role_counts["format"], measured.blocks.measures.words)


def list_element_ratio(measured: Measured) -> Column:
    """Return list elements divided by words."""
    return _share(measured.blocks.role_counts["list"], measured.blocks.measures.words)


def text_structuring_ratio(measured: Measured) -> Column:
    """Return headings, paragraphs, breaks and alignment elements divided by words."""
    return _share(measured.blocks.role_counts["structure"], measured.blocks.measures.words)


# Computed by the functions above of their names. The last is the stop-word ratio as the paper has it: not normalised.
*_EIGHT, PAPER_STOP_WORD_RATIO = read_features("ziegler2007.toml", globals())

CANONICAL = tuple(_EIGHT)
"""The eight features, in the order of the paper."""

CANONICAL_NAMES = tuple(feature.name for feature in CANONICAL)
"""Their names."""
