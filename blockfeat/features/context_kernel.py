"""Features of the blocks of a page that rest on their surroundings: containers, headings, paths (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.block_kernel import OwnRows
from blockfeat.features.cues import AROUND_KINDS, Cues
from blockfeat.features.keys import SharedRuns, WordFlags
from blockfeat.features.nesting import Nesting

if not cython.compiled:
    from blockfeat.features import places as column
    from blockfeat.features.block_kernel import _ANCHOR_WORDS, _WORDS, log_of
    from blockfeat.features.keys import number_codes

_AROUND_KINDS, _LEVELS, _PATH_LEVELS, _PARAGRAPH_SHIFT, _BASE = len(AROUND_KINDS), 3, 5, 31, 0x9E3779B97F4A7C15
_ALL_BITS, _TINY, _MAIN, _WIDE, _STRONG, _MOST_DEPTH = (1 << 64) - 1, 1e-9, 0.6 - 1e-9, 0.85 - 1e-9, 8.0, 60
_FAR_CUE, _MOST_CUE_STEPS, _MOST_HEADINGS, _FAR_HEADING, _FAR_PROSE, _MOST_STEPS = 20, 8, 4, 40, 60, 30
_FURTHEST, _REACH = 5.0, 5
_HEADING_SHIFT = 2 * AROUND_KINDS.index("heading")


def _clip(value: cython.double) -> cython.double:
    """Return the nearest value between 0 and 1."""
    return min(max(value, 0.0), 1.0)


class PageRows(OwnRows):
    """All features of the blocks of a page, in the order of `blockfeat.features.places`; linear in the page.

    A block's own features give seeds, its good words; what stands around it decides. Containers and windows are ranges
    of blocks, so that every sum over them is a difference of two running totals. What the rows of a page have in
    common is found first, some seventy bytes a block; any rows are written from that.

    Parameters
    ----------
    blocks, stop_words, flags, spread
        As `OwnRows` takes them.
    nesting : Nesting
        The containers around the blocks.
    cues : Cues
        Cues of tags and attributes.
    body, other : SharedRuns
        The runs of words that the page shares with what its JSON-LD declares as the body of its text, and with what
        else that declares.
    """

    def __init__(
        self,
        blocks: Blocks,
        nesting: Nesting,
        cues: Cues,
        stop_words: NDArray[np.float64],
        flags: WordFlags,
        spread: int,
        body: SharedRuns,
        other: SharedRuns,
    ) -> None:
        super().__init__(blocks, nesting.words_before, stop_words, flags, spread)
        columns: cython.int[:, ::1] = nesting.columns
        count = self.blocks
        totals: cython.double[:, ::1] = np.zeros((7, count + 1))
        steps: cython.uchar[:, ::1] = np.zeros((5, count), dtype=np.uint8)
        # In the order of the rows of `Nesting.columns`, of which the first is the element.
        self.parent, self.depth, self.first = columns[1], columns[2], columns[3]
        self.end, self.larger, self.negatives = columns[4], columns[5], columns[6]
        self.shunned, self.against, self.positive = columns[7], columns[8], columns[9]
        self.inner, self.bits, self.around = nesting.inner, nesting.bits, nesting.around
        self.names = nesting.names if cython.compiled else nesting.names.data
        self.words_inside = nesting.words
        self.linked_before, self.good, self.good_before, self.reply = totals[0], totals[1], totals[2], totals[3]
        self.path_blocks, self.path_good, self.path_words = totals[4], totals[5], totals[6]
        self.headings, self.since, self.main_steps = steps[0], steps[1], steps[2]
        self.wide_steps, self.gap = steps[3], steps[4]
        self.good_inside = np.empty(nesting.words.size)
        self.declared_words = body.words
        self.other_words = self.declared_words if other is body else other.words
        self.page_declared = body.runs / max(body.of, 1)
        self._code_paths()
        self._look_around(cues.masks["article"], cues.masks["h1"])
        self._find_good_words()
        self._add_up_paths()
        self._find_main()

    def _code_paths(self) -> cython.void:
        """Give each block a number by its path: tags and classes of the containers around it, five levels up."""
        container: cython.int
        code: cython.ulonglong
        name: cython.ulonglong
        _: cython.int
        block: cython.Py_ssize_t
        with cython.nogil:
            for block in range(self.blocks):
                container = self.inner[block]
                code = 0
                for _ in range(_PATH_LEVELS):
                    name = 0
                    if container >= 0:
                        name = self.names[container] | 1
                        container = self.parent[container]
                    code = (code * _BASE + name) & _ALL_BITS
                self.code[block] = code
            # The room for the numbers of blocks with the same words is free again.
            self.path = self.number
            number_codes(self.code, self.path, self.slots, self.spread)

    def _look_around(self, article: cython.uint, main_heading: cython.uint) -> cython.void:
        """Count articles, paragraphs and main headings; find the last heading at or before each block."""
        articles: cython.Py_ssize_t = 0
        paragraphs: cython.Py_ssize_t = 0
        declared: cython.longlong = 0
        headings: cython.int = 0
        since: cython.int = _FAR_HEADING
        share: cython.float = 0.0
        place: cython.Py_ssize_t = 0
        words: cython.double
        block: cython.Py_ssize_t
        with cython.nogil:
            for place in range(self.bits.shape[0]):
                articles += self.bits[place] & article != 0
            place = 0
            for block in range(self.blocks):
                paragraphs += self.around[self.inner[block]] >> _PARAGRAPH_SHIFT
                declared += self.declared_words[block]
                # Containers are in the order of their first blocks.
                while place < self.first.shape[0] and self.first[place] <= block:
                    headings += self.bits[place] & main_heading != 0
                    place += 1
                self.headings[block] = min(headings, _MOST_HEADINGS)
                since = min(since + 1, _FAR_HEADING)
                if (self.around[self.inner[block]] >> _HEADING_SHIFT) & 3:
                    since = 0
                    words = max(self.count[_WORDS, block], 1)
                    share = self.replies[block] / words
                self.since[block] = since
                self.reply[block] = share
            self.page_articles, self.page_declared_words = log1p(articles), log1p(declared)
            self.page_paragraphs = paragraphs / cython.cast(cython.double, self.blocks)

    def _find_good_words(self) -> cython.void:
        """Count the good words of each block and container, and the links before each block.

        words · clip(1 - 2.5 · density) · clip((words - 6) / 14), half of it without a terminal, 0.3 of it inside a
        negative container, 0.1 inside one that is shunned.
        """
        value: cython.double
        most: cython.double = 0.0
        gap: cython.int = _FAR_PROSE
        block: cython.Py_ssize_t
        container: cython.Py_ssize_t
        self.page_good = _TINY
        with cython.nogil:
            for block in range(self.blocks):
                value = self.count[_WORDS, block] * _clip(1.0 - 2.5 * self.density(block))
                value *= _clip((self.count[_WORDS, block] - 6) / 14.0)
                if self.terminal[block] == 0.0:
                    value *= 0.5
                if self.negatives[self.inner[block]] > 0:
                    value *= 0.3
                if self.shunned[self.inner[block]]:
                    value *= 0.1
                self.good[block] = value
                self.page_good += value
                most = max(most, value)
                self.linked_before[block + 1] = self.linked_before[block] + self.count[_ANCHOR_WORDS, block]
            self.log_page_good, self.most_good = log1p(self.page_good), most + _TINY
            for block in range(self.blocks):
                self.good_before[block + 1] = self.good_before[block] + self.good[block] / self.page_good
            for container in range(self.good_inside.shape[0]):
                self.good_inside[container] = (
                    self.good_before[self.end[container]] - self.good_before[self.first[container]]
                )
            for block in range(self.blocks - 1, -1, -1):
                self.gap[block] = gap
                gap = 1 if self.good[block] >= _STRONG else min(gap + 1, _FAR_PROSE)

    def _add_up_paths(self) -> cython.void:
        """Count blocks, good words and words on each path."""
        block: cython.Py_ssize_t
        with cython.nogil:
            for block in range(self.blocks):
                self.path_blocks[self.path[block]] += 1.0
                self.path_good[self.path[block]] += self.good[block]
                self.path_words[self.path[block]] += self.count[_WORDS, block]

    def _find_main(self) -> cython.void:
        """Find the main container, the deepest with 60 % of the page's good words, and the steps to it.

        The outermost where none has so much. All that have lie one in the other, for each holds more than half.
        """
        container: cython.Py_ssize_t
        with cython.nogil:
            self.main = 0
            for container in range(self.good_inside.shape[0]):
                if self.good_inside[container] >= _MAIN:
                    self.main = container
            self._count_steps(self.main_steps, self.count_of, _MAIN)
            self._count_steps(self.wide_steps, self.count_of, _WIDE)

    def _count_steps(self, steps: cython.uchar[::1], change: cython.int[::1], least: cython.double) -> cython.void:
        """Count how many of the containers with a least share of the page's good words do not hold each block.

        At most 30; containers of the same blocks count as one. The outermost is taken where none has the share.
        """
        count: cython.int = 0
        around: cython.int = 0
        last: cython.Py_ssize_t = 0
        container: cython.Py_ssize_t
        block: cython.Py_ssize_t
        for block in range(self.blocks + 1):
            change[block] = 0
        for container in range(self.good_inside.shape[0]):
            if self.good_inside[container] < least:
                continue
            if count > 0 and self.first[container] == self.first[last] and self.end[container] == self.end[last]:
                continue
            # How many of them begin with each block, less those that have ended before it.
            change[self.first[container]] += 1
            change[self.end[container]] -= 1
            count += 1
            last = container
        if count == 0:
            change[self.first[0]] += 1
            change[self.end[0]] -= 1
            count = 1
        for block in range(self.blocks):
            around += change[block]
            steps[block] = min(count - around, _MOST_STEPS)

    def write(self, first: cython.Py_ssize_t, rows: cython.float[:, ::1]) -> cython.void:
        """Write the features of blocks from a first one on: as many as there are rows."""
        number: cython.Py_ssize_t
        for number in range(rows.shape[0]):
            self.write_own(first + number, rows[number])
            self._write_cues_around(first + number, rows[number])
            self._write_good_words(first + number, rows[number])
            self._write_containers(first + number, rows[number])
            self._write_place_in_main(first + number, rows[number])

    def _write_cues_around(self, block: cython.Py_ssize_t, row: cython.float[::1]) -> cython.void:
        """Write the features about the cues of the containers around a block, and about headings."""
        words: cython.double = max(self.count[_WORDS, block], 1)
        container: cython.int = self.inner[block]
        kind: cython.int
        for kind in range(_AROUND_KINDS):
            row[column.AROUND_POSITIVE + kind] = (self.around[container] >> (2 * kind)) & 3
        row[column.NEGATIVES] = self.negatives[container]
        row[column.DEPTH] = min(self.depth[container], _MOST_DEPTH)
        row[column.NEGATIVE_STEPS] = _FAR_CUE
        if self.against[container]:
            row[column.NEGATIVE_STEPS] = min(self.depth[container] - self.against[container], _FAR_CUE)
        row[column.POSITIVE_BELOW_NEGATIVE] = max(
            min(self.positive[container] - self.against[container], _MOST_CUE_STEPS), -_MOST_CUE_STEPS
        )
        row[column.H1_BEFORE] = self.headings[block]
        row[column.PAGE_ARTICLES] = self.page_articles
        row[column.PAGE_PARAGRAPHS] = self.page_paragraphs
        row[column.SINCE_HEADING] = self.since[block]
        row[column.HEADING_REPLY] = self.reply[block]
        row[column.DECLARED_SHARE] = self.declared_words[block] / words
        row[column.DECLARED_OTHER] = self.other_words[block] / words
        row[column.PAGE_DECLARED] = self.page_declared
        row[column.PAGE_DECLARED_WORDS] = self.page_declared_words

    def _write_good_words(self, block: cython.Py_ssize_t, row: cython.float[::1]) -> cython.void:
        """Write the features about good words in a block, before, after and near it, and on its path."""
        path: cython.int = self.path[block]
        last: cython.bint = block == self.blocks - 1
        row[column.GOOD] = log1p(self.good[block]) if self.good[block] > 0.0 else 0.0
        row[column.PAGE_GOOD] = self.log_page_good
        row[column.TOP_SHARE] = self.good[block] / self.most_good
        row[column.GOOD_BEFORE] = self.good_before[block]
        row[column.GOOD_AFTER] = 1.0 - self.good_before[block + 1]
        row[column.PATH_BLOCKS] = log_of(cython.cast(cython.Py_ssize_t, self.path_blocks[path]))
        row[column.PATH_SHARE] = self.path_good[path] / self.page_good
        row[column.PATH_DENSITY] = self.path_good[path] / (self.path_words[path] + 1.0)
        row[column.PREVIOUS_PATH] = 1.0 if block > 0 and self.path[block - 1] == path else 0.0
        row[column.NEXT_PATH] = 1.0 if not last and self.path[block + 1] == path else 0.0
        row[column.WINDOW_DENSITY_1] = self._density_within(block, 1)
        row[column.WINDOW_DENSITY_5] = self._density_within(block, _REACH)
        row[column.WINDOW_SHARE] = (
            self.good_before[min(block + _REACH + 1, self.blocks)] - self.good_before[max(block - _REACH, 0)]
        )
        row[column.GAP_AFTER] = self.gap[block]

    def _write_containers(self, block: cython.Py_ssize_t, row: cython.float[::1]) -> cython.void:
        """Write the features about links, size and good words of the containers around a block."""
        linked: cython.double
        level: cython.int
        # The smallest container with more than one block, the next larger one, the next larger again.
        container: cython.Py_ssize_t = self.inner[block]
        if self.end[container] - self.first[container] == 1:
            container = self.larger[container]
        row[column.WIDTH_1] = self.words_inside[container] / self.page_words
        row[column.BLOCK_LENGTH_1] = log1p(self.words_inside[container] / (self.end[container] - self.first[container]))
        for level in range(_LEVELS):
            linked = self.linked_before[self.end[container]] - self.linked_before[self.first[container]]
            row[column.LINK_DENSITY_1 + level] = linked / max(self.words_inside[container], 1.0)
            row[column.SHARE_1 + level] = self.good_inside[container]
            container = self.larger[container]

    def _write_place_in_main(self, block: cython.Py_ssize_t, row: cython.float[::1]) -> cython.void:
        """Write the features about the main container and where a block stands to it."""
        first: cython.Py_ssize_t = self.first[self.main]
        end: cython.Py_ssize_t = self.end[self.main]
        size: cython.double = end - first
        row[column.MAIN_SIZE] = size / self.blocks
        row[column.MAIN_DENSITY] = self.good_inside[self.main] * (self.page_good / (self.words_inside[self.main] + 1.0))
        row[column.MAIN_WORDS] = self.words_inside[self.main] / self.page_words
        row[column.MAIN_DISTANCE] = min(block - first, 0) + max(block - (end - 1), 0)
        row[column.MAIN_POSITION] = max(min((block - first) / size, _FURTHEST), -_FURTHEST)
        row[column.MAIN_STEPS] = self.main_steps[block]
        row[column.WIDE_STEPS] = self.wide_steps[block]

    def _density_within(self, block: cython.Py_ssize_t, reach: cython.Py_ssize_t) -> cython.double:
        """Return good words by words in a window around a block."""
        low: cython.Py_ssize_t = max(block - reach, 0)
        high: cython.Py_ssize_t = min(block + reach + 1, self.blocks)
        inside: cython.double = self.good_before[high] - self.good_before[low]
        return inside * (self.page_good / (self.words_before[high] - self.words_before[low] + 1.0))
