"""Classes of dropped blocks: menu, teaser, comment …, from names in the markup, the place on the page, and the words.

A logistic regression over binary signs, trained on blocks that people have classified (`experiments.block_classes`).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from html import unescape
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, kind_names
from blockfeat.page.tags import name_keys

CLASSES = (
    "menu", "breadcrumb", "related", "listing", "promotion", "advertisement", "comment", "author",
    "share", "consent", "footer", "caption", "byline", "date", "contents", "form", "error", "other",
)  # fmt: skip
"""Classes of dropped blocks."""

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

_NEAR = 3
# No stem is shorter.
_BEGIN = 3
_NAMES = re.compile(rb'\s(class|id|role|itemprop)="([^"]*)"')
_LONGEST_NAME, _LONGEST_SHOWN = 200, 30
_SHORT_TEXT, _FIRST_WORDS, _LONGEST_DATE = 80, 40, 120
_DIGIT = re.compile(r"\d")
_NOT_SHOWN = re.compile(r"[^\w.:-]+")
_SEPARATORS = re.compile(r"[|·•－»]|\s[-–—]\s")
_WORD = re.compile(r"[A-Z]*[a-zà-ÿ]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_DATE = re.compile(
    r"\b\d{1,2}[./:-]\d{1,2}(?:[./-]\d{2,4})?\b|\b(?:19|20)\d\d\b|\d+\s*(?:年|月|日|min|mins|hours?|Uhr)\b", re.I
)
_PRICE = re.compile(r"[$€£¥]\s?\d|\d\s?(?:€|zł|kr|円|EUR|USD)")
_SHORTEST_SENTENCE = 8
_AT_START = ("byline",)
_LINKED = 0.8


@cache
def _document() -> Mapping[str, Any]:
    """Return the words of ``block_classes.toml``, a constant that is read at its first use."""
    return tomllib.loads(files("blockfeat.extraction").joinpath("block_classes.toml").read_text(encoding="utf-8"))


@cache
def _names() -> tuple[Mapping[str, int], Mapping[str, Mapping[str, int]]]:
    """Return the bits of whole words, and those of stems by their first letters."""
    whole: dict[str, int] = {}
    stems: dict[str, dict[str, int]] = {}
    for name, words in _document().items():
        for word in words if name != "texts" else ():
            stem = word.rstrip("*")
            table = stems.setdefault(stem[:_BEGIN], {}) if word.endswith("*") else whole
            table[stem] = table.get(stem, 0) | 1 << CLASSES.index(name)
    return whole, stems


@cache
def _tags() -> Mapping[int, int]:
    """Return the bits of tags by their keys (`blockfeat.page.tags.name_keys`)."""
    tags = {word.strip("<>"): bits for word, bits in _names()[0].items() if word.startswith("<")}
    return dict(zip(name_keys(tuple(tags)).tolist(), tags.values(), strict=True))


@cache
def _sayings() -> tuple[re.Pattern[str], Mapping[str, re.Pattern[str]]]:
    """Return what finds the words of texts, of all classes and of each: at the start of a text or of a word."""
    texts = _document()["texts"]
    alternatives = {name: "|".join(map(re.escape, words)) for name, words in texts.items()}
    each = {name: re.compile(f"(?:^|(?<= ))(?:{words})") for name, words in alternatives.items()}
    return re.compile(f"(?:^|(?<= ))(?:{'|'.join(alternatives.values())})"), each


@dataclass(frozen=True)
class BlockSigns:
    """Signs of what the blocks of a page are.

    Attributes
    ----------
    names : tuple of str
        Name of each of k signs.
    matrix : bool array, n × k
        Whether each of n blocks has it.
    """

    names: tuple[str, ...]
    matrix: Mask

    @classmethod
    def of(cls, blocks: Blocks, kept: Mask, boxes: BoxNames) -> BlockSigns:
        """Read the signs of the blocks of a page, of which some are kept; linear in the page."""
        columns: dict[str, Mask] = {}
        near, far = boxes.bits()
        for place, name in enumerate(CLASSES[:-1]):
            columns[f"near {name}"] = (near >> place & 1).astype(np.bool_)
            columns[f"far {name}"] = (far & ~near >> place & 1).astype(np.bool_)
        columns |= _places(blocks, kept)
        columns |= _texts(blocks, kept)
        return cls(tuple(columns), np.stack(list(columns.values()), axis=1))


def _texts(blocks: Blocks, kept: Mask) -> dict[str, Mask]:
    """Return the signs of the texts; those of kept blocks are not read."""
    anything, each = _sayings()
    columns = {f"says {name}": np.zeros(len(blocks), dtype=np.bool_) for name in each}
    columns |= {name: np.zeros(len(blocks), dtype=np.bool_) for name in ("date", "separators", "price")}
    dropped = (~kept).nonzero()[0].tolist()
    for block, whole in zip(dropped, blocks.texts(dropped), strict=True):
        # Of long texts the first words count.
        text = whole.lower() if len(whole) < _SHORT_TEXT else whole[:_FIRST_WORDS].lower()
        if anything.search(text):
            for name, pattern in each.items():
                found = pattern.search(text)
                if found and (not found.start() or (len(whole) < _SHORT_TEXT and name not in _AT_START)):
                    columns[f"says {name}"][block] = True
        if _DIGIT.search(whole):
            columns["date"][block] = len(whole) < _LONGEST_DATE and _DATE.search(whole) is not None
            columns["price"][block] = _PRICE.search(whole) is not None
        columns["separators"][block] = len(_SEPARATORS.findall(whole)) > 2
    return columns


class BoxNames:
    """The classes that tags and attributes of the elements of a page name, for the blocks inside."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._parents: list[int] = blocks.containers.parent.tolist()
        self._inner: list[int] = blocks.container.tolist()
        self._known: dict[str, int] = {}
        self._words: dict[str, int] = {}

    def _bits_of(self, token: str) -> int:
        """Return the classes that a value of an attribute, or a tag, names; elements of a page share most of them."""
        found = self._known.get(token)
        if found is None:
            found = 0
            for word in map(str.lower, _WORD.findall(token)):
                found |= self._bits_of_word(word)
            self._known[token] = found
        return found

    def _bits_of_word(self, word: str) -> int:
        found = self._words.get(word)
        if found is None:
            whole, stems = _names()
            found = whole.get(word, 0)
            for stem, bits in stems.get(word[:_BEGIN], {}).items():
                found |= bits if word.startswith(stem) else 0
            self._words[word] = found
        return found

    @cached_property
    def _tokens(self) -> list[list[tuple[str, int]]]:
        """The names of each container, and of the elements between it and the one around, that name a class."""
        tags = self._blocks.tags
        starts, stops = tags.start[tags.opened].tolist(), tags.stop[tags.opened].tolist()
        elements, outer = self._blocks.containers.element.tolist(), tags.parents().tolist()
        # Elements of a page share most of their start tags.
        by_tag: dict[bytes, list[tuple[str, int]]] = {}
        found: list[list[tuple[str, int]]] = []
        for element, around in zip(elements, self._parents, strict=True):
            names: list[tuple[str, int]] = []
            while around >= 0 and element not in (-1, elements[around]):
                tag = tags.source[starts[element] : stops[element]]
                if tag not in by_tag:
                    by_tag[tag] = self._named(element, tag)
                names = names + by_tag[tag] if names else by_tag[tag]
                element = outer[element]
            found.append(names)
        return found

    def _named(self, element: int, tag: bytes) -> list[tuple[str, int]]:
        """Return what names a class of an element: its tag, and words of its attributes, each with its classes."""
        bits = _tags().get(int(self._blocks.tags.key[element]), 0)
        found = [(self._blocks.tags.name(element), bits)] if bits else []
        # Of two attributes of one name the first counts.
        for value in dict(reversed(_NAMES.findall(tag))).values():
            tokens = unescape(value.decode("utf-8", "replace"))[:_LONGEST_NAME].split()
            found += [(token, bits) for token in tokens if (bits := self._bits_of(token))]
        return found

    def bits(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the classes that elements around each block name, as bits: the three innermost, and all: n each."""
        own: list[int] = []
        far: list[int] = []
        for tokens, parent in zip(self._tokens, self._parents, strict=True):
            found = 0
            for _, bits in tokens:
                found |= bits
            own.append(found)
            far.append(found | (far[parent] if parent >= 0 else 0))
        # The appended values are those of what is outside of all containers.
        bits_of, parents = np.array([*own, 0]), np.array([*self._parents, -1])
        near, around = bits_of, parents
        for _ in range(_NEAR - 1):
            near, around = near | bits_of[around], parents[around]
        return near[self._inner], np.array([*far, 0])[self._inner]

    def naming(self, block: int, part: str) -> str | None:
        """Return the name of one of the three innermost boxes around a block that names its class; None without."""
        bit = 1 << CLASSES.index(part) if part in CLASSES[:-1] else 0
        container = self._inner[block]
        for _ in range(_NEAR if bit else 0):
            if container < 0:
                return None
            for token, bits in self._tokens[container]:
                if bits & bit:
                    return _NOT_SHOWN.sub("", token.strip("<>"))[:_LONGEST_SHOWN]
            container = self._parents[container]
        return None


def _places(blocks: Blocks, kept: Mask) -> dict[str, Mask]:
    """Return the signs of place, length, links and kind."""
    count = len(blocks)
    words = blocks.measures.words
    linked = blocks.measures.anchor_words / np.maximum(words, 1)
    kinds = kind_names(blocks)
    span = kept.nonzero()[0]
    first, last = (int(span[0]), int(span[-1])) if span.size else (count, count)
    index = np.arange(count)
    is_link = linked >= _LINKED
    beside = np.zeros(count, dtype=np.int64)
    beside[1:] += is_link[:-1]
    beside[:-1] += is_link[1:]
    return {
        "before": index < first,
        "behind": index > last,
        "inside": (index >= first) & (index <= last),
        "last hundredth": index >= 0.99 * count - 1,
        "last twentieth": index >= 0.95 * count,
        "last fifth": index >= 0.8 * count,
        "first twentieth": index < 0.05 * count,
        "1-2 words": words <= 2,
        "3-5 words": (words >= 3) & (words <= 5),
        "6-14 words": (words >= 6) & (words <= 14),
        "15-40 words": (words >= 15) & (words <= 40),
        "41 words": words > 40,
        "all links": is_link,
        "some links": (linked > 0.05) & ~is_link,
        "no links": linked <= 0.05,
        "links beside": beside == 2,
        "no links beside": beside == 0,
        "long link": is_link & (words >= 5),
        "short link before": is_link & (words <= 4) & (index < first),
        "short link behind": is_link & (words <= 4) & (index > last),
        "prose behind": (linked <= 0.3) & (words >= _SHORTEST_SENTENCE) & (index > last),
        "list item": kinds == "list_item",
        "heading": kinds == "heading",
        "cell": kinds == "table_cell",
        "caption": kinds == "caption",
    }


@dataclass(frozen=True, eq=False)
class BlockClassifier:
    """Tells the class of dropped blocks.

    Attributes
    ----------
    signs : tuple of str
        Names of the k signs.
    weights : float array, k × 18
        Of each sign for each class.
    bias : float array, 18
        Of each class.
    """

    signs: tuple[str, ...]
    weights: Floats
    bias: Floats

    @classmethod
    @cache
    def bundled(cls) -> BlockClassifier:
        """Return the classifier of the package, a constant that is read at its first use."""
        text = files("blockfeat.extraction").joinpath("block_classes.json").read_text(encoding="utf-8")
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> BlockClassifier:
        """Return the classifier of a document as ``block_classes.json`` is one."""
        weights = np.array([document["weights"][name] for name in document["weights"]])
        return cls(tuple(document["weights"]), weights, np.array(document["bias"]))

    def scores(self, signs: BlockSigns) -> Floats:
        """Return the log-odds of each class, up to a constant: n × 18."""
        return np.asarray(signs.matrix @ self.weights + self.bias)

    def classes(self, signs: BlockSigns, roles: Sequence[str]) -> tuple[str, ...]:
        """Return what each block is: its role, or, of ``"clutter"``, its class."""
        found = self.scores(signs).argmax(axis=1).tolist()
        return tuple(CLASSES[place] if role == "clutter" else role for place, role in zip(found, roles, strict=True))


def classes_of(blocks: Blocks, kept: Mask, boxes: BoxNames, roles: Sequence[str]) -> tuple[str, ...]:
    """Return what each block is: its role where it has one, of the others their class.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that are content.
    boxes : BoxNames
        The names around them.
    roles : sequence of str
        Their roles (`blockfeat.extraction.parts.block_roles`).
    """
    if "clutter" not in roles:
        return tuple(roles)
    return BlockClassifier.bundled().classes(BlockSigns.of(blocks, kept, boxes), roles)
