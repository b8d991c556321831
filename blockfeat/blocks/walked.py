"""What a walk over a page writes down, and what it hands over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Anchors, Containers
from blockfeat.lang.measures import PageText

ROLES = ("format", "list", "structure")
"""The rows of `WalkColumns.role`."""

_Columns = TypeVar("_Columns", NDArray[np.int32], NDArray[np.uint32])


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """What a walk found, as `blockfeat.blocks.table.Blocks` has it."""

    page_text: PageText
    block_starts: NDArray[np.int32]
    first_byte: NDArray[np.int32]
    end_byte: NDArray[np.int32]
    role_counts: dict[str, NDArray[np.int32]]
    container: NDArray[np.int32]
    containers: Containers
    anchors: Anchors
    places: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class WalkColumns:
    """Columns for what a walk finds, a row each: int32 but for the code points of the text."""

    text: NDArray[np.uint32]
    block: NDArray[np.int32]
    role: NDArray[np.int32]
    container: NDArray[np.int32]
    anchor: NDArray[np.int32]
    piece: NDArray[np.int32]
    place: NDArray[np.int32]
    open: NDArray[np.int32]

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> WalkColumns:
        """Make arrays for so many characters, texts, containers, anchors, flagged elements, open elements and tags."""
        characters, texts, containers, anchors, flagged, depth, tags = sizes.tolist()
        return cls(
            text=np.empty(characters, dtype=np.uint32),
            block=np.empty((5, texts), dtype=np.int32),
            role=np.zeros((len(ROLES), texts), dtype=np.int32),
            container=np.empty((4, containers), dtype=np.int32),
            anchor=np.empty((3, anchors), dtype=np.int32),
            piece=np.empty((2, 2 * flagged + 1), dtype=np.int32),
            place=np.empty(tags, dtype=np.int32),
            open=np.empty((4, depth), dtype=np.int32),
        )


def leading(columns: _Columns, count: int) -> _Columns:
    """Return the first entries of some columns; a copy where the rest would only take memory."""
    chosen = columns[..., :count]
    return chosen.copy() if 2 * chosen.size < columns.size else chosen
