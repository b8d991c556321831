"""Scan the attributes of start tags for cue words (class, id, role, itemprop) and for hiding (compiled).

One pass over the bytes of each tag. Values are cut into words at everything but letters and at capitals behind small
letters (camelCase). A word's key is its first eight bytes in lower case, the first byte highest; in a role or an
itemprop the number of that scope stands before the word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

CLASS, ROLE, PROPERTY = 0, 1, 2
"""Scopes of attributes: class, id and the like; role; itemprop."""

WORD_BYTES = 8
"""A word is known by its first eight bytes."""

_ALL_BITS = cython.declare(cython.ulonglong, (1 << 64) - 1)


def _tail(name: bytes) -> int:
    """Return the last eight bytes of an attribute's name as a number."""
    return int.from_bytes(name[-WORD_BYTES:], "big")


_CLASS_NAME, _ID_NAME, _ROLE_NAME = _tail(b"class"), _tail(b"id"), _tail(b"role")
_ITEMPROP_NAME, _HIDDEN_NAME, _STYLE_NAME = _tail(b"itemprop"), _tail(b"hidden"), _tail(b"style")
# Names that end so: data-component and data-view-component, data-testid, aria-hidden.
_COMPONENT_ENDING = cython.declare(cython.ulonglong, _tail(b"component"))
_TESTID_ENDING, _HIDDEN_ENDING, _SEVEN_BYTES = _tail(b"-testid"), _tail(b"-hidden"), (1 << 56) - 1

_LONGEST_VALUE, _WORD_BYTES, _SPREAD, _ROLE, _PROPERTY = 300, WORD_BYTES, 0xBF58476D1CE4E5B9, ROLE, PROPERTY

_LOWERED = bytes(range(256)).lower()
# No letter, small letter (with all bytes of characters beyond ASCII), capital.
_CASES = bytes(1 if code >= 128 or chr(code).islower() else 2 if chr(code).isupper() else 0 for code in range(256))


@dataclass(frozen=True, eq=False)
class AttributeLexicon:
    """The cues of words in attributes, as ranges of keys: a stem is a range, a whole word a range of one.

    Attributes
    ----------
    bounds : uint64 array, b
        Where the cues change, ascending.
    cues : uint32 array, b + 1
        Keys from ``bounds[i - 1]`` on and below ``bounds[i]`` have the cues ``cues[i]``, a bit for each kind.
    first_bounds : int32 array, 65,537
        For the two highest bytes of a key how many bounds lie below all keys that have them; and b.
    hidden : int
        The bit of elements that an attribute or their style hides.
    """

    bounds: NDArray[np.uint64]
    cues: NDArray[np.uint32]
    first_bounds: NDArray[np.int32]
    hidden: int


class ElementCues(NamedTuple):
    """Cues of some elements of a page.

    Attributes
    ----------
    bits : uint32 array, one for each element
        The kinds of cues, as bits by the order of `blockfeat.features.cues.Cues.kinds`.
    names : uint64 array, one for each element
        The same number for the same tag and the same words in its class; digits and order do not count.
    """

    bits: NDArray[np.uint32]
    names: NDArray[np.uint64]


def scan_start_tags(
    source: bytes,
    opened: NDArray[np.int32],
    start: NDArray[np.int32],
    stop: NDArray[np.int32],
    cues: ElementCues,
    lexicon: AttributeLexicon,
) -> None:
    """Add the cues of the attributes of elements to those of their tags; linear in the length of the start tags.

    Parameters
    ----------
    source : bytes
        The markup.
    opened : int array, one for each element
        The start tag of each.
    start, stop : int array, one for each tag
        Where each begins, and the position behind it.
    cues : ElementCues
        What the tag of each element says, and the key of its name; its arrays are written.
    lexicon : AttributeLexicon
        The words to look for.
    """
    tag: cython.int[::1] = opened
    first: cython.int[::1] = start
    end: cython.int[::1] = stop
    bits: cython.uint[::1] = cues.bits
    names: cython.ulonglong[::1] = cues.names if cython.compiled else cues.names.data
    scanner: _TagScanner = _TagScanner(source, lexicon)
    element: cython.Py_ssize_t
    with cython.nogil:
        for element in range(tag.shape[0]):
            scanner.scan(first[tag[element]], end[tag[element]])
            bits[element] |= scanner.bits
            names[element] = (names[element] + scanner.class_words) & _ALL_BITS


def _spread(key: cython.ulonglong) -> cython.ulonglong:
    """Mix the bits of a key, so that sums of different words differ."""
    mixed: cython.ulonglong = (key * _SPREAD) & _ALL_BITS
    return mixed ^ (mixed >> 32)


def _is_space(code: cython.uchar) -> cython.bint:
    return code == 32 or 9 <= code <= 13


class _TagScanner:
    """Reads one start tag after the other; its results hold until the next.

    Attributes
    ----------
    bits : int
        Cues of the words in the attributes of the last tag.
    class_words : int
        Sum of the mixed keys of the words in its class.
    """

    def __init__(self, source: bytes, lexicon: AttributeLexicon) -> None:
        self.markup = source
        self.source = source
        self.cases = _CASES
        self.lowered = _LOWERED
        self.bounds = lexicon.bounds
        self.cues = lexicon.cues
        self.first_bounds = lexicon.first_bounds
        self.hidden = lexicon.hidden

    def scan(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Read the start tag between two positions."""
        self.bits = 0
        self.class_words = 0
        end: cython.Py_ssize_t = stop - 1
        position: cython.Py_ssize_t = start + 1
        while position < end and not _is_space(self.source[position]) and self.source[position] != ord("/"):
            position += 1
        while position < end:
            position = self._read_attribute(position, end)
            self._interpret()

    def _read_attribute(self, position: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read name and value of the next attribute; return the position behind it."""
        source: cython.p_const_uchar = self.source
        quote: cython.uchar
        name: cython.ulonglong = 0
        while position < end and (_is_space(source[position]) or source[position] == ord("/")):
            position += 1
        while position < end and source[position] != ord("=") and not _is_space(source[position]):
            name = ((name << 8) | source[position]) & _ALL_BITS
            position += 1
        self.name = name
        self.value = position
        while position < end and _is_space(source[position]):
            position += 1
        if position >= end or source[position] != ord("="):
            self.value_end = self.value
            return position
        position += 1
        while position < end and _is_space(source[position]):
            position += 1
        quote = source[position]
        if position < end and (quote == ord('"') or quote == ord("'")):
            position += 1
            self.value = position
            while position < end and source[position] != quote:
                position += 1
            self.value_end = position
            return position + 1
        self.value = position
        while position < end and not _is_space(source[position]):
            position += 1
        self.value_end = position
        return position

    def _interpret(self) -> cython.void:
        """Add the cues of the attribute just read, by the end of its name."""
        name: cython.ulonglong = self.name
        ending: cython.ulonglong = name & _SEVEN_BYTES
        if name == _CLASS_NAME:
            self._read_words(0, True)
        elif name in (_ID_NAME, _COMPONENT_ENDING) or ending == _TESTID_ENDING:
            self._read_words(0, False)
        elif name == _ROLE_NAME:
            self._read_words(_ROLE, False)
        elif name == _ITEMPROP_NAME:
            self._read_words(_PROPERTY, False)
        elif name == _HIDDEN_NAME:
            self.bits |= self.hidden
        elif ending == _HIDDEN_ENDING:
            if self._begins_with(b"t", 1):
                self.bits |= self.hidden
        elif name == _STYLE_NAME and (
            self._begins_with(b"display:none", 12) or self._begins_with(b"display: none", 13)
        ):
            self.bits |= self.hidden

    def _begins_with(self, text: cython.p_const_uchar, length: cython.Py_ssize_t) -> cython.bint:
        """Return whether the value that was read begins with a text."""
        index: cython.Py_ssize_t
        if self.value_end - self.value < length:
            return False
        for index in range(length):  # noqa: SIM110 (a generator cannot run without the GIL)
            if self.source[self.value + index] != text[index]:
                return False
        return True

    def _read_words(self, scope: cython.int, is_class: cython.bint) -> cython.void:
        """Cut the value that was read into words and look each up."""
        key: cython.ulonglong = 0
        length: cython.int = 0
        case: cython.uchar
        previous: cython.uchar = 0
        # Locals, for what is reached by self is read anew after each word.
        source: cython.p_const_uchar = self.source
        cases: cython.p_const_uchar = self.cases
        lowered: cython.p_const_uchar = self.lowered
        position: cython.Py_ssize_t
        end: cython.Py_ssize_t = min(self.value_end, self.value + _LONGEST_VALUE)
        for position in range(self.value, end):
            case = cases[source[position]]
            if length > 0 and (case == 0 or case > previous):
                self._look_up(key, length, scope, is_class)
                key = 0
                length = 0
            if case != 0 and length < _WORD_BYTES:
                key = (key << 8) | lowered[source[position]]
                length += 1
            previous = case
        if length > 0:
            self._look_up(key, length, scope, is_class)

    def _look_up(
        self, letters: cython.ulonglong, length: cython.int, scope: cython.int, is_class: cython.bint
    ) -> cython.void:
        """Add the cues of one word."""
        key: cython.ulonglong = letters << (8 * (_WORD_BYTES - length))
        if scope != 0:
            key = (key >> 8) | (cython.cast(cython.ulonglong, scope) << 56)
        self.bits |= self._cues_of(key)
        if is_class:
            self.class_words = (self.class_words + _spread(key)) & _ALL_BITS

    def _cues_of(self, key: cython.ulonglong) -> cython.uint:
        """Return the cues of the range that a key lies in: a binary search among the bounds with its first bytes."""
        top: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, key >> 48)
        low: cython.int = self.first_bounds[top]
        high: cython.int = self.first_bounds[top + 1]
        middle: cython.int
        while low < high:
            middle = (low + high) >> 1
            if self.bounds[middle] <= key:
                low = middle + 1
            else:
                high = middle
        return self.cues[low]
