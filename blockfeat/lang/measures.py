"""Counts over the text of a page, by block: words, sentences, characters, and the words themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import ALPHANUMERIC, CONTROL, MARK, UNSPACED, code_points
from blockfeat.lang.sentences import sentence_ends
from blockfeat.lang.words import keys_of_spans, lower, word_spans

__all__ = ["FastSegmenter", "PageText", "Segmenter", "TextMeasures", "count_by_block"]

Counts = NDArray[np.int64]

ANCHOR = 1
FORMAT = 2
_BY_BLOCK = ("words", "anchor_words", "format_words", "sentences", "characters", "alphanumerics", "unspaced_words")


@dataclass(frozen=True)
class PageText:
    """The text of all blocks of a page in one string, with the pieces that it was put together from.

    Attributes
    ----------
    text : str
        All blocks in order; each ends in white space.
    codes, classes : uint32 and uint8 array, one for each character
        Code points of the text and their class bits.
    solid : int array
        Positions of the characters other than white space.
    block_ends : int array, n blocks
        Position behind each block's last character (its line break included).
    piece_ends : int array, m pieces
        Position behind each piece; all text is in pieces.
    piece_flags : uint8 array, m pieces
        1 for a piece inside an anchor, 2 inside a formatting element, 3 for both.
    """

    text: str
    codes: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    solid: NDArray[np.intp]
    block_ends: NDArray[np.intp]
    piece_ends: NDArray[np.intp]
    piece_flags: NDArray[np.uint8]

    def part(self, first: int, end: int, low: int) -> PageText:
        """Return the blocks from ``first`` to ``end`` (exclusive), which begin behind character ``low``."""
        high = int(self.block_ends[end - 1])
        pieces = slice(
            int(self.piece_ends.searchsorted(low, side="right")), int(self.piece_ends.searchsorted(high)) + 1
        )
        solid = slice(*self.solid.searchsorted((low, high)).tolist())
        return PageText(
            text=self.text[low:high],
            codes=self.codes[low:high],
            classes=self.classes[low:high],
            solid=self.solid[solid] - low,
            block_ends=self.block_ends[first:end] - low,
            piece_ends=np.minimum(self.piece_ends[pieces], high) - low,
            piece_flags=self.piece_flags[pieces],
        )


_NO_CLASSES, _NO_PLACES = np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.intp)
_NOTHING = PageText("", np.zeros(0, dtype=np.uint32), _NO_CLASSES, _NO_PLACES, _NO_PLACES, _NO_PLACES, _NO_CLASSES)


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
    text : str
        The text, lower-cased.
    token_starts, token_ends : int array, one for each word
        Where each word of the page stands in it.
    token_block : int array, one for each word
        The block that each word stands in.
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
    text: str
    token_starts: NDArray[np.intp]
    token_ends: NDArray[np.intp]
    token_block: NDArray[np.intp]
    has_controls: bool = False

    @cached_property
    def tokens(self) -> list[str]:
        """All words of the page, lower-cased, in order."""
        spans = zip(self.token_starts.tolist(), self.token_ends.tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]

    @cached_property
    def token_keys(self) -> NDArray[np.uint64]:
        """A number for each word; see `blockfeat.lang.words.keys_of_spans`."""
        return keys_of_spans(code_points(self.text), self.token_starts, self.token_ends)


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
    stretch: int = 1 << 20

    def measure(self, page: PageText) -> TextMeasures:
        """Count words, sentences and characters by block; linear in the text.

        A text of more than ``stretch`` characters goes through in stretches of whole blocks: arrays of many megabytes
        would be fetched from the system anew for every step.
        """
        if len(page.text) <= self.stretch:
            return self._measure(page)
        parts, first, low = [], 0, 0
        while first < page.block_ends.size:
            end = max(int(page.block_ends.searchsorted(low + self.stretch, side="right")), first + 1)
            parts.append((first, low, self._measure(page.part(first, end, low))))
            first, low = end, int(page.block_ends[end - 1])
        return _joined(parts, lower(page.text))

    def _measure(self, page: PageText) -> TextMeasures:
        starts, ends = word_spans(page.classes)
        return count_by_block(page, starts, ends, sentence_ends(page.codes, page.classes, page.block_ends, page.solid))


def _joined(parts: Sequence[tuple[int, int, TextMeasures]], text: str) -> TextMeasures:
    """Put the measures of stretches together, each with its first block and its place in the text."""
    if not parts:
        return FastSegmenter()._measure(_NOTHING)

    def whole(name: str) -> Counts:
        return np.concatenate([getattr(part, name) for _, _, part in parts])

    return TextMeasures(
        **{name: whole(name) for name in _BY_BLOCK},
        text=text,
        token_starts=np.concatenate([part.token_starts + low for _, low, part in parts]),
        token_ends=np.concatenate([part.token_ends + low for _, low, part in parts]),
        token_block=np.concatenate([part.token_block + first for first, _, part in parts]),
        has_controls=any(part.has_controls for _, _, part in parts),
    )


def count_by_block(
    page: PageText,
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
    sentence_ends: NDArray[np.intp],
) -> TextMeasures:
    """Sum what a segmenter found in the page's text over its blocks.

    Parameters
    ----------
    page : PageText
        The page's text.
    starts, ends : int array, one for each word
        Where each word stands, in order.
    sentence_ends : int array
        Positions behind the sentence ends, ascending.
    """
    classes = page.classes
    words = _steps(starts.searchsorted(page.block_ends))
    token_block = np.repeat(np.arange(words.size), words)
    # Blocks and pieces cut the text into runs that are whole in both.
    run_ends = np.sort(np.concatenate((page.block_ends, page.piece_ends)))
    run_ends = run_ends[np.append(run_ends[1:] != run_ends[:-1], True)[: run_ends.size]]
    in_run = _steps(starts.searchsorted(run_ends))
    run_flags = page.piece_flags[page.piece_ends.searchsorted(run_ends)]
    run_block = page.block_ends.searchsorted(run_ends)
    present = int(np.bitwise_or.reduce(classes)) if classes.size else 0
    return TextMeasures(
        words=words,
        anchor_words=_in_runs(in_run, run_block, run_flags & ANCHOR != 0, words.size),
        format_words=_in_runs(in_run, run_block, run_flags & FORMAT != 0, words.size),
        sentences=_sentences_by_block(words, starts, token_block, sentence_ends),
        characters=_steps(page.solid.searchsorted(page.block_ends)),
        alphanumerics=_steps((classes & (ALPHANUMERIC | MARK) != 0).nonzero()[0].searchsorted(page.block_ends)),
        unspaced_words=(
            np.bincount(token_block[classes[starts] & UNSPACED != 0], minlength=words.size)
            if present & UNSPACED
            else np.zeros_like(words)
        ),
        text=lower(page.text),
        token_starts=starts,
        token_ends=ends,
        token_block=token_block,
        has_controls=bool(present & CONTROL),
    )


def _steps(upto: Counts) -> Counts:
    """Return the differences of a running count that begins at 0."""
    steps = upto.astype(np.int64)
    steps[1:] -= upto[:-1]
    return steps


def _in_runs(counts: Counts, block: NDArray[np.intp], is_flagged: NDArray[np.bool_], blocks: int) -> Counts:
    """Sum the counts of the flagged runs by block."""
    flagged = (is_flagged & (counts > 0)).nonzero()[0]
    sums = np.zeros(blocks, dtype=np.int64)
    np.add.at(sums, block[flagged], counts[flagged])
    return sums


def _sentences_by_block(
    words: Counts,
    starts: NDArray[np.intp],
    token_block: NDArray[np.intp],
    ends: NDArray[np.intp],
) -> Counts:
    """Count the sentences that hold a word; words behind a block's last end make one more."""
    is_first = np.zeros(starts.size + 1, dtype=bool)
    is_first[starts.searchsorted(ends)] = True
    is_first[words.cumsum() - words] = True
    return np.bincount(token_block[is_first[:-1]], minlength=words.size)
