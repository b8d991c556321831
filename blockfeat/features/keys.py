"""64-bit keys: look-up in a sorted table, numbering of equal keys, and cue flags of the words of a page (compiled)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.measures import runs_of_three

if TYPE_CHECKING:
    from blockfeat.features.cues import WordCues

Keys = NDArray[np.uint64]

_RUN = cython.declare(cython.int, 3)
_KEY_BITS = 64
_ALL_BITS = cython.declare(cython.ulonglong, (1 << 64) - 1)
_MOST_BITS = 20
TITLE, DESCRIPTION = 1 << 4, 1 << 5
"""Flags of the words of the title and of the descriptions; the bits below them are kinds of cues."""

_TITLE, _DESCRIPTION = TITLE, DESCRIPTION
# Most words are not in a table: with eight times as many places as keys, most find theirs empty.
_SPARSE_BITS = 3


@dataclass(frozen=True, eq=False)
class KeyTable:
    """Keys in ascending order with an index of their highest bits.

    A search takes one or two steps where the keys are spread evenly and the logarithm of their number where they are
    not, so that nobody can slow it down by the choice of keys.

    Attributes
    ----------
    keys : uint64 array, k
        Ascending, each once.
    shift : int
        Number of lower bits that the index does not look at.
    starts : int32 array
        For each value of the highest bits the place of the first key that has it or a higher one; and k.
    """

    keys: Keys
    shift: int
    starts: NDArray[np.int32]

    @classmethod
    def of(cls, keys: Keys) -> KeyTable:
        """Index keys that ascend, each once."""
        bits = min(keys.size.bit_length() + _SPARSE_BITS, _MOST_BITS)
        shift = np.uint64(_KEY_BITS - bits)
        starts = np.append(keys.searchsorted(np.arange(1 << bits, dtype=np.uint64) << shift), keys.size)
        return cls(keys, int(shift), starts.astype(np.int32))

    def places(self, wanted: Keys) -> NDArray[np.int32]:
        """Return the place of each wanted key in the table, -1 where it is not there."""
        found = np.empty(wanted.size, dtype=np.int32)
        wanted_key: cython.ulonglong[::1] = wanted
        key: cython.ulonglong[::1] = self.keys
        start: cython.int[::1] = self.starts
        place: cython.int[::1] = found
        lower_bits: cython.int = self.shift
        index: cython.Py_ssize_t
        with cython.nogil:
            for index in range(wanted_key.shape[0]):
                place[index] = _search(wanted_key[index], key, start, lower_bits)
        return found


def _search(
    wanted: cython.ulonglong, keys: cython.ulonglong[::1], starts: cython.int[::1], shift: cython.int
) -> cython.int:
    """Return the place of a key in a table (see `KeyTable`), -1 where it is not there."""
    top: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, wanted >> shift)
    low: cython.int = starts[top]
    high: cython.int = starts[top + 1]
    middle: cython.int
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < starts[top + 1] and keys[low] == wanted else -1


def slots_for(count: int) -> int:
    """Return how many slots `number_codes` needs for so many codes."""
    return 1 << max(2 * count, 8).bit_length()


def number_codes(
    code: cython.ulonglong[::1], number: cython.int[::1], slots: cython.int[::1], multiplier: cython.ulonglong
) -> cython.int:
    """Write for each code its rank among the different ones by first occurrence; linear in the codes.

    The slots are room for `slots_for` numbers; the multiplier, random and odd, changes no result: nobody can choose
    codes that collide.
    """
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    count: cython.int = 0
    place: cython.Py_ssize_t
    index: cython.Py_ssize_t
    # The place of the first code of each slot, from 1 on.
    slots[:] = 0
    for index in range(code.shape[0]):
        place = _place_of(code[index], multiplier, mask)
        while slots[place] and code[slots[place] - 1] != code[index]:
            place = (place + 1) & mask
        if slots[place]:
            number[index] = number[slots[place] - 1]
        else:
            slots[place] = index + 1
            number[index] = count
            count += 1
    return count


class SharedRuns(NamedTuple):
    """Runs of three words of a page that stand in another text, too.

    Attributes
    ----------
    words : int32 array, n
        The words of each block that are in such a run.
    runs, of : int
        How many different ones there are, and how many different runs the other text has.
    """

    words: NDArray[np.int32]
    runs: int
    of: int


def shared_runs(words: Keys, counts: NDArray[np.int32], other: Keys, spread: int) -> SharedRuns:
    """Find the runs of three words that a page shares with another text; linear in both.

    Parameters
    ----------
    words : uint64 array
        The keys of the words of the page.
    counts : int32 array, n
        How many of them each block has, in order.
    other : uint64 array
        The keys of the words of the other text.
    spread : int
        Random odd multiplier of the hash table, so that nobody can choose words that collide.
    """
    words_of_blocks = np.zeros(counts.size, dtype=np.int32)
    seen_runs, states = _hash_table(2 * other.size)
    own_run: cython.ulonglong[::1] = runs_of_three(words).data
    other_run: cython.ulonglong[::1] = runs_of_three(other).data
    size: cython.int[::1] = counts
    seen: cython.ulonglong[::1] = seen_runs
    # 1 for a run, 2 for one that is shared.
    state: cython.uchar[::1] = states
    found: cython.int[::1] = words_of_blocks
    multiplier: cython.ulonglong = spread
    runs: cython.Py_ssize_t = 0
    all_runs: cython.Py_ssize_t = 0
    # The word behind the last run that is shared.
    end: cython.Py_ssize_t = 0
    word: cython.Py_ssize_t = 0
    behind: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    block: cython.Py_ssize_t
    with cython.nogil:
        for word in range(other_run.shape[0]):
            place = _slot_of(other_run[word], multiplier, seen, state)
            all_runs += state[place] == 0
            state[place] = 1
            seen[place] = other_run[word]
        word = 0
        for block in range(size.shape[0]):
            behind += size[block]
            while word < behind:
                if word < own_run.shape[0]:
                    place = _slot_of(own_run[word], multiplier, seen, state)
                    if state[place]:
                        runs += state[place] == 1
                        state[place] = 2
                        end = word + _RUN
                found[block] += word < end
                word += 1
    return SharedRuns(words_of_blocks, runs, all_runs)


def _place_of(key: cython.ulonglong, multiplier: cython.ulonglong, mask: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the place of a key in a hash table of 2**k places, given 2**k - 1, unless another key is there."""
    product: cython.ulonglong = (key * multiplier) & _ALL_BITS
    return cython.cast(cython.Py_ssize_t, product >> 32) & mask


def _hash_table(room: int) -> tuple[Keys, NDArray[np.uint8]]:
    """Return the keys of an empty hash table with more slots than ``room``, and what is in each slot: 0 for nothing."""
    size = 1 << max(room, 8).bit_length()
    return np.empty(size, dtype=np.uint64), np.zeros(size, dtype=np.uint8)


def _slot_of(
    key: cython.ulonglong, multiplier: cython.ulonglong, keys: cython.ulonglong[::1], filled: cython.uchar[::1]
) -> cython.Py_ssize_t:
    """Return the slot of a key in a hash table: the one that holds it, or the free one where it belongs."""
    mask: cython.Py_ssize_t = keys.shape[0] - 1
    place: cython.Py_ssize_t = _place_of(key, multiplier, mask)
    while filled[place] and keys[place] != key:
        place = (place + 1) & mask
    return place


class WordFlags(NamedTuple):
    """Cue flags of the words of a page.

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
        seen_keys, title_flags = _hash_table(title.size << _SPARSE_BITS)
        wanted: cython.ulonglong[::1] = words if cython.compiled else words.data
        key: cython.ulonglong[::1] = cues.table.keys
        start: cython.int[::1] = cues.table.starts
        shift: cython.int = cues.table.shift
        bits: cython.uint[::1] = cues.bits
        seen: cython.ulonglong[::1] = seen_keys
        kinds: cython.uchar[::1] = title_flags
        flag: cython.uchar[::1] = flags
        multiplier: cython.ulonglong = spread
        in_title, in_descriptions = _fill(
            title if cython.compiled else title.data, title_words, multiplier, seen, kinds
        )
        place: cython.Py_ssize_t
        cue: cython.int
        word: cython.Py_ssize_t
        with cython.nogil:
            for word in range(wanted.shape[0]):
                place = _slot_of(wanted[word], multiplier, seen, kinds)
                flag[word] = kinds[place]
                cue = _search(wanted[word], key, start, shift)
                if cue >= 0:
                    flag[word] |= bits[cue]
        return cls(flags, in_title, in_descriptions)


def _fill(
    key: cython.ulonglong[::1],
    split: cython.Py_ssize_t,
    spread: cython.ulonglong,
    seen: cython.ulonglong[::1],
    kinds: cython.uchar[::1],
) -> tuple[int, int]:
    """Fill the hash table with the words of title and descriptions; return how many different ones these have."""
    in_title: cython.int = 0
    in_descriptions: cython.int = 0
    flag: cython.uchar
    place: cython.Py_ssize_t
    word: cython.Py_ssize_t
    with cython.nogil:
        for word in range(key.shape[0]):
            flag = _TITLE if word < split else _DESCRIPTION
            place = _slot_of(key[word], spread, seen, kinds)
            if not kinds[place] & flag:
                in_title += flag == _TITLE
                in_descriptions += flag == _DESCRIPTION
            seen[place] = key[word]
            kinds[place] |= flag
    return int(in_title), int(in_descriptions)
