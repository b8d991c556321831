"""Token identifiers: stems of words, one token for all rare tags (Pasternack & Roth 2009, 5.2); surroundings of tokens.

The surroundings are a third feature beside the paper's two, which cover only three tokens and one tag: on modern,
deeply nested pages, that is too little (docs/papers.md has the figures).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from blockfeat._extras import require_extra
from blockfeat._files import bundled_table
from blockfeat._numeric import places_among
from blockfeat.errors import ModelError
from blockfeat.page.tags import Indices, Keys, name_keys, parents_of
from blockfeat.papers.mss.page_tokens import END_TAG, START_TAG, PageTokens, tag_tokens

Ids = NDArray[np.uint32]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_UNKNOWN = np.array([0x756E6B6E, 0x6E6B6E75], dtype=np.uint32)
"""The identifiers shared by all start tags and by all end tags that are not common."""


_TABLES = bundled_table("blockfeat.papers.mss", "vocabulary.toml")
ALGORITHMS: dict[str, str] = _TABLES["algorithms"]
"""Snowball stemming algorithm by ISO 639-1 code; the one for English is Porter2."""
_PARTS, _INLINE = (tuple(_TABLES["elements"][name].split()) for name in ("parts", "inline"))
_LENGTHS = np.array([2, 5, 10, 20, 40])
_NO_TEXT = _LENGTHS.size + 2
_KINDS = 8
_IN_TEXT = 1 << 10


def token_ids(keys: Keys) -> Ids:
    """Return a 32-bit hash of each 64-bit key; among 100,000 keys about one collision is to be expected."""
    mixed = keys * _MIX
    return ((mixed ^ (mixed >> _HALF)) * _MIX >> _HALF).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The vocabulary of a token model: names of common tags, and stems of the word forms of the training pages.

    Stems are stored as a table from form to stem, so that extraction needs neither a stemming library nor a loop over
    words. A form that is not in the table is its own stem.

    Attributes
    ----------
    tags : tuple of str
        Names of the common tags; all others are one token.
    form : uint32 array
        Identifiers of the word forms that differ from their stems, ascending.
    stem : uint32 array
        Identifier of the stem of each form.
    """

    tags: tuple[str, ...]
    form: Ids
    stem: Ids
    _starts: Ids = field(init=False, repr=False)
    _ends: Ids = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the table; compute the identifiers of the common tags."""
        if self.form.shape != self.stem.shape or np.any(self.form[1:] <= self.form[:-1]):
            raise ModelError("the forms of a vocabulary must ascend, with one stem for each")
        for attribute, opens in (("_starts", True), ("_ends", False)):
            object.__setattr__(self, attribute, np.sort(token_ids(_tags(self.tags, opens=opens))))

    @classmethod
    def of(cls, tags: tuple[str, ...], stems: Mapping[int, int]) -> Vocabulary:
        """Create a vocabulary from tag names and a mapping of form identifiers to stem identifiers."""
        form = np.array(sorted(stems), dtype=np.uint32)
        return cls(tuple(sorted(tags)), form, np.array([stems[one] for one in form.tolist()], dtype=np.uint32))

    def ids(self, tokens: PageTokens) -> tuple[Ids, Ids]:
        """Return the identifiers of a page's tokens and of the most recent unclosed tag before each: uint32, n."""
        found = token_ids(tokens.key)
        for kind, known, unknown in ((START_TAG, self._starts, _UNKNOWN[0]), (END_TAG, self._ends, _UNKNOWN[1])):
            tags = np.flatnonzero(tokens.kind == kind)
            found[tags[places_among(found[tags], known) < 0]] = unknown
        if self.form.size:
            words = np.flatnonzero(tokens.is_word)
            ids = found[words]
            place = places_among(ids, self.form)
            found[words] = np.where(place >= 0, self.stem[place], ids)
        unclosed = token_ids(tokens.unclosed)
        unclosed[(places_among(unclosed, self._starts) < 0) & (tokens.unclosed != 0)] = _UNKNOWN[0]
        return found, unclosed


def stemmer_of(lang: str | None) -> Callable[[str], str]:
    """Return a function from a lower-case word to its stem; a word of a language without an algorithm is its own."""
    if lang not in ALGORITHMS:
        return str
    require_extra("train", what="stems")
    import snowballstemmer  # type: ignore[import-untyped]  # 50 ms that only training needs

    if ALGORITHMS[lang] not in snowballstemmer.algorithms():
        return str
    stem = snowballstemmer.stemmer(ALGORITHMS[lang]).stemWord
    # A stem can come out empty; the word is its own stem then.
    return cache(lambda word: stem(word) or word)


def surroundings(tokens: PageTokens) -> Ids:
    """Return a code for the surroundings of each token: uint32 array, n; linear in the page.

    It combines the part of the page (the innermost of article, main, nav, header, footer, aside, form, figure, lists,
    table, quote and section), whether the token is inside a link, and the lengths, in classes by number of words, of
    the stretches of text around, before and after the token; stretches end at tags that are not inline.
    """
    if not len(tokens):
        return np.zeros(0, dtype=np.uint32)
    inline = np.sort(np.concatenate([_tags(_INLINE, opens=True), _tags(_INLINE, opens=False)]))
    is_border = tokens.is_tag.copy()
    is_border[is_border] = places_among(tokens.key[is_border], inline) < 0
    stretch = np.cumsum(is_border)
    words = np.bincount(stretch[tokens.is_word], minlength=int(stretch[-1]) + 1)
    in_text = ~is_border & (words[stretch] > 0)
    lengths = _length_classes(words, np.asarray(stretch), in_text)
    part = _innermost(tokens, _PARTS)
    in_link = _innermost(tokens, ("a",)) > 0
    return (((lengths * 2 + in_link) * (len(_PARTS) + 1)) + part).astype(np.uint32)


def _length_classes(words: Indices, stretch: Indices, in_text: NDArray[np.bool_]) -> Indices:
    """Return a code for the length classes of the stretches of text before, around and after each token."""
    filled = np.flatnonzero(words)
    if not filled.size:
        return np.zeros(stretch.size, dtype=np.int64)
    known = np.concatenate(([_NO_TEXT], np.searchsorted(_LENGTHS, words[filled], side="right"), [_NO_TEXT]))
    # For each stretch, the number among those with words, from 1, of the first at or after it; 0 is the page's start.
    here = np.searchsorted(filled, np.arange(words.size)) + 1
    between = known[here - 1] * _KINDS + known[here]
    inside = _IN_TEXT + between * _KINDS + known[np.minimum(here + 1, known.size - 1)]
    return np.where(in_text, inside[stretch], between[stretch])


def _innermost(tokens: PageTokens, names: tuple[str, ...]) -> Indices:
    """Return for each token which of the names its innermost enclosing element has: 1 for the first, 0 for none."""
    tags = np.flatnonzero(tokens.is_tag)
    end_of = np.zeros(int(tokens.element.max()) + 1, dtype=np.int64)
    end_of[tokens.element[tags]] = tags
    keys = _tags(names, opens=True)
    start = tags[(tokens.kind[tags] == START_TAG) & (places_among(tokens.key[tags], np.sort(keys)) >= 0)]
    end = end_of[tokens.element[start]]
    start, end = start[end > start], end[end > start]
    number = np.argmax(tokens.key[start][:, None] == keys[None, :], axis=1) + 1
    parent = parents_of(start, end)
    # Values from each start tag on, and from behind each end tag on; start tags are set last, as they may follow there.
    since = np.zeros(len(tokens) + 1, dtype=np.int64)
    holds = np.zeros(len(tokens) + 1, dtype=np.int64)
    since[end + 1] = end + 1
    holds[end + 1] = np.where(parent >= 0, number[parent], 0)
    since[start], holds[start] = start, number
    return holds[np.maximum.accumulate(since)][:-1]


def _tags(names: tuple[str, ...], *, opens: bool) -> Keys:
    return tag_tokens(name_keys(names), np.full(len(names), opens))
