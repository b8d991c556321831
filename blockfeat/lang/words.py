"""Words: runs of letters, digits and marks; single characters in scripts without spaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import ALPHANUMERIC, MARK, UNSPACED, character_classes, code_points

__all__ = ["lower", "tokenize", "word_starts", "words_at"]

_WORD = ALPHANUMERIC | MARK


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
    return np.flatnonzero(starts)


def words_at(text: str, classes: NDArray[np.uint8], starts: NDArray[np.intp]) -> list[str]:
    """Return the words of a lower-cased text, one for each start."""
    in_word = (classes & _WORD) != 0
    if not (classes & UNSPACED).any():
        codes = np.where(in_word, code_points(text), np.uint32(32))
        return codes.tobytes().decode("utf-32-le", "surrogatepass").split()
    gaps = np.flatnonzero(~in_word)
    stops = np.append(gaps, len(text))[np.searchsorted(gaps, starts)]
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
