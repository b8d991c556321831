"""What tags, roles, classes and ids of the elements around a block say about it, as bits."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from lxml import etree
from numpy.typing import NDArray

__all__ = ["ElementHints", "Hints", "bundled_hints"]

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
_SHORTEST_STEM = 3
_LONGEST_STEM = 14
_CLASSES = ("class", "id", "itemprop", "role", "style", "hidden", "aria-hidden")


@dataclass(frozen=True)
class ElementHints:
    """What the elements of a page say.

    Attributes
    ----------
    bits : int64 array, one for each element
        The kinds, as bits by `Hints.kinds`.
    names : int64 array, one for each element
        The same number for the same tag and class.
    """

    bits: NDArray[np.int64]
    names: NDArray[np.int64]


@dataclass(frozen=True)
class Hints:
    """The data file as look-up tables: kinds of hints as bits by tag, role, property and word of a class."""

    kinds: tuple[str, ...]
    tags: dict[str, int]
    roles: dict[str, int]
    properties: dict[str, int]
    words: dict[str, int]
    stems: dict[str, int]

    def bit(self, kind: str) -> int:
        """Return the position of the bit of one kind."""
        return self.kinds.index(kind)

    def of(self, elements: list[etree._Element]) -> ElementHints:
        """Read tags and attributes of elements; each value is looked up once a page."""
        tags = self.tags
        hidden = 1 << self.bit("hidden")
        by_value: dict[str, int] = {}
        by_word: dict[str, int] = {}
        numbers: dict[tuple[str, str], int] = {}
        bits, names = [], []
        for element in elements:
            tag = element.tag
            found = tags.get(tag, 0)
            named = ""
            for name, value in element.items():
                if name == "class" or name == "id":
                    if name == "class":
                        named = value
                    known = by_value.get(value)
                    if known is None:
                        known = by_value[value] = self._of_words(value, by_word)
                    found |= known
                elif name in _CLASSES:
                    found |= self._of_other(name, value, hidden)
            bits.append(found)
            names.append(numbers.setdefault((tag, named), len(numbers)))
        return ElementHints(np.array(bits, dtype=np.int64), np.array(names, dtype=np.int64))

    def _of_words(self, value: str, by_word: dict[str, int]) -> int:
        found = 0
        for word in _WORD.findall(value[:300]):
            bits = by_word.get(word)
            if bits is None:
                bits = by_word[word] = self._of_word(word.lower())
            found |= bits
        return found

    def _of_word(self, word: str) -> int:
        found = self.words.get(word, 0)
        for length in range(min(len(word), _LONGEST_STEM), _SHORTEST_STEM - 1, -1):
            found |= self.stems.get(word[:length], 0)
        return found

    def _of_other(self, name: str, value: str, hidden: int) -> int:
        if name == "role":
            return self.roles.get(value.lower(), 0)
        if name == "itemprop":
            return self.properties.get(value.lower(), 0)
        if name == "style":
            style = value[:500].replace(" ", "").lower()
            return hidden if "display:none" in style or "visibility:hidden" in style else 0
        return hidden if name == "hidden" or value == "true" else 0


@cache
def bundled_hints() -> Hints:
    """Return the bundled data file, a constant that is read at its first use."""
    document = tomllib.loads(files("blockfeat.features").joinpath("hints.toml").read_text(encoding="utf-8"))
    kinds = [*document["class"], *(kind for section in ("role", "itemprop", "tag") for entry in document[section].values() for kind in entry)]
    order = {kind: place for place, kind in enumerate(dict.fromkeys([*kinds, "hidden"]))}

    def table(section: str) -> dict[str, int]:
        return {key: sum(1 << order[kind] for kind in entry) for key, entry in document[section].items()}

    words: dict[str, int] = {}
    stems: dict[str, int] = {}
    for kind, entries in document["class"].items():
        for entry in entries:
            target, key = (stems, entry[:-1]) if entry.endswith("*") else (words, entry)
            target[key] = target.get(key, 0) | 1 << order[kind]
    return Hints(tuple(order), table("tag"), table("role"), table("itemprop"), words, stems)
