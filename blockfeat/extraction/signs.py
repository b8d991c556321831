"""Signs: bits that prove that a rule changes nothing on a page, found in one pass over its blocks (compiled).

A rule runs where its bit is set; most pages need few rules. Where a bit is not set, the rule would return what it got.
What rules sum up in containers is here too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import cython
import numpy as np
from cython.cimports.libc.math import exp
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import DEFINITIONS, HEADINGS, KEYS, TABLE
from blockfeat.blocks.table import COLUMNS, Blocks, Indices
from blockfeat.content.plain import MOST_WORDS, MOST_WORDS_WITH_HEADER
from blockfeat.lang.characters import ALPHANUMERIC, SPACE
from blockfeat.lang.counting import COUNTED
from blockfeat.lang.measures import lower_case_table
from blockfeat.page.tags import name_key

# The lowest eight bits are `Blocks.names`: elements that the page has; tables and definition lists only where they hold
# a block that is kept, and tables where they may be of data.
DOUBT, STANDFIRST, HEADING, POINTER, CONSENT, REST = (1 << bit for bit in range(8, 14))
"""Little is expected of the text; a block before it may be its standfirst; a heading inside of it is dropped; a short
block that is kept is mostly links; a phrase of consent may begin in one of the blocks at its edges; so much of what is
likely is not kept that a list may be missing its items."""
ALWAYS = 1 << 14

DOUBTFUL = 0.8
"""Expected word F1 below which a page is in doubt: with 0.8 no corpus loses by the named box, with 0.95 three do."""
UNSURE, MOST_FOUND = 0.93, 0.933
"""Of pages whose rest is looked for less is expected, and at most so much of the likely words is kept."""
LONGEST_POINTER, POINTER_LINKS = 40, 0.5
"""A pointer has at most so many words, and so many of them are links."""
STANDFIRST_WORDS, STANDFIRST_LINKS = 8, 0.3
"""A standfirst has at least so many words, and at most so many of them are links."""
LEAST_LOG_ODDS = -2.944
"""Log odds of a probability of 1 in 20: what the model is surer of than that stays dropped."""
BEGIN_WORDS, BLOCKS_BEFORE = 12, 12
"""The text begins with the first kept block of so many words; its standfirst is among so many blocks before that."""
EDGE_CHARACTERS = 200
"""Of the blocks at the edges so many characters are looked at."""
PROSE_LINKS = 0.5
"""At most so many words of prose are links."""

_DOUBT, _STANDFIRST, _HEADING, _POINTER, _CONSENT, _ALWAYS = DOUBT, STANDFIRST, HEADING, POINTER, CONSENT, ALWAYS
_REST, _UNSURE, _MOST_FOUND = REST, UNSURE, MOST_FOUND
_LONGEST_POINTER, _POINTER_LINKS, _LEAST_LOG_ODDS = LONGEST_POINTER, POINTER_LINKS, LEAST_LOG_ODDS
_STANDFIRST_WORDS, _STANDFIRST_LINKS = STANDFIRST_WORDS, STANDFIRST_LINKS
_BEGIN_WORDS, _BLOCKS_BEFORE, _EDGE_CHARACTERS = BEGIN_WORDS, BLOCKS_BEFORE, EDGE_CHARACTERS
_PROSE_LINKS, _FURTHEST, _DOUBTFUL = PROSE_LINKS, 50.0, DOUBTFUL
_TABLE, _DEFINITIONS = TABLE, DEFINITIONS
# Headings of lists may stand so many blocks before the text; of a section so many words are kept, and of its heading at
# most so many are links.
_BEFORE_LIST, _LEAST_OF_SECTION, _HEADING_LINKS = 4, 0.5, 0.5
_WORDS, _ANCHOR_WORDS = (COUNTED.index(name) for name in ("words", "anchor_words"))
_START, _END = (COLUMNS.index(name) for name in ("start", "end"))
# Rows of `blockfeat.blocks.table.Containers.columns`.
_PARENT, _FIRST_BLOCK, _END_BLOCK = 1, 2, 3
_SPACE, _ALPHANUMERIC = SPACE, ALPHANUMERIC
_BLANK, _QUOTE, _APOSTROPHE, _FINAL_SIGMA, _SIGMA = (ord(character) for character in " \u2019'\u03c2\u03c3")
# From Thai on most scripts do not part words; see `blockfeat.extraction.walls`.
_UNPARTED = 0xE00
_ROW, _CELL, _HEADER, _TABLE_KEY, _LIST_KEY = map(name_key, ("tr", "td", "th", "table", "dl"))
_HEADINGS = cython.declare(cython.const[cython.ulonglong][::1], KEYS[HEADINGS])
_FEWEST_CELLS, _MOST_OF_CELL, _MOST_WITH_HEADER = 4, MOST_WORDS, MOST_WORDS_WITH_HEADER
_LONGEST_BEGIN, _BITS, _TWO, _ALL_BITS, _SPREAD, _HASH_BITS = 10, 6, (1 << 12) - 1, 2**64 - 1, 0x9E3779B97F4A7C15, 52
# A bit for each of the last characters, and of those the second, fourth, sixth, eighth and tenth.
_LAST_ONES, _EVEN_ONES = (1 << 10) - 1, 0b1010101010


class Signs(NamedTuple):
    """Signs of a page, by which rules are skipped.

    Attributes
    ----------
    bits : int
        The signs that are set, and `Blocks.names`.
    first : int
        The first block that is kept; -1 for none.
    kept, likely, prose : int
        Words of what is kept; of what is kept and more likely content than not; of all blocks that are not mostly
        links.
    """

    bits: int
    first: int
    kept: int
    likely: int
    prose: int


class Begins:
    """How phrases in lower case begin: with ten characters, or with an even number of fewer.

    The number of some characters is their code points six bits apart, of as many bits as there are in all.

    Attributes
    ----------
    pairs : uint8 array, 4096
        1 for the numbers of the first two characters.
    numbers : uint64 array
        The numbers.
    slots : uint8 array, 4096
        1 for what the numbers are hashed to.
    lower_case : uint32 array
        The lower case of each of the first code points.
    """

    def __init__(self, pairs: NDArray[np.uint8], numbers: NDArray[np.uint64], slots: NDArray[np.uint8]) -> None:
        self.pairs, self.numbers, self.slots, self.lower_case = pairs, numbers.data, slots, lower_case_table().data


def begins_of(phrases: Iterable[str]) -> Begins:
    """Return how phrases in lower case begin."""
    pairs, slots = np.zeros((2, _TWO + 1), dtype=np.uint8)
    numbers = set()
    for phrase in phrases:
        length, number = min(len(phrase) // 2 * 2, _LONGEST_BEGIN), 0
        for place, character in enumerate(phrase[:length].replace("\u03c2", "\u03c3")):
            number = (number << _BITS ^ ord(character)) & (1 << _BITS * length) - 1
            if place == 1:
                pairs[number & _TWO] = 1
        numbers.add(number)
        slots[(number * _SPREAD & _ALL_BITS) >> _HASH_BITS] = 1
    return Begins(pairs, np.array(sorted(numbers), dtype=np.uint64), slots)


def signs_of(
    blocks: Blocks, kept: NDArray[np.bool_], log_odds: NDArray[np.floating[Any]] | None, consent: Begins
) -> Signs:
    """Return the signs of a page with n blocks.

    Parameters
    ----------
    blocks : Blocks
        The blocks.
    kept : bool array, n
        Those that are kept.
    log_odds : float array, n, optional
        Logits of their probabilities; without them nothing is in doubt, and no standfirst is looked for.
    consent : Begins
        How phrases of consent begin.
    """
    odds = np.zeros(kept.size) if log_odds is None else log_odds.astype(np.float64)
    bits, first, *words = _look(blocks, kept.view(np.uint8), odds, consent)
    if log_odds is None:
        bits &= ~(DOUBT | STANDFIRST | REST)
        words[1] = words[0]
    return Signs(bits | blocks.names & ~(TABLE | DEFINITIONS), first, *words)


def _look(
    blocks: Blocks, is_kept: NDArray[np.uint8], log_odds: NDArray[np.float64], consent: Begins
) -> tuple[int, int, int, int, int]:
    """Return the signs, and the words that `Signs` counts."""
    kept: cython.const[cython.uchar][::1] = is_kept
    odds: cython.const[cython.double][::1] = log_odds
    counts: cython.const[cython.int][:, ::1] = blocks.measures.counts
    words: cython.const[cython.int][::1] = counts[_WORDS]
    linked: cython.const[cython.int][::1] = counts[_ANCHOR_WORDS]
    container: cython.const[cython.int][::1] = blocks.container
    keys: cython.const[cython.ulonglong][::1] = blocks.containers.key
    inside: cython.const[cython.int][:, ::1] = blocks.containers.columns
    first = second = begin = count = kept.shape[0]
    last = last_but_one = -1
    bits, following = _ALWAYS, 0
    expected = expected_kept = 0.0
    kept_words = likely_words = prose = 0
    for block in range(count):
        chance = words[block] / (1 + exp(-max(odds[block], -_FURTHEST)))
        expected += chance
        if linked[block] <= _PROSE_LINKS * words[block]:
            prose += words[block]
        if not kept[block]:
            continue
        expected_kept += chance
        kept_words += words[block]
        last_but_one, last = last, block
        if first == count:
            first = block
        elif second == count:
            second = block
        if odds[block] > 0:
            likely_words += words[block]
        if begin == count and words[block] >= _BEGIN_WORDS:
            begin = block
        if words[block] <= _LONGEST_POINTER and linked[block] >= _POINTER_LINKS * words[block]:
            bits |= _POINTER
    if last >= 0 and _may_ask(blocks, sorted({first, min(second, last), max(last_but_one, first), last}), consent):
        bits |= _CONSENT
    if 2 * expected_kept < _DOUBTFUL * (kept_words + expected):
        bits |= _DOUBT
    if 2 * expected_kept < _UNSURE * (kept_words + expected) and expected_kept <= _MOST_FOUND * expected:
        bits |= _REST
    # Containers are in the order of their first blocks.
    for place in range(keys.shape[0]):
        if keys[place] != _TABLE_KEY and keys[place] != _LIST_KEY:
            continue
        while following < count and (following < inside[_FIRST_BLOCK, place] or not kept[following]):
            following += 1
        if following >= inside[_END_BLOCK, place]:
            continue
        if keys[place] == _LIST_KEY:
            bits |= _DEFINITIONS
        elif not bits & _TABLE and _may_hold_data(place, keys, inside, words):
            bits |= _TABLE
    for block in range(max(begin - _BLOCKS_BEFORE, 0), begin if begin < count else 0):
        if kept[block] or words[block] < _STANDFIRST_WORDS or odds[block] < _LEAST_LOG_ODDS:
            continue
        if linked[block] <= _STANDFIRST_LINKS * words[block]:
            bits |= _STANDFIRST
    for block in range(first, last):
        if kept[block] or container[block] < 0 or linked[block] > _HEADING_LINKS * words[block]:
            continue
        if _is_one_of(keys[container[block]], _HEADINGS):
            bits |= _HEADING
    return bits, first if last >= 0 else -1, kept_words, likely_words, prose


def _may_hold_data(table: cython.Py_ssize_t, keys: NDArray[np.uint64], inside: Indices, words: Indices) -> cython.bint:
    """Return whether a table may be one of data: it holds no other, and enough cells, none of them of many words."""
    behind = cells = most = 0
    has_row = has_header = False
    for place in range(table + 1, keys.shape[0]):
        if inside[_PARENT, place] < table:
            break
        if keys[place] == keys[table]:
            return False
        has_row |= keys[place] == _ROW
        if not has_row or (keys[place] != _CELL and keys[place] != _HEADER):
            continue
        cells += 1
        has_header |= keys[place] == _HEADER
        # Of cells in one another the outer one is counted, so that it takes linear time.
        if inside[_FIRST_BLOCK, place] >= behind:
            behind = inside[_END_BLOCK, place]
            held = 0
            for block in range(inside[_FIRST_BLOCK, place], behind):
                held += words[block]
            most = max(most, held)
    return cells >= _FEWEST_CELLS and most <= (_MOST_WITH_HEADER if has_header else _MOST_OF_CELL)


def _may_ask(blocks: Blocks, edges: Iterable[int], consent: Begins) -> bool:
    """Return whether a phrase may begin in one of some blocks, one behind the other."""
    places: cython.const[cython.int][:, ::1] = blocks.columns
    codes: cython.const[cython.uint][::1] = blocks.page_text.codes.data
    classes: cython.const[cython.uchar][::1] = blocks.page_text.classes
    number, last_code, starts, follows_word = _BLANK, _BLANK, 0, False
    for block in edges:
        # What stands there is a blank, or stands for the one between two blocks.
        behind = min(places[_START, block] + _EDGE_CHARACTERS, places[_END, block] - 1)
        for place in range(places[_START, block], behind + 1):
            code = codes[place]
            if not starts and follows_word and classes[place] & _ALPHANUMERIC and code < _UNPARTED and place < behind:
                continue
            if classes[place] & _SPACE or place == behind:
                if last_code == _BLANK:
                    continue
                code = _BLANK
            elif code < len(consent.lower_case):
                code = consent.lower_case[code]
            code = _SIGMA if code == _FINAL_SIGMA else _APOSTROPHE if code == _QUOTE else code
            # One bit for each of the last characters: phrases begin with a word, where words are parted.
            starts = (starts << 1 | (code >= _UNPARTED or not follows_word)) & _LAST_ONES
            follows_word = code != _BLANK and classes[place] & _ALPHANUMERIC != 0
            last_code = code
            number = ((number << _BITS) ^ code) & _ALL_BITS
            if starts & 2 and not consent.pairs[number & _TWO]:
                starts ^= 2
            if not starts & _EVEN_ONES:
                continue
            for length in range(2, _LONGEST_BEGIN + 2, 2):
                if starts >> (length - 1) & 1:
                    begin = number & (_ALL_BITS >> (64 - _BITS * length))
                    slot = (begin * _SPREAD & _ALL_BITS) >> _HASH_BITS
                    if consent.slots[slot] and _is_one_of(begin, consent.numbers):
                        return True
    return False


def inside(blocks: Blocks, counts: Indices, among: NDArray[np.bool_] | None = None) -> Indices:
    """Return for each container the sum of what is counted of the blocks in it, of all of them or of some."""
    count: cython.const[cython.int][::1] = counts
    some = np.ones(counts.size, dtype=np.bool_) if among is None else among
    is_counted: cython.const[cython.uchar][::1] = some.view(np.uint8)
    before: cython.int[::1] = np.zeros(counts.size + 1, dtype=np.int32)
    spans: cython.const[cython.int][:, ::1] = blocks.containers.columns
    found = np.empty(spans.shape[1], dtype=np.int32)
    held: cython.int[::1] = found
    for place in range(count.shape[0]):
        before[place + 1] = before[place] + (count[place] if is_counted[place] else 0)
    for place in range(held.shape[0]):
        held[place] = before[spans[_END_BLOCK, place]] - before[spans[_FIRST_BLOCK, place]]
    return found


def within(blocks: Blocks, containers: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which blocks stand inside one of some containers, given as a mask or by their numbers, which ascend."""
    is_mask = containers.dtype == np.bool_
    chosen: cython.const[cython.Py_ssize_t][::1] = containers.nonzero()[0] if is_mask else containers
    spans: cython.const[cython.int][:, ::1] = blocks.containers.columns
    found = np.zeros(blocks.columns.shape[1], dtype=np.bool_)
    is_inside: cython.uchar[::1] = found.view(np.uint8)
    behind = 0
    for place in range(chosen.shape[0]):
        for block in range(max(behind, spans[_FIRST_BLOCK, chosen[place]]), spans[_END_BLOCK, chosen[place]]):
            is_inside[block] = 1
        behind = max(behind, spans[_END_BLOCK, chosen[place]])
    return found


def section_headings(blocks: Blocks, kept: NDArray[np.bool_], *, of_list: bool = False) -> NDArray[np.bool_]:
    """Return which blocks are kept once headings inside the text are kept where their sections are; linear.

    A section is what follows a heading, up to the next one of its rank or a higher one, in the element around it; most
    of its words have to be kept. In lists headings below the first rank are links too, and may stand right before the
    text.
    """
    return _section_headings(blocks, kept, of_list)


def _section_headings(blocks: Blocks, kept: NDArray[np.bool_], of_list: bool) -> NDArray[np.bool_]:
    is_kept: cython.const[cython.uchar][::1] = kept.view(np.uint8)
    counts: cython.const[cython.int][:, ::1] = blocks.measures.counts
    words: cython.const[cython.int][::1] = counts[_WORDS]
    linked: cython.const[cython.int][::1] = counts[_ANCHOR_WORDS]
    container: cython.const[cython.int][::1] = blocks.container
    keys: cython.const[cython.ulonglong][::1] = blocks.containers.key
    spans: cython.const[cython.int][:, ::1] = blocks.containers.columns
    chosen = kept.copy()
    is_chosen: cython.uchar[::1] = chosen.view(np.uint8)
    count, last = is_kept.shape[0], -1
    first = count
    before: cython.int[:, ::1] = np.zeros((2, count + 1), dtype=np.int32)
    following: cython.int[::1] = np.full(_HEADINGS.shape[0], count, dtype=np.int32)
    for block in range(count):
        before[0, block + 1] = before[0, block] + words[block]
        before[1, block + 1] = before[1, block] + (words[block] if is_kept[block] else 0)
        if is_kept[block]:
            first, last = min(first, block), block
    first = max(first - _BEFORE_LIST, -1) if of_list else first
    for block in range(count - 1, first, -1):
        around, rank = container[block], 0
        while around >= 0 and rank < _HEADINGS.shape[0] and keys[around] != _HEADINGS[rank]:
            rank += 1
        if around < 0 or rank == _HEADINGS.shape[0]:
            continue
        may_be = rank > 0 if of_list else linked[block] <= _HEADING_LINKS * words[block]
        if block < last and may_be and not is_kept[block]:
            while around >= 0 and spans[_END_BLOCK, around] <= block + 1:
                around = spans[_PARENT, around]
            behind = spans[_END_BLOCK, around] if around >= 0 else count
            for higher in range(rank + 1):
                behind = min(behind, following[higher])
            size = before[0, behind] - before[0, block + 1]
            is_chosen[block] = size > 0 and before[1, behind] - before[1, block + 1] >= _LEAST_OF_SECTION * size
        following[rank] = block
    return chosen


def _is_one_of(key: cython.ulonglong, keys: cython.const[cython.ulonglong][::1]) -> cython.bint:
    """Return whether a key is one of a few."""
    for number in range(keys.shape[0]):  # noqa: SIM110 (a generator is many times as slow)
        if key == keys[number]:
            return True
    return False
