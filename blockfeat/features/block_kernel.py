"""Features of the blocks of a page, some rows at a time; those of each block by itself (compiled)."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

from blockfeat.blocks.table import COLUMNS, ROLES, Blocks
from blockfeat.features.keys import WordFlags, slots_for
from blockfeat.features.places import COLUMNS as FEATURES
from blockfeat.lang.counting import COUNTED

if not cython.compiled:
    from blockfeat.features import places as column
    from blockfeat.features.keys import number_codes

Rows = NDArray[np.float32]

_ALL_BITS, _LONGEST_WORD, _MOST_OCCURRENCES, _SHORT, _FLAGS, _FEW = (1 << 64) - 1, 30.0, 5, 8, 6, 256
# Most counts are small: to look up a logarithm takes a fifth of the time.
_LOGS = np.array([log1p(count) for count in range(_FEW)])
# Kinds of flags: promotion, credit, related, reply, title, description, as their columns follow each other.
_REPLY = cython.declare(cython.int, 3)
_START, _END, _FORMATS, _LISTS, _STRUCTURES = map(COLUMNS.index, ("start", "end", *ROLES))
_WORDS, _ANCHOR_WORDS, _, _SENTENCES, _UNSPACED_WORDS, _CHARACTERS, _ALPHANUMERICS = range(len(COUNTED))


class FeatureRows:
    """The features of the n blocks of a page, k each, of which some rows are written at a time: those of a matrix.

    Parameters
    ----------
    matrix : float32 array, n × k
        The features.
    """

    def __init__(self, matrix: Rows) -> None:
        self.values = np.ascontiguousarray(matrix)
        self.blocks, self.width = matrix.shape

    def __reduce__(self) -> tuple[type[FeatureRows], tuple[Rows]]:
        """Pickle the features as a matrix."""
        return FeatureRows, (self.matrix(),)

    def matrix(self) -> Rows:
        """Return the features of all blocks: n × k."""
        rows = np.empty((self.blocks, self.width), dtype=np.float32)
        self.write(0, rows)
        return rows

    def write(self, first: cython.Py_ssize_t, rows: cython.float[:, ::1]) -> cython.void:
        """Write the features of blocks from a first one on: as many as there are rows."""
        rows[:, :] = self.values[first : first + rows.shape[0]]


class OwnRows(FeatureRows):
    """The features that depend on a block's own text, markup and position, and on what the whole page has.

    Parameters
    ----------
    blocks : Blocks
        The n blocks of the page, at least one.
    words_before : float array, n + 1
        Words before each, and of all.
    stop_words : float array, n
        Normalised stop-word ratio of each.
    flags : WordFlags
        Cues of the words.
    spread : int
        Random odd multiplier of a hash table; see `blockfeat.features.keys.number_codes`.
    """

    def __init__(
        self,
        blocks: Blocks,
        words_before: NDArray[np.float64],
        stop_words: NDArray[np.float64],
        flags: WordFlags,
        spread: int,
    ) -> None:
        count = blocks.columns.shape[1]
        self.blocks, self.width = count, len(FEATURES)
        self.count, self.place = blocks.measures.counts, blocks.columns
        self.words_before, self.stop_words, self.flags = words_before, stop_words, flags.flags
        self.in_title, self.in_descriptions = flags.in_title + 1.0, flags.in_descriptions + 1.0
        room: cython.int[:, ::1] = np.zeros((6, count + 1), dtype=np.int32)
        self.anchors, self.replies, self.replies_before, self.occurrences = room[0], room[1], room[2], room[3]
        self.number, self.count_of = room[4], room[5]
        self.terminal = np.empty(count, dtype=np.float32)
        self.slots, self.spread = np.empty(slots_for(count), dtype=np.int32), spread
        code, keys = np.zeros(count, dtype=np.uint64), blocks.measures.token_keys
        self.code = code if cython.compiled else code.data
        self._look_at_words(keys if cython.compiled else keys.data)
        self._count_anchors(blocks.anchors.start)
        self._count_occurrences()
        self._find_endings(blocks.page_text.text)

    def _look_at_words(self, keys: cython.ulonglong[::1]) -> cython.void:
        """Count replies and the words of the page; write a code for each block's words.

        The sum of their keys, so that blocks with the same words have the same code.
        """
        anchor_words: cython.longlong = 0
        unspaced: cython.longlong = 0
        replies: cython.int = 0
        word: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = 0
        block: cython.Py_ssize_t
        with cython.nogil:
            for block in range(self.blocks):
                end += self.count[_WORDS, block]
                for word in range(end - self.count[_WORDS, block], end):
                    self.code[block] = (self.code[block] + keys[word]) & _ALL_BITS
                    self.replies[block] += (self.flags[word] >> _REPLY) & 1
                self.replies_before[block] = replies
                if self.count[_WORDS, block] <= _SHORT:
                    replies += self.replies[block]
                anchor_words += self.count[_ANCHOR_WORDS, block]
                unspaced += self.count[_UNSPACED_WORDS, block]
            self.page_words = max(self.words_before[self.blocks], 1.0)
            self.page_density = anchor_words / self.page_words
            self.page_unspaced = unspaced / self.page_words
            self.page_blocks = log1p(self.blocks)

    def _count_anchors(self, start: cython.int[::1]) -> cython.void:
        """Count the anchors that begin in each block."""
        anchor: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t
        block: cython.Py_ssize_t
        with cython.nogil:
            for block in range(self.blocks):
                first = anchor
                while anchor < start.shape[0] and start[anchor] < self.place[_END, block]:
                    anchor += 1
                self.anchors[block] = anchor - first

    def _count_occurrences(self) -> cython.void:
        """Count the blocks that have the words of each."""
        block: cython.Py_ssize_t
        with cython.nogil:
            number_codes(self.code, self.number, self.slots, self.spread)
            for block in range(self.blocks):
                self.count_of[self.number[block]] += 1
            for block in range(self.blocks):
                self.occurrences[block] = min(self.count_of[self.number[block]], _MOST_OCCURRENCES)

    def _find_endings(self, text: str) -> cython.void:
        """Find how each block ends: 1 for a full stop or quote, 0.6 for a colon, 0.4 for an ellipsis, else 0."""
        block: cython.Py_ssize_t
        place: cython.Py_ssize_t
        for block in range(self.blocks):
            place = self.place[_END, block] - 1
            while place > self.place[_START, block] and _is_space(text[place]):
                place -= 1
            self.terminal[block] = _terminal(text[place])

    def density(self, block: cython.Py_ssize_t) -> cython.double:
        """Return the share of a block's words that are links."""
        below: cython.double = max(self.count[_WORDS, block], 1)
        return self.count[_ANCHOR_WORDS, block] / below

    def write_own(self, block: cython.Py_ssize_t, row: cython.float[::1]) -> cython.void:
        """Write the features of a block by itself."""
        words: cython.double = max(self.count[_WORDS, block], 1)
        below: cython.double
        last: cython.bint = block == self.blocks - 1
        # The eight features of Ziegler & Skubacz 2007.
        below = max(self.count[_SENTENCES, block], 1)
        row[column.AVERAGE_SENTENCE_LENGTH] = self.count[_WORDS, block] / below
        row[column.SENTENCE_COUNT] = self.count[_SENTENCES, block]
        below = max(self.count[_CHARACTERS, block], 1)
        row[column.CHARACTER_DISTRIBUTION] = self.count[_ALPHANUMERICS, block] / below
        row[column.STOP_WORD_RATIO] = self.stop_words[block]
        row[column.ANCHOR_RATIO] = self.density(block)
        row[column.FORMAT_TAG_RATIO] = self.place[_FORMATS, block] / words
        row[column.LIST_ELEMENT_RATIO] = self.place[_LISTS, block] / words
        row[column.TEXT_STRUCTURING_RATIO] = self.place[_STRUCTURES, block] / words
        row[column.LOG_WORDS] = log_of(self.count[_WORDS, block])
        row[column.PLAIN_WORDS] = log_of(self.count[_WORDS, block] - self.count[_ANCHOR_WORDS, block])
        row[column.WORD_LENGTH] = min(self.count[_CHARACTERS, block] / words, _LONGEST_WORD)
        row[column.TERMINAL] = self.terminal[block]
        row[column.ANCHORS] = log_of(self.anchors[block])
        row[column.OCCURRENCES] = self.occurrences[block]
        row[column.WORD_POSITION] = self.words_before[block] / self.page_words
        row[column.PAGE_BLOCKS] = self.page_blocks
        row[column.PAGE_DENSITY] = self.page_density
        row[column.PAGE_UNSPACED] = self.page_unspaced
        row[column.REPLIES_BEFORE] = log_of(self.replies_before[block])
        row[column.PREVIOUS_DENSITY] = self.density(block - 1) if block > 0 else 1.0
        row[column.NEXT_DENSITY] = 1.0 if last else self.density(block + 1)
        row[column.NEXT_TERMINAL] = 0.0 if last else self.terminal[block + 1]
        self._write_cues(block, words, row)

    def _write_cues(self, block: cython.Py_ssize_t, words: cython.double, row: cython.float[::1]) -> cython.void:
        """Write the shares of words of clutter, of the title and of the descriptions."""
        first: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.words_before[block])
        word: cython.Py_ssize_t
        kind: cython.int
        for kind in range(_FLAGS):
            row[column.WORDS_PROMOTION + kind] = 0.0
        for word in range(first, first + self.count[_WORDS, block]):
            if self.flags[word]:
                for kind in range(_FLAGS):
                    row[column.WORDS_PROMOTION + kind] += (self.flags[word] >> kind) & 1
        row[column.TITLE_COVER] = row[column.TITLE_SHARE] / self.in_title
        row[column.DESCRIPTION_COVER] = row[column.DESCRIPTION_SHARE] / self.in_descriptions
        for kind in range(_FLAGS):
            row[column.WORDS_PROMOTION + kind] /= words


def log_of(count: cython.Py_ssize_t) -> cython.double:
    """Return the logarithm of a count and 1."""
    return _LOGS[count] if 0 <= count < _FEW else log1p(count)


def _is_space(character: cython.Py_UCS4) -> cython.bint:
    """Return whether a character is white space or has no width."""
    return character.isspace() or character in "\u200b\u2060\ufeff"


def _terminal(character: cython.Py_UCS4) -> cython.double:
    """Return the value of a character that ends a block."""
    if character in ".!?。！？।؟\"”“»’')）」』":
        return 1.0
    if character in ":：":
        return 0.6
    return 0.4 if character == "…" else 0.0
