"""What tags, attributes and words say about the text of a page, as bits (the data file ``hints.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import repeat
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

__all__ = ["ElementHints", "Hints", "bundled_hints"]

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
_SHORTEST_STEM = 3
_LONGEST_STEM = 15
_LONGEST_VALUE = 300
_SECTIONS = ("class", "role", "itemprop", "tag")
_OTHERS = frozenset({"role", "itemprop", "style", "hidden", "aria-hidden"})
_HIDDEN = "hidden"


@dataclass(frozen=True)
class ElementHints:
    """What the elements of a page say.

    Attributes
    ----------
    bits : int64 array, one for each element
        The kinds of hints, as bits by the order of `Hints.kinds`.
    names : int64 array, one for each element
        The same number for the same tag and class.
    """

    bits: NDArray[np.int64]
    names: NDArray[np.int64]


@dataclass(frozen=True)
class Hints:
    """The data file as look-up tables of bits.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of hints of elements; a kind's place is its bit.
    tags, roles, properties, words, stems : mapping
        Bits by tag, by role, by ``itemprop``, and by word and stem of a class or id.
    text_kinds : tuple of str
        Kinds of hints of words in the text.
    text_words : mapping
        Bits by word of the text.
    """

    kinds: tuple[str, ...]
    tags: Mapping[str, int]
    roles: Mapping[str, int]
    properties: Mapping[str, int]
    words: Mapping[str, int]
    stems: Mapping[str, int]
    text_kinds: tuple[str, ...]
    text_words: Mapping[str, int]

    def bit(self, kind: str) -> int:
        """Return the place of the bit of one kind."""
        return self.kinds.index(kind)

    def of_elements(self, elements: Iterable[etree._Element]) -> ElementHints:
        """Read tags and attributes of elements; a value that comes again is looked up once."""
        tags, by_value, by_word = self.tags, {"": 0}, {"": 0}
        numbers: dict[tuple[str, str], int] = {}
        bits: list[int] = []
        names: list[int] = []
        for element in elements:
            tag, named = element.tag, ""
            found = tags.get(tag, 0)
            for name, value in element.items():
                if name == "class" or name == "id":
                    if name == "class":
                        named = value
                    known = by_value.get(value)
                    if known is None:
                        known = by_value[value] = self._of_value(value, by_word)
                    found |= known
                elif name in _OTHERS:
                    found |= self._of_other(name, value)
            bits.append(found)
            names.append(numbers.setdefault((tag, named), len(numbers)))
        return ElementHints(np.array(bits, dtype=np.int64), np.array(names, dtype=np.int64))

    def of_words(self, tokens: list[str], own: Mapping[str, int]) -> NDArray[np.int64]:
        """Return the bits of each word of the text; ``own`` holds the page's additions, by word."""
        known = {**self.text_words}
        for word, bits in own.items():
            known[word] = known.get(word, 0) | bits
        return np.fromiter(map(known.get, tokens, repeat(0)), dtype=np.int64, count=len(tokens))

    def _of_value(self, value: str, by_word: dict[str, int]) -> int:
        found = 0
        for word in _WORD.findall(value[:_LONGEST_VALUE]):
            bits = by_word.get(word)
            if bits is None:
                bits = by_word[word] = self._of_word(word.lower())
            found |= bits
        return found

    def _of_word(self, word: str) -> int:
        found = self.words.get(word, 0)
        for length in range(_SHORTEST_STEM, min(len(word), _LONGEST_STEM) + 1):
            found |= self.stems.get(word[:length], 0)
        return found

    def _of_other(self, name: str, value: str) -> int:
        if name == "role":
            return self.roles.get(value.lower(), 0)
        if name == "itemprop":
            return self.properties.get(value.lower(), 0)
        if name == "style":
            style = value[:_LONGEST_VALUE].replace(" ", "").lower()
            hidden = "display:none" in style or "visibility:hidden" in style
        else:
            hidden = name == "hidden" or value == "true"
        return 1 << self.bit(_HIDDEN) if hidden else 0


@cache
def bundled_hints() -> Hints:
    """Return the bundled data file, a constant that is read at its first use."""
    document = tomllib.loads(files("blockfeat.features").joinpath("hints.toml").read_text(encoding="utf-8"))
    kinds = _kinds(document)
    bits = {kind: 1 << place for place, kind in enumerate(kinds)}
    tables = {
        section: {key: sum(bits[kind] for kind in entry) for key, entry in document[section].items()}
        for section in ("tag", "role", "itemprop")
    }
    words, stems = _word_tables(document["class"], bits)
    text_kinds = tuple(document["word"])
    text_words, _ = _word_tables(document["word"], {kind: 1 << place for place, kind in enumerate(text_kinds)})
    return Hints(
        kinds, tables["tag"], tables["role"], tables["itemprop"], words, stems, text_kinds, text_words
    )


def _kinds(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds of hints of elements in the order of the file, with that for hidden elements last."""
    kinds = list(document["class"])
    for section in _SECTIONS[1:]:
        for entry in document[section].values():
            kinds += entry
    return tuple(dict.fromkeys([*kinds, _HIDDEN]))


def _word_tables(
    section: Mapping[str, Iterable[str]], bits: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return bits by whole word and by stem (an entry that ends in ``*``)."""
    words: dict[str, int] = {}
    stems: dict[str, int] = {}
    for kind, entries in section.items():
        for entry in entries:
            table, key = (stems, entry[:-1]) if entry.endswith("*") else (words, entry)
            table[key] = table.get(key, 0) | bits[kind]
    return words, stems
