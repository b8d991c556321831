"""Checks of bytes without decoding: valid UTF-8, UTF-8 encoded twice, and search for any of several words.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import cython
import numpy as np
from numpy.typing import NDArray

_SPREAD, _ALL_BITS, _MOST_BYTES = 0x9E3779B97F4A7C15, (1 << 64) - 1, 8
_LOWER_CASE = bytes(range(256)).lower()
_END = 1 << 62
_At = int  # A type that Cython reads in the pxd file: for it `int` is an object.


def places_of(mark: bytes, source: bytes, first: int = 0, end: int = _END, *, most: int = _END) -> list[int]:
    """Return the positions of a byte string in a part of a source, in order, at most so many.

    In long sources a fifth of the time that ``bytes.find`` takes.
    """
    data: cython.p_const_uchar = source
    sign: cython.p_const_uchar = mark
    found: list[int] = []
    last: cython.Py_ssize_t = len(mark) - 1
    then: cython.Py_ssize_t = min(last, 1)
    place: cython.Py_ssize_t = first
    stop: cython.Py_ssize_t = min(end, len(source)) - last
    at: cython.Py_ssize_t
    may_be: cython.uchar
    while place < stop and len(found) < most:
        may_be = place + 256 > stop
        if not may_be:
            # Without branches and of fixed length, so that the compiler takes all at once.
            for at in range(place, place + 256):
                may_be |= (data[at] == sign[0]) & (data[at + then] == sign[then]) & (data[at + last] == sign[last])
        at = source.find(mark, place, min(place + 256, stop) + last) if may_be else -1
        if at >= 0:
            found.append(at)
        place = at + 1 if at >= 0 else place + 256
    return found


def doubled_pairs(data: bytes) -> int:
    """Count the character pairs that look encoded as UTF-8 twice (``Ã©``); -1 for invalid UTF-8.

    Valid means accepted by Python's strict codec (Unicode 15, table 3-7).
    """
    return int(_pairs(data, len(data)))


def _pairs(data: cython.const[cython.uchar][::1], size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    place = found = 0
    with cython.nogil:
        while 0 <= place < size:
            before = place
            if data[place] < 0x80:
                place = _behind_ascii(data, place, size)
            elif 0xC3 < data[place] < 0xE0 and place + 1 < size and data[place + 1] & 0xC0 == 0x80:
                place += 2
            elif (
                0xE0 < data[place] < 0xED
                and place + 2 < size
                and (data[place + 1] ^ 0x80 | data[place + 2] ^ 0x80) < 0x40
            ):
                place += 3
            else:
                place = _behind_character(data, place, size)
                if data[before] == 0xC3 and 0 <= place < size:
                    found += _is_doubled(data[before + 1], data[place])
    return -1 if place < 0 else found


def _is_doubled(second: cython.int, lead: cython.int) -> cython.bint:
    """Return whether the Latin letters that first bytes of UTF-8 become stand before what other bytes become.

    The letters are those for accents, quotation marks, Cyrillic, Arabic, Greek, kana, ideographs and syllables:
    ``Â Ã Ä Å``, ``Î Ï Ð Ñ``, ``Ø Ù``, ``â ã å``, ``ë ì``; what follows is a sign or letter of Windows-1252.
    """
    is_letter: cython.bint = (
        0x82 <= second <= 0x85 or 0x8E <= second <= 0x91 or 0x98 <= second <= 0x99 or 0xA2 <= second <= 0xA3
    )
    is_letter = is_letter or second == 0xA5 or second == 0xAB or second == 0xAC
    return is_letter and (lead == 0xC2 or lead == 0xC5 or lead == 0xCB or lead == 0xE2)


if not cython.compiled:

    def _behind_ascii(data: bytes, place: int, size: int) -> int:
        """Return the first position that is not ASCII, or the end."""
        return next((at for at in range(place, size) if data[at] >= 0x80), size)


def _behind_character(
    data: cython.const[cython.uchar][::1], place: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the position behind the character of two to four bytes that begins here, -1 where none does."""
    lead = data[place]
    if lead < 0xC2 or lead > 0xF4:
        return -1
    length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
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


@dataclass(frozen=True)
class Marks:
    """Words of four bytes or more, in lower case, of which any may stand in markup, in lower case or not.

    Attributes
    ----------
    words : mapping of bytes
        The words by the bytes that they begin with: as many as the shortest has, eight at most.
    slots, windows : bytes
        A bit for what the bytes that a word begins with are hashed to, and for each few bytes within them, of which one
        stands at every so many places: bytes in place of bits would be out of cache.
    longest : int
        Bytes of the longest word.
    """

    words: Mapping[bytes, tuple[bytes, ...]]
    slots: bytes
    windows: bytes
    longest: int

    SHORTEST: ClassVar[int] = 4

    @classmethod
    def of(cls, words: Iterable[bytes]) -> Marks:
        """Build the hash table of the words."""
        by_begin: dict[bytes, tuple[bytes, ...]] = {}
        lengths = {word: len(word) for word in words}
        begun = min(_MOST_BYTES, *lengths.values())
        for word in lengths:
            by_begin[word[:begun]] = (*by_begin.get(word[:begun], ()), word)
        width = _width(begun)
        windows = {begin[place : place + width] for begin in by_begin for place in range(begun - width + 1)}
        folded = (int.from_bytes(bytes(byte | 0x20 for byte in window), "little") for window in windows)
        slots = _bits_of(int.from_bytes(begin, "big") for begin in by_begin)
        return cls(by_begin, slots, _bits_of(folded), max(lengths.values()))

    @property
    def begun(self) -> int:
        """How many bytes that words begin with are looked up."""
        return len(next(iter(self.words)))

    def are_in(self, data: bytes) -> bool:
        """Return whether any of the words occurs in ``data``; as fast for many words as for one."""
        return bool(self._begun_at(data, _likely_in(data, 0, len(data), self.slots, self.windows, self.begun, [])))

    def places_in(self, data: bytes, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> list[int]:
        """Return the positions at which the words occur in the parts of ``data`` that start and end there."""
        return self._begun_at(data, _likely_places(data, starts, ends, self.slots, self.windows, self.begun))

    def _begun_at(self, data: bytes, places: list[int]) -> list[int]:
        """Return those of some places of bytes at which one of the words stands."""
        words, begun, longest = self.words, self.begun, self.longest
        return [
            place
            for place in places
            if (behind := data[place : place + longest].lower()).startswith(words.get(behind[:begun], ()))
        ]


def _width(begun: _At) -> _At:
    """Return how many bytes are looked at together, of so many that words begin with."""
    return min(begun, 2) if begun < 4 else 3 if begun < 6 else 4


def _bits_of(keys: Iterable[int]) -> bytes:
    """Return a table of bits that are set for what some keys are hashed to."""
    slots = bytearray(1 << 13)
    for key in keys:
        slot = (key * _SPREAD & _ALL_BITS) >> 48
        slots[slot >> 3] |= 1 << (slot & 7)
    return bytes(slots)


def _likely_places(
    data: bytes, starts: NDArray[np.int32], ends: NDArray[np.int32], slots: bytes, windows: bytes, begun: _At
) -> list[int]:
    """Return the positions in parts of some bytes from which on so many bytes hash to an occupied slot."""
    found: list[int] = []
    for part in range(len(starts)):
        _likely_in(data, starts[part], ends[part], slots, windows, begun, found)
    return found


def _likely_in(data: bytes, start: _At, end: _At, slots: bytes, windows: bytes, begun: _At, found: Any) -> Any:
    """Add those in one part to the list of what was found, and return it.

    A window at every ``step`` places is in each word, so that few bytes are looked at more closely.
    """
    source: cython.p_const_uchar = data
    is_begin: cython.p_const_uchar = slots
    is_window: cython.p_const_uchar = windows
    lowered: cython.p_const_uchar = _LOWER_CASE
    width, size = _width(begun), len(data)
    step = begun - width + 1
    bits, place = (1 << 8 * width - 1) * 2 - 1, start + step - 1
    while place + width <= end:
        at, place = place, place + step
        if at + 4 <= size:
            four = cython.cast(cython.uint, source[at]) | cython.cast(cython.uint, source[at + 1]) << 8
            four |= cython.cast(cython.uint, source[at + 2]) << 16 | cython.cast(cython.uint, source[at + 3]) << 24
            slot = (((four | 0x20202020) & bits) * _SPREAD & _ALL_BITS) >> 48
            if not is_window[slot >> 3] >> (slot & 7) & 1:
                continue
        for begin in range(max(at - step + 1, start), min(at, end - begun) + 1):
            key = 0
            for number in range(begin, begin + begun):
                key = key << 8 | lowered[source[number]]
            slot = (key * _SPREAD & _ALL_BITS) >> 48
            if is_begin[slot >> 3] >> (slot & 7) & 1:
                found.append(begin)
    return found
