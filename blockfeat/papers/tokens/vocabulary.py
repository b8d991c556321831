"""Which tokens count as the same one: forms of a word by stem, rare tags as one (Pasternack & Roth 2009, 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError
from blockfeat.page.tags import name_keys
from blockfeat.papers.tokens.page_tokens import END_TAG, START_TAG, PageTokens, are_among, tag_tokens

Ids = NDArray[np.uint32]
Keys = NDArray[np.uint64]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_UNKNOWN = np.array([0x756E6B6E, 0x6E6B6E75], dtype=np.uint32)
"""Identifiers of start and end tags that are not common."""


def token_ids(keys: Keys) -> Ids:
    """Return a number of 32 bits for each key of 64; of 100,000 keys about one has that of another."""
    mixed = keys * _MIX
    return ((mixed ^ (mixed >> _HALF)) * _MIX >> _HALF).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What a model knows of tokens: common tags, and the stems of the word forms that it has seen.

    Stems are learnt as a table from form to stem, so that extraction needs no stemming library and no look at single
    words. A form that is not in the table is its own stem.

    Attributes
    ----------
    tags : tuple of str
        Names of the common tags; all others are one token.
    form : uint32 array
        Identifiers of the word forms that differ from their stems, ascending.
    stem : uint32 array
        Identifier of the stem of each.
    """

    tags: tuple[str, ...]
    form: Ids
    stem: Ids
    _starts: Ids = field(init=False, repr=False)
    _ends: Ids = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the table; get the identifiers of the common tags ready."""
        if self.form.shape != self.stem.shape or np.any(self.form[1:] <= self.form[:-1]):
            raise ModelError("the forms of a vocabulary must ascend, with one stem for each")
        names = name_keys(self.tags)
        for attribute, opens in (("_starts", True), ("_ends", False)):
            ids = token_ids(tag_tokens(names, np.full(names.size, opens)))
            object.__setattr__(self, attribute, np.sort(ids))

    @classmethod
    def of(cls, tags: tuple[str, ...], stems: Mapping[int, int]) -> Vocabulary:
        """Make a vocabulary of tag names and a mapping of identifiers of forms to those of stems."""
        form = np.array(sorted(stems), dtype=np.uint32)
        return cls(tuple(sorted(tags)), form, np.array([stems[one] for one in form.tolist()], dtype=np.uint32))

    def plus(self, more: Vocabulary) -> Vocabulary:
        """Return the vocabulary with the stems of another added; its own stems and tags stay."""
        stems = dict(zip(more.form.tolist(), more.stem.tolist(), strict=True))
        stems.update(zip(self.form.tolist(), self.stem.tolist(), strict=True))
        return Vocabulary.of(self.tags, stems)

    def ids(self, tokens: PageTokens) -> tuple[Ids, Ids]:
        """Return the identifiers of a page's tokens and of the most recent unclosed tag before each."""
        found = token_ids(tokens.key)
        self._replace_rare(found, tokens)
        if self.form.size:
            words = np.flatnonzero(tokens.is_word)
            ids = found[words]
            place = np.minimum(np.searchsorted(self.form, ids), self.form.size - 1)
            found[words] = np.where(self.form[place] == ids, self.stem[place], ids)
        return found, self._unclosed(tokens)

    def _replace_rare(self, found: Ids, tokens: PageTokens) -> None:
        """Give start and end tags of rare elements their common identifiers."""
        for kind, known, unknown in ((START_TAG, self._starts, _UNKNOWN[0]), (END_TAG, self._ends, _UNKNOWN[1])):
            tags = np.flatnonzero(tokens.kind == kind)
            found[tags[~are_among(found[tags], known)]] = unknown

    def _unclosed(self, tokens: PageTokens) -> Ids:
        found = token_ids(tokens.unclosed)
        found[~are_among(found, self._starts) & (tokens.unclosed != 0)] = _UNKNOWN[0]
        return found
