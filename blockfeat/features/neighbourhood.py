# mypy: disable-error-code="untyped-decorator"
"""Good text around each block: before and after it, in windows, in containers, in the page's main one (compiled).

A block's own features give seeds, its good words; what stands around it decides. Containers and windows are ranges of
blocks, so every sum is a difference of two running totals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.features.container_cues import ContainerCues
from blockfeat.features.containers import Containers, sums_of_containers
from blockfeat.features.schema import Columns

Floats = NDArray[np.float64]
Counts = NDArray[np.int32]

GOOD_TEXT = (
    "good",
    "page_good",
    "top_share",
    "good_before",
    "good_after",
    "share_1",
    "share_2",
    "share_3",
    "gap_after",
)
"""Columns that `add_good_text` fills."""
WINDOWS = ("window_share", "window_density_1", "window_density_5")
"""Columns that `add_windows` fills."""
MAIN_CONTAINER = (
    "main_steps", "main_distance", "wide_steps", "main_size", "main_position", "main_density", "main_words",
)  # fmt: skip
"""Columns that `add_main_container` fills."""

_TINY = 1e-9
_MAIN, _WIDE = 0.6 - _TINY, 0.85 - _TINY
_MOST_STEPS = cython.declare(cython.int, 30)
_FURTHEST = cython.declare(cython.double, 5.0)
_STRONG = cython.declare(cython.double, 8.0)
_FAR = cython.declare(cython.Py_ssize_t, 60)
_REACH = 5


@dataclass(frozen=True, eq=False)
class GoodText:
    """The good words of a page's n blocks and c containers.

    Attributes
    ----------
    words : float array, n
        Good words of each block: words of prose of some length, outside anchors and outside negative containers.
    page : float
        Good words of the page, above 0.
    best : float
        Those of its best block, above 0.
    before : float array, n + 1
        Share of the page's good words before each block, and of all.
    words_before : float array, n + 1
        Words before each block, and of all.
    inside : float array, c
        Share of the page's good words that each container holds.
    words_inside : float array, c
        Words of each container.
    """

    words: Floats
    page: float
    best: float
    before: Floats
    words_before: Floats
    inside: Floats
    words_inside: Floats

    @classmethod
    def of(cls, containers: Containers, words_before: Floats, words_inside: Floats, good: Floats) -> GoodText:
        """Add up the good words of blocks.

        Parameters
        ----------
        containers : Containers
            The page's containers.
        words_before : float array, n + 1
            Words before each block, and of all.
        words_inside : float array, c
            Words of each container.
        good : float array, n
            Good words of each block; see `good_words`.
        """
        before = np.empty(good.size + 1)
        page, best = _add_up(good, before)
        inside = sums_of_containers(containers, before)
        return cls(good, page, best, before, words_before, inside, words_inside)


def _add_up(good: Floats, before: Floats) -> tuple[float, float]:
    """Fill in the share of good words before each block, and of all; return their sum and the most in a block."""
    words: cython.double[::1] = good
    share_before: cython.double[::1] = before
    total: cython.double = _TINY
    most: cython.double = 0.0
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            total += words[block]
            most = max(most, words[block])
        share_before[0] = 0.0
        for block in range(words.shape[0]):
            share_before[block + 1] = share_before[block] + words[block] / total
    return float(total), float(most + _TINY)


def good_words(containers: Containers, cues: ContainerCues, words: Counts, density: Floats, terminal: Floats) -> Floats:
    """Return the good words of each block.

    words · clip(1 - 2.5 · density) · clip((words - 6) / 14), half of it without a terminal, 0.3 of it inside a
    negative container, 0.1 inside one that is shunned.

    Parameters
    ----------
    containers : Containers
        The page's containers around n blocks.
    cues : ContainerCues
        What they say.
    words : int32 array, n
        Words of each block.
    density, terminal : float array, n
        Anchor ratio of each, and how it ends.
    """
    good = np.empty(words.size)
    seed: cython.double[::1] = good
    inner: cython.int[::1] = containers.inner
    negatives: cython.int[::1] = cues.negatives
    is_shunned: cython.uchar[::1] = cues.is_shunned
    count: cython.int[::1] = words
    anchor_ratio: cython.double[::1] = density
    ending: cython.double[::1] = terminal
    block: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        for block in range(seed.shape[0]):
            value = count[block] * _clip(1.0 - 2.5 * anchor_ratio[block]) * _clip((count[block] - 6) / 14.0)
            if ending[block] == 0.0:
                value *= 0.5
            if negatives[inner[block]] > 0:
                value *= 0.3
            if is_shunned[inner[block]]:
                value *= 0.1
            seed[block] = value
    return good


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _clip(value: cython.double) -> cython.double:
    """Return the nearest value between 0 and 1."""
    return min(max(value, 0.0), 1.0)


def add_good_text(columns: Columns, containers: Containers, good: GoodText) -> None:
    """Fill the columns about good words of each block, before and after it, and in the containers around it.

    Parameters
    ----------
    columns : Columns
        What is filled.
    containers : Containers
        The page's containers.
    good : GoodText
        Good words of the page's blocks.
    """
    rows: cython.float[:, ::1] = columns.values
    log_good: cython.float[::1] = rows[columns.place["good"]]
    page_good: cython.float[::1] = rows[columns.place["page_good"]]
    top_share: cython.float[::1] = rows[columns.place["top_share"]]
    good_before: cython.float[::1] = rows[columns.place["good_before"]]
    good_after: cython.float[::1] = rows[columns.place["good_after"]]
    words: cython.double[::1] = good.words
    before: cython.double[::1] = good.before
    page: cython.double = math.log1p(good.page)
    best: cython.double = good.best
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            log_good[block] = log1p(words[block])
            page_good[block] = page
            top_share[block] = words[block] / best
            good_before[block] = before[block]
            good_after[block] = 1.0 - before[block + 1]
    _add_shares(columns, containers, good.inside)
    _add_gaps(columns, good.words)


def _add_shares(columns: Columns, containers: Containers, share: Floats) -> None:
    """Fill the columns about the share of good words that the containers around each block hold."""
    rows: cython.float[:, ::1] = columns.values
    column: cython.float[::1]
    level: cython.int[:, ::1] = containers.levels
    inside: cython.double[::1] = share
    rank: cython.Py_ssize_t
    block: cython.Py_ssize_t
    for rank in range(level.shape[0]):
        column = rows[columns.place[f"share_{rank + 1}"]]
        with cython.nogil:
            for block in range(level.shape[1]):
                column[block] = inside[level[rank, block]]


def _add_gaps(columns: Columns, good_words: Floats) -> None:
    """Fill the column about the distance to the next block with some good words."""
    rows: cython.float[:, ::1] = columns.values
    gap_after: cython.float[::1] = rows[columns.place["gap_after"]]
    good: cython.double[::1] = good_words
    gap: cython.Py_ssize_t = _FAR
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(good.shape[0] - 1, -1, -1):
            gap_after[block] = gap
            gap = 1 if good[block] >= _STRONG else min(gap + 1, _FAR)


def add_windows(columns: Columns, good: GoodText) -> None:
    """Fill the columns about good text in windows of one and of five blocks on each side.

    Parameters
    ----------
    columns : Columns
        What is filled.
    good : GoodText
        Good words of the page's blocks.
    """
    places = columns.place
    _add_window(columns.values[places["window_density_1"]], None, good, 1)
    _add_window(
        columns.values[places[f"window_density_{_REACH}"]], columns.values[places["window_share"]], good, _REACH
    )


def _add_window(densities: NDArray[np.float32], shares: NDArray[np.float32] | None, good: GoodText, reach: int) -> None:
    """Fill in good words by words, and the share of the page's good words, in a window around each block."""
    density: cython.float[::1] = densities
    share: cython.float[::1] = densities if shares is None else shares
    has_share: cython.bint = shares is not None
    before: cython.double[::1] = good.before
    words_before: cython.double[::1] = good.words_before
    page: cython.double = good.page
    width: cython.Py_ssize_t = reach
    count: cython.Py_ssize_t = density.shape[0]
    block: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    inside: cython.double
    with cython.nogil:
        for block in range(count):
            low, high = max(block - width, 0), min(block + width + 1, count)
            inside = before[high] - before[low]
            density[block] = inside * (page / (words_before[high] - words_before[low] + 1.0))
            if has_share:
                share[block] = inside


def add_main_container(columns: Columns, containers: Containers, good: GoodText) -> None:
    """Fill the columns about the page's main container, the deepest that holds 60 % of its good words.

    Parameters
    ----------
    columns : Columns
        What is filled.
    containers : Containers
        The page's containers.
    good : GoodText
        Good words of the page's blocks and containers.
    """
    _add_main_places(columns, containers, good, _main_container(good.inside))
    _add_steps(columns["main_steps"], containers, good.inside, _MAIN)
    _add_steps(columns["wide_steps"], containers, good.inside, _WIDE)


def _main_container(share: Floats) -> int:
    """Return the last container with 60 % of the page's good words, the outermost where none has so much.

    All that have so much lie one in the other, for each holds more than half of the page.
    """
    inside: cython.double[::1] = share
    least: cython.double = _MAIN
    found: cython.Py_ssize_t = 0
    container: cython.Py_ssize_t
    with cython.nogil:
        for container in range(inside.shape[0]):
            if inside[container] >= least:
                found = container
    return int(found)


def _add_main_places(columns: Columns, containers: Containers, good: GoodText, main: int) -> None:
    """Fill the columns about the main container, the same for all blocks, and about the place of each against it."""
    rows: cython.float[:, ::1] = columns.values
    main_size: cython.float[::1] = rows[columns.place["main_size"]]
    main_density: cython.float[::1] = rows[columns.place["main_density"]]
    main_words: cython.float[::1] = rows[columns.place["main_words"]]
    distance: cython.float[::1] = rows[columns.place["main_distance"]]
    position: cython.float[::1] = rows[columns.place["main_position"]]
    first: cython.Py_ssize_t = containers.first[main]
    end: cython.Py_ssize_t = containers.end[main]
    words: cython.double = good.words_inside[main]
    density: cython.double = good.inside[main] * (good.page / (words + 1.0))
    words_before: cython.double[::1] = good.words_before
    blocks: cython.Py_ssize_t = distance.shape[0]
    size: cython.double = end - first
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(blocks):
            main_size[block] = size / blocks
            main_density[block] = density
            main_words[block] = words / max(words_before[blocks], 1.0)
            distance[block] = min(block - first, 0) + max(block - (end - 1), 0)
            position[block] = max(min((block - first) / size, _FURTHEST), -_FURTHEST)


def _add_steps(column: NDArray[np.float32], containers: Containers, share: Floats, least_share: float) -> None:
    """Fill in how many of the containers with a least share of the page's good words do not hold each block.

    At most 30; containers of the same blocks count as one. The outermost is taken where none has the share.
    """
    steps: cython.float[::1] = column
    first: cython.int[::1] = containers.first
    end: cython.int[::1] = containers.end
    inside: cython.double[::1] = share
    least: cython.double = least_share
    # How many of them begin with each block, less those that have ended before it.
    change: cython.int[::1] = np.zeros(column.size + 1, dtype=np.int32)
    count: cython.int = 0
    around: cython.int = 0
    last: cython.Py_ssize_t = 0
    container: cython.Py_ssize_t
    block: cython.Py_ssize_t
    with cython.nogil:
        for container in range(inside.shape[0]):
            if inside[container] < least:
                continue
            if count == 0 or first[container] != first[last] or end[container] != end[last]:
                change[first[container]] += 1
                change[end[container]] -= 1
                count += 1
                last = container
        if count == 0:
            change[first[0]] += 1
            change[end[0]] -= 1
            count = 1
        for block in range(steps.shape[0]):
            around += change[block]
            steps[block] = min(count - around, _MOST_STEPS)
