"""Words, sentences and characters of a text, found and counted by character classes, in every script.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.lang import characters

ANCHOR = 1
"""Flag of text inside an anchor."""
FORMAT = 2
"""Flag of text inside a formatting element."""

COUNTED = ("words", "anchor_words", "format_words", "sentences", "characters", "alphanumerics", "unspaced_words")
"""What `count_by_block` counts."""

_WORDS = cython.declare(cython.int, COUNTED.index("words"))
_ANCHOR_WORDS = cython.declare(cython.int, COUNTED.index("anchor_words"))
_FORMAT_WORDS = cython.declare(cython.int, COUNTED.index("format_words"))
_SENTENCES = cython.declare(cython.int, COUNTED.index("sentences"))
_CHARACTERS = cython.declare(cython.int, COUNTED.index("characters"))
_ALPHANUMERICS = cython.declare(cython.int, COUNTED.index("alphanumerics"))
_UNSPACED_WORDS = cython.declare(cython.int, COUNTED.index("unspaced_words"))

_ALPHANUMERIC = cython.declare(cython.uchar, characters.ALPHANUMERIC)
_WORD = cython.declare(cython.uchar, characters.ALPHANUMERIC | characters.MARK)
_UNSPACED = cython.declare(cython.uchar, characters.UNSPACED)
_STOP = cython.declare(cython.uchar, characters.STOP)
_STOP_OR_CLOSER = cython.declare(cython.uchar, characters.STOP | characters.CLOSER)
_SPACE = cython.declare(cython.uchar, characters.SPACE)
_LOWERCASE = cython.declare(cython.uchar, characters.LOWERCASE)
_IN_ANCHOR = cython.declare(cython.uchar, ANCHOR)
_IN_FORMAT = cython.declare(cython.uchar, FORMAT)

_PERIOD = cython.declare(cython.uint, ord("."))
_ZERO = cython.declare(cython.uint, ord("0"))
_NINE = cython.declare(cython.uint, ord("9"))
_MOST_CLOSERS = cython.declare(cython.int, 4)


def word_spans(classes: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where the words of a text start, and the position behind each.

    A word is a run of letters, digits and marks. In scripts without spaces every letter is a word of its own and
    takes the marks that follow it.

    Parameters
    ----------
    classes : uint8 array
        The class bits of each character.
    """
    # One more than there can be words: the loop writes before it knows.
    starts, ends = np.empty(classes.size + 1, dtype=np.int32), np.empty(classes.size + 1, dtype=np.int32)
    count = _find_words(classes.data, starts.data, ends.data)
    return starts[:count].copy(), ends[:count].copy()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _starts_word(own: cython.uchar, before: cython.uchar) -> cython.bint:
    """Return whether a word starts at a character, given the class bits of it and of the one before."""
    is_single: cython.bint = (own & _ALPHANUMERIC != 0) & ((own | before) & _UNSPACED != 0)
    return (own & _WORD != 0) & ((before & _WORD == 0) | is_single)


@cython.cfunc
def _find_words(
    classes: cython.const[cython.uchar][::1], starts: cython.int[::1], ends: cython.int[::1]
) -> cython.Py_ssize_t:
    """Write where words start and end; return how many there are.

    Without branches, which a processor would guess wrong at every second word.
    """
    started: cython.Py_ssize_t = 0
    ended: cython.Py_ssize_t = 0
    before: cython.uchar = 0
    own: cython.uchar
    starts_here: cython.bint
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(classes.shape[0]):
            own = classes[place]
            starts_here = _starts_word(own, before)
            ends[ended] = place
            ended += (before & _WORD != 0) & ((own & _WORD == 0) | starts_here)
            starts[started] = place
            started += starts_here
            before = own
        ends[ended] = classes.shape[0]
    return started


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
    ends = np.empty(classes.size, dtype=np.int32)
    count = _find_sentence_ends(codes.data, classes.data, block_ends.data, ends.data)
    return ends[:count].copy()


@cython.cfunc
def _find_sentence_ends(
    codes: cython.const[cython.uint][::1],
    classes: cython.const[cython.uchar][::1],
    block_ends: cython.const[cython.int][::1],
    ends: cython.int[::1],
) -> cython.Py_ssize_t:
    """Write the sentence ends; return how many there are."""
    count: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = block_ends.shape[0] - 1
    stop: cython.Py_ssize_t
    behind: cython.Py_ssize_t
    with cython.nogil:
        for stop in range(classes.shape[0]):
            if not classes[stop] & _STOP:
                continue
            while block < last and block_ends[block] <= stop:
                block += 1
            behind = _behind_closers(classes, stop + 1)
            if not _is_wide(codes[stop]) and not _ends_sentence(codes, classes, stop, behind, block_ends[block]):
                continue
            if count == 0 or ends[count - 1] != behind:
                ends[count] = behind
                count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _behind_closers(classes: cython.const[cython.uchar][::1], place: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the position behind the stops and closing quotes that stand here, a few at most."""
    end: cython.Py_ssize_t = min(place + _MOST_CLOSERS, classes.shape[0])
    while place < end and classes[place] & _STOP_OR_CLOSER:
        place += 1
    return place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_wide(stop: cython.uint) -> cython.bint:
    """Return whether a stop needs no white space behind it."""
    return stop == 0x3002 or stop == 0xFF01 or stop == 0xFF0E or stop == 0xFF1F or stop == 0xFF61  # 。！．？｡


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ends_sentence(
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_initial_or_ordinal(
    codes: cython.const[cython.uint][::1], classes: cython.const[cython.uchar][::1], stop: cython.Py_ssize_t
) -> cython.bint:
    """Return whether a single letter or a number of one or two digits stands before a period."""
    length: cython.Py_ssize_t = 0
    while length < 3 and length < stop and classes[stop - length - 1] & _ALPHANUMERIC:
        length += 1
    return length == 1 or (length == 2 and _ZERO <= codes[stop - 1] <= _NINE)


def count_by_block(
    classes: NDArray[np.uint8],
    block_ends: NDArray[np.int32],
    piece_ends: NDArray[np.int32],
    piece_flags: NDArray[np.uint8],
    starts: NDArray[np.int32],
    sentences: NDArray[np.int32],
) -> dict[str, NDArray[np.int32]]:
    """Count words, sentences and characters by block: `COUNTED`, n blocks each.

    Parameters
    ----------
    classes : uint8 array
        The class bits of each character of the text.
    block_ends : int array, n
        Position behind each block, ascending.
    piece_ends, piece_flags : int and uint8 array
        Position behind each piece of the text, and whether it stands inside an anchor or a formatting element.
    starts : int array
        Where each word starts. It belongs to the piece where it starts.
    sentences : int array
        Positions behind the sentence ends, ascending. A sentence counts if it holds a word; words behind a block's
        last end make one more.
    """
    counts = np.zeros((len(COUNTED), block_ends.size), dtype=np.int32)
    _count(
        classes.data,
        block_ends.data,
        piece_ends.data,
        piece_flags.data,
        starts.data,
        sentences.data,
        counts.data,
    )
    return dict(zip(COUNTED, counts, strict=True))


@cython.cfunc
def _count(
    classes: cython.const[cython.uchar][::1],
    block_ends: cython.const[cython.int][::1],
    piece_ends: cython.const[cython.int][::1],
    piece_flags: cython.const[cython.uchar][::1],
    starts: cython.const[cython.int][::1],
    sentences: cython.const[cython.int][::1],
    counts: cython.int[:, ::1],
) -> cython.void:
    """Write a row of counts for each of `COUNTED`."""
    if block_ends.shape[0] == 0:
        return
    with cython.nogil:
        _count_characters(classes, block_ends, counts)
        _count_words(classes, block_ends, piece_ends, piece_flags, starts, sentences, counts)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_characters(
    classes: cython.const[cython.uchar][::1], block_ends: cython.const[cython.int][::1], counts: cython.int[:, ::1]
) -> cython.void:
    begin: cython.Py_ssize_t = 0
    characters: cython.int
    alphanumerics: cython.int
    block: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for block in range(block_ends.shape[0]):
        characters = alphanumerics = 0
        for place in range(begin, block_ends[block]):
            characters += classes[place] & _SPACE == 0
            alphanumerics += classes[place] & _WORD != 0
        counts[_CHARACTERS, block] = characters
        counts[_ALPHANUMERICS, block] = alphanumerics
        begin = block_ends[block]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_words(
    classes: cython.const[cython.uchar][::1],
    block_ends: cython.const[cython.int][::1],
    piece_ends: cython.const[cython.int][::1],
    piece_flags: cython.const[cython.uchar][::1],
    starts: cython.const[cython.int][::1],
    sentences: cython.const[cython.int][::1],
    counts: cython.int[:, ::1],
) -> cython.void:
    """Go through the words with the block, the piece and the sentence of each at hand."""
    last: cython.Py_ssize_t = block_ends.shape[0] - 1
    last_piece: cython.Py_ssize_t = piece_ends.shape[0] - 1
    block: cython.Py_ssize_t = 0
    piece: cython.Py_ssize_t = 0
    sentence: cython.Py_ssize_t = 0
    begins_sentence: cython.bint = True
    word: cython.Py_ssize_t
    start: cython.int
    for word in range(starts.shape[0]):
        start = starts[word]
        while block < last and block_ends[block] <= start:
            block += 1
            begins_sentence = True
        while piece < last_piece and piece_ends[piece] <= start:
            piece += 1
        while sentence < sentences.shape[0] and sentences[sentence] <= start:
            sentence += 1
            begins_sentence = True
        counts[_WORDS, block] += 1
        counts[_UNSPACED_WORDS, block] += classes[start] & _UNSPACED != 0
        counts[_ANCHOR_WORDS, block] += piece_flags[piece] & _IN_ANCHOR != 0
        counts[_FORMAT_WORDS, block] += piece_flags[piece] & _IN_FORMAT != 0
        counts[_SENTENCES, block] += begins_sentence
        begins_sentence = False


def prose_sample(
    words: NDArray[np.int32],
    anchor_words: NDArray[np.int32],
    rows: NDArray[np.int32],
    *,
    fewest_words: int,
    most_words: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first blocks of running text, and what is known of their words.

    Parameters
    ----------
    words, anchor_words : int32 array, n
        Words of each block, and those inside anchors.
    rows : int32 array
        A number for each word of the page.
    fewest_words : int
        Words that a block of running text has at least; half of them or more outside of anchors. Where no block is
        like that, all with a word are taken.
    most_words : int
        With so many words the sample is large enough.

    Returns
    -------
    blocks, rows : int32 array
        The blocks, and the numbers of their words.
    """
    blocks, sample = np.empty(words.size, dtype=np.int32), np.empty(rows.size, dtype=np.int32)
    count = size = 0
    for fewest, anchor_weight in ((fewest_words, 2), (1, 1)):
        count, size = _take_prose(
            words.data,
            anchor_words.data,
            rows.data,
            blocks.data,
            sample.data,
            fewest,
            anchor_weight,
            most_words,
        )
        if count:
            break
    return blocks[:count], sample[:size].copy()


@cython.cfunc
def _take_prose(
    words: cython.const[cython.int][::1],
    anchor_words: cython.const[cython.int][::1],
    rows: cython.const[cython.int][::1],
    blocks: cython.int[::1],
    sample: cython.int[::1],
    fewest_words: cython.int,
    anchor_weight: cython.int,
    most_words: cython.int,
) -> tuple[int, int]:
    """Write blocks and the rows of their words; return how many there are of each."""
    count: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t = 0
    block: cython.Py_ssize_t
    word: cython.Py_ssize_t
    with cython.nogil:
        for block in range(words.shape[0]):
            if size >= most_words:
                break
            if words[block] >= fewest_words and anchor_weight * anchor_words[block] <= words[block]:
                for word in range(words[block]):
                    sample[size + word] = rows[first + word]
                size += words[block]
                blocks[count] = block
                count += 1
            first += words[block]
    return count, size


def count_numbers(codes: NDArray[np.uint32], number_of: NDArray[np.uint8], numbers: int) -> NDArray[np.int64]:
    """Count the characters that bear each number.

    Parameters
    ----------
    codes : uint32 array
        Code points of a text.
    number_of : uint8 array
        The number of each code point; the last entry stands for all code points behind too.
    numbers : int
        How many numbers there are, from 0.
    """
    counts = np.zeros(numbers, dtype=np.int64)
    _count_numbers(codes.data, number_of.data, counts.data)
    return counts


@cython.cfunc
def _count_numbers(
    codes: cython.const[cython.uint][::1], number_of: cython.const[cython.uchar][::1], counts: cython.longlong[::1]
) -> cython.void:
    last: cython.uint = cython.cast(cython.uint, number_of.shape[0] - 1)
    place: cython.Py_ssize_t
    with cython.nogil:
        for place in range(codes.shape[0]):
            counts[number_of[min(codes[place], last)]] += 1
