"""What a person can see of a block that argues for its decision: its links, length and place, and its box's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, kind_names
from blockfeat.extraction.reasons.classes import BoxNames
from blockfeat.features.measuring import MeasuredPage, feature_matrix, features_named
from blockfeat.features.schema import Measured

Mask = NDArray[np.bool_]
Fact = tuple[str, str | int]
"""A key of ``sentences.toml``, and the value in its sentence."""

MOST = 3
_ALL, _MOST, _FEW = 0.95, 0.5, 0.15
_SHORT, _LONG = 5, 25
_SENTENCE_WORDS = 4.0


@dataclass(frozen=True, eq=False)
class PageFacts:
    """The facts of the blocks of a page.

    Attributes
    ----------
    measured : MeasuredPage
        The page's n blocks, measured.
    kept : bool array, n
        The blocks that are content.
    boxes : BoxNames
        The names around them.
    """

    measured: MeasuredPage
    kept: Mask
    boxes: BoxNames

    @property
    def blocks(self) -> Blocks:
        """The page's blocks."""
        return self.measured.blocks

    @cached_property
    def _linked(self) -> list[float]:
        measures = self.blocks.measures
        return (measures.anchor_words / np.maximum(measures.words, 1)).tolist()  # type: ignore[no-any-return]

    @cached_property
    def _words(self) -> list[int]:
        return self.blocks.measures.words.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _sentences(self) -> list[float]:
        columns = Measured(self.blocks, self.measured.stop_words)
        return feature_matrix(features_named(("sentence_count",)), columns)[:, 0].tolist()  # type: ignore[no-any-return]

    @cached_property
    def _kinds(self) -> list[str]:
        return list(kind_names(self.blocks))

    @cached_property
    def _span(self) -> tuple[int, int]:
        places = self.kept.nonzero()[0]
        return (int(places[0]), int(places[-1])) if places.size else (len(self.blocks), -1)

    def of(self, block: int, part: str) -> tuple[Fact, ...]:
        """Return up to three facts that argue for the decision about a block, those that say most first."""
        found = self._for(block) if self.kept[block] else self._against(block, part)
        return tuple(fact for fact, _ in zip(found, range(MOST), strict=False))

    def _against(self, block: int, part: str) -> Iterator[Fact]:
        linked, words = self._linked[block], self._words[block]
        if words and linked >= _ALL:
            yield ("link", words) if words <= _SHORT else ("all links", words)
        elif words > 1 and linked >= _MOST:
            yield "most links", round(10 * linked)
        elif 0 < words <= _SHORT and self._kinds[block] != "heading":
            yield "short", words
        first, last = self._span
        if last >= 0 and block < first:
            yield "before", 0
        elif last >= 0 and block > last:
            yield "behind", 0
        name = self.boxes.naming(block, part)
        if name:
            yield "box", name
        if self._is_among_links(block):
            yield "among links", 0
        if last < 0:
            yield "no text", 0

    def _is_among_links(self, block: int) -> bool:
        beside = [place for place in (block - 1, block + 1) if 0 <= place < len(self._words)]
        return len(beside) == 2 and all(self._words[place] and self._linked[place] >= _ALL for place in beside)

    def _for(self, block: int) -> Iterator[Fact]:
        words, kind = self._words[block], self._kinds[block]
        if kind == "heading":
            yield "heading", 0
        elif self._sentences[block] >= 2 and words >= _SENTENCE_WORDS * self._sentences[block]:
            yield "sentences", round(self._sentences[block])
        if words >= _LONG:
            yield "words", words
        first, last = self._span
        beside = [place for place in (block - 1, block + 1) if first <= place <= last]
        if beside and all(self.kept[place] for place in beside):
            yield ("among text", 0) if len(beside) == 2 else ("beside text", 0)
        if words >= _LONG and self._linked[block] <= _FEW:
            yield "few links", 0
        if kind in ("list_item", "table_cell", "preformatted", "quote"):
            yield kind, 0


def facts_of(measured: MeasuredPage, kept: Mask, boxes: BoxNames, parts: Sequence[str]) -> list[tuple[Fact, ...]]:
    """Return the facts of each block of a page; linear in the page."""
    facts = PageFacts(measured, kept, boxes)
    return [facts.of(block, part) for block, part in enumerate(parts)]
