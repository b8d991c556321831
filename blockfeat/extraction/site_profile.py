"""``SiteProfile``: what pages of one site say, so that text which another page of it repeats is told as clutter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.extraction.site_page import STEPS, KeptTexts, SitePage

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction


MOST_PAGES = 10
"""A profile holds the last so many pages."""


@dataclass(frozen=True, slots=True)
class SiteRule:
    """When text that other pages repeat is clutter.

    Attributes
    ----------
    cut : float
        The mean probability of content that it has on the other pages is below this.
    copy_share : float
        A page of which at least this share of the words stands in texts that are content on the other, too, is a
        near-copy of it, and the other says nothing about it.
    least_words : int
        Shorter texts are left alone.
    most_lost : float
        A page that would lose more than this share of the words that are kept stays as it was: what its site repeats
        is its content, as on pages made from one template.
    """

    cut: float = 0.5
    copy_share: float = 0.5
    least_words: int = 1
    most_lost: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The texts of some pages by their ascending keys: the number of the page, and the probability there."""

    keys: NDArray[np.uint64]
    pages: NDArray[np.intp]
    chances: NDArray[np.uint8]

    def rows(self, first: int, end: int) -> list[tuple[int, int]]:
        """Return page and probability of some rows."""
        return list(zip(self.pages[first:end].tolist(), self.chances[first:end].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class SiteProfile:
    """The last ten pages of one site; immutable, held by the caller.

    ``profile = profile.add(extraction)`` gives a profile with one page more, ``extractor.with_site(profile)`` an
    extractor that drops what they repeat. A profile holds no text: a key of 64 bits, a number of words and a
    probability for each block, at most 64 KB. It belongs to the model whose probabilities it holds.

    Attributes
    ----------
    pages : tuple of SitePage
        The pages, the latest last; none is a near-copy of another.
    rule : SiteRule
        When repeated text is clutter. Not saved.
    """

    pages: tuple[SitePage, ...] = ()
    rule: SiteRule = field(default_factory=SiteRule)

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.pages)

    def __repr__(self) -> str:
        """Return model and number of pages."""
        return f"SiteProfile(model={self.model!r}, pages={len(self)})"

    @property
    def model(self) -> str | None:
        """Name of the model that gave the probabilities; None without pages."""
        return self.pages[-1].model if self.pages else None

    def add(self, page: Extraction | SitePage) -> SiteProfile:
        """Return a profile with one page more.

        Near-copies of it, such as the same page read before, go; of more than ten pages the oldest goes. A page that
        could not be read, or has no text, changes nothing. What is added are the model's own probabilities, whether or
        not the page was extracted with a profile.

        Raises
        ------
        ModelError
            The page was extracted by another model than those of the profile.
        """
        found = page if isinstance(page, SitePage) else page.site_page
        if found is None or not len(found):
            return self
        if self.model is not None and found.model != self.model:
            raise ModelError(f"a site profile of model {self.model!r} takes no page of model {found.model!r}")
        others = tuple(other for other in self.pages if not self._are_copies(found, other))
        return replace(self, pages=(*others, found)[-MOST_PAGES:])

    def _are_copies(self, first: SitePage, second: SitePage) -> bool:
        least = min(first.content_words, second.content_words)
        if not least:
            return np.array_equal(first.keys, second.keys)
        return first.shared_words(second) >= self.rule.copy_share * least

    def repeated(self, kept: KeptTexts) -> dict[int, int]:
        """Return the blocks of a page that the site repeats, each with the number of other pages that have it.

        None where more than half of the words would go (`SiteRule.most_lost`), or nothing would be left.

        Parameters
        ----------
        kept : KeptTexts
            The blocks that the model keeps.
        """
        table = self._table
        firsts = table.keys.searchsorted(kept.keys)
        ends = table.keys.searchsorted(kept.keys, side="right")
        places = [
            (int(kept.blocks[row]), int(kept.words[row]), table.rows(int(firsts[row]), int(ends[row])))
            for row in (ends > firsts).nonzero()[0].tolist()
        ]
        if not places:
            return {}
        total, lost = int(kept.words.sum()), 0
        others = self._no_copies([(words, found) for _, words, found in places], total)
        repeated: dict[int, int] = {}
        for block, words, found in places:
            chances = [chance for page, chance in found if page in others]
            if chances and words >= self.rule.least_words and sum(chances) < self.rule.cut * STEPS * len(chances):
                repeated[block] = len(chances)
                lost += words
        is_left = len(repeated) < kept.blocks.size and lost <= self.rule.most_lost * total
        return repeated if is_left else {}

    def _no_copies(self, places: Sequence[tuple[int, Sequence[tuple[int, int]]]], kept_words: int) -> set[int]:
        """Return the pages of the profile that are no near-copies of a page, given its texts that they have."""
        shared: dict[int, int] = defaultdict(int)
        for words, found in places:
            for page, chance in found:
                if 2 * chance >= STEPS:
                    shared[page] += words
        return {
            number
            for number in range(len(self.pages))
            if not shared[number] or shared[number] < self.rule.copy_share * kept_words
        }

    @cached_property
    def _table(self) -> _Table:
        """The texts of all pages."""
        if not self.pages:
            return _Table(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.uint8))
        keys = np.concatenate([page.keys for page in self.pages])
        order = keys.argsort(kind="stable")
        numbers = np.repeat(np.arange(len(self.pages)), [len(page) for page in self.pages])
        return _Table(keys[order], numbers[order], np.concatenate([page.chances for page in self.pages])[order])

    def to_bytes(self) -> bytes:
        """Return the bytes of the profile's file, JSON; see docs/site-profile.md."""
        from blockfeat.extraction.site_file import profile_to_bytes

        return profile_to_bytes(self.pages)

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str = "site profile") -> SiteProfile:
        """Make a profile of the bytes of its file.

        Raises
        ------
        InputError
            They are none, or of a version that is not known; the message begins with ``where``.
        """
        from blockfeat.extraction.site_file import pages_from_bytes

        return cls(pages_from_bytes(data, where=where))

    def save(self, path: str | Path) -> None:
        """Write the profile, whole or not at all.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        from blockfeat._files import write_whole

        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> SiteProfile:
        """Read a profile that `save` wrote.

        Raises
        ------
        InputError
            The file cannot be read, or holds none; the message names it.
        """
        from blockfeat.errors import InputError
        from blockfeat.extraction.site_file import MOST_BYTES

        try:
            with Path(path).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
        return cls.from_bytes(data, where=str(path))
