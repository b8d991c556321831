"""Context features of each block: containers, headings, paths, good text nearby (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.cues import AROUND_KINDS, Cues
from blockfeat.features.keys import numbered
from blockfeat.features.nesting import Nesting
from blockfeat.lang.counting import COUNTED

if not cython.compiled:
    from blockfeat.features import places as column

_AROUND_KINDS, _LEVELS, _PATH_LEVELS, _PARAGRAPH_SHIFT, _BASE = len(AROUND_KINDS), 3, 5, 31, 0x9E3779B97F4A7C15
_ALL_BITS, _TINY, _MAIN, _WIDE, _STRONG, _MOST_DEPTH = (1 << 64) - 1, 1e-9, 0.6 - 1e-9, 0.85 - 1e-9, 8.0, 60
_FAR_CUE, _MOST_CUE_STEPS, _MOST_HEADINGS, _FAR_HEADING, _FAR_PROSE, _MOST_STEPS = 20, 8, 4, 40, 60, 30
_FURTHEST, _REACH = 5.0, 5
_WORDS, _ANCHOR_WORDS = COUNTED.index("words"), COUNTED.index("anchor_words")


def add_context(rows: NDArray[np.float32], blocks: Blocks, nesting: Nesting, cues: Cues, spread: int) -> None:
    """Fill the columns that depend on the surroundings of a block; linear in the page.

    A block's own features give seeds, its good words; what stands around it decides. Containers and windows are ranges
    of blocks, so that every sum over them is a difference of two running totals.

    Parameters
    ----------
    rows : float32 array, n × 85
        What is filled, a row for each block, at least one; `blockfeat.features.block_kernel.add_own` has been there.
    blocks : Blocks
        The blocks.
    nesting : Nesting
        The containers around them.
    cues : Cues
        Cues of tags and attributes.
    spread : int
        Random odd multiplier of a hash table; see `blockfeat.features.keys.numbered`.
    """
    kernel: _Kernel = _Kernel(rows, blocks, nesting)
    codes = np.empty(kernel.blocks, dtype=np.uint64)
    kernel.code_paths(codes)
    kernel.path = numbered(codes, spread)
    article: cython.uint = cues.masks["article"]
    main_heading: cython.uint = cues.masks["h1"]
    with cython.nogil:
        kernel.look_around(article, main_heading)
        kernel.follow_headings()
        kernel.add_good_words()
        kernel.compare_containers()
        kernel.place_in_main()
        kernel.look_through_windows()


def _clip(value: cython.double) -> cython.double:
    """Return the nearest value between 0 and 1."""
    return min(max(value, 0.0), 1.0)


class _Kernel:
    """The rows of a page and what they are filled from; each method fills some columns, as `add_context` calls them."""

    def __init__(self, rows: NDArray[np.float32], blocks: Blocks, nesting: Nesting) -> None:
        count = rows.shape[0]
        self.out = rows
        self.blocks = count
        counts: cython.int[:, ::1] = blocks.measures.counts
        columns: cython.int[:, ::1] = nesting.columns
        room: cython.double[:, ::1] = np.zeros((6, count + 1))
        self.words, self.anchor_words = counts[_WORDS], counts[_ANCHOR_WORDS]
        # In the order of the rows of `Nesting.columns`, of which the first is the element.
        self.parent, self.depth, self.first = columns[1], columns[2], columns[3]
        self.end, self.larger, self.negatives = columns[4], columns[5], columns[6]
        self.shunned, self.against, self.positive = columns[7], columns[8], columns[9]
        self.inner, self.bits, self.names, self.around = nesting.inner, nesting.bits, nesting.names.data, nesting.around
        self.words_before, self.words_inside = nesting.words_before, nesting.words
        self.linked_before, self.good, self.good_before = room[0], room[1], room[2]
        self.path_blocks, self.path_good, self.path_words = room[3], room[4], room[5]
        self.good_inside = np.empty(nesting.words.size)
        self.change = np.empty(count + 1, dtype=np.int32)
        self.path = self.change[:0]
        self.page_words = max(self.words_before[count], 1.0)
        self.page_good = _TINY

    def look_around(self, article: cython.uint, main_heading: cython.uint) -> cython.void:
        """Fill the columns about the cues of the containers around each block."""
        articles: cython.Py_ssize_t = 0
        paragraphs: cython.Py_ssize_t = 0
        headings: cython.int = 0
        place: cython.Py_ssize_t = 0
        log_articles: cython.double
        container: cython.int
        kind: cython.int
        block: cython.Py_ssize_t
        for place in range(self.bits.shape[0]):
            articles += self.bits[place] & article != 0
        place = 0
        for block in range(self.blocks):
            container = self.inner[block]
            for kind in range(_AROUND_KINDS):
                self.out[block, column.AROUND_POSITIVE + kind] = (self.around[container] >> (2 * kind)) & 3
            paragraphs += self.around[container] >> _PARAGRAPH_SHIFT
            self.out[block, column.NEGATIVES] = self.negatives[container]
            self.out[block, column.DEPTH] = min(self.depth[container], _MOST_DEPTH)
            self.out[block, column.NEGATIVE_STEPS] = _FAR_CUE
            if self.against[container]:
                self.out[block, column.NEGATIVE_STEPS] = min(self.depth[container] - self.against[container], _FAR_CUE)
            self.out[block, column.POSITIVE_BELOW_NEGATIVE] = max(
                min(self.positive[container] - self.against[container], _MOST_CUE_STEPS), -_MOST_CUE_STEPS
            )
            # Containers are in the order of their first blocks.
            while place < self.first.shape[0] and self.first[place] <= block:
                headings += self.bits[place] & main_heading != 0
                place += 1
            self.out[block, column.H1_BEFORE] = min(headings, _MOST_HEADINGS)
        log_articles = log1p(articles)
        for block in range(self.blocks):
            self.out[block, column.PAGE_ARTICLES] = log_articles
            self.out[block, column.PAGE_PARAGRAPHS] = paragraphs / cython.cast(cython.double, self.blocks)

    def follow_headings(self) -> cython.void:
        """Fill the columns about the last heading at or before each block."""
        since: cython.int = _FAR_HEADING
        share: cython.float = 0.0
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            since = min(since + 1, _FAR_HEADING)
            if self.out[block, column.AROUND_HEADING] > 0.0:
                since = 0
                share = self.out[block, column.WORDS_REPLY]
            self.out[block, column.SINCE_HEADING] = since
            self.out[block, column.HEADING_REPLY] = share

    def code_paths(self, codes: cython.ulonglong[::1]) -> cython.void:
        """Give each block a number by its path: tags and classes of the containers around it, five levels up."""
        container: cython.int
        code: cython.ulonglong
        name: cython.ulonglong
        _: cython.int
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            container = self.inner[block]
            code = 0
            for _ in range(_PATH_LEVELS):
                name = 0
                if container >= 0:
                    name = self.names[container] | 1
                    container = self.parent[container]
                code = (code * _BASE + name) & _ALL_BITS
            codes[block] = code

    def add_good_words(self) -> cython.void:
        """Fill the columns about good words of each block, and of those before, after and on the same path.

        words · clip(1 - 2.5 · density) · clip((words - 6) / 14), half of it without a terminal, 0.3 of it inside a
        negative container, 0.1 inside one that is shunned.
        """
        most: cython.double = 0.0
        log_page_good: cython.double
        value: cython.double
        density: cython.double
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            density = self.anchor_words[block] / cython.cast(cython.double, max(self.words[block], 1))
            value = self.words[block] * _clip(1.0 - 2.5 * density) * _clip((self.words[block] - 6) / 14.0)
            if self.out[block, column.TERMINAL] == 0.0:
                value *= 0.5
            if self.negatives[self.inner[block]] > 0:
                value *= 0.3
            if self.shunned[self.inner[block]]:
                value *= 0.1
            self.good[block] = value
            self.page_good += value
            most = max(most, value)
        self.good_before[0] = 0.0
        for block in range(self.blocks):
            self.good_before[block + 1] = self.good_before[block] + self.good[block] / self.page_good
        log_page_good = log1p(self.page_good)
        for block in range(self.blocks):
            self.out[block, column.GOOD] = log1p(self.good[block])
            self.out[block, column.PAGE_GOOD] = log_page_good
            self.out[block, column.TOP_SHARE] = self.good[block] / (most + _TINY)
            self.out[block, column.GOOD_BEFORE] = self.good_before[block]
            self.out[block, column.GOOD_AFTER] = 1.0 - self.good_before[block + 1]
        self._add_up_paths()

    def _add_up_paths(self) -> cython.void:
        """Fill the columns about the blocks on the same path as each."""
        path: cython.int
        last: cython.Py_ssize_t = self.blocks - 1
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            path = self.path[block]
            self.path_blocks[path] += 1.0
            self.path_good[path] += self.good[block]
            self.path_words[path] += self.words[block]
        for block in range(self.blocks):
            path = self.path[block]
            self.out[block, column.PATH_BLOCKS] = log1p(self.path_blocks[path])
            self.out[block, column.PATH_SHARE] = self.path_good[path] / self.page_good
            self.out[block, column.PATH_DENSITY] = self.path_good[path] / (self.path_words[path] + 1.0)
            self.out[block, column.PREVIOUS_PATH] = 1.0 if block > 0 and self.path[block - 1] == path else 0.0
            self.out[block, column.NEXT_PATH] = 1.0 if block < last and self.path[block + 1] == path else 0.0

    def compare_containers(self) -> cython.void:
        """Fill the columns about links, size and good words of the containers around each block."""
        linked: cython.double
        level: cython.int
        container: cython.Py_ssize_t
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            self.linked_before[block + 1] = self.linked_before[block] + self.anchor_words[block]
        for container in range(self.good_inside.shape[0]):
            self.good_inside[container] = (
                self.good_before[self.end[container]] - self.good_before[self.first[container]]
            )
        for block in range(self.blocks):
            # The smallest container with more than one block, the next larger one, the next larger again.
            container = self.inner[block]
            if self.end[container] - self.first[container] == 1:
                container = self.larger[container]
            self.out[block, column.WIDTH_1] = self.words_inside[container] / self.page_words
            self.out[block, column.BLOCK_LENGTH_1] = log1p(
                self.words_inside[container] / (self.end[container] - self.first[container])
            )
            for level in range(_LEVELS):
                linked = self.linked_before[self.end[container]] - self.linked_before[self.first[container]]
                self.out[block, column.LINK_DENSITY_1 + level] = linked / max(self.words_inside[container], 1.0)
                self.out[block, column.SHARE_1 + level] = self.good_inside[container]
                container = self.larger[container]

    def place_in_main(self) -> cython.void:
        """Fill the columns about the main container, the deepest with 60 % of the page's good words.

        The outermost where none has so much. All that have lie one in the other, for each holds more than half.
        """
        main: cython.Py_ssize_t = 0
        container: cython.Py_ssize_t
        block: cython.Py_ssize_t
        first: cython.Py_ssize_t
        end: cython.Py_ssize_t
        size: cython.double
        density: cython.double
        for container in range(self.good_inside.shape[0]):
            if self.good_inside[container] >= _MAIN:
                main = container
        first, end = self.first[main], self.end[main]
        size = end - first
        density = self.good_inside[main] * (self.page_good / (self.words_inside[main] + 1.0))
        for block in range(self.blocks):
            self.out[block, column.MAIN_SIZE] = size / self.blocks
            self.out[block, column.MAIN_DENSITY] = density
            self.out[block, column.MAIN_WORDS] = self.words_inside[main] / self.page_words
            self.out[block, column.MAIN_DISTANCE] = min(block - first, 0) + max(block - (end - 1), 0)
            self.out[block, column.MAIN_POSITION] = max(min((block - first) / size, _FURTHEST), -_FURTHEST)
        self._count_steps(column.MAIN_STEPS, _MAIN)
        self._count_steps(column.WIDE_STEPS, _WIDE)

    def _count_steps(self, column: cython.int, least: cython.double) -> cython.void:
        """Fill in how many of the containers with a least share of the page's good words do not hold each block.

        At most 30; containers of the same blocks count as one. The outermost is taken where none has the share.
        """
        count: cython.int = 0
        around: cython.int = 0
        last: cython.Py_ssize_t = 0
        container: cython.Py_ssize_t
        block: cython.Py_ssize_t
        for block in range(self.blocks + 1):
            self.change[block] = 0
        for container in range(self.good_inside.shape[0]):
            if self.good_inside[container] < least:
                continue
            if count > 0 and self.first[container] == self.first[last] and self.end[container] == self.end[last]:
                continue
            # How many of them begin with each block, less those that have ended before it.
            self.change[self.first[container]] += 1
            self.change[self.end[container]] -= 1
            count += 1
            last = container
        if count == 0:
            self.change[self.first[0]] += 1
            self.change[self.end[0]] -= 1
            count = 1
        for block in range(self.blocks):
            around += self.change[block]
            self.out[block, column] = min(count - around, _MOST_STEPS)

    def look_through_windows(self) -> cython.void:
        """Fill the columns about good text in windows of one and five blocks on each side, and the next good block."""
        gap: cython.int = _FAR_PROSE
        block: cython.Py_ssize_t
        for block in range(self.blocks):
            self.out[block, column.WINDOW_DENSITY_1] = self._density_within(block, 1)
            self.out[block, column.WINDOW_DENSITY_5] = self._density_within(block, _REACH)
            self.out[block, column.WINDOW_SHARE] = (
                self.good_before[min(block + _REACH + 1, self.blocks)] - self.good_before[max(block - _REACH, 0)]
            )
        for block in range(self.blocks - 1, -1, -1):
            self.out[block, column.GAP_AFTER] = gap
            gap = 1 if self.good[block] >= _STRONG else min(gap + 1, _FAR_PROSE)

    def _density_within(self, block: cython.Py_ssize_t, reach: cython.Py_ssize_t) -> cython.double:
        """Return good words by words in a window around a block."""
        low: cython.Py_ssize_t = max(block - reach, 0)
        high: cython.Py_ssize_t = min(block + reach + 1, self.blocks)
        inside: cython.double = self.good_before[high] - self.good_before[low]
        return inside * (self.page_good / (self.words_before[high] - self.words_before[low] + 1.0))
