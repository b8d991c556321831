# mypy: disable-error-code="untyped-decorator"
"""Equal codes get equal numbers: a hash table that nobody can fill with collisions (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

_KEY_MASK = (1 << 64) - 1


def numbered(codes: NDArray[np.uint64], spread: int) -> NDArray[np.int32]:
    """Return for each code its rank among the different ones by first occurrence; linear in the codes.

    Parameters
    ----------
    codes : uint64 array, n
        Any numbers.
    spread : int
        Random odd multiplier, so that nobody can choose codes that collide. It changes no result.
    """
    size = 1 << max(2 * codes.size, 8).bit_length()
    numbers = np.empty(codes.size, dtype=np.int32)
    code: cython.ulonglong[::1] = codes
    number: cython.int[::1] = numbers
    seen: cython.ulonglong[::1] = np.empty(size, dtype=np.uint64)
    known: cython.int[::1] = np.full(size, -1, dtype=np.int32)
    mask: cython.Py_ssize_t = size - 1
    multiplier: cython.ulonglong = spread
    count: cython.int = 0
    place: cython.Py_ssize_t
    index: cython.Py_ssize_t
    with cython.nogil:
        for index in range(code.shape[0]):
            place = place_of(code[index], multiplier, mask)
            while known[place] >= 0 and seen[place] != code[index]:
                place = (place + 1) & mask
            if known[place] < 0:
                seen[place] = code[index]
                known[place] = count
                count += 1
            number[index] = known[place]
    return numbers


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def place_of(key: cython.ulonglong, multiplier: cython.ulonglong, mask: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the place of a key in a hash table of 2**k places, given 2**k - 1, unless another key is there."""
    if cython.compiled:
        return cython.cast(cython.Py_ssize_t, (key * multiplier) >> 32) & mask
    return (((int(key) * int(multiplier)) & _KEY_MASK) >> 32) & mask
