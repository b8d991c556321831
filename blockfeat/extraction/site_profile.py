"""``SiteProfile``: what pages of one site say, so that text which another page of it repeats is told as clutter."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import write_whole
from blockfeat.errors import InputError, ModelError
from blockfeat.extraction.confidence import content_chances
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
    def of(cls, keys: NDArray[np.uint64], words: NDArray[np.integer[Any]], kept: NDArray[np.bool_]) -> KeptTexts:
        """Make it of the keys and words of a page's n blocks, and which of them are kept."""
        blocks = kept.nonzero()[0]
        return cls(blocks, keys[blocks], words[blocks])


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
        Mean probability of content of the blocks that hold the text (`blockfeat.extraction.confidence`), in steps of
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
        kept = KeptTexts.of(every, measures.words, prediction.kept)
        return cls(model, keys[chosen], steps[chosen].astype(np.uint8), words[chosen].astype(np.uint16), kept)

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


MOST_PAGES = 10
"""A profile holds the last so many pages."""


class _OfSite(Protocol):
    """An extraction: it knows what a profile takes of its page."""

    @property
    def site_page(self) -> SitePage | None: ...


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

    def add(self, page: _OfSite | SitePage) -> SiteProfile:
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
        pages = [{name: _packed(getattr(page, name), type) for name, type in _TYPES.items()} for page in self.pages]
        model = self.model[:_LONGEST_NAME] if self.model is not None else None
        document = {"kind": "site profile", "schema": SCHEMA, "model": model, "pages": pages}
        return (json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n").encode()

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str = "site profile") -> SiteProfile:
        """Make a profile of the bytes of its file.

        Raises
        ------
        InputError
            They are none, or of a version that is not known; the message begins with ``where``.
        """
        if len(data) > MOST_BYTES:
            raise InputError(f"{where}: no site profile: it is larger than {MOST_BYTES // 1024} KB")
        try:
            document = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: no site profile: {error}") from error
        if not isinstance(document, dict) or document.get("kind") != "site profile":
            raise InputError(f"{where}: no site profile: it does not say that it is one")
        if document.get("schema") != SCHEMA:
            raise InputError(
                f"{where}: a site profile of schema {document.get('schema')!r}, where this version reads {SCHEMA}"
            )
        try:
            return cls(_pages(document))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: a damaged site profile: missing or wrong value: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the profile, whole or not at all.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> SiteProfile:
        """Read a profile that `save` wrote.

        Raises
        ------
        InputError
            The file cannot be read, or holds none; the message names it.
        """
        try:
            with Path(path).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
        return cls.from_bytes(data, where=str(path))


MOST_BYTES = 65_536
"""No profile is larger."""
SCHEMA = 1
"""Version of the layout, and of what makes the keys of texts."""

_LONGEST_NAME = 500
_TYPES = {"keys": "<u8", "chances": "u1", "words": "<u2"}


def _pages(document: Mapping[str, Any]) -> tuple[SitePage, ...]:
    pages, model = document["pages"], document["model"]
    if not isinstance(pages, list) or len(pages) > MOST_PAGES:
        raise ValueError(f"'pages' must be a list of at most {MOST_PAGES}")
    if pages and not isinstance(model, str):
        raise ValueError("'model' must be a name")
    return tuple(_page(values, str(model)) for values in pages)


def _page(values: Mapping[str, Any], model: str) -> SitePage:
    arrays = {name: _unpacked(values[name], type) for name, type in _TYPES.items()}
    sizes = {array.size for array in arrays.values()}
    if len(sizes) != 1 or max(sizes) > MOST_TEXTS:
        raise ValueError(f"a page needs arrays of one length, at most {MOST_TEXTS}")
    keys = arrays["keys"]
    if (keys[1:] <= keys[:-1]).any():
        raise ValueError("the keys of a page must ascend")
    return SitePage(model, keys, arrays["chances"], arrays["words"])


def _packed(array: NDArray[Any], type: str) -> str:
    return base64.b64encode(array.astype(type).tobytes()).decode("ascii")


def _unpacked(text: str, type: str) -> NDArray[Any]:
    found = np.frombuffer(base64.b64decode(text, validate=True), dtype=type)
    return found.astype(found.dtype.newbyteorder("="))
