# mypy: disable-error-code="untyped-decorator"
"""What each word of a page says: cues of clutter, words of the title, words of the descriptions (compiled)."""

from __future__ import annotations

from dataclasses import dataclass

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.features.cues import WordCues

TITLE, DESCRIPTION = 1 << 4, 1 << 5
"""Flags of the words of the title and of the descriptions; the bits below them are kinds of cues."""

_TITLE = cython.declare(cython.uchar, TITLE)
_DESCRIPTION = cython.declare(cython.uchar, DESCRIPTION)
_KEY_MASK = (1 << 64) - 1


@dataclass(frozen=True, eq=False)
class WordFlags:
    """What the words of a page say.

    Attributes
    ----------
    flags : uint8 array, one for each word
        The kinds of cues of the word as bits, in the order of `blockfeat.features.cues.WordCues.kinds`; `TITLE` and
        `DESCRIPTION`.
    in_title, in_descriptions : int
        How many different words these have.
    """

    flags: NDArray[np.uint8]
    in_title: int
    in_descriptions: int

    @classmethod
    def of(
        cls, words: NDArray[np.uint64], cues: WordCues, *, title: NDArray[np.uint64], title_words: int, spread: int
    ) -> WordFlags:
        """Look up every word of a page, given by their keys; linear in the words.

        Parameters
        ----------
        words : uint64 array
            Keys of the words of the page.
        cues : WordCues
            The words of cues.
        title : uint64 array
            Keys of the words of the page's title, then of its descriptions.
        title_words : int
            How many of them are of the title.
        spread : int
            Random odd multiplier of the hash table, so that nobody can choose words that collide.
        """
        flags = np.empty(words.size, dtype=np.uint8)
        size = 1 << max(2 * title.size, 8).bit_length()
        seen, kinds = np.empty(size, dtype=np.uint64), np.zeros(size, dtype=np.uint8)
        in_title, in_descriptions = _fill(title, title_words, spread, seen, kinds)
        _flag(words, cues, spread, seen, kinds, flags)
        return cls(flags, in_title, in_descriptions)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place_of(
    key: cython.ulonglong, spread: cython.ulonglong, seen: cython.ulonglong[::1], kinds: cython.uchar[::1]
) -> cython.Py_ssize_t:
    """Return where a key stands or would stand in a hash table with free places."""
    mask: cython.Py_ssize_t = seen.shape[0] - 1
    product: cython.ulonglong = key * spread if cython.compiled else (int(key) * int(spread)) & _KEY_MASK
    place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, product >> 32) & mask
    while kinds[place] != 0 and seen[place] != key:
        place = (place + 1) & mask
    return place


def _fill(
    title: NDArray[np.uint64],
    title_words: int,
    multiplier: int,
    seen_keys: NDArray[np.uint64],
    flags: NDArray[np.uint8],
) -> tuple[int, int]:
    """Fill the hash table with the words of title and descriptions; return how many different ones these have."""
    key: cython.ulonglong[::1] = title
    seen: cython.ulonglong[::1] = seen_keys
    kinds: cython.uchar[::1] = flags
    spread: cython.ulonglong = multiplier
    split: cython.Py_ssize_t = title_words
    in_title: cython.int = 0
    in_descriptions: cython.int = 0
    flag: cython.uchar
    place: cython.Py_ssize_t
    word: cython.Py_ssize_t
    with cython.nogil:
        for word in range(key.shape[0]):
            flag = _TITLE if word < split else _DESCRIPTION
            place = _place_of(key[word], spread, seen, kinds)
            if not kinds[place] & flag:
                in_title += flag == _TITLE
                in_descriptions += flag == _DESCRIPTION
            seen[place] = key[word]
            kinds[place] |= flag
    return int(in_title), int(in_descriptions)


def _flag(
    words: NDArray[np.uint64],
    cues: WordCues,
    multiplier: int,
    seen_keys: NDArray[np.uint64],
    title_flags: NDArray[np.uint8],
    flags: NDArray[np.uint8],
) -> None:
    """Fill in the flags of each word: a search among the words of cues, and one in the hash table."""
    wanted: cython.ulonglong[::1] = words
    key: cython.ulonglong[::1] = cues.table.keys
    start: cython.int[::1] = cues.table.starts
    shift: cython.int = cues.table.shift
    bits: cython.uint[::1] = cues.bits
    seen: cython.ulonglong[::1] = seen_keys
    kinds: cython.uchar[::1] = title_flags
    flag: cython.uchar[::1] = flags
    spread: cython.ulonglong = multiplier
    top: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    word: cython.Py_ssize_t
    with cython.nogil:
        for word in range(wanted.shape[0]):
            flag[word] = kinds[_place_of(wanted[word], spread, seen, kinds)]
            top = cython.cast(cython.Py_ssize_t, wanted[word] >> shift)
            low, high = start[top], start[top + 1]
            while low < high:
                middle = (low + high) >> 1
                if key[middle] < wanted[word]:
                    low = middle + 1
                else:
                    high = middle
            if low < start[top + 1] and key[low] == wanted[word]:
                flag[word] |= bits[low]
