"""Whether bytes are valid UTF-8, without decoding them.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

import cython


def is_utf_8(data: bytes) -> bool:
    """Return whether bytes are valid UTF-8 as Python's strict codec has it (Unicode 15, table 3-7)."""
    return bool(_is_valid(data, len(data)))


@cython.cfunc
def _is_valid(data: cython.const[cython.uchar][::1], size: cython.Py_ssize_t) -> cython.bint:
    place: cython.Py_ssize_t = 0
    with cython.nogil:
        while 0 <= place < size:
            place = _behind_ascii(data, place, size)
            if place < size:
                place = _behind_character(data, place, size)
    return place >= 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _behind_ascii(
    data: cython.const[cython.uchar][::1], place: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the first position that is not ASCII, or the end."""
    joined: cython.uchar
    number: cython.Py_ssize_t
    while place + 32 <= size:
        joined = 0
        # Without branches and of fixed length, so that the compiler takes all at once.
        for number in range(32):
            joined |= data[place + number]
        if joined & 0x80:
            break
        place += 32
    while place < size and data[place] < 0x80:
        place += 1
    return place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _behind_character(
    data: cython.const[cython.uchar][::1], place: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the position behind the character of two to four bytes that begins here, -1 where none does."""
    lead: cython.int = data[place]
    following: cython.int
    number: cython.int
    if lead < 0xC2 or lead > 0xF4:
        return -1
    length: cython.int = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if place + length > size:
        return -1
    following = data[place + 1]
    # Neither a longer form than need be, nor a surrogate, nor beyond the last code point.
    if (lead == 0xE0 and following < 0xA0) or (lead == 0xED and following > 0x9F):
        return -1
    if (lead == 0xF0 and following < 0x90) or (lead == 0xF4 and following > 0x8F):
        return -1
    for number in range(1, length):
        if data[place + number] & 0xC0 != 0x80:
            return -1
    return place + length
