"""What is counted in the text leaves of a page, and sums of it over the nodes around them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import TagTable
from blockfeat.features.measuring import MeasuredPage, Measurer
from blockfeat.features.stopwords import StopWordRatios
from blockfeat.lang.characters import ALPHANUMERIC, SPACE, code_points
from blockfeat.lang.counting import ANCHOR
from blockfeat.lang.identify import Identifier
from blockfeat.page.page import Page

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.integer[Any]]

_PUNCTUATION = ".,?;:!\u3002\u3001\uff0c\uff0e\uff1f\uff1b\uff1a\uff01\uff61\u060c\u061b\u061f\u0964\u0589\u2026"
_QUESTIONS = "?\uff1f\u061f\u037e"
_DIGITS = "0123456789\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19" + "".join(
    chr(zero + value) for zero in (0x660, 0x6F0, 0x966) for value in range(10)
)
_PUNCTUATION_KIND, _QUESTION_KIND, _DIGIT_KIND = 1, 2, 4
_YEAR_LENGTH = 4


def _kinds() -> NDArray[np.uint8]:
    """Return the kinds of all characters up to U+FFFF; those above have none."""
    table = np.zeros(1 << 16, dtype=np.uint8)
    for characters, kind in ((_PUNCTUATION, _PUNCTUATION_KIND), (_QUESTIONS, _QUESTION_KIND), (_DIGITS, _DIGIT_KIND)):
        table[[ord(character) for character in characters]] |= kind
    return table


_KINDS = _kinds()
_NO_KIND = 0xFFFF


class Leaf(NamedTuple):
    """The columns of `LeafCounts.counts`."""

    words: int = 0
    word_characters: int = 1
    stop_words: int = 2
    characters: int = 3
    punctuation: int = 4
    digits: int = 5
    sentences: int = 6
    capitalised: int = 7
    anchor_characters: int = 8
    copyright: int = 9
    email: int = 10
    address: int = 11
    year: int = 12


@dataclass(frozen=True, slots=True)
class LeafCounts:
    """Counts over the n leaves of a page.

    Attributes
    ----------
    counts : float array, n × 13
        What `Leaf` names: numbers that add up over leaves.
    ends_in_punctuation, ends_in_question : bool array, n
        The leaf's last character is one.
    starts, lengths : int array, n
        Where each leaf begins in the page's text; its characters, single spaces counted.
    """

    counts: Floats
    ends_in_punctuation: Flags
    ends_in_question: Flags
    starts: Indices
    lengths: Indices

    def sums(self, first: Indices, end: Indices) -> Floats:
        """Return the counts of ranges of leaves: float array, m × 13."""
        upto = np.zeros((self.counts.shape[0] + 1, self.counts.shape[1]))
        np.cumsum(self.counts, axis=0, out=upto[1:])
        summed: Floats = upto[end] - upto[first]
        return summed


def leaf_table() -> TagTable:
    """Return the tag table that cuts pages into text leaves."""
    import tomllib

    source = files("blockfeat.papers.web2text").joinpath("leaves.toml").read_text(encoding="utf-8")
    return TagTable.from_dict(tomllib.loads(source), where="leaves.toml", source=source)


@dataclass(frozen=True)
class LeafMeasurer:
    """Cuts pages into text leaves and finds their language and stop words."""

    measurer: Measurer

    @classmethod
    def of(cls, identifier: Identifier) -> LeafMeasurer:
        """Make one; the identifier may be shared with other measurers."""
        return cls(Measurer(cutter=Cutter.of(leaf_table()), features=(), identifier=identifier))

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredPage:
        """Cut a page; see `blockfeat.features.measuring.Measurer.measure`."""
        return self.measurer.measure(page, lang=lang)


def count_leaves(blocks: Blocks, stop_words: StopWordRatios) -> LeafCounts:
    """Count words, characters and patterns in the leaves of a page.

    Stop words are counted in units of what running prose of the language has, so that languages are alike.
    """
    text, measures = blocks.page_text, blocks.measures
    n = len(blocks)
    ends = text.block_ends
    solid = np.flatnonzero(text.classes & SPACE == 0)
    last = solid[np.searchsorted(solid, ends) - 1]
    lengths = last + 1 - blocks.block_starts
    kinds = _KINDS[np.minimum(text.codes, _NO_KIND)]
    counts = np.zeros((n, len(Leaf())), dtype=np.float64)
    at = Leaf()
    counts[:, at.words] = measures.words
    counts[:, at.sentences] = np.maximum(measures.sentences, 1)
    counts[:, at.characters] = lengths
    counts[:, at.stop_words] = stop_words.normalised * measures.words
    counts[:, at.punctuation] = _by_leaf(kinds & _PUNCTUATION_KIND != 0, ends)
    is_digit = kinds & _DIGIT_KIND != 0
    counts[:, at.digits] = _by_leaf(is_digit, ends)
    _count_words(counts, blocks, is_digit)
    _count_patterns(counts, blocks)
    flags = text.piece_flags[np.searchsorted(text.piece_ends, blocks.block_starts, side="right")]
    counts[:, at.anchor_characters] = np.where(flags & ANCHOR != 0, lengths, 0)
    return LeafCounts(
        counts=counts,
        ends_in_punctuation=kinds[last] & _PUNCTUATION_KIND != 0,
        ends_in_question=kinds[last] & _QUESTION_KIND != 0,
        starts=blocks.block_starts,
        lengths=lengths,
    )


def _by_leaf(mask: Flags, ends: Indices) -> Indices:
    """Count the marked characters of each leaf."""
    return np.diff(np.searchsorted(np.flatnonzero(mask), ends), prepend=0)


def _count_words(counts: Floats, blocks: Blocks, is_digit: Flags) -> None:
    """Count characters of words, words with a capital, and years."""
    measures, n, at = blocks.measures, len(blocks), Leaf()
    starts, stops, owner = measures.token_starts, measures.token_ends, measures.token_block
    if not starts.size:
        return
    counts[:, at.word_characters] = np.bincount(owner, weights=stops - starts, minlength=n)
    capital = blocks.page_text.codes[starts] != code_points(measures.text)[starts]
    counts[:, at.capitalised] = np.bincount(owner[capital], minlength=n)
    four = np.flatnonzero(stops - starts == _YEAR_LENGTH)
    is_year = is_digit[starts[four, None] + np.arange(_YEAR_LENGTH)].all(axis=1)
    counts[:, at.year] = np.bincount(owner[four[is_year]], minlength=n)


def _count_patterns(counts: Floats, blocks: Blocks) -> None:
    """Count copyright signs, signs of email addresses and of web addresses."""
    codes, classes, ends = blocks.page_text.codes, blocks.page_text.classes, blocks.page_text.block_ends
    at = Leaf()
    n = len(blocks)
    signs = np.flatnonzero(codes == ord("\u00a9"))
    counts[:, at.copyright] = np.bincount(np.searchsorted(ends, signs, side="right"), minlength=n)
    inner = np.flatnonzero(codes[1:-1] == ord("@")) + 1
    inner = inner[classes[inner - 1] & classes[inner + 1] & ALPHANUMERIC != 0]
    counts[:, at.email] = np.bincount(np.searchsorted(ends, inner, side="right"), minlength=n)
    colons = np.flatnonzero(codes[1:-3] == ord(":")) + 1
    before, behind = codes[colons - 1] | 32, classes[colons + 3]
    is_address = (codes[colons + 1] == ord("/")) & (codes[colons + 2] == ord("/")) & (behind & SPACE == 0)
    is_address &= (before == ord("p")) | (before == ord("s"))
    counts[:, at.address] = np.bincount(np.searchsorted(ends, colons[is_address], side="right"), minlength=n)
