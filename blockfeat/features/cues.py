"""What tags, attributes and words say about the text of a page, as bits (the data file ``cues.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.attributes import CLASS, PROPERTY, ROLE, WORD_BYTES, AttributeWords
from blockfeat.lang.words import keys_of_words
from blockfeat.page.tags import Tags, name_keys

__all__ = ["Cues", "ElementCues", "bundled_cues"]

_SCOPES = {"class": CLASS, "role": ROLE, "itemprop": PROPERTY}
_HIDDEN = "hidden"
_SIEVE_BITS = 14
_SIEVE_SHIFT = np.uint64(64 - _SIEVE_BITS)
_SPREAD = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)
_ZERO = np.zeros(1, dtype=np.int64)
Bits = NDArray[np.uint32]
Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class ElementCues:
    """What some elements of a page say.

    Attributes
    ----------
    bits : uint32 array, one for each element
        The kinds of cues, as bits by the order of `Cues.kinds`.
    names : uint64 array, one for each element
        The same number for the same tag and the same words in its class; digits do not count.
    """

    bits: Bits
    names: Keys


@dataclass(frozen=True, eq=False)
class Cues:
    """The data file as look-up tables.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of cues of elements; a kind's place is its bit.
    masks : mapping
        The bit of each kind, and the bits of groups of kinds: ``"against"`` and ``"shunned"``.
    tag_keys, tag_bits : array
        Tags by `blockfeat.page.tags.name_keys`, ascending, and the bits of each.
    bounds, bound_bits : array, b and b + 1
        Words of attributes: a word with a key from ``bounds[i - 1]`` on and below ``bounds[i]`` has ``bound_bits[i]``.
    text_kinds : tuple of str
        Kinds of cues of words in the text.
    text_keys, text_bits : array
        Words of the text by `blockfeat.lang.words.keys_of_words`, ascending, and the bits of each.
    sieve : bool array
        By the highest 14 bits of a key whether it may be one of ``text_keys``.
    """

    kinds: tuple[str, ...]
    masks: Mapping[str, np.uint32]
    tag_keys: Keys
    tag_bits: Bits
    bounds: Keys
    bound_bits: Bits
    text_kinds: tuple[str, ...]
    text_keys: Keys
    text_bits: Bits
    sieve: NDArray[np.bool_]

    def of_elements(self, tags: Tags, elements: NDArray[np.int64]) -> ElementCues:
        """Read tags and attributes of some elements, in document order; linear in their start tags."""
        keys = tags.key[elements]
        place = np.minimum(self.tag_keys.searchsorted(keys), self.tag_keys.size - 1)
        bits = self.tag_bits[place]
        bits[self.tag_keys[place] != keys] = 0
        words = AttributeWords.of(tags, elements)
        if words.key.size:
            found = self.bound_bits[self.bounds.searchsorted(words.key, side="right")]
            first = np.concatenate((_ZERO, (words.element[1:] != words.element[:-1]).nonzero()[0] + 1))
            owner = words.element[first]
            bits[owner] |= np.bitwise_or.reduceat(found, first)
            # A sum of well-mixed keys: the order of the words does not count.
            mixed = words.key * _SPREAD
            mixed ^= mixed >> _HALF
            mixed *= words.is_class
            keys[owner] += np.add.reduceat(mixed, first)
        if words.hidden.size:
            bits[words.hidden] |= self.masks[_HIDDEN]
        return ElementCues(bits, keys)

    def of_words(self, keys: Keys, own_keys: Keys, own_bits: Bits) -> tuple[NDArray[np.intp], Bits]:
        """Find the words of a text that say something.

        Parameters
        ----------
        keys : uint64 array
            The words of the text.
        own_keys, own_bits : array
            Words that say something on this page only, ascending, and their bits.

        Returns
        -------
        places, bits : array
            The words of ``keys`` that have bits, ascending, and their bits.
        """
        sieve = self.sieve.copy()
        sieve[own_keys >> _SIEVE_SHIFT] = True
        likely = sieve[keys >> _SIEVE_SHIFT].nonzero()[0]
        wanted = keys[likely]
        bits = _looked_up(wanted, self.text_keys, self.text_bits)
        if own_keys.size:
            bits |= _looked_up(wanted, own_keys, own_bits)
        said = bits.nonzero()[0]
        return likely[said], bits[said]


def _looked_up(wanted: Keys, keys: Keys, bits: Bits) -> Bits:
    """Return the bits of each wanted key, 0 where it is not among the ascending keys."""
    place = np.minimum(keys.searchsorted(wanted), keys.size - 1)
    found: Bits = bits[place] * (keys[place] == wanted)
    return found


@cache
def bundled_cues() -> Cues:
    """Return the bundled data file, a constant that is read at its first use."""
    document = tomllib.loads(files("blockfeat.features").joinpath("cues.toml").read_text(encoding="utf-8"))
    kinds = tuple(document["kinds"])
    bits = {kind: 1 << place for place, kind in enumerate(kinds)}
    groups = {name: sum(bits[kind] for kind in entry) for name, entry in document["groups"].items()}
    tags = {tag: sum(bits[kind] for kind in entry) for tag, entry in document["tag"].items()}
    tag_keys = name_keys(tags)
    order = np.argsort(tag_keys)
    bounds, bound_bits = _bounds(document, bits)
    text_kinds = tuple(document["word"])
    text: dict[str, int] = {}
    for place, kind in enumerate(text_kinds):
        for word in document["word"][kind]:
            text[word] = text.get(word, 0) | 1 << place
    text_keys = keys_of_words(list(text))
    text_order = np.argsort(text_keys)
    sieve = np.zeros(1 << _SIEVE_BITS, dtype=np.bool_)
    sieve[text_keys >> _SIEVE_SHIFT] = True
    return Cues(
        kinds=kinds,
        masks={name: np.uint32(mask) for name, mask in {**bits, **groups}.items()},
        tag_keys=tag_keys[order],
        tag_bits=np.array(list(tags.values()), dtype=np.uint32)[order],
        bounds=bounds,
        bound_bits=bound_bits,
        text_kinds=text_kinds,
        text_keys=text_keys[text_order],
        text_bits=np.array(list(text.values()), dtype=np.uint32)[text_order],
        sieve=sieve,
    )


def _bounds(document: Mapping[str, Mapping[str, Iterable[str]]], bits: Mapping[str, int]) -> tuple[Keys, Bits]:
    """Return where the bits change along the keys of all words.

    A whole word is a range of one key, a stem (an entry that ends in ``*``) the range of all keys that begin with it.
    """
    ranges = []
    for scope, number in _SCOPES.items():
        for kind, entries in document[scope].items():
            for entry in entries:
                word = (bytes([number] if number else []) + entry.removesuffix("*").encode())[:WORD_BYTES]
                low = int.from_bytes(word.ljust(WORD_BYTES, b"\0"), "big")
                width = 1 << 8 * (WORD_BYTES - len(word)) if entry.endswith("*") else 1
                ranges.append((low, low + width, bits[kind]))
    bounds = sorted({edge for low, high, _ in ranges for edge in (low, high)})
    place = {edge: index for index, edge in enumerate(bounds)}
    found = [0] * (len(bounds) + 1)
    for low, high, kind_bits in ranges:
        for index in range(place[low] + 1, place[high] + 1):
            found[index] |= kind_bits
    return np.array(bounds, dtype=np.uint64), np.array(found, dtype=np.uint32)
