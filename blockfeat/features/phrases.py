"""Verbalise feature values as human-readable phrases about a block."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from math import expm1, isfinite
from operator import or_
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.cue_scan import CLASS, PROPERTY, ROLE, WORD_BYTES
from blockfeat.features.cues import bundled_cues
from blockfeat.features.nesting import Nesting
from blockfeat.features.schema import Feature

NAMED = "name"
"""The form of features whose phrase names a container instead of the value."""

_MOST = 30.0
_ONE_OF_MANY = r"((?<![\d.,])1 (?:word|sentence|block|level|container|article))s\b"

_SCOPES = {"role": ROLE, "itemprop": PROPERTY}
_WORD = r"[A-Z]*[a-z\x80-\U0010ffff]+|[A-Z]+"
_NOT_SHOWN = r"[^\w.:-]+"
_LONGEST = 30


def phrase(feature: Feature, value: float, *, is_high: bool, container: str | None = None) -> str | None:
    """Return the phrase for a value; None if the feature has none that applies.

    Parameters
    ----------
    feature : Feature
        The feature.
    value : float
        Its value.
    is_high : bool
        Whether the value counts as high, against a threshold or the mean.
    container : str, optional
        The container around the block that the feature is about, for phrases that name it.
    """
    is_lowest = value <= feature.low
    if feature.zero and is_high == is_lowest:
        return None
    words = feature.more if is_high else feature.less
    if feature.form == NAMED:
        # Without a name, the phrase would say less than nothing.
        return words.format(container) if container or not is_high else None
    return _worded(words, FORMS[feature.form](value)) if words else None


@lru_cache(maxsize=4096)
def _worded(words: str, value: str) -> str:
    """Return a phrase with its value; the same few stand in the reasons of most blocks."""
    return re.sub(_ONE_OF_MANY, r"\1", words.format(value))


def limit(feature: Feature, threshold: float) -> str:
    """Return the threshold of a feature in words, such as "at most 3 of 10"."""
    if not isfinite(threshold):
        return "no limit"
    return f"at {'least' if feature.sign > 0 else 'most'} {FORMS[feature.form](threshold)}"


def _tenths(value: float) -> str:
    """Return a share as "9 of 10", "all", "no"."""
    tenths = round(10 * value)
    if 0 < value < 1:
        tenths = min(max(tenths, 1), 9)
    return "no" if tenths <= 0 else "all" if tenths >= 10 else f"{tenths} of 10"


def _decimal(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{value:.1f}".removesuffix(".0")


def _count(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


FORMS: Mapping[str, Callable[[float], str]] = MappingProxyType(
    {
        "decimal": _decimal,
        # Some count what is repeated, and come to more than all.
        "percent": lambda value: f"{100 * min(value, 1):.0f} %",
        "tenths": _tenths,
        "count": _count,
        "log": lambda value: f"{expm1(min(value, _MOST)):,.0f}",
        "none": _decimal,
        NAMED: _count,
    }
)
"""How values are written, by the names that `Feature.form` may have."""


_AROUND = "around_"


@dataclass(frozen=True)
class ContainerNames:
    """Names of the containers around the blocks of a page, computed on demand.

    Attributes
    ----------
    blocks : Blocks
        The page's blocks.
    """

    blocks: Blocks
    _found: dict[str, list[str | None]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _tokens: dict[int, list[tuple[str, int]]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _known: dict[tuple[str, int], int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def _nesting(self) -> Nesting:
        return Nesting.of(self.blocks, bundled_cues())

    def around(self, block: int, feature: str) -> str | None:
        """Return the innermost container around a block with the cue that a feature counts; None where none has it.

        Parameters
        ----------
        block : int
            The block.
        feature : str
            Name of a feature, such as ``"around_related"``.
        """
        if (found := self._found.get(feature)) is None:
            found = self._found[feature] = self._innermost(bundled_cues().masks.get(feature.removeprefix(_AROUND), 0))
        return found[int(self._nesting.inner[block])]

    def _innermost(self, mask: int) -> list[str | None]:
        """Return for each container the name of the innermost with a cue, itself included; linear in their number."""
        found: list[str | None] = []
        nesting = self._nesting
        columns = (nesting.bits.tolist(), nesting.element.tolist(), nesting.parent.tolist())
        for bits, element, parent in zip(*columns, strict=True):
            found.append(self._name(element, mask) if bits & mask else found[parent] if parent >= 0 else None)
        return found

    def _name(self, element: int, mask: int) -> str:
        """Return the word of an element's attributes that has a cue, else its tag."""
        if (tokens := self._tokens.get(element)) is None:
            tokens = self._tokens[element] = [
                (token, self._cues_of(token, _SCOPES.get(attribute, CLASS)))
                for attribute, value in self.blocks.tags.attributes(element).items()
                for token in value.split()
            ]
        for token, bits in tokens:
            if bits & mask:
                return f"'{re.sub(_NOT_SHOWN, '', token)[:_LONGEST]}'"
        return f"<{self.blocks.tags.name(element)}>"

    def _cues_of(self, token: str, scope: int) -> int:
        """Return the cues of the words of a value; elements of a page share most of them."""
        if (bits := self._known.get((token, scope))) is None:
            says = (self._says(word, scope) for word in re.findall(_WORD, token))
            bits = self._known[token, scope] = reduce(or_, says, 0)
        return bits

    def _says(self, word: str, scope: int) -> int:
        """Return the cues of a word of an attribute."""
        letters = (bytes([scope] if scope else []) + word.lower().encode("utf-8", "replace"))[:WORD_BYTES]
        key = np.uint64(int.from_bytes(letters.ljust(WORD_BYTES, b"\0"), "big"))
        lexicon = bundled_cues().attributes
        return int(lexicon.cues[int(np.searchsorted(lexicon.bounds, key, side="right"))])


MOST_NAMED = 3
"""Maximum number of features named in a reason."""


@dataclass(frozen=True)
class Wording:
    """Verbaliser of the features of the blocks of one page.

    Attributes
    ----------
    features : sequence of Feature
        The features, k of them.
    matrix : float array, n × k
        Their values.
    blocks : Blocks
        The page's n blocks.
    """

    features: Sequence[Feature]
    matrix: NDArray[np.floating[Any]]
    blocks: Blocks

    @cached_property
    def _names(self) -> ContainerNames:
        return ContainerNames(self.blocks)

    def phrase(self, block: int, column: int, *, is_high: bool) -> str | None:
        """Return the phrase for one feature of a block; None if the feature has no phrase for the value."""
        feature = self.features[column]
        name = self._names.around(block, feature.name) if feature.form == NAMED and is_high else None
        return phrase(feature, float(self.matrix[block, column]), is_high=is_high, container=name)


def with_note(words: str, note: str) -> str:
    """Return a phrase with a note in brackets, inside those that the phrase ends with."""
    return f"{words[:-1]}, {note})" if words.endswith(")") else f"{words} ({note})"
