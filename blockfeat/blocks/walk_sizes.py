"""How much a walk over a page can find at most, counted ahead so that its arrays are made once.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import tagtable

_OPERATION = cython.declare(cython.int, tagtable.OPERATION)
_BOUNDARY = cython.declare(cython.int, tagtable.BOUNDARY)
_ANCHOR_ROLE = cython.declare(cython.int, tagtable.ANCHOR_ROLE)
_FORMAT_ROLE = cython.declare(cython.int, tagtable.FORMAT_ROLE)

_CHARACTERS = cython.declare(cython.int, 0)
_TEXTS = cython.declare(cython.int, 1)
_CONTAINERS = cython.declare(cython.int, 2)
_ANCHORS = cython.declare(cython.int, 3)
_FLAGGED = cython.declare(cython.int, 4)
_DEPTH = cython.declare(cython.int, 5)
_TAGS = cython.declare(cython.int, 6)
_SIZES = 7


def walk_sizes(
    start: memoryview, stop: memoryview, opened: memoryview, closed: memoryview, codes: memoryview, size: int
) -> NDArray[np.int64]:
    """Return how many characters, texts, containers, anchors, flagged elements, open elements and tags there can be.

    Parameters
    ----------
    start, stop, opened, closed : memoryview of int64
        The columns of `blockfeat.page.tags.Tags`.
    codes : memoryview of uint8
        The code of each element.
    size : int
        Bytes of the page.
    """
    sizes = np.zeros(_SIZES, dtype=np.int64)
    _count_texts(start, stop, size, sizes.data)
    _count_elements(codes, opened, closed, sizes.data)
    return sizes


@cython.cfunc
def _count_texts(
    start: cython.const[cython.longlong][::1],
    stop: cython.const[cython.longlong][::1],
    size: cython.Py_ssize_t,
    counts: cython.longlong[::1],
) -> cython.void:
    """Count the characters there can be, the texts between two tags, and the tags."""
    tags: cython.Py_ssize_t = start.shape[0]
    tag: cython.Py_ssize_t
    length: cython.longlong
    with cython.nogil:
        counts[_TAGS] = tags
        counts[_CHARACTERS] = tags + 1
        for tag in range(tags):
            length = (start[tag + 1] if tag + 1 < tags else size) - stop[tag]
            counts[_CHARACTERS] += length
            counts[_TEXTS] += length > 0


@cython.cfunc
def _count_elements(
    codes: cython.const[cython.uchar][::1],
    opened: cython.const[cython.longlong][::1],
    closed: cython.const[cython.longlong][::1],
    counts: cython.longlong[::1],
) -> cython.void:
    """Count containers, anchors, elements that flag their text, and the elements open at once."""
    element: cython.Py_ssize_t
    code: cython.int
    empty: cython.longlong = 0
    depth: cython.longlong = 0
    with cython.nogil:
        for element in range(codes.shape[0]):
            code = codes[element]
            counts[_CONTAINERS] += code & _OPERATION == _BOUNDARY
            counts[_ANCHORS] += code & _ANCHOR_ROLE != 0
            counts[_FLAGGED] += code & (_ANCHOR_ROLE | _FORMAT_ROLE) != 0
            # Start tags before it that open an element, less the end tags before it.
            depth = max(depth, 2 * element - empty - opened[element] + 1)
            empty += closed[element] == opened[element]
        counts[_DEPTH] = depth
