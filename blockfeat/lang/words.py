"""Words: runs of letters, digits and marks; single characters in scripts without spaces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import character_classes, code_points
from blockfeat.lang.counting import word_spans
from blockfeat.lang.word_keys import keys_of_spans

# Odd numbers: a run of words is their keys times these, modulo 2**64.
_FACTORS = (np.uint64(1), np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
# The one letter whose lower case depends on what stands around it.
_CAPITAL_SIGMA = "\u03a3"
# No letter behind has a lower case.
_CASED = 0x1E944


def lower(text: str) -> str:
    """Lower-case a text without changing its length (only U+0130 would)."""
    return text.replace("\u0130", "i").lower()


def keys_of_lowered(
    text: str, codes: NDArray[np.uint32], starts: NDArray[np.integer], ends: NDArray[np.integer]
) -> NDArray[np.uint64]:
    """Return the keys that the words of a text have once it is lower-cased, as `lower` does.

    Parameters
    ----------
    text : str
        The text.
    codes : uint32 array
        Its code points.
    starts, ends : int array
        Where each word starts, and the position behind it.
    """
    if _CAPITAL_SIGMA in text:
        return keys_of_spans(code_points(lower(text)), starts, ends)
    return keys_of_spans(codes, starts, ends, _lower_case())


def keys_of_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """Return the key of each word as it is written."""
    ends = np.cumsum([len(word) for word in words], dtype=np.int32)
    starts = np.append(np.zeros(1, dtype=np.int32), ends[:-1])[: ends.size]
    return keys_of_spans(code_points("".join(words)), starts, ends)


def keys_of_text(text: str) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the key of each word of a text, as `keys_of_words` of `tokenize` does, and where each word starts."""
    lowered = code_points(lower(text))
    starts, ends = word_spans(character_classes().of(lowered))
    return keys_of_spans(lowered, starts, ends), starts


def runs_of_three(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each run of three words, given by their keys; none for a text of fewer."""
    count = max(keys.size - len(_FACTORS) + 1, 0)
    runs = np.zeros(count, dtype=np.uint64)
    for shift, factor in enumerate(_FACTORS):
        runs += keys[shift : shift + count] * factor
    return runs


def tokenize(text: str) -> list[str]:
    """Return the words of a text, lower-cased, in order.

    Runs of letters, digits and combining marks; one token a character for scripts without spaces
    (Chinese, Japanese, Thai, Lao, Khmer, Myanmar, Tibetan). An apostrophe separates.
    """
    lowered = lower(text)
    starts, ends = word_spans(character_classes().of(code_points(lowered)))
    return [lowered[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


@cache
def _lower_case() -> NDArray[np.uint32]:
    """Return the lower case of each of the first code points, a constant that is made at its first use."""
    every = np.arange(_CASED, dtype=np.uint32).tobytes().decode("utf-32-le", "surrogatepass")
    return code_points(lower(every))
