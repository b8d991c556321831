"""Keys of words: a number for each word of a text, equal for equal words, without a string for each.

The key of a word is the sum of code point times ``b ** place`` over its characters modulo 2**64, spread over the whole
range. Two of 10,000 words share one with a probability of about 1e-12.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

BUCKET_BITS = 14
"""Highest bits of a key that tell its bucket in `masks_of_keys`."""

BASE = 0x9E3779B97F4A7C15
"""Base of the polynomial hash."""
SPREAD = 0xBF58476D1CE4E5B9
"""Multiplier that spreads a key over the whole range."""

_ALL_BITS, _BASE, _SPREAD, _BUCKET_SHIFT = 2**64 - 1, BASE, SPREAD, 64 - BUCKET_BITS


def keys_of_spans(
    codes: NDArray[np.uint32], starts: NDArray[np.integer], ends: NDArray[np.integer]
) -> NDArray[np.uint64]:
    """Return the key of each word of a text.

    Parameters
    ----------
    codes : uint32 array
        Code points of the text.
    starts, ends : int array
        Where each word starts, and the position behind it.
    """
    keys = np.empty(starts.size, dtype=np.uint64)
    _write_keys(
        np.ascontiguousarray(codes).data,
        np.ascontiguousarray(starts, dtype=np.int32).data,
        np.ascontiguousarray(ends, dtype=np.int32).data,
        keys.data,
    )
    return keys


def _write_keys(
    codes: cython.const[cython.uint][::1],
    starts: cython.const[cython.int][::1],
    ends: cython.const[cython.int][::1],
    keys: cython.ulonglong[::1],
) -> cython.void:
    word: cython.Py_ssize_t
    place: cython.Py_ssize_t
    key: cython.ulonglong
    power: cython.ulonglong
    with cython.nogil:
        for word in range(starts.shape[0]):
            key = 0
            power = 1
            for place in range(starts[word], ends[word]):
                key = (key + codes[place] * power) & _ALL_BITS
                power = (power * _BASE) & _ALL_BITS
            key ^= key >> 29
            keys[word] = (key * _SPREAD) & _ALL_BITS


def masks_of_keys(
    keys: NDArray[np.uint64], known: NDArray[np.uint64], known_masks: NDArray[np.uint64], buckets: NDArray[np.int32]
) -> NDArray[np.uint64]:
    """Return the mask of each key, 0 where it is not known.

    Parameters
    ----------
    keys : uint64 array
        The keys to look up.
    known, known_masks : uint64 array
        The keys that are known, ascending, and the mask of each.
    buckets : int32 array, 2**14 + 1
        By the highest bits of a key the first of ``known`` that may be it.
    """
    masks = np.empty(keys.size, dtype=np.uint64)
    _look_up(keys, known, known_masks, buckets, masks)
    return masks


def _look_up(
    keys: cython.const[cython.ulonglong][::1],
    known: cython.const[cython.ulonglong][::1],
    known_masks: cython.const[cython.ulonglong][::1],
    buckets: cython.const[cython.int][::1],
    masks: cython.ulonglong[::1],
) -> cython.void:
    word: cython.Py_ssize_t
    place: cython.Py_ssize_t
    bucket: cython.Py_ssize_t
    with cython.nogil:
        for word in range(keys.shape[0]):
            masks[word] = 0
            bucket = keys[word] >> _BUCKET_SHIFT
            for place in range(buckets[bucket], buckets[bucket + 1]):
                if known[place] == keys[word]:
                    masks[word] = known_masks[place]
                    break


def count_bits(masks: NDArray[np.uint64], count: int) -> NDArray[np.int64]:
    """Return how many masks have each of the lowest bits, so many of them.

    Added are all bits of a mask at once: the second number holds the second digit of each count, and so on.
    """
    found, digits = np.zeros(count, dtype=np.int64), np.zeros(64, dtype=np.uint64)
    own: cython.const[cython.ulonglong][::1] = masks.data
    of_count: cython.ulonglong[::1] = digits.data
    counts: cython.longlong[::1] = found.data
    place: cython.Py_ssize_t
    digit: cython.Py_ssize_t
    highest: cython.Py_ssize_t = 0
    carried: cython.ulonglong
    both: cython.ulonglong
    for place in range(own.shape[0]):
        carried, digit = own[place], 0
        while carried:
            both = of_count[digit] & carried
            of_count[digit] ^= carried
            carried = both
            digit += 1
        highest = max(highest, digit)
    for digit in range(highest):
        for place in range(counts.shape[0]):
            counts[place] += cython.cast(cython.longlong, (of_count[digit] >> place) & 1) << digit
    return found


def shares_by_block(masks: NDArray[np.uint64], words: NDArray[np.int32], bit: int) -> NDArray[np.float64]:
    """Return the share of each block's words whose mask has a bit, given the masks of all words of a page.

    Parameters
    ----------
    masks : uint64 array
        A mask for each word of a page.
    words : int32 array, n
        Words of each block.
    bit : int
        The number of the bit, from the lowest.
    """
    shares = np.empty(words.size, dtype=np.float64)
    _write_shares(masks, words, bit, shares)
    return shares


def _write_shares(
    masks: cython.const[cython.ulonglong][::1],
    words: cython.const[cython.int][::1],
    bit: cython.int,
    shares: cython.double[::1],
) -> cython.void:
    first: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    word: cython.Py_ssize_t
    count: cython.ulonglong
    with cython.nogil:
        for block in range(words.shape[0]):
            count = 0
            for word in range(first, first + words[block]):
                count += (masks[word] >> bit) & 1
            shares[block] = count / cython.cast(cython.double, max(words[block], 1))
            first += words[block]


def share_of(masks: NDArray[np.uint64], bit: cython.int) -> float:
    """Return the share of some masks that have a bit."""
    own: cython.const[cython.ulonglong][::1] = masks if cython.compiled else masks.data
    count: cython.ulonglong = 0
    place: cython.Py_ssize_t
    for place in range(own.shape[0]):
        count += (own[place] >> bit) & 1
    return float(count / cython.cast(cython.double, max(own.shape[0], 1)))


def count_letters(text: str, numbers: NDArray[np.uint8], count: int) -> NDArray[np.int64]:
    """Return how many characters of a text have each of some numbers, given that of each code point."""
    found = np.zeros(count, dtype=np.int64)
    number_of: cython.const[cython.uchar][::1] = numbers
    counts: cython.longlong[::1] = found
    last: cython.Py_ssize_t = numbers.size - 1
    character: cython.Py_UCS4
    for character in text:
        counts[number_of[min(cython.cast(cython.Py_ssize_t, ord(character)), last)]] += 1
    return found


def prose_sample(
    words: NDArray[np.int32],
    anchor_words: NDArray[np.int32],
    masks: NDArray[np.uint64],
    *,
    fewest_words: int,
    most_words: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return the first blocks of running text, and the masks of their words.

    Parameters
    ----------
    words, anchor_words : int32 array, n
        Words of each block, and those inside anchors.
    masks : uint64 array
        A mask for each word of the page.
    fewest_words : int
        Words that a block of running text has at least; half of them or more outside of anchors. Where no block is
        like that, all with a word are taken.
    most_words : int
        With so many words the sample is large enough.

    Returns
    -------
    blocks : int32 array
        The blocks.
    masks : uint64 array
        The masks of their words.
    """
    blocks, sample = np.empty(words.size, dtype=np.int32), np.empty(masks.size, dtype=np.uint64)
    count = size = 0
    for fewest, anchor_weight in ((fewest_words, 2), (1, 1)):
        count, size = _take_prose(words, anchor_words, masks, blocks, sample, fewest, anchor_weight, most_words)
        if count:
            break
    return blocks[:count], sample[:size].copy()


def _take_prose(
    words: cython.const[cython.int][::1],
    anchor_words: cython.const[cython.int][::1],
    masks: cython.const[cython.ulonglong][::1],
    blocks: cython.int[::1],
    sample: cython.ulonglong[::1],
    fewest_words: cython.int,
    anchor_weight: cython.int,
    most_words: cython.int,
) -> tuple[int, int]:
    """Write blocks and the masks of their words; return how many there are of each."""
    count: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    word: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            if size >= most_words:
                break
            if words[block] >= fewest_words and anchor_weight * anchor_words[block] <= words[block]:
                for word in range(words[block]):
                    sample[size + word] = masks[first + word]
                size += words[block]
                blocks[count] = block
                count += 1
            first += words[block]
    return count, size


def mark_sequences(
    codes: NDArray[np.uint32], sequences: NDArray[np.uint64], firsts: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Mark the characters of a text that stand in one of some sequences of up to three characters.

    Parameters
    ----------
    codes : uint32 array
        Code points of the text.
    sequences : uint64 array
        The sequences, ascending: 21 bits for each code point, that of the first the highest, and 0 behind the last.
    firsts : int32 array
        By code point the first of ``sequences`` that begins with it or a higher one; none begins with the last or more.
    """
    covered = np.zeros(codes.size, dtype=np.bool_)
    _mark_sequences(codes.data, sequences.data, firsts.data, covered.view(np.uint8).data)
    return covered


def _mark_sequences(
    codes: cython.const[cython.uint][::1],
    sequences: cython.const[cython.ulonglong][::1],
    firsts: cython.const[cython.int][::1],
    covered: cython.uchar[::1],
) -> cython.void:
    size: cython.Py_ssize_t = codes.shape[0]
    limit: cython.Py_ssize_t = firsts.shape[0] - 1
    covered_end: cython.Py_ssize_t = 0
    sequence: cython.Py_ssize_t
    place: cython.Py_ssize_t
    one: cython.ulonglong
    two: cython.ulonglong
    three: cython.ulonglong
    with cython.nogil:
        for place in range(size):
            if codes[place] < limit and firsts[codes[place]] < firsts[codes[place] + 1]:
                one = cython.cast(cython.ulonglong, codes[place]) << 42
                two = one | (cython.cast(cython.ulonglong, codes[place + 1]) << 21 if place + 1 < size else 0)
                three = two | (codes[place + 2] if place + 2 < size else 0)
                for sequence in range(firsts[codes[place]], firsts[codes[place] + 1]):
                    if sequences[sequence] == one:
                        covered_end = max(covered_end, place + 1)
                    elif sequences[sequence] == two:
                        covered_end = max(covered_end, place + 2)
                    elif sequences[sequence] == three:
                        covered_end = max(covered_end, place + 3)
            covered[place] = place < covered_end
