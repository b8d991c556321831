"""Cues of tags, attributes and words about the text of a page, as bits (the data file ``cues.toml``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_table
from blockfeat.features import cue_scan
from blockfeat.features.keys import KeyTable
from blockfeat.lang.measures import keys_of_words
from blockfeat.page.tags import Tags, name_keys

AROUND_KINDS = (
    "positive", "negative", "related", "comment", "byline", "aside", "footer", "main", "form", "dialog", "figure",
    "heading", "h1",
)  # fmt: skip
"""Kinds of cues of elements that are counted around each block: the lowest bits of `Cues.kinds`, in this order."""
WORD_KINDS = ("promotion", "credit", "related", "reply")
"""Kinds of cues of words, in the order of their bits."""

_SCOPES = {"class": cue_scan.CLASS, "role": cue_scan.ROLE, "itemprop": cue_scan.PROPERTY}
_HIDDEN = "hidden"
_TWO_BYTES = 1 << 16
_ALL_BUT_TWO_BYTES = np.uint64(8 * (cue_scan.WORD_BYTES - 2))


@dataclass(frozen=True, eq=False)
class WordCues:
    """Cue words of a text.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of cues; a kind's place is its bit.
    table : KeyTable
        The words by `blockfeat.lang.measures.keys_of_words`.
    bits : uint32 array
        The kinds of each key of the table.
    """

    kinds: tuple[str, ...]
    table: KeyTable
    bits: NDArray[np.uint32]

    @classmethod
    def of(cls, keys_of_kinds: Mapping[str, NDArray[np.uint64]]) -> WordCues:
        """Arrange the words of each kind, given by their keys."""
        # np.unique imports more of NumPy, which takes longer than all of this.
        keys = np.array(sorted({key for keys in keys_of_kinds.values() for key in keys.tolist()}), dtype=np.uint64)
        bits = np.zeros(keys.size, dtype=np.uint32)
        for place, each in enumerate(keys_of_kinds.values()):
            bits[keys.searchsorted(each)] |= np.uint32(1 << place)
        return cls(tuple(keys_of_kinds), KeyTable.of(keys), bits)


@dataclass(frozen=True, eq=False)
class Cues:
    """The data file as look-up tables.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of cues of elements; a kind's place is its bit.
    masks : mapping
        The bit of each kind, and the bits of groups of kinds: ``"against"`` and ``"shunned"``.
    tags : KeyTable
        Names of elements by `blockfeat.page.tags.name_keys`.
    tag_bits : uint32 array
        The kinds of each key of ``tags``, and 0.
    attributes : AttributeLexicon
        The words of attributes.
    words : WordCues
        The words of the text.
    """

    kinds: tuple[str, ...]
    masks: Mapping[str, int]
    tags: KeyTable
    tag_bits: NDArray[np.uint32]
    attributes: cue_scan.AttributeLexicon
    words: WordCues

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Cues:
        """Make the tables from a document in the form of ``cues.toml``."""
        kinds = dict.fromkeys((*AROUND_KINDS, *document["kinds"]))
        bits = {kind: 1 << place for place, kind in enumerate(kinds)}
        groups = {name: sum(bits[kind] for kind in kinds) for name, kinds in document["groups"].items()}
        names = document["tag"]
        keys = name_keys(names)
        order = keys.argsort()
        tag_bits = np.array([sum(bits[kind] for kind in kinds) for kinds in names.values()], dtype=np.uint32)
        return cls(
            kinds=tuple(bits),
            masks={**bits, **groups},
            tags=KeyTable.of(keys[order]),
            tag_bits=np.append(tag_bits[order], np.uint32(0)),
            attributes=_lexicon(document, bits),
            words=WordCues.of({kind: keys_of_words(document["word"][kind]) for kind in WORD_KINDS}),
        )

    def of_elements(self, tags: Tags, elements: NDArray[np.integer[Any]]) -> cue_scan.ElementCues:
        """Read tags and attributes of some elements; linear in their start tags."""
        keys = tags.key.take(elements)
        # The place of a name that is not in the table is -1, and so the last of the bits, which is 0.
        found = cue_scan.ElementCues(self.tag_bits.take(self.tags.places(keys)), keys)
        cue_scan.scan_start_tags(tags.source, tags.opened.take(elements), tags.start, tags.stop, found, self.attributes)
        return found


@cache
def bundled_cues() -> Cues:
    """Return the bundled data file, a constant that is read at its first use."""
    return Cues.of(bundled_table("blockfeat.features", "cues.toml"))


def _lexicon(document: Mapping[str, Mapping[str, Iterable[str]]], bits: Mapping[str, int]) -> cue_scan.AttributeLexicon:
    """Return where the cues change along the keys of all words.

    A whole word is a range of one key, a stem (an entry that ends in ``*``) the range of all keys that begin with it.
    """
    ranges = []
    for scope, number in _SCOPES.items():
        for kind, entries in document[scope].items():
            for entry in entries:
                word = (bytes([number] if number else []) + entry.removesuffix("*").encode())[: cue_scan.WORD_BYTES]
                low = int.from_bytes(word.ljust(cue_scan.WORD_BYTES, b"\0"), "big")
                width = 1 << 8 * (cue_scan.WORD_BYTES - len(word)) if entry.endswith("*") else 1
                ranges.append((low, low + width, bits[kind]))
    bounds = sorted({edge for low, high, _ in ranges for edge in (low, high)})
    place = {edge: index for index, edge in enumerate(bounds)}
    cues = [0] * (len(bounds) + 1)
    for low, high, kind_bits in ranges:
        for index in range(place[low] + 1, place[high] + 1):
            cues[index] |= kind_bits
    keys = np.array(bounds, dtype=np.uint64)
    with_first_bytes = np.bincount((keys >> _ALL_BUT_TWO_BYTES).astype(np.int64), minlength=_TWO_BYTES)
    return cue_scan.AttributeLexicon(
        bounds=keys,
        cues=np.array(cues, dtype=np.uint32),
        first_bounds=np.append(0, with_first_bytes.cumsum()).astype(np.int32),
        hidden=bits[_HIDDEN],
    )
