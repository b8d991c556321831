"""The choice of a decoder and its options, as a value; what turns block scores into labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.models.runs import best_runs

DECODERS = ("conjunction", "mss")


@dataclass(frozen=True)
class Decoder:
    """How scores become labels.

    Attributes
    ----------
    name : str
        ``"conjunction"``: every block whose score is at least 0. ``"mss"``: the ``runs`` contiguous runs with the
        highest sums.
    runs : int
        Number of runs for ``"mss"``.
    """

    name: str = "conjunction"
    runs: int = 1

    def __post_init__(self) -> None:
        """Check the values."""
        if self.name not in DECODERS:
            raise ModelError(f"unknown decoder {self.name!r}; known are {', '.join(DECODERS)}")
        if self.runs < 1:
            raise ModelError(f"a decoder needs at least one run, not {self.runs}")


def decode(scores: NDArray[np.float64], decoder: Decoder) -> NDArray[np.bool_]:
    """Return the label of each block: float array of n scores to bool array."""
    if decoder.name == "conjunction":
        return scores >= 0
    labels = np.zeros(scores.size, dtype=bool)
    for start, end in best_runs(scores, decoder.runs):
        labels[start:end] = True
    return labels
