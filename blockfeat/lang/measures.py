"""Counts over the text of a page, by block: words, sentences, characters, and the words themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import CONTROL
from blockfeat.lang.counting import count_by_block, sentence_ends, word_spans
from blockfeat.lang.words import keys_of_lowered, lower

Counts = NDArray[np.int32]


@dataclass(frozen=True)
class PageText:
    """The text of all blocks of a page in one string, with the pieces that it was put together from.

    Attributes
    ----------
    text : str
        All blocks in order; each ends in white space.
    codes, classes : uint32 and uint8 array, one for each character
        Code points of the text and their class bits.
    block_ends : int array, n blocks
        Position behind each block's last character (its line break included).
    piece_ends : int array, m pieces
        Position behind each piece; all text is in pieces.
    piece_flags : uint8 array, m pieces
        1 for a piece inside an anchor, 2 inside a formatting element, 3 for both.
    has_marks : bool
        Whether marks without width may be in the text: of direction, joiners, breaks.
    """

    text: str
    codes: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    block_ends: NDArray[np.int32]
    piece_ends: NDArray[np.int32]
    piece_flags: NDArray[np.uint8]
    has_marks: bool = False


@dataclass(frozen=True)
class TextMeasures:
    """Counts by block, each an int array over the n blocks, and the page's words.

    Attributes
    ----------
    page : PageText
        What was measured.
    words, anchor_words, format_words : int array
        Words; those inside anchors; those inside formatting elements. Characters count as words in scripts
        without spaces.
    sentences : int array
        Sentences; text behind the last sentence end counts as one more.
    characters, alphanumerics : int array
        Characters other than white space; letters, digits and marks among them.
    unspaced_words : int array
        Words that are single characters of a script without spaces.
    token_starts, token_ends : int array, one for each word
        Where each word of the page stands in the text.
    """

    page: PageText
    words: Counts
    anchor_words: Counts
    format_words: Counts
    sentences: Counts
    characters: Counts
    alphanumerics: Counts
    unspaced_words: Counts
    token_starts: NDArray[np.int32]
    token_ends: NDArray[np.int32]

    @classmethod
    def of(
        cls, page: PageText, starts: NDArray[np.int32], ends: NDArray[np.int32], sentences: NDArray[np.int32]
    ) -> TextMeasures:
        """Sum what a segmenter found in a page's text over its blocks.

        Parameters
        ----------
        page : PageText
            The page's text.
        starts, ends : int array, one for each word
            Where each word stands, in order.
        sentences : int array
            Positions behind the sentence ends, ascending.
        """
        counts = count_by_block(page.classes, page.block_ends, page.piece_ends, page.piece_flags, starts, sentences)
        return cls(page=page, token_starts=starts, token_ends=ends, **counts)

    @cached_property
    def has_controls(self) -> bool:
        """Whether the text holds control characters that no output may hold."""
        return bool(np.bitwise_or.reduce(self.page.classes) & CONTROL)

    @cached_property
    def text(self) -> str:
        """The text, lower-cased."""
        return lower(self.page.text)

    @cached_property
    def token_block(self) -> NDArray[np.int64]:
        """The block that each word stands in."""
        return np.repeat(np.arange(self.words.size), self.words)

    @cached_property
    def tokens(self) -> list[str]:
        """All words of the page, lower-cased, in order."""
        spans = zip(self.token_starts.tolist(), self.token_ends.tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]

    @cached_property
    def token_keys(self) -> NDArray[np.uint64]:
        """The key of each word, lower-cased; see `blockfeat.lang.word_keys`."""
        return keys_of_lowered(self.page.text, self.page.codes, self.token_starts, self.token_ends)


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
    """Words and sentences by character classes, for every script."""

    name: str = "fast"

    def measure(self, page: PageText) -> TextMeasures:
        """Count words, sentences and characters by block; linear in the text."""
        starts, ends = word_spans(page.classes)
        return TextMeasures.of(page, starts, ends, sentence_ends(page.codes, page.classes, page.block_ends))
