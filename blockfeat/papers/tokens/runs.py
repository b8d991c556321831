"""Runs of tokens: baselines, least length, boundaries and stops, cleaning (Pasternack & Roth 2009)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.page.tags import Tags, name_keys
from blockfeat.papers.tokens.page_tokens import PageTokens

PENALTY = 3.25
"""What a tag costs against a word, by the paper's optimisation (6.2.2)."""

_CELLS = ("td", "th", "div")
_ALWAYS_CUT = ("iframe", "table")
_CUT_WHERE_THEY_HOLD = ("a", "iframe", "table", "img", "embed", "applet", "object")


Indices = NDArray[np.int64]


def simple_scores(tokens: PageTokens, penalty: float = PENALTY) -> NDArray[np.float64]:
    """Return the scores of the second baseline: 1 for a word or symbol, ``-penalty`` for a tag (6.2.2)."""
    return np.where(tokens.is_tag, -penalty, 1.0)


def longest_block(tags: Tags, tokens: PageTokens) -> tuple[int, int]:
    """Return first and end token of the table cell or DIV with the most characters, the first baseline (6.2.1).

    Of elements with the same text the innermost counts; (0, 0) where the page has neither cells nor DIVs with text.
    """
    elements = np.flatnonzero(np.isin(tags.key, name_keys(_CELLS)) & (tags.closed > tags.opened))
    if not elements.size:
        return 0, 0
    characters = np.where(tokens.is_tag, 0, tokens.end_character - tokens.first_character)
    upto = np.concatenate(([0], np.cumsum(characters)))
    first = np.searchsorted(tokens.first_byte, tags.stop[tags.opened[elements]])
    end = np.searchsorted(tokens.first_byte, tags.start[tags.closed[elements]])
    length = upto[end] - upto[first]
    best = length.size - 1 - int(np.argmax(length[::-1]))
    return (int(first[best]), int(end[best])) if length[best] else (0, 0)


def cleaned(tags: Tags, tokens: PageTokens, run: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the tokens of a run that are left when what is embedded in it is cut out, by the paper's two rules (4.2).

    The contents of IFRAME and TABLE go, and those of every DIV that holds a link, an image or another embedded
    element; only pairs of tags that stand inside of the run count.
    """
    is_taken = np.zeros(len(tokens), dtype=bool)
    is_taken[run[0] : run[1]] = True
    if run[1] <= run[0]:
        return is_taken
    first_byte, end_byte = tokens.first_byte[run[0]], tokens.end_byte[run[1] - 1]
    is_whole = (tags.start[tags.opened] >= first_byte) & (tags.stop[tags.closed] <= end_byte)
    divs = np.flatnonzero(is_whole & np.isin(tags.key, name_keys(["div"])))
    held = tags.opened[np.isin(tags.key, name_keys(_CUT_WHERE_THEY_HOLD))]
    holds = np.searchsorted(held, tags.closed[divs]) > np.searchsorted(held, tags.opened[divs])
    always = np.flatnonzero(is_whole & np.isin(tags.key, name_keys(_ALWAYS_CUT)))
    cut = np.concatenate((always, divs[holds]))
    edges = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.add.at(edges, np.searchsorted(tokens.first_byte, tags.start[tags.opened[cut]]), 1)
    np.add.at(edges, np.searchsorted(tokens.first_byte, tags.stop[tags.closed[cut]]), -1)
    return np.asarray(is_taken & (np.cumsum(edges[:-1]) == 0))


def best_run_of_length(scores: NDArray[np.float64], least: int) -> tuple[int, int]:
    """Return start and end (exclusive) of the run of at least so many scores with the highest sum.

    Of equal sums the run with the earliest end wins, then the shortest; (0, 0) where no run has a sum above 0. Of runs
    of any length it finds what `blockfeat.models.decoding.best_run` does.

    Parameters
    ----------
    scores : float array, n
        Finite scores.
    least : int
        Least number of scores in the run, at least 1.
    """
    if scores.size < least:
        return 0, 0
    total = np.concatenate(([0.0], np.cumsum(scores, dtype=np.float64)))
    before = total[:-least]
    is_lowest = before <= np.minimum.accumulate(before)
    start = np.maximum.accumulate(np.where(is_lowest, np.arange(before.size), 0))
    sums = total[least:] - before[start]
    best = int(np.argmax(sums))
    return (int(start[best]), best + least) if sums[best] > 0 else (0, 0)


def truncate_run(run: tuple[int, int], stops: Indices) -> tuple[int, int]:
    """Cut a run short at the first stop inside it (Pasternack & Roth 2009, 6.2.3: "everything after the first HR").

    Parameters
    ----------
    run : tuple of int
        Start and end (exclusive).
    stops : int array
        Positions in ascending order; the run ends before the first of them that it holds.
    """
    start, end = run
    place = int(np.searchsorted(stops, start))
    return (start, min(end, int(stops[place]))) if place < stops.size and stops[place] < end else run
