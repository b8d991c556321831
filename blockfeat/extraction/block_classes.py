"""Classes of dropped blocks: menu, teaser, comment …, from names in the markup, the place on the page, and the words.

A logistic regression over binary signs, trained on blocks that people have classified (`experiments.block_classes`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import unescape
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_json, bundled_table
from blockfeat.blocks.table import Blocks, Mask, kinds_of_blocks
from blockfeat.extraction.walls import any_of
from blockfeat.page.tags import name_keys

CLASSES = (
    "menu", "breadcrumb", "related", "listing", "promotion", "advertisement", "comment", "author",
    "share", "consent", "footer", "caption", "byline", "date", "contents", "form", "error", "other",
)  # fmt: skip
"""Classes of dropped blocks."""

_BITS = {name: 1 << place for place, name in enumerate(CLASSES[:-1])}

Floats = NDArray[np.float64]

# No stem is shorter.
_BEGIN = 3
_NAMES = re.compile(rb'\s(class|id|role|itemprop)="([^"]*)"')
_LONGEST_NAME, _LONGEST_SHOWN = 200, 30
_SHORT_TEXT, _FIRST_WORDS, _LONGEST_DATE = 80, 40, 120
_DIGIT = re.compile(r"\d")
_NOT_SHOWN = re.compile(r"[^\w.:-]+")
_SEPARATORS = re.compile("[|·•－»]| [-–—] ")
_WORD = re.compile(r"[A-Z]*[a-zà-ÿ]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_DATE = re.compile(
    r"\b\d{1,2}[./:-]\d{1,2}(?:[./-]\d{2,4})?\b|\b(?:19|20)\d\d\b|\d+\s*(?:年|月|日|min|mins|hours?|Uhr)\b", re.I
)
_PRICE = re.compile(r"[$€£¥]\s?\d|\d\s?(?:€|zł|kr|円|EUR|USD)")
_SHORTEST_SENTENCE = 8
_AT_START = ("byline",)
_LINKED = 0.8
_SIGNS_OF_KINDS = {"list_item": "list item", "heading": "heading", "table_cell": "cell", "caption": "caption"}
_LENGTHS = ("1-2 words", "3-5 words", "6-14 words", "15-40 words", "41 words")
_KINDS = {kind: number for number, kind in enumerate(_SIGNS_OF_KINDS, start=1)}


@cache
def _names() -> tuple[Mapping[str, int], Mapping[str, Mapping[str, int]], Mapping[str, Sequence[str]]]:
    """Return the bits of whole words, those of stems by their first letters, and the words of texts by class."""
    whole, stems = dict[str, int](), dict[str, dict[str, int]]()
    texts = (names := dict(bundled_table("blockfeat.extraction", "block_classes.toml"))).pop("texts")
    for name, words in names.items():
        for word in words:
            stem = word.rstrip("*")
            table = stems.setdefault(stem[:_BEGIN], {}) if word.endswith("*") else whole
            table[stem] = table.get(stem, 0) | _BITS[name]
    return whole, stems, texts


@cache
def _tags() -> Mapping[int, int]:
    """Return the bits of tags by their keys (`blockfeat.page.tags.name_keys`)."""
    tags = {word.strip("<>"): bits for word, bits in _names()[0].items() if word.startswith("<")}
    return dict(zip(name_keys(tuple(tags)).tolist(), tags.values(), strict=True))


@cache
def _sayings() -> tuple[re.Pattern[str], Mapping[str, re.Pattern[str]]]:
    """Return what finds the words of texts: of all classes, behind a space; of each, at the start of a word."""
    *_, texts = _names()
    each = {name: re.compile(f"(?<![^ ])(?:{'|'.join(map(re.escape, words))})") for name, words in texts.items()}
    return re.compile(" " + any_of([tuple(map(re.escape, word)) for word in chain.from_iterable(texts.values())])), each


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
    def of(cls, blocks: Blocks, kept: Mask, boxes: BoxNames, chosen: Sequence[int]) -> BlockSigns:
        """Read the signs of some blocks of a page of which some are kept."""
        rows = np.asarray(chosen)
        near, far = boxes.bits(rows)
        classes = np.arange(len(CLASSES) - 1)
        # The classifier was fitted to this meaning of far: a menu is around, and nothing near names the class.
        boxed = np.stack([near[:, None] >> classes & 1, far[:, None] & (~near[:, None] >> classes) & 1], axis=2)
        names = [f"{where} {name}" for name in CLASSES[:-1] for where in ("near", "far")]
        columns = _places(blocks, kept, rows) | _texts(blocks.texts(rows))
        matrix = np.hstack([boxed.reshape(len(chosen), len(names)).astype(np.bool_), np.array([*columns.values()]).T])
        return cls((*names, *columns), matrix)


def _texts(texts: Sequence[str]) -> dict[str, Mask]:
    """Return the signs of texts."""
    anything, each = _sayings()
    names = (*map("says {}".format, each), "date", "separators", "price")
    columns = {name: np.zeros(len(texts), dtype=np.bool_) for name in names}
    for block, whole in enumerate(texts):
        # Of long texts the first words count.
        text = whole.lower() if len(whole) < _SHORT_TEXT else whole[:_FIRST_WORDS].lower()
        if anything.search(f" {text}"):
            for name, pattern in each.items():
                found = pattern.search(text)
                if found and (not found.start() or (len(whole) < _SHORT_TEXT and name not in _AT_START)):
                    columns[f"says {name}"][block] = True
        if _DIGIT.search(whole):
            columns["date"][block] = len(whole) < _LONGEST_DATE and _DATE.search(whole) is not None
            columns["price"][block] = _PRICE.search(whole) is not None
        columns["separators"][block] = len(_SEPARATORS.findall(whole)) > 2
    return columns


# The pages of a site share most of their names.
@lru_cache(maxsize=1 << 12)
def _bits_of(token: str) -> int:
    """Return the classes that a value of an attribute names."""
    whole, stems, _ = _names()
    found = 0
    for word in map(str.lower, _WORD.findall(token)):
        found |= whole.get(word, 0)
        for stem, bits in stems.get(word[:_BEGIN], {}).items():
            found |= bits if word.startswith(stem) else 0
    return found


class BoxNames:
    """The classes that tags and attributes of the elements of a page name, for the blocks inside; read as asked for."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks, tags = blocks, blocks.tags
        self._parents, self._elements = blocks.containers.parent.data, blocks.containers.element.data
        self._around = blocks.container.data
        self._outer, self._opened = tags.parents().data, tags.opened.data
        self._spans = tags.start.data, tags.stop.data
        self._by_tag: dict[bytes, Mapping[str, int]] = {}
        # What each container names, it and the two around it, and with all that are around it; -1 is outside of all.
        self._bits = {-1: (0, 0, 0)}

    def _named(self, container: int) -> list[Mapping[str, int]]:
        """Return the names of a container, and of the elements between it and the one around, that name a class."""
        element, around, (start, stop) = self._elements[container], self._parents[container], self._spans
        outermost, source, found = self._elements[around] if around >= 0 else element, self._blocks.tags.source, []
        while element not in (-1, outermost):
            place = self._opened[element]
            tag = source[start[place] : stop[place]]
            # Elements of a page share most of their start tags.
            names = self._by_tag.get(tag)
            if names is None:
                names = self._by_tag[tag] = self._names_in(element, tag)
            if names:
                found.append(names)
            element = self._outer[element]
        return found

    def _names_in(self, element: int, tag: bytes) -> Mapping[str, int]:
        """Return what names a class of an element: its tag, and words of its attributes, each with its classes."""
        bits = _tags().get(int(self._blocks.tags.key[element]), 0)
        found = {self._blocks.tags.name(element): bits} if bits else {}
        # Of two attributes of one name the first counts.
        for value in dict(reversed(_NAMES.findall(tag))).values():
            tokens = unescape(value.decode("utf-8", "replace"))[:_LONGEST_NAME].split()
            found |= {token: bits for token in tokens if (bits := _bits_of(token))}
        return found

    def _bits_around(self, container: int) -> tuple[int, int, int]:
        """Return the classes that a container names, those of the three innermost from it on, and those of all."""
        waiting, place, known = [], container, self._bits
        while place not in known:
            waiting.append(place)
            place = self._parents[place]
        for place in reversed(waiting):
            own = 0
            for names in self._named(place):
                for bits in names.values():
                    own |= bits
            around = self._parents[place]
            near, beyond = own | known[around][0], self._parents[around] if around >= 0 else -1
            known[place] = own, near | known[beyond][0], known[around][2] | own
        return known[container]

    def bits(self, chosen: Sequence[int] | NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return the classes that elements around some blocks name, as bits: the three innermost, and all: 2 × n."""
        containers, place = np.unique(self._blocks.container[chosen], return_inverse=True)
        around = [self._bits_around(container)[1:] for container in containers.tolist()]
        return np.array(around, dtype=np.int64).reshape(-1, 2).T[:, place]

    def naming(self, block: int, part: str) -> str | None:
        """Return the name of one of the three innermost boxes around a block that names its class; None without."""
        container, bit = self._around[block], _BITS.get(part, 0)
        if not self._bits_around(container)[1] & bit:
            return None
        while not self._bits[container][0] & bit:
            container = self._parents[container]
        token = next(token for names in self._named(container) for token, bits in names.items() if bits & bit)
        return _NOT_SHOWN.sub("", token.strip("<>"))[:_LONGEST_SHOWN]


def _places(blocks: Blocks, kept: Mask, index: NDArray[np.int64]) -> dict[str, Mask]:
    """Return the signs of place, length, links and kind of some blocks of a page."""
    count, span = len(blocks), kept.nonzero()[0]
    first, last = (int(span[0]), int(span[-1])) if span.size else (count, count)
    kinds = np.array([_KINDS.get(kind.name, 0) for kind in kinds_of_blocks(blocks, index)], dtype=np.uint8)
    of_all = blocks.measures.anchor_words / np.maximum(blocks.measures.words, 1)
    are_links = np.zeros(count + 2, dtype=np.int64)
    are_links[1:-1] = of_all >= _LINKED
    linked, words, is_link = of_all[index], blocks.measures.words[index], are_links[index + 1] > 0
    lengths, beside = np.searchsorted((2, 5, 14, 40), words), are_links[index] + are_links[index + 2]
    return {
        "before": index < first,
        "behind": index > last,
        "inside": (index >= first) & (index <= last),
        "last hundredth": index >= 0.99 * count - 1,
        "last twentieth": index >= 0.95 * count,
        "last fifth": index >= 0.8 * count,
        "first twentieth": index < 0.05 * count,
        **{sign: lengths == number for number, sign in enumerate(_LENGTHS)},
        "all links": is_link,
        "some links": (linked > 0.05) & ~is_link,
        "no links": linked <= 0.05,
        "links beside": beside == 2,
        "no links beside": beside == 0,
        "long link": is_link & (words >= 5),
        "short link before": is_link & (words <= 4) & (index < first),
        "short link behind": is_link & (words <= 4) & (index > last),
        "prose behind": (linked <= 0.3) & (words >= _SHORTEST_SENTENCE) & (index > last),
        **{sign: kinds == number for number, sign in enumerate(_SIGNS_OF_KINDS.values(), start=1)},
    }


@dataclass(frozen=True, eq=False)
class BlockClassifier:
    """Classifier of dropped blocks.

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
        document = bundled_json("blockfeat.extraction", "block_classes.json")
        weights = np.array([*document["weights"].values()])
        return cls(tuple(document["weights"]), weights, np.array(document["bias"]))

    def classes(self, signs: BlockSigns) -> list[str]:
        """Return the class of each block."""
        log_odds = signs.matrix @ self.weights + self.bias
        return [CLASSES[place] for place in log_odds.argmax(axis=1).tolist()]


def classes_of(blocks: Blocks, kept: Mask, boxes: BoxNames, roles: Sequence[str], chosen: Sequence[int]) -> list[str]:
    """Return what some blocks are: their role where they have one, of the others their class.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that are content.
    boxes : BoxNames
        The names around them.
    roles : sequence of str
        The role of each block of the page (`blockfeat.extraction.parts.block_roles`).
    chosen : sequence of int
        The blocks to classify.
    """
    clutter = [block for block in chosen if roles[block] == "clutter"]
    found = iter(BlockClassifier.bundled().classes(BlockSigns.of(blocks, kept, boxes, clutter)) if clutter else ())
    return [next(found) if roles[block] == "clutter" else roles[block] for block in chosen]
