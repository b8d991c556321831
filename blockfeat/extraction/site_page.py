"""What a site profile keeps of one page: a key for the text of each block, and how likely it is content there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.extraction.chances import content_chances
from blockfeat.features.measuring import MeasuredPage
from blockfeat.lang.measures import TextMeasures
from blockfeat.models.model import Prediction

MOST_TEXTS = 400
"""At most so many texts of a page are kept, those that are content most probably."""
STEPS = 255
"""Probabilities are kept in so many steps."""

_HALF = 128
_MOST_WORDS = 65_535
_OWN = np.uint64(0x9E3779B97F4A7C15)
_BEFORE = np.uint64(0xC2B2AE3D27D4EB4F)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)


@dataclass(frozen=True, slots=True, eq=False)
class KeptTexts:
    """The blocks of a page that its model keeps.

    Attributes
    ----------
    blocks : int array, p
        The blocks.
    keys : uint64 array, p
        The key of the text of each.
    words : int array, p
        Its words.
    """

    blocks: NDArray[np.integer[Any]]
    keys: NDArray[np.uint64]
    words: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, measures: TextMeasures, kept: NDArray[np.bool_]) -> KeptTexts:
        """Make it of the counts of a page, and which of its n blocks are kept."""
        blocks = kept.nonzero()[0]
        return cls(blocks, text_keys(measures)[blocks], measures.words[blocks])


@dataclass(frozen=True, eq=False)
class SitePage:
    """The m different texts of a page's blocks.

    Attributes
    ----------
    model : str
        Name of the model that gave the probabilities.
    keys : uint64 array, m
        What `text_keys` gives, ascending.
    chances : uint8 array, m
        Mean probability of content of the blocks that hold the text (`blockfeat.extraction.chances`), in steps of
        1/255. Site profiles do not change it.
    words : uint16 array, m
        Words of the text, at most 65,535.
    kept : KeptTexts or None
        The blocks that the model keeps; None for a page out of a file.
    """

    model: str
    keys: NDArray[np.uint64]
    chances: NDArray[np.uint8]
    words: NDArray[np.uint16]
    kept: KeptTexts | None = None

    @classmethod
    def of(cls, measured: MeasuredPage, prediction: Prediction, *, model: str, kind: str) -> SitePage:
        """Make it of a page that was measured and predicted by a model of this name and kind."""
        measures = measured.blocks.measures
        has_words = measures.words > 0
        found = content_chances(kind, prediction, measures.words)[has_words]
        every = text_keys(measures)
        keys, first, place = np.unique(every[has_words], return_index=True, return_inverse=True)
        chances = np.bincount(place, weights=found) / np.bincount(place)
        # A stable order: of texts that are as probable, those with the lowest keys.
        chosen = np.sort((-chances).argsort(kind="stable")[:MOST_TEXTS])
        words = np.minimum(measures.words[has_words][first], _MOST_WORDS)
        steps = np.round(chances * STEPS)
        blocks = prediction.kept.nonzero()[0]
        return cls(
            model,
            keys[chosen],
            steps[chosen].astype(np.uint8),
            words[chosen].astype(np.uint16),
            KeptTexts(blocks, every[blocks], measures.words[blocks]),
        )

    def __len__(self) -> int:
        """Return the number of texts."""
        return int(self.keys.size)

    @cached_property
    def is_content(self) -> NDArray[np.bool_]:
        """Which texts the model takes for content: m."""
        return np.asarray(self.chances >= _HALF)

    @cached_property
    def content_words(self) -> int:
        """Words of the texts that the model takes for content."""
        return int(self.words[self.is_content].sum(dtype=np.int64))

    def shared_words(self, other: SitePage) -> int:
        """Return the words of the texts that both pages have as content."""
        own, others = self.keys[self.is_content], other.keys[other.is_content]
        return int(self.words[self.is_content][np.isin(own, others, assume_unique=True)].sum(dtype=np.int64))


def text_keys(measures: TextMeasures) -> NDArray[np.uint64]:
    """Return a key for the text of each block: n; 0 for blocks without words.

    Equal for the same words in the same order, in any case and with any punctuation; a sum over the words, each mixed
    with the word before it.
    """
    found = np.zeros(measures.words.size, dtype=np.uint64)
    has_words = (measures.words > 0).nonzero()[0]
    if not has_words.size:
        return found
    keys = measures.token_keys
    firsts = np.cumsum(measures.words)[has_words] - measures.words[has_words]
    mixed = keys * _OWN
    mixed[1:] += keys[:-1] * _BEFORE
    mixed[firsts] = keys[firsts]
    mixed ^= mixed >> _SHIFT
    mixed *= _MIX
    found[has_words] = np.add.reduceat(mixed, firsts)
    return found
