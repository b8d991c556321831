"""What rendering tells of the blocks of a page: features for the sequence network, beside those of the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from blockfeat.data.align import align_words
from blockfeat.lang.measures import tokenize
from experiments.vips.browser import HEIGHT
from experiments.vips.layout import LaidOutNode, Rectangle, RenderedPage
from experiments.vips.structure import VisualBlock

__all__ = ["LAYOUT", "VIPS_BLOCK", "VISIBILITY", "RenderedBlocks"]

Floats = NDArray[np.float32]
VISIBILITY = ("found", "visible")
"""Names of the features that say whether a block is to be seen."""
LAYOUT = (
    "left", "width", "centre_distance", "top", "above_fold", "column_distance", "column_overlap", "font_size",
    "bold", "density", "other_background",
)  # fmt: skip
"""Names of the features of place, font and colour."""
VIPS_BLOCK = ("leaf_words", "leaf_share", "leaf_degree")
"""Names of the features of the leaf of the content structure that a block is in."""
_Value = TypeVar("_Value", float, str)
_HALF = 0.5
_BOLD = 600
_EDGES = 20.0  # pixels: left edges that differ by less are one column's


@dataclass(frozen=True, eq=False)
class RenderedBlocks:
    """The blocks of a page beside its rendering.

    Attributes
    ----------
    page : RenderedPage
        The rendering.
    count : int
        Number of blocks.
    words : int array, n
        Words of each block.
    text : int array, one for each word of the blocks
        Index of the rendered text that has the word; -1 for none.
    block : int array, one for each word of the blocks
        The block of each word.
    """

    page: RenderedPage
    count: int
    words: NDArray[np.int64]
    text: NDArray[np.int64]
    block: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: Sequence[str], page: RenderedPage) -> RenderedBlocks:
        """Find the words of blocks, given by their texts, in a rendering: both have them in the order of the page."""
        words = [tokenize(text) for text in blocks]
        rendered: list[str] = []
        places: list[int] = []
        for index, node in enumerate(page.nodes):
            if node.is_text:
                own = tokenize(node.text)
                rendered += own
                places += [index] * len(own)
        found = align_words([word for own in words for word in own], rendered)
        text = np.where(found >= 0, np.array([*places, -1], dtype=np.int64)[found], -1)
        counts = np.array([len(own) for own in words], dtype=np.int64)
        return cls(page, len(words), counts, text, np.repeat(np.arange(len(words)), counts))

    def seen(self) -> NDArray[np.bool_]:
        """Return which blocks can be seen: half of the words found or more; blocks of which no word was found, too."""
        share = self.matrix()[:, : len(VISIBILITY)]
        return np.asarray((share[:, 0] == 0) | (share[:, 1] >= _HALF))

    def matrix(self, root: VisualBlock | None = None) -> Floats:
        """Return the features `VISIBILITY`, `LAYOUT` and `VIPS_BLOCK` of each block: n × k.

        Blocks of which no word was found have 0 throughout.

        Parameters
        ----------
        root : VisualBlock, optional
            The content structure; the features of `VIPS_BLOCK` are 0 without it.
        """
        rows = np.zeros((self.count, len(VISIBILITY) + len(LAYOUT) + len(VIPS_BLOCK)), dtype=np.float32)
        leaves = _leaves(self.page, root)
        total = sum(words for words, _ in leaves.values()) if leaves else 0
        for block in range(self.count):
            texts = Counter(self.text[(self._starts[block]) : self._starts[block + 1]].tolist())
            texts.pop(-1, None)
            if not texts:
                continue
            rows[block, : len(VISIBILITY)] = self._visibility(block, texts)
            rows[block, len(VISIBILITY) : -len(VIPS_BLOCK)] = self._layout(texts)
            leaf = leaves.get(texts.most_common(1)[0][0])
            if leaf is not None:
                words, degree = leaf
                rows[block, -len(VIPS_BLOCK) :] = (np.log1p(words), words / max(total, 1), degree)
        return rows

    @cached_property
    def _starts(self) -> list[int]:
        """Where the words of each block begin, and the end."""
        return [int(place) for place in np.searchsorted(self.block, np.arange(self.count + 1))]

    def _visibility(self, block: int, texts: Mapping[int, int]) -> tuple[float, ...]:
        found = sum(texts.values())
        seen = sum(count for text, count in texts.items() if self.page.nodes[text].visible)
        return found / max(int(self.words[block]), 1), seen / found

    def _layout(self, texts: Mapping[int, int]) -> tuple[float, ...]:
        nodes, column = self.page.nodes, self._column
        seen = {text: count for text, count in texts.items() if nodes[text].visible}
        if not seen:
            return (0.0,) * len(LAYOUT)
        count = sum(seen.values())
        box = Rectangle.around(nodes[text].box for text in seen)
        around = self._box_around(max(seen, key=seen.__getitem__))
        width, height = max(self.page.width, 1.0), max(self.page.height, 1.0)
        shared = max(0.0, min(around.right, column.right) - max(around.x, column.x))
        both = max(around.right, column.right) - min(around.x, column.x)
        return (
            around.x / width,
            around.width / width,
            abs(around.x + around.width / 2 - width / 2) / width,
            box.y / height,
            float(box.y < HEIGHT),
            abs(around.x - column.x) / width,
            shared / max(both, 1.0),
            sum(nodes[text].font_size * times for text, times in seen.items()) / count / self._font_size,
            sum(times for text, times in seen.items() if nodes[text].font_weight >= _BOLD) / count,
            float(np.log1p(1e4 * count / max(box.area, 1.0))),
            float(any(nodes[text].background != self._background for text in seen)),
        )

    def _box_around(self, text: int) -> Rectangle:
        """Return the box of the element that starts the line of a text."""
        line = self.page.lines[text]
        return self.page.nodes[line].box if line >= 0 else self.page.nodes[text].box

    @cached_property
    def _texts(self) -> list[tuple[int, LaidOutNode]]:
        return [(index, node) for index, node in enumerate(self.page.nodes) if node.is_text and node.visible]

    @cached_property
    def _column(self) -> Rectangle:
        """The box of the element with the longest texts among those that share the left edge of most text."""
        characters: Counter[int] = Counter()
        for index, node in self._texts:
            characters[int(self._box_around(index).x // _EDGES)] += len(node.text)
        if not characters:
            return Rectangle(0, 0, 0, 0)
        edge = characters.most_common(1)[0][0]
        boxes: Counter[Rectangle] = Counter()
        for index, node in self._texts:
            box = self._box_around(index)
            if int(box.x // _EDGES) == edge:
                boxes[box] += len(node.text)
        return boxes.most_common(1)[0][0]

    @cached_property
    def _font_size(self) -> float:
        """The size of most characters."""
        return _most_common([(node.font_size, len(node.text)) for _, node in self._texts], 16.0) or 16.0

    @cached_property
    def _background(self) -> str:
        """The colour behind most characters."""
        return _most_common([(node.background, len(node.text)) for _, node in self._texts], "")


def _most_common(values: Sequence[tuple[_Value, int]], default: _Value) -> _Value:
    counts: Counter[_Value] = Counter()
    for value, count in values:
        counts[value] += count
    return counts.most_common(1)[0][0] if counts else default


def _leaves(page: RenderedPage, root: VisualBlock | None) -> dict[int, tuple[int, int]]:
    """Return for each text the words and the degree of coherence of the leaf that it is in."""
    found: dict[int, tuple[int, int]] = {}
    for block in root.all() if root is not None else ():
        if not block.parts:
            texts = [
                place for node in block.nodes for place in range(node, page.ends[node]) if page.nodes[place].is_text
            ]
            words = sum(len(tokenize(page.nodes[place].text)) for place in texts if page.nodes[place].visible)
            found |= dict.fromkeys(texts, (words, block.degree))
    return found
