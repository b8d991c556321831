"""Counts over the text of a page, by block: words, sentences, characters, and the words themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import UNSPACED, character_classes
from blockfeat.lang.counting import COUNTED, Row, count_text, word_spans, words_in
from blockfeat.lang.word_keys import keys_of_spans

# Odd numbers: a run of words is their keys times these, modulo 2**64.
_FACTORS = (np.uint64(1), np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
# The one letter whose lower case depends on what stands around it.
_CAPITAL_SIGMA = "\u03a3"
# No code point from here on has a lower case.
_CASED = 0x1E944

Counts = NDArray[np.int32]
_WORDS, _ANCHOR_WORDS, _FORMAT_WORDS, _SENTENCES, _UNSPACED_WORDS, _CHARACTERS, _ALPHANUMERICS = range(len(COUNTED))
Spans = tuple[NDArray[np.int32], NDArray[np.int32]]


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text as an array; surrogates are let through."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def lower(text: str) -> str:
    """Lower-case a text without changing its length (only U+0130 would)."""
    return text.replace("\u0130", "i").lower()


def lowered_codes(text: str, codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the code points of a text, lower-cased as `lower` does, given those that it has."""
    if _CAPITAL_SIGMA in text:
        return code_points(lower(text))
    table = lower_case_table()
    return np.where(codes < table.size, table.take(codes, mode="clip"), codes)


def keys_of_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """Return the key of each word as it is written."""
    ends = np.cumsum([len(word) for word in words], dtype=np.int32)
    starts = np.append(np.zeros(1, dtype=np.int32), ends[:-1])[: ends.size]
    return keys_of_spans(code_points("".join(words)), starts, ends)


def keys_of_text(text: str) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the key of each word of a text, as `keys_of_words` of `tokenize` does, and where each word starts."""
    return words_in(lower(text), character_classes())


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
    starts, ends = word_spans(character_classes().take(code_points(lowered)))
    return [lowered[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def is_term(word: str) -> bool:
    """Return whether a word counts as a term: longer than one character, or of a script without spaces."""
    return len(word) > 1 or (word != "" and bool(character_classes()[ord(word)] & UNSPACED))


@cache
def lower_case_table() -> NDArray[np.uint32]:
    """Return the lower case of each of the first code points, a constant that is made at its first use."""
    every = np.arange(_CASED, dtype=np.uint32).tobytes().decode("utf-32-le", "surrogatepass")
    return code_points(lower(every))


class PageText(NamedTuple):
    """The text of all blocks of a page in one string, with the pieces that it was put together from.

    Attributes
    ----------
    text : str
        All blocks in order; each ends in white space.
    codes, classes : uint32 and uint8 array, one for each character
        Code points of the text and their class bits.
    block_ends : int array, n blocks
        Position behind each block's last character (its line break included).
    pieces : int array, 2 × m pieces
        Position behind each piece, all text being in pieces; and 1 for one inside an anchor, 2 inside a formatting
        element, 3 for both.
    has_marks : bool
        Whether marks without width may be in the text: of direction, joiners, breaks.
    """

    text: str
    codes: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    block_ends: NDArray[np.int32]
    pieces: NDArray[np.int32]
    has_marks: bool = False


@dataclass(frozen=True)
class TextMeasures:
    """Counts by block, each an int array over the n blocks, and the page's words.

    Attributes
    ----------
    page : PageText
        What was measured.
    counts : int array, 7 × n
        `blockfeat.lang.counting.COUNTED`, a row each.
    token_keys : uint64 array, one for each word
        The key of each word, lower-cased; see `blockfeat.lang.word_keys`.
    has_controls : bool
        Whether the text holds control characters that no output may hold.
    has_unspaced : bool
        Whether there is a word of a script without spaces.
    spans : pair of int arrays, optional
        Where each word starts and ends in the text, of a segmenter that does not find them as `word_spans` does.
    """

    page: PageText
    counts: Counts
    token_keys: NDArray[np.uint64]
    has_controls: bool
    has_unspaced: bool
    spans: Spans | None = None

    words = Row("counts", _WORDS)
    """Words; characters count as words in scripts without spaces."""
    anchor_words = Row("counts", _ANCHOR_WORDS)
    """Words inside anchors."""
    format_words = Row("counts", _FORMAT_WORDS)
    """Words inside formatting elements."""
    sentences = Row("counts", _SENTENCES)
    """Sentences; text behind the last sentence end counts as one more."""
    unspaced_words = Row("counts", _UNSPACED_WORDS)
    """Words that are single characters of a script without spaces."""
    characters = Row("counts", _CHARACTERS)
    """Characters other than white space."""
    alphanumerics = Row("counts", _ALPHANUMERICS)
    """Letters, digits and marks among the characters."""

    @cached_property
    def text(self) -> str:
        """The text, lower-cased."""
        return lower(self.page.text)

    @cached_property
    def _spans(self) -> Spans:
        return word_spans(self.page.classes) if self.spans is None else self.spans

    @property
    def token_starts(self) -> NDArray[np.int32]:
        """Where each word starts in the text."""
        return self._spans[0]

    @property
    def token_ends(self) -> NDArray[np.int32]:
        """The position behind each word."""
        return self._spans[1]

    @cached_property
    def token_block(self) -> NDArray[np.int64]:
        """The block that each word stands in."""
        return np.repeat(np.arange(self.words.size), self.words)

    @cached_property
    def tokens(self) -> list[str]:
        """All words of the page, lower-cased, in order."""
        spans = zip(self.token_starts.tolist(), self.token_ends.tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]


class Tokenizer(Protocol):
    """Cuts text into words and sentences; models record its name."""

    @property
    def name(self) -> str:
        """Name that a model records."""
        ...

    def measure(self, page: PageText) -> TextMeasures:
        """Count words, sentences and characters by block."""
        ...


@dataclass(frozen=True)
class FastTokenizer:
    """Words and sentences by character classes, for every script."""

    name: str = "fast"

    def measure(self, page: PageText) -> TextMeasures:
        """Count words, sentences and characters by block; linear in the text."""
        codes = code_points(lower(page.text)) if _CAPITAL_SIGMA in page.text else page.codes
        return TextMeasures(page, *count_text(codes, page.classes, page.block_ends, page.pieces, lower_case_table()))
