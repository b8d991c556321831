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

_ALL_BITS, _BASE, _SPREAD = 2**64 - 1, BASE, SPREAD


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
    code: cython.const[cython.uint][::1] = np.ascontiguousarray(codes).data
    start: cython.const[cython.int][::1] = np.ascontiguousarray(starts, dtype=np.int32).data
    end: cython.const[cython.int][::1] = np.ascontiguousarray(ends, dtype=np.int32).data
    found: cython.ulonglong[::1] = keys.data
    word: cython.Py_ssize_t
    place: cython.Py_ssize_t
    key: cython.ulonglong
    power: cython.ulonglong
    with cython.nogil:
        for word in range(start.shape[0]):
            key = 0
            power = 1
            for place in range(start[word], end[word]):
                key = (key + code[place] * power) & _ALL_BITS
                power = (power * _BASE) & _ALL_BITS
            key ^= key >> 29
            found[word] = (key * _SPREAD) & _ALL_BITS
    return keys


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
    buckets : int32 array
        By the highest bits of a key the first of ``known`` that may be it, with their number at the end; a power of two
        and one more.
    """
    masks = np.zeros(keys.size, dtype=np.uint64)
    key: cython.const[cython.ulonglong][::1] = keys
    known_key: cython.const[cython.ulonglong][::1] = known
    known_mask: cython.const[cython.ulonglong][::1] = known_masks
    first: cython.const[cython.int][::1] = buckets
    mask: cython.ulonglong[::1] = masks
    shift: cython.int = 65 - (buckets.size - 1).bit_length()
    word: cython.Py_ssize_t
    place: cython.Py_ssize_t
    bucket: cython.Py_ssize_t
    with cython.nogil:
        for word in range(key.shape[0]):
            bucket = key[word] >> shift
            for place in range(first[bucket], first[bucket + 1]):
                if known_key[place] == key[word]:
                    mask[word] = known_mask[place]
                    break
    return masks


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


def shares_by_block(masks: NDArray[np.uint64], words: NDArray[np.int32], bit: cython.int) -> NDArray[np.float64]:
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
    mask: cython.const[cython.ulonglong][::1] = masks
    size: cython.const[cython.int][::1] = words
    share: cython.double[::1] = shares
    first: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    word: cython.Py_ssize_t
    count: cython.ulonglong
    with cython.nogil:
        for block in range(size.shape[0]):
            count = 0
            for word in range(first, first + size[block]):
                count += (mask[word] >> bit) & 1
            share[block] = count / cython.cast(cython.double, max(size[block], 1))
            first += size[block]
    return shares


def best_score(counts: NDArray[np.int64], words: int, densities: NDArray[np.float64]) -> tuple[int, float, float, int]:
    """Find the language whose stop words a text has most of, for their density in prose.

    Parameters
    ----------
    counts : int64 array
        The stop words of each language in the text.
    words : int
        The words of the text.
    densities : float array
        The density of stop words in prose of each language.

    Returns
    -------
    tuple
        The place of the language, the share of its stop words over their density, the next best of these scores, and
        the most stop words of any language with a score above 0.
    """
    hits: cython.const[cython.longlong][::1] = counts
    density: cython.const[cython.double][::1] = densities
    size: cython.double = max(words, 1)
    place: cython.Py_ssize_t
    best: cython.Py_ssize_t = 0
    most: cython.longlong = 0
    top: cython.double = -1.0
    second: cython.double = 0.0
    score: cython.double
    for place in range(hits.shape[0]):
        score = hits[place] / size / density[place]
        if score > 0:
            most = max(most, hits[place])
        if score > top:
            best, top, second = place, score, max(top, 0.0)
        elif score > second:
            second = score
    return best, top, second, most


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
    keys: NDArray[np.uint64],
    *,
    fewest_words: int,
    most_words: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return the first blocks of running text, and the keys of their words.

    Parameters
    ----------
    words, anchor_words : int32 array, n
        Words of each block, and those inside anchors.
    keys : uint64 array
        The key of each word of the page.
    fewest_words : int
        Words that a block of running text has at least; half of them or more outside of anchors. Where no block is
        like that, all with a word are taken.
    most_words : int
        With so many words the sample is large enough.

    Returns
    -------
    blocks : int32 array
        The blocks.
    keys : uint64 array
        The keys of their words.
    """
    blocks, sample = np.empty(words.size, dtype=np.int32), np.empty(keys.size, dtype=np.uint64)
    own: cython.const[cython.int][::1] = words
    linked: cython.const[cython.int][::1] = anchor_words
    key: cython.const[cython.ulonglong][::1] = keys
    chosen: cython.int[::1] = blocks
    taken: cython.ulonglong[::1] = sample
    fewest: cython.int = fewest_words
    most: cython.Py_ssize_t = most_words
    weight: cython.int = 2
    count: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    block: cython.Py_ssize_t
    word: cython.Py_ssize_t
    with cython.nogil:
        while not count and weight:
            first = 0
            for block in range(own.shape[0]):
                if size >= most:
                    break
                if own[block] >= fewest and weight * linked[block] <= own[block]:
                    for word in range(own[block]):
                        taken[size + word] = key[first + word]
                    size += own[block]
                    chosen[count] = block
                    count += 1
                first += own[block]
            weight, fewest = weight - 1, 1
    return blocks[:count], sample[:size]


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
    found = np.zeros(codes.size, dtype=np.bool_)
    code: cython.const[cython.uint][::1] = codes.data
    known: cython.const[cython.ulonglong][::1] = sequences.data
    first: cython.const[cython.int][::1] = firsts.data
    covered: cython.uchar[::1] = found.view(np.uint8).data
    size: cython.Py_ssize_t = codes.size
    limit: cython.Py_ssize_t = firsts.size - 1
    covered_end: cython.Py_ssize_t = 0
    sequence: cython.Py_ssize_t
    place: cython.Py_ssize_t
    one: cython.ulonglong
    two: cython.ulonglong
    three: cython.ulonglong
    with cython.nogil:
        for place in range(size):
            if code[place] < limit and first[code[place]] < first[code[place] + 1]:
                one = cython.cast(cython.ulonglong, code[place]) << 42
                two = one | (cython.cast(cython.ulonglong, code[place + 1]) << 21 if place + 1 < size else 0)
                three = two | (code[place + 2] if place + 2 < size else 0)
                for sequence in range(first[code[place]], first[code[place] + 1]):
                    if known[sequence] == one:
                        covered_end = max(covered_end, place + 1)
                    elif known[sequence] == two:
                        covered_end = max(covered_end, place + 2)
                    elif known[sequence] == three:
                        covered_end = max(covered_end, place + 3)
            covered[place] = place < covered_end
    return found
