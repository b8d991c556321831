"""Counts over the text of a page, by block: words, sentences, characters, and the words themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import (
    ALPHANUMERIC,
    CONTROL,
    MARK,
    SPACE,
    UNSPACED,
    character_classes,
    code_points,
)
from blockfeat.lang.sentences import sentence_ends
from blockfeat.lang.words import lower, word_starts, words_at

__all__ = ["FastSegmenter", "PageText", "Segmenter", "TextMeasures", "count_by_block"]

Counts = NDArray[np.int64]

ANCHOR = 1
FORMAT = 2


@dataclass(frozen=True)
class PageText:
    """The text of all blocks of a page in one string, with the pieces that it was put together from.

    Attributes
    ----------
    text : str
        All pieces joined; each block ends in a line break.
    block_ends : int array, n blocks
        Position behind each block's last character (its line break included).
    piece_ends : int array, m pieces
        Position behind each piece.
    piece_flags : uint8 array, m pieces
        1 for a piece inside an anchor, 2 inside a formatting element, 3 for both.
    """

    text: str
    block_ends: NDArray[np.intp]
    piece_ends: NDArray[np.intp]
    piece_flags: NDArray[np.uint8]


@dataclass(frozen=True)
class TextMeasures:
    """Counts by block, each an int array over the n blocks, and the page's words.

    Attributes
    ----------
    words, anchor_words, format_words : int array
        Words; those inside anchors; those inside formatting elements. Characters count as words in scripts
        without spaces.
    sentences : int array
        Sentences; text behind the last sentence end counts as one more.
    characters, alphanumerics : int array
        Characters other than white space; letters, digits and marks among them.
    unspaced_words : int array
        Words that are single characters of a script without spaces.
    tokens : list of str
        All words of the page, lower-cased, in order.
    token_block : int array, one for each token
        The block that each token stands in.
    has_controls : bool
        Whether the text holds control characters that no output may hold.
    """

    words: Counts
    anchor_words: Counts
    format_words: Counts
    sentences: Counts
    characters: Counts
    alphanumerics: Counts
    unspaced_words: Counts
    tokens: list[str]
    token_block: NDArray[np.intp]
    has_controls: bool = False


class Segmenter(Protocol):
    """Cuts text into words and sentences; models record its name."""

    @property
    def name(self) -> str:
        """Name that a model records."""
        ...

    def measure(self, page: PageText) -> TextMeasures:
        """Count words, sentences and characters by block."""
        ...


@dataclass(frozen=True)
class FastSegmenter:
    """Words and sentences by character classes, for every script, by column over the whole page."""

    name: str = "fast"

    def measure(self, page: PageText) -> TextMeasures:
        """Count words, sentences and characters by block; linear in the text."""
        codes = code_points(page.text)
        classes = character_classes().of(codes)
        starts = word_starts(classes)
        ends = sentence_ends(codes, classes, page.block_ends)
        return count_by_block(page, classes, starts, words_at(lower(page.text), classes, starts), ends)


def count_by_block(
    page: PageText,
    classes: NDArray[np.uint8],
    starts: NDArray[np.intp],
    tokens: list[str],
    ends: NDArray[np.intp],
) -> TextMeasures:
    """Sum what a segmenter found in the page's text over its blocks.

    Parameters
    ----------
    page : PageText
        The page's text.
    classes : uint8 array, one for each character
        Class bits of the text.
    starts, tokens : int array and list of str, one for each word
        Position and lower-cased text of each word, in order.
    ends : int array
        Positions behind the sentence ends, ascending.
    """
    n = page.block_ends.size
    token_block = np.searchsorted(page.block_ends, starts, side="right")
    flags = page.piece_flags[np.searchsorted(page.piece_ends, starts, side="right")] if n else np.zeros(0, np.uint8)
    words = np.bincount(token_block, minlength=n)
    unspaced = (classes[starts] & UNSPACED) != 0
    return TextMeasures(
        words=words,
        anchor_words=np.bincount(token_block[(flags & ANCHOR) != 0], minlength=n),
        format_words=np.bincount(token_block[(flags & FORMAT) != 0], minlength=n),
        sentences=_sentences_by_block(page.block_ends, starts, token_block, ends),
        characters=_sum_by_block(classes & SPACE == 0, page.block_ends),
        alphanumerics=_sum_by_block(classes & (ALPHANUMERIC | MARK) != 0, page.block_ends),
        unspaced_words=np.bincount(token_block[unspaced], minlength=n),
        tokens=tokens,
        token_block=token_block,
        has_controls=bool((classes & CONTROL).any()),
    )


def _sum_by_block(mask: NDArray[np.bool_], block_ends: NDArray[np.intp]) -> Counts:
    """Count the True characters of each block."""
    upto = np.searchsorted(np.flatnonzero(mask), block_ends)
    upto[1:] -= upto[:-1].copy()
    return upto


def _sentences_by_block(
    block_ends: NDArray[np.intp],
    starts: NDArray[np.intp],
    token_block: NDArray[np.intp],
    ends: NDArray[np.intp],
) -> Counts:
    """Count the sentences that hold a word; words behind a block's last end make one more."""
    if starts.size == 0:
        return np.zeros(block_ends.size, dtype=np.int64)
    sentence = np.searchsorted(ends, starts, side="right")
    is_first = np.ones(starts.size, dtype=bool)
    is_first[1:] = (sentence[1:] != sentence[:-1]) | (token_block[1:] != token_block[:-1])
    return np.bincount(token_block[is_first], minlength=block_ends.size)
