"""Consent banners among what a model keeps, at its begin or end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.extraction.phrases import edges_of, has_any, phrases_in

Mask = NDArray[np.bool_]

_WORDS_A_PHRASE = 20
_SHARE = 0.4
# Instructions for programmers say "cookie" all over, and news "partners" and "consent", but not a third phrase.
_FEWEST_KINDS = 3
# What is around so many words that do not ask is no banner, nor what has so many blocks.
_MUCH, _MOST_BLOCKS = 150, 200
# Elements around a block that are looked at, so that deep pages take no longer.
_MOST_AROUND = 40
_FEWEST_WORDS_LEFT = 25
_MOST_BANNERS = 4


def banners(blocks: Blocks, kept: Mask) -> list[int]:
    """Return the kept blocks of consent banners.

    A banner is the outermost element around one of the first or last kept blocks that a vendor's class or id names, or
    whose text mostly asks for consent; and it leaves other text. An article about consent has that all over, and
    stays.
    """
    return _Banners(blocks, kept).blocks()


class _Banners:
    """One page while its banners are looked for."""

    def __init__(self, blocks: Blocks, kept: Mask) -> None:
        self.page, self.kept = blocks, kept.copy()
        self.words: NDArray[np.integer[Any]] = blocks.measures.words
        self.phrases: Callable[[int], list[str]] = cache(lambda block: phrases_in("consent", blocks.raw_text(block)))

    def blocks(self) -> list[int]:
        """Return the blocks of one banner after the other, from the edges inwards."""
        found: list[int] = []
        for _ in range(_MOST_BANNERS):
            span = next(
                (span for edge in edges_of(self.kept) if self.phrases(edge) and (span := self._around(edge))), None
            )
            if span is None:
                break
            found += self._kept_in(*span)
            self.kept[slice(*span)] = False
        return found

    def _around(self, block: int) -> tuple[int, int] | None:
        """Return the blocks of the outermost banner around a block; None where it is in none."""
        containers = self.page.containers
        best, may_ask = None, True
        container = int(self.page.container[block])
        for _ in range(_MOST_AROUND):
            if container < 0:
                break
            span = int(containers.first_block[container]), int(containers.end_block[container])
            if self._left(span) < _FEWEST_WORDS_LEFT:
                break
            asks = may_ask and self._asks(span)
            if asks or self._is_named(container):
                best = span
            may_ask = asks or (may_ask and self.words[self._kept_in(*span)].sum() < _MUCH)
            container = int(containers.parent[container])
        return best

    def _is_named(self, container: int) -> bool:
        attributes = self.page.tags.attributes(int(self.page.containers.element[container]), most=200)
        return has_any("consent_container", f"{attributes.get('id', '')} {attributes.get('class', '')}")

    def _kept_in(self, first: int, end: int) -> list[int]:
        return (self.kept[first:end].nonzero()[0] + first).tolist()

    def _asks(self, span: tuple[int, int]) -> bool:
        """Return whether some blocks, kept or not, mostly ask for consent."""
        blocks = range(*span)
        if len(blocks) > _MOST_BLOCKS:
            return False
        phrases = [phrase for block in blocks for phrase in self.phrases(block)]
        if len({*phrases}) < _FEWEST_KINDS:
            return False
        asking = sum(min(int(self.words[block]), len(self.phrases(block)) * _WORDS_A_PHRASE) for block in blocks)
        return asking >= _SHARE * int(self.words[slice(*span)].sum())

    def _left(self, span: tuple[int, int]) -> int:
        """Return the words outside of some blocks that do not ask for consent, or enough of them."""
        left = 0
        for block in self.kept.nonzero()[0].tolist():
            if not span[0] <= block < span[1] and not self.phrases(block):
                left += int(self.words[block])
                if left >= _FEWEST_WORDS_LEFT:
                    break
        return left
