"""Words: runs of letters, digits and marks; single characters in scripts without spaces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import ALPHANUMERIC, MARK, UNSPACED, character_classes, code_points

__all__ = [
    "keys_of_spans",
    "keys_of_text",
    "keys_of_words",
    "lower",
    "tokenize",
    "word_spans",
    "word_starts",
    "words_at",
]

_WORD = ALPHANUMERIC | MARK
# An odd number with an inverse modulo 2**64: keys of words are polynomials in it.
_BASE = 0x9E3779B97F4A7C15
_STRETCH = 1 << 16
_SPREAD = 0xBF58476D1CE4E5B9
_INVERSE = pow(_BASE, -1, 1 << 64)


def lower(text: str) -> str:
    """Lower-case a text without changing its length (only U+0130 would)."""
    return text.replace("\u0130", "i").lower()


def word_starts(classes: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return the positions where words start, given the class bits of each character.

    A word is a run of letters, digits and marks. In scripts without spaces every letter is a word of its
    own and takes the marks that follow it.
    """
    if classes.size == 0:
        return np.zeros(0, dtype=np.intp)
    in_word = (classes & _WORD) != 0
    starts = in_word.copy()
    starts[1:] &= ~in_word[:-1]
    unspaced = (classes & UNSPACED) != 0
    if unspaced.any():
        letter = (classes & ALPHANUMERIC) != 0
        starts |= unspaced & letter
        starts[1:] |= in_word[1:] & letter[1:] & unspaced[:-1]
    found: NDArray[np.intp] = starts.nonzero()[0]
    return found


def word_spans(classes: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where words start, as `word_starts` does, and the position behind each."""
    in_word = np.zeros(classes.size + 2, dtype=np.bool_)
    np.not_equal(classes & _WORD, 0, out=in_word[1:-1])
    edges = (in_word[1:] != in_word[:-1]).nonzero()[0]
    starts, ends = edges[0::2].copy(), edges[1::2].copy()
    if (classes & UNSPACED).any():
        starts = word_starts(classes)
        ends = ends[ends.searchsorted(starts, side="right")]
        ends[:-1] = np.minimum(ends[:-1], starts[1:])
    return starts, ends


def keys_of_spans(lowered: NDArray[np.uint32], starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return a number for each word of a text; equal for equal words, without a string for each.

    Parameters
    ----------
    lowered : uint32 array
        Code points of the lower-cased text.
    starts, ends : int array
        Where each word starts, and the position behind it.

    Notes
    -----
    The key is the sum of code point times ``b ** place`` over the word's characters modulo 2**64: a difference of
    running sums. Two of 10,000 words share one with a probability of about 1e-12.
    """
    keys = np.empty(starts.size, dtype=np.uint64)
    first = 0
    # In stretches of whole words: arrays of many megabytes would be fetched from the system anew for every step.
    while first < starts.size:
        low = int(starts[first])
        end = max(int(ends.searchsorted(low + _STRETCH, side="right")), first + 1)
        chosen = slice(first, end)
        keys[chosen] = _keys(lowered[low : int(ends[end - 1])], starts[chosen] - low, ends[chosen] - low)
        first = end
    return keys


def _keys(lowered: NDArray[np.uint32], starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.uint64]:
    powers, inverses = _powers(lowered.size)
    upto = np.zeros(lowered.size + 1, dtype=np.uint64)
    np.cumsum(lowered.astype(np.uint64) * powers, out=upto[1:])
    keys: NDArray[np.uint64] = (upto.take(ends) - upto.take(starts)) * inverses.take(starts)
    # Spread short words over the whole range.
    keys ^= keys >> np.uint64(29)
    keys *= np.uint64(_SPREAD)
    return keys


def keys_of_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """Return the number of each word, as `keys_of_spans` does for words inside a text."""
    ends = np.cumsum([len(word) for word in words], dtype=np.intp)
    starts = np.append(np.zeros(1, dtype=np.intp), ends[:-1])[: ends.size]
    return keys_of_spans(code_points("".join(words)), starts, ends)


def keys_of_text(text: str) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """Return the number of each word of a text, as `keys_of_words` of `tokenize` does, and where each word starts."""
    codes = code_points(lower(text))
    starts, ends = word_spans(character_classes().of(codes))
    return keys_of_spans(codes, starts, ends), starts


def _powers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the powers from 0 of the base of keys and of its inverse, modulo 2**64."""
    powers, inverses = _short_powers()
    if count > powers.size:
        powers, inverses = _computed_powers(count)
    return powers[:count], inverses[:count]


@cache
def _short_powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the powers that nearly all pages need, constants that are made at their first use."""
    return _computed_powers(1 << 16)


def _computed_powers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    tables = []
    for base in (_BASE, _INVERSE):
        powers = np.full(count, base, dtype=np.uint64)
        powers[:1] = 1
        tables.append(np.cumprod(powers))
    return tables[0], tables[1]


def words_at(text: str, classes: NDArray[np.uint8], starts: NDArray[np.intp]) -> list[str]:
    """Return the words of a lower-cased text, one for each start."""
    in_word = (classes & _WORD) != 0
    if not (classes & UNSPACED).any():
        codes = np.where(in_word, code_points(text), np.uint32(32))
        return codes.tobytes().decode("utf-32-le", "surrogatepass").split()
    gaps = (~in_word).nonzero()[0]
    stops = np.append(gaps, len(text))[gaps.searchsorted(starts)]
    stops[:-1] = np.minimum(stops[:-1], starts[1:])
    return [text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]


def tokenize(text: str) -> list[str]:
    """Return the words of a text, lower-cased, in order.

    Runs of letters, digits and combining marks; one token a character for scripts without spaces
    (Chinese, Japanese, Thai, Lao, Khmer, Myanmar, Tibetan). An apostrophe separates.
    """
    lowered = lower(text)
    classes = character_classes().of(code_points(lowered))
    return words_at(lowered, classes, word_starts(classes))
