# mypy: disable-error-code="untyped-decorator"
"""What the elements around each block say: semantic tags, roles, words of classes and ids (compiled)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.features.containers import Containers
from blockfeat.features.schema import Columns

AROUND = "around_"
"""A column of this name and a kind of cue counts the containers around a block that have it."""

_KINDS = (
    "positive", "negative", "related", "comment", "byline", "aside", "footer", "main", "form", "dialog", "figure",
    "heading", "h1",
)  # fmt: skip
CONTAINER_CUES = (
    *(AROUND + kind for kind in _KINDS),
    "negatives", "depth", "negative_steps", "positive_below_negative", "h1_before", "page_articles", "page_paragraphs",
)  # fmt: skip
"""Columns that `add_container_cues` fills."""

_ALL = (1 << 32) - 1
_ROOTS = cython.declare(cython.Py_ssize_t, 2)
_WIDE = cython.declare(cython.double, 0.6)
_MOST_AROUND = cython.declare(cython.uchar, 3)
_MOST_CUES = cython.declare(cython.int, 8)
_MOST_DEPTH = cython.declare(cython.int, 60)
_FAR = cython.declare(cython.int, 20)
_MOST_STEPS = cython.declare(cython.int, 8)
_MOST_HEADINGS = cython.declare(cython.int, 4)


@dataclass(frozen=True, eq=False)
class ContainerCues:
    """The cues of each of c containers, and what follows from those of the containers around it, itself included.

    Attributes
    ----------
    bits : uint32 array, c
        Cues of each that count, as bits.
    masks : mapping
        The bit of each kind of cue, and those of groups of kinds.
    negatives : int32 array, c
        Negative cues around each, at most 8.
    is_shunned : uint8 array, c
        1 where text hardly counts, for a cue around says so.
    against, positive : int32 array, c
        Depth of the innermost container around each that has a cue against the text inside, or a positive one; 0
        where none has.
    """

    bits: NDArray[np.uint32]
    masks: Mapping[str, int]
    negatives: NDArray[np.int32]
    is_shunned: NDArray[np.uint8]
    against: NDArray[np.int32]
    positive: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        containers: Containers,
        bits: NDArray[np.uint32],
        widths: NDArray[np.float64],
        masks: Mapping[str, int],
    ) -> ContainerCues:
        """Gather the cues of a page's containers, from the outermost inwards; linear in their number.

        Cues of the outermost two (html and body) do not count, and negative cues of a container do not where it
        holds most of the page's words.

        Parameters
        ----------
        containers : Containers
            The page's containers.
        bits : uint32 array, c
            Cues of each.
        widths : float array, c
            Share of the page's words that each holds.
        masks : mapping
            The bit of each kind of cue, and those of groups of kinds.
        """
        counted = bits.copy()
        negatives, against, positive = np.empty((3, bits.size), dtype=np.int32)
        is_shunned = np.empty(bits.size, dtype=np.uint8)
        cues = cls(counted, masks, negatives, is_shunned, against, positive)
        _drop_uncounted(counted, widths, masks["against"])
        _inherit(containers, cues)
        return cues


def _drop_uncounted(container_bits: NDArray[np.uint32], widths: NDArray[np.float64], against: int) -> None:
    """Take away the cues that do not count."""
    bits: cython.uint[::1] = container_bits
    width: cython.double[::1] = widths
    others: cython.uint = _ALL & ~against
    container: cython.Py_ssize_t
    with cython.nogil:
        for container in range(bits.shape[0]):
            if container < _ROOTS:
                bits[container] = 0
            elif width[container] > _WIDE:
                bits[container] &= others


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _count_bits(bits: cython.uint) -> cython.int:
    """Return how many bits are set."""
    count: cython.int = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


def _inherit(containers: Containers, cues: ContainerCues) -> None:
    """Fill in what each container has of the one around it and of its own cues."""
    parent: cython.int[::1] = containers.parent
    depth: cython.int[::1] = containers.depth
    bits: cython.uint[::1] = cues.bits
    negatives: cython.int[::1] = cues.negatives
    is_shunned: cython.uchar[::1] = cues.is_shunned
    against: cython.int[::1] = cues.against
    positive: cython.int[::1] = cues.positive
    against_mask: cython.uint = cues.masks["against"]
    shunned_mask: cython.uint = cues.masks["shunned"]
    positive_mask: cython.uint = cues.masks["positive"]
    container: cython.Py_ssize_t
    up: cython.int
    with cython.nogil:
        for container in range(parent.shape[0]):
            up = parent[container]
            negatives[container] = negatives[up] if up >= 0 else 0
            is_shunned[container] = is_shunned[up] if up >= 0 else 0
            against[container] = against[up] if up >= 0 else 0
            positive[container] = positive[up] if up >= 0 else 0
            if bits[container] & against_mask:
                negatives[container] = min(
                    negatives[container] + _count_bits(bits[container] & against_mask), _MOST_CUES
                )
                against[container] = depth[container]
            if bits[container] & shunned_mask:
                is_shunned[container] = 1
            if bits[container] & positive_mask:
                positive[container] = depth[container]


def containers_around(containers: Containers, cues: ContainerCues, kind: str) -> NDArray[np.float32]:
    """Return how many containers around each of n blocks have a kind of cue, at most 3.

    Parameters
    ----------
    containers : Containers
        The page's containers.
    cues : ContainerCues
        What they say.
    kind : str
        The kind of cue.
    """
    found: NDArray[np.float32] = np.zeros((1, containers.inner.size), dtype=np.float32)
    _count_around(containers, cues, {kind: 0}, found)
    return found.reshape(-1)


def _count_around(
    containers: Containers, cues: ContainerCues, row_of_kind: Mapping[str, int], columns: NDArray[np.float32]
) -> None:
    """Fill in, a row for each kind of cue, how many containers around each block have it, at most 3."""
    rows: cython.float[:, ::1] = columns
    parent: cython.int[::1] = containers.parent
    inner: cython.int[::1] = containers.inner
    bits: cython.uint[::1] = cues.bits
    counts: cython.uchar[::1] = np.empty(cues.bits.size, dtype=np.uint8)
    present: cython.uint = np.bitwise_or.reduce(cues.bits)
    mask: cython.uint
    around: cython.float[::1]
    container: cython.Py_ssize_t
    block: cython.Py_ssize_t
    count: cython.uchar
    for kind, row in row_of_kind.items():
        mask = cues.masks[kind]
        around = rows[row]
        if not present & mask:
            around[:] = 0.0
            continue
        with cython.nogil:
            for container in range(parent.shape[0]):
                count = counts[parent[container]] if parent[container] >= 0 else 0
                if bits[container] & mask and count < _MOST_AROUND:
                    count += 1
                counts[container] = count
            for block in range(inner.shape[0]):
                around[block] = counts[inner[block]]


def add_container_cues(columns: Columns, containers: Containers, cues: ContainerCues) -> None:
    """Fill the columns about the elements around each block.

    Parameters
    ----------
    columns : Columns
        What is filled.
    containers : Containers
        The page's containers around its n blocks.
    cues : ContainerCues
        What they say.
    """
    _count_around(containers, cues, {kind: columns.place[AROUND + kind] for kind in _KINDS}, columns.values)
    _add_page(columns, containers, cues)
    _add_depths(columns, containers, cues)
    _add_headings(columns, containers, cues)


def _add_page(columns: Columns, containers: Containers, cues: ContainerCues) -> None:
    """Fill the columns about paragraphs and articles of the page, the same for all blocks."""
    rows: cython.float[:, ::1] = columns.values
    page_paragraphs: cython.float[::1] = rows[columns.place["page_paragraphs"]]
    page_articles: cython.float[::1] = rows[columns.place["page_articles"]]
    in_paragraph: cython.float[::1] = containers_around(containers, cues, "p")
    bits: cython.uint[::1] = cues.bits
    article: cython.uint = cues.masks["article"]
    paragraphs: cython.Py_ssize_t = 0
    articles: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(bits.shape[0]):
            articles += bits[place] & article != 0
        for place in range(in_paragraph.shape[0]):
            paragraphs += in_paragraph[place] > 0.0
        page_articles[:] = log1p(articles)
        page_paragraphs[:] = paragraphs / cython.cast(cython.double, in_paragraph.shape[0])


def _add_depths(columns: Columns, containers: Containers, cues: ContainerCues) -> None:
    """Fill the columns about depth and about the innermost containers with negative or positive cues."""
    rows: cython.float[:, ::1] = columns.values
    negatives: cython.float[::1] = rows[columns.place["negatives"]]
    levels: cython.float[::1] = rows[columns.place["depth"]]
    negative_steps: cython.float[::1] = rows[columns.place["negative_steps"]]
    positive_below: cython.float[::1] = rows[columns.place["positive_below_negative"]]
    inner: cython.int[::1] = containers.inner
    depth: cython.int[::1] = containers.depth
    count: cython.int[::1] = cues.negatives
    against: cython.int[::1] = cues.against
    positive: cython.int[::1] = cues.positive
    block: cython.Py_ssize_t
    container: cython.int
    with cython.nogil:
        for block in range(inner.shape[0]):
            container = inner[block]
            negatives[block] = count[container]
            levels[block] = min(depth[container], _MOST_DEPTH)
            negative_steps[block] = min(depth[container] - against[container], _FAR) if against[container] else _FAR
            positive_below[block] = max(min(positive[container] - against[container], _MOST_STEPS), -_MOST_STEPS)


def _add_headings(columns: Columns, containers: Containers, cues: ContainerCues) -> None:
    """Fill the column about main headings before each block or around it."""
    rows: cython.float[:, ::1] = columns.values
    headings_before: cython.float[::1] = rows[columns.place["h1_before"]]
    first: cython.int[::1] = containers.first
    bits: cython.uint[::1] = cues.bits
    main_heading: cython.uint = cues.masks["h1"]
    count: cython.int = 0
    container: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    with cython.nogil:
        # Containers are in the order of their first blocks.
        for block in range(headings_before.shape[0]):
            while container < first.shape[0] and first[container] <= block:
                if bits[container] & main_heading:
                    count += 1
                container += 1
            headings_before[block] = min(count, _MOST_HEADINGS)
