"""Sentence ends by rule: stops, closing quotes, what follows, and what cannot be an end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import ALPHANUMERIC, CLOSER, LOWERCASE, SPACE, STOP

__all__ = ["sentence_ends"]

_PERIOD = ord(".")
_WIDE_STOPS = np.array(sorted(ord(stop) for stop in "。！？｡．"), dtype=np.uint32)
_LOOKAHEAD = 4


def sentence_ends(
    codes: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    block_ends: NDArray[np.intp],
    solid: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the positions just behind each sentence end.

    Parameters
    ----------
    codes, classes : arrays of equal length
        Code points and class bits of the page's text; blocks end in a white space character.
    block_ends : array
        Position behind each block, ascending.
    solid : array
        Positions of the characters other than white space.

    Notes
    -----
    A stop ends a sentence if white space follows its run of stops and closing quotes (full-width stops need
    none). A period does not if a lower-case letter comes next, nor behind a single letter (an initial) or a
    number of one or two digits (a German ordinal); at the end of a block it always does.
    """
    stops: NDArray[np.intp] = (classes & STOP != 0).nonzero()[0]
    if stops.size == 0:
        return stops
    behind = stops + 1
    for _ in range(_LOOKAHEAD):  # never beyond the white space at the end
        behind += (classes.take(behind, mode="clip") & (STOP | CLOSER)) != 0
    places = solid.searchsorted(behind)
    following = solid.take(places, mode="clip")
    following[places == solid.size] = classes.size
    at_block_end = following >= block_ends[block_ends.searchsorted(stops, side="right")]
    is_end = (classes.take(behind, mode="clip") & SPACE) != 0
    is_end &= at_block_end | ~_abbreviates(codes, classes, stops, following)
    is_end |= _is_wide_stop(codes[stops])
    ends: NDArray[np.intp] = behind[is_end]
    if ends.size:
        ends = ends[np.concatenate(([True], ends[1:] != ends[:-1]))]
    return ends


def _is_wide_stop(stops: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell which stops need no white space behind them."""
    places = np.minimum(_WIDE_STOPS.searchsorted(stops), _WIDE_STOPS.size - 1)
    wide: NDArray[np.bool_] = _WIDE_STOPS[places] == stops
    return wide


def _abbreviates(
    codes: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    stops: NDArray[np.intp],
    following: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Tell which stops are periods that belong to an abbreviation, an initial or an ordinal."""
    period = codes[stops] == _PERIOD
    one, two, three = (
        (classes.take(stops - back, mode="clip") & ALPHANUMERIC != 0) & (stops >= back) for back in (1, 2, 3)
    )
    two &= one
    three &= two
    before = codes.take(stops - 1, mode="clip")
    digit = (before >= ord("0")) & (before <= ord("9"))
    short = (one & ~two) | (digit & ~three & one)
    lowercase_next = (classes.take(following, mode="clip") & LOWERCASE) != 0
    abbreviates: NDArray[np.bool_] = period & (short | lowercase_next)
    return abbreviates
