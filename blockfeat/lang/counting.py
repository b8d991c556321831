"""Words, sentences and characters of a text, found and counted by character classes, in every script.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from typing import NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.lang import characters, word_keys

ANCHOR = 1
"""Flag of text inside an anchor."""
FORMAT = 2
"""Flag of text inside a formatting element."""

COUNTED = ("words", "anchor_words", "format_words", "sentences", "unspaced_words", "characters", "alphanumerics")
"""What `count_text` counts by block."""

_WORDS, _ANCHOR_WORDS, _FORMAT_WORDS, _SENTENCES, _UNSPACED_WORDS, _CHARACTERS, _ALPHANUMERICS = range(len(COUNTED))

_ALPHANUMERIC, _WORD = characters.ALPHANUMERIC, characters.ALPHANUMERIC | characters.MARK
_UNSPACED, _STOP, _STOP_OR_CLOSER = characters.UNSPACED, characters.STOP, characters.STOP | characters.CLOSER
_SPACE, _LOWERCASE, _IN_ANCHOR, _IN_FORMAT = characters.SPACE, characters.LOWERCASE, ANCHOR, FORMAT

_PERIOD, _ZERO, _NINE, _MOST_CLOSERS = ord("."), ord("0"), ord("9"), 4

_KEY_BASE, _KEY_SPREAD, _ALL_BITS = word_keys.BASE, word_keys.SPREAD, 2**64 - 1


class Row:
    """A row of an int matrix, by the name of a column: an attribute of classes that hold the matrix.

    Parameters
    ----------
    matrix : str
        The name of the attribute that is the matrix.
    number : int
        The row.
    """

    def __init__(self, matrix: str, number: int) -> None:
        self.matrix, self.number = matrix, number

    def __get__(self, owner: object, kind: type | None) -> NDArray[np.int32]:
        """Return the row."""
        row: NDArray[np.int32] = getattr(owner, self.matrix)[self.number]
        return row


def word_spans(classes: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where the words of a text start, and the position behind each.

    A word is a run of letters, digits and marks. In scripts without spaces every letter is a word of its own and
    takes the marks that follow it.

    Parameters
    ----------
    classes : uint8 array
        The class bits of each character.
    """
    starts, ends = np.empty(classes.size, dtype=np.int32), np.empty(classes.size, dtype=np.int32)
    count = _find_words(classes.data, starts.data, ends.data)
    return starts[:count].copy(), ends[:count].copy()


def _find_words(
    classes: cython.const[cython.uchar][::1], starts: cython.int[::1], ends: cython.int[::1]
) -> cython.Py_ssize_t:
    """Write where words start and end; return how many there are."""
    count: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t = 0
    with cython.nogil:
        while place < classes.shape[0]:
            if not classes[place] & _WORD:
                place += 1
                continue
            starts[count] = place
            place += 1
            while place < classes.shape[0] and _continues_word(classes[place], classes[place - 1]):
                place += 1
            ends[count] = place
            count += 1
    return count


def _continues_word(own: cython.uchar, before: cython.uchar) -> cython.bint:
    """Return whether a character belongs to the word of the one before, given the class bits of both."""
    is_single: cython.bint = (own & _ALPHANUMERIC != 0) & ((own | before) & _UNSPACED != 0)
    return (own & _WORD != 0) & (not is_single)


def words_in(text: str, classes: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the key of each word of a text in lower case, and where it starts, given the class bits of code points."""
    keys, starts = np.empty(len(text), dtype=np.uint64), np.empty(len(text), dtype=np.int32)
    class_of: cython.const[cython.uchar][::1] = classes if cython.compiled else classes.data
    key_of: cython.ulonglong[::1] = keys if cython.compiled else keys.data
    start_of: cython.int[::1] = starts if cython.compiled else starts.data
    count: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    own: cython.uchar
    before: cython.uchar = 0
    key: cython.ulonglong = 0
    power: cython.ulonglong = 1
    character: cython.Py_UCS4
    for place, character in enumerate(text):
        own = class_of[cython.cast(cython.Py_ssize_t, ord(character))]
        if own & _WORD:
            if not before & _WORD or not _continues_word(own, before):
                start_of[count] = place
                count += 1
                key, power = 0, 1
            key = (key + cython.cast(cython.ulonglong, ord(character)) * power) & _ALL_BITS
            power = (power * _KEY_BASE) & _ALL_BITS
            key_of[count - 1] = _spread(key)
        before = own
    return keys[:count].copy(), starts[:count].copy()


def _spread(key: cython.ulonglong) -> cython.ulonglong:
    key ^= key >> 29
    return (key * _KEY_SPREAD) & _ALL_BITS


def sentence_ends(
    codes: NDArray[np.uint32], classes: NDArray[np.uint8], block_ends: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the positions just behind each sentence end, ascending.

    Parameters
    ----------
    codes, classes : arrays of equal length
        Code points and class bits of the page's text; blocks end in a white space character.
    block_ends : int array
        Position behind each block, ascending.

    Notes
    -----
    A stop ends a sentence if white space follows its run of stops and closing quotes (full-width stops need none). A
    period does not if a lower-case letter comes next, nor behind a single letter (an initial) or a number of one or
    two digits (a German ordinal); at the end of a block it always does.
    """
    stops = np.flatnonzero(classes & characters.STOP)
    blocks = block_ends.searchsorted(stops, side="right").clip(max=block_ends.size - 1)
    places = zip(stops.tolist(), block_ends[blocks].tolist(), strict=True)
    ends = {_sentence_end(codes.data, classes.data, stop, end) for stop, end in places}
    return np.array(sorted(ends - {0}), dtype=np.int32)


def _sentence_end(
    codes: cython.const[cython.uint][::1],
    classes: cython.const[cython.uchar][::1],
    stop: cython.Py_ssize_t,
    block_end: cython.Py_ssize_t,
) -> cython.int:
    """Return the position behind the sentence that a stop ends, 0 where it ends none."""
    behind: cython.Py_ssize_t = _behind_closers(classes, stop + 1)
    if _is_wide(codes[stop]) or _is_spaced(codes, classes, stop, behind, block_end):
        return behind
    return 0


def _behind_closers(classes: cython.const[cython.uchar][::1], place: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the position behind the stops and closing quotes that stand here, a few at most."""
    end: cython.Py_ssize_t = min(place + _MOST_CLOSERS, classes.shape[0])
    while place < end and classes[place] & _STOP_OR_CLOSER:
        place += 1
    return place


def _is_wide(stop: cython.uint) -> cython.bint:
    """Return whether a stop needs no white space behind it."""
    return stop == 0x3002 or stop == 0xFF01 or stop == 0xFF0E or stop == 0xFF1F or stop == 0xFF61  # 。！．？｡


def _is_spaced(
    codes: cython.const[cython.uint][::1],
    classes: cython.const[cython.uchar][::1],
    stop: cython.Py_ssize_t,
    behind: cython.Py_ssize_t,
    block_end: cython.Py_ssize_t,
) -> cython.bint:
    """Return whether a stop is followed by white space and does not belong to an abbreviation."""
    if behind == classes.shape[0] or not classes[behind] & _SPACE:
        return False
    if codes[stop] != _PERIOD:
        return True
    while behind < block_end and classes[behind] & _SPACE:
        behind += 1
    if behind >= block_end:
        return True
    return not classes[behind] & _LOWERCASE and not _is_initial_or_ordinal(codes, classes, stop)


def _is_initial_or_ordinal(
    codes: cython.const[cython.uint][::1], classes: cython.const[cython.uchar][::1], stop: cython.Py_ssize_t
) -> cython.bint:
    """Return whether a single letter or a number of one or two digits stands before a period."""
    length: cython.Py_ssize_t = 0
    while length < 3 and length < stop and classes[stop - length - 1] & _ALPHANUMERIC:
        length += 1
    return length == 1 or (length == 2 and _ZERO <= codes[stop - 1] <= _NINE)


class CountedText(NamedTuple):
    """What one pass over the text of a page finds.

    Attributes
    ----------
    counts : int array, 7 × n
        `COUNTED` by block, a row each.
    keys : uint64 array
        The key of each word, lower-cased; see `blockfeat.lang.word_keys`.
    has_controls : bool
        Whether there are control characters.
    has_unspaced : bool
        Whether there is a word of a script without spaces.
    """

    counts: NDArray[np.int32]
    keys: NDArray[np.uint64]
    has_controls: bool
    has_unspaced: bool


def count_text(
    codes: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    block_ends: NDArray[np.int32],
    pieces: NDArray[np.int32],
    lower_case: NDArray[np.uint32],
) -> CountedText:
    """Find the words and sentences of a page's text and count them, and the characters, in one pass.

    Parameters
    ----------
    codes, classes : uint32 and uint8 array
        Code points and class bits of the text; blocks end in white space.
    block_ends : int array, n
        Position behind each block, ascending.
    pieces : int array, 2 × m
        Position behind each piece of the text, and whether it stands inside an anchor or a formatting element. A word
        belongs to the piece where it starts.
    lower_case : uint32 array
        The code point that stands in keys for each of the first code points.
    """
    counts = np.zeros((len(COUNTED), block_ends.size), dtype=np.int32)
    keys = np.empty(classes.size, dtype=np.uint64)
    views = (codes, lower_case, keys) if cython.compiled else (codes.data, lower_case.data, keys.data)
    words, seen, begins = _count_text(views[0], classes, block_ends, pieces, views[1], counts, views[2])
    has_controls, has_unspaced = bool(seen & characters.CONTROL), bool(begins & characters.UNSPACED)
    return CountedText(counts, keys[:words].copy(), has_controls, has_unspaced)


def _count_text(
    codes: cython.const[cython.uint][::1],
    classes: cython.const[cython.uchar][::1],
    block_ends: cython.const[cython.int][::1],
    pieces: cython.const[cython.int][:, ::1],
    lower_case: cython.const[cython.uint][::1],
    counts: cython.int[:, ::1],
    keys: cython.ulonglong[::1],
) -> tuple[int, int, int]:
    """Write the counts and the keys; return how many words there are, and all class bits outside and at their begin."""
    last_piece: cython.Py_ssize_t = pieces.shape[1] - 1
    cased: cython.Py_ssize_t = lower_case.shape[0]
    piece: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t = 0
    words: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    end: cython.Py_ssize_t
    block: cython.Py_ssize_t
    others: cython.int
    alphanumerics: cython.int
    begins_sentence: cython.bint
    seen: cython.uchar = 0
    begins: cython.uchar = 0
    own: cython.uchar
    code: cython.uint
    key: cython.ulonglong
    power: cython.ulonglong
    with cython.nogil:
        for block in range(block_ends.shape[0]):
            end = block_ends[block]
            begins_sentence = True
            others = alphanumerics = 0
            while place < end:
                own = classes[place]
                if not own & _WORD:
                    seen |= own
                    others += own & _SPACE == 0
                    if own & _STOP and _sentence_end(codes, classes, place, end) > 0:
                        begins_sentence = True
                    place += 1
                    continue
                begins |= own
                first = place
                key = 0
                power = 1
                while True:
                    code = codes[place]
                    if code < cased:
                        code = lower_case[code]
                    key = (key + code * power) & _ALL_BITS
                    power = (power * _KEY_BASE) & _ALL_BITS
                    place += 1
                    if place >= end or not _continues_word(classes[place], classes[place - 1]):
                        break
                keys[words] = _spread(key)
                words += 1
                alphanumerics += place - first
                while piece < last_piece and pieces[0, piece] <= first:
                    piece += 1
                _add_word(counts, block, own, pieces[1, piece], begins_sentence)
                begins_sentence = False
            counts[_CHARACTERS, block] = others + alphanumerics
            counts[_ALPHANUMERICS, block] = alphanumerics
        while place < classes.shape[0]:
            seen |= classes[place]
            place += 1
    return words, seen, begins


def _add_word(
    counts: cython.int[:, ::1],
    block: cython.Py_ssize_t,
    own: cython.uchar,
    flags: cython.uchar,
    begins_sentence: cython.bint,
) -> cython.void:
    """Count one word of a block, given the class bits of its first character and the flags of its piece."""
    counts[_WORDS, block] += 1
    counts[_ANCHOR_WORDS, block] += flags & _IN_ANCHOR != 0
    counts[_FORMAT_WORDS, block] += flags & _IN_FORMAT != 0
    counts[_SENTENCES, block] += begins_sentence
    counts[_UNSPACED_WORDS, block] += own & _UNSPACED != 0
