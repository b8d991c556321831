"""One walk over the tags of a page and the text between them: blocks, containers, anchors, counts of roles.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import operations
from blockfeat.blocks.table import Anchors, Containers
from blockfeat.lang.characters import SPACE, character_classes
from blockfeat.lang.counting import ANCHOR, FORMAT
from blockfeat.lang.measures import PageText
from blockfeat.page.tags import Tags

__all__ = ["Walked", "walk"]

_Columns = TypeVar("_Columns", NDArray[np.int32], NDArray[np.uint32])

_OPERATION = cython.declare(cython.int, operations.OPERATION)
_REMOVE_WITH_SPACE = cython.declare(cython.int, operations.REMOVE_WITH_SPACE)
_BOUNDARY = cython.declare(cython.int, operations.BOUNDARY)
_PRUNE = cython.declare(cython.int, operations.PRUNE)
_ANCHOR_ROLE = cython.declare(cython.int, operations.ANCHOR_ROLE)
_FORMAT_ROLE = cython.declare(cython.int, operations.FORMAT_ROLE)
_LINE_BREAK = cython.declare(cython.int, operations.LINE_BREAK)
_LIST_ROLE = cython.declare(cython.int, operations.LIST_ROLE)
_STRUCTURE_ROLE = cython.declare(cython.int, operations.STRUCTURE_ROLE)
_IS_SPACE = cython.declare(cython.uchar, SPACE)
_IN_ANCHOR = cython.declare(cython.int, ANCHOR)
_IN_FORMAT = cython.declare(cython.int, FORMAT)

_NEW_LINE = cython.declare(cython.uint, ord("\n"))
_BLANK = cython.declare(cython.uint, ord(" "))
_AMPERSAND = cython.declare(cython.uint, ord("&"))
_FIRST_NOT_ASCII = cython.declare(cython.uint, 0x80)
_SOFT_HYPHEN = cython.declare(cython.uint, 0xAD)
_REPLACEMENT = cython.declare(cython.uint, 0xFFFD)
_NONE = cython.declare(cython.int, -1)

# What is counted before the walk.
_CHARACTERS = cython.declare(cython.int, 0)
_TEXTS = cython.declare(cython.int, 1)
_CONTAINERS = cython.declare(cython.int, 2)
_ANCHORS = cython.declare(cython.int, 3)
_FLAGGED = cython.declare(cython.int, 4)
_DEPTH = cython.declare(cython.int, 5)
_SIZES = 6

# Rows of `_Arrays.block`.
_START = cython.declare(cython.int, 0)
_END = cython.declare(cython.int, 1)
_FIRST_BYTE = cython.declare(cython.int, 2)
_END_BYTE = cython.declare(cython.int, 3)
_CONTAINER = cython.declare(cython.int, 4)
# Rows of `_Arrays.role`.
_ROLES = ("format", "list", "structure")
_FORMATS = cython.declare(cython.int, 0)
_LISTS = cython.declare(cython.int, 1)
_STRUCTURES = cython.declare(cython.int, 2)
# Rows of `_Arrays.container`.
_ELEMENT = cython.declare(cython.int, 0)
_PARENT = cython.declare(cython.int, 1)
_FIRST_BLOCK = cython.declare(cython.int, 2)
_END_BLOCK = cython.declare(cython.int, 3)
# Rows of `_Arrays.anchor`; the element is the first there too.
_ANCHOR_START = cython.declare(cython.int, 1)
_ANCHOR_END = cython.declare(cython.int, 2)
# Rows of `_Arrays.piece`.
_PIECE_END = cython.declare(cython.int, 0)
_PIECE_FLAGS = cython.declare(cython.int, 1)
# Rows of `_Arrays.open`: the element, the block that it counts for, solid characters before the stretch of text that it
# was opened in, and its number among the anchors.
_OPEN_BLOCK = cython.declare(cython.int, 1)
_OPEN_SOLID = cython.declare(cython.int, 2)
_OPEN_ANCHOR = cython.declare(cython.int, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """What a walk found, as `blockfeat.blocks.table.Blocks` has it."""

    page_text: PageText
    block_starts: NDArray[np.int32]
    first_byte: NDArray[np.int32]
    end_byte: NDArray[np.int32]
    role_counts: dict[str, NDArray[np.int32]]
    container: NDArray[np.int32]
    containers: Containers
    anchors: Anchors


def walk(tags: Tags, codes: NDArray[np.uint8], breaks_of_split: int) -> Walked:
    """Walk over a page.

    Parameters
    ----------
    tags : Tags
        The page.
    codes : uint8 array, m elements
        The code of each element; see `blockfeat.blocks.operations`.
    breaks_of_split : int
        Line breaks in a row that end a block; 0 for never.
    """
    return _Walk(tags, codes, breaks_of_split).found()


@dataclass(frozen=True, slots=True, eq=False)
class _Arrays:
    """Columns for what a walk finds, a row each: int32 but for the code points of the text."""

    text: NDArray[np.uint32]
    block: NDArray[np.int32]
    role: NDArray[np.int32]
    container: NDArray[np.int32]
    anchor: NDArray[np.int32]
    piece: NDArray[np.int32]
    open: NDArray[np.int32]

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> _Arrays:
        """Make arrays for so many characters, texts, containers, anchors, flagged elements and open elements."""
        characters, texts, containers, anchors, flagged, depth = sizes.tolist()
        return cls(
            text=np.empty(characters, dtype=np.uint32),
            block=np.empty((5, texts), dtype=np.int32),
            role=np.zeros((len(_ROLES), texts), dtype=np.int32),
            container=np.empty((4, containers), dtype=np.int32),
            anchor=np.empty((3, anchors), dtype=np.int32),
            piece=np.empty((2, 2 * flagged + 1), dtype=np.int32),
            open=np.empty((4, depth), dtype=np.int32),
        )


def _first(columns: _Columns, count: int) -> _Columns:
    """Return the first entries of some columns; a copy where the rest would only take memory."""
    chosen = columns[..., :count]
    return chosen.copy() if 2 * chosen.size < columns.size else chosen


@cython.final
@cython.cclass
class _Walk:
    """A walk over one page. Positions are characters of the page's text, except where they are named bytes."""

    # The page. Who makes the walk holds the bytes.
    source: cython.p_const_uchar
    size: cython.Py_ssize_t
    start: cython.const[cython.longlong][::1]
    stop: cython.const[cython.longlong][::1]
    opened: cython.const[cython.longlong][::1]
    closed: cython.const[cython.longlong][::1]
    codes: cython.const[cython.uchar][::1]
    class_of: cython.const[cython.uchar][::1]
    breaks_of_split: cython.int

    # Columns of what is found, a row each; the first entries count, as many as the counters say.
    arrays: _Arrays
    text: cython.uint[::1]
    block: cython.int[:, ::1]
    role: cython.int[:, ::1]
    container: cython.int[:, ::1]
    anchor: cython.int[:, ::1]
    piece: cython.int[:, ::1]
    characters: cython.int
    blocks: cython.int
    containers: cython.int
    anchors: cython.int
    pieces: cython.int

    # Elements that are open, from the outermost.
    open: cython.int[:, ::1]
    level: cython.int
    innermost: cython.int  # the innermost container
    anchors_open: cython.int
    formats_open: cython.int
    started_anchors: cython.int  # anchors, open or not, whose first character other than white space was found
    flags: cython.int  # of the text here

    # The stretch of text since the last split; a block if it holds more than white space.
    solid: cython.int  # characters other than white space so far, on the whole page
    stretch_text: cython.int  # position of its first such character, -1 before there is one
    stretch_solid: cython.int  # such characters before it
    stretch_byte: cython.int
    stretch_container: cython.int
    breaks: cython.int  # line breaks in a row
    solid_at_break: cython.int
    follows_white: cython.bint

    def __init__(self, tags: Tags, codes: NDArray[np.uint8], breaks_of_split: int) -> None:
        """Walk over a page; see `walk`."""
        source = tags.source
        self.source = source
        self.size = len(source)
        self.start = np.ascontiguousarray(tags.start, dtype=np.int64).data
        self.stop = np.ascontiguousarray(tags.stop, dtype=np.int64).data
        self.opened = np.ascontiguousarray(tags.opened, dtype=np.int64).data
        self.closed = np.ascontiguousarray(tags.closed, dtype=np.int64).data
        self.codes = codes.data
        self.class_of = character_classes().table.data
        self.breaks_of_split = breaks_of_split
        self._begin()
        self._allocate()
        with cython.nogil:
            self._walk()

    def _begin(self) -> None:
        """Set what is counted."""
        self.characters = self.blocks = self.containers = self.anchors = self.pieces = 0
        self.level = self.anchors_open = self.formats_open = self.started_anchors = self.flags = 0
        self.solid = self.stretch_solid = self.stretch_byte = self.breaks = self.solid_at_break = 0
        self.innermost = self.stretch_text = self.stretch_container = _NONE
        self.follows_white = False

    def _allocate(self) -> None:
        """Make arrays for as much as there can be."""
        sizes = np.zeros(_SIZES, dtype=np.int64)
        counts: cython.longlong[::1] = sizes.data
        with cython.nogil:
            self._count_texts(counts)
            self._count_elements(counts)
        self.arrays = _Arrays.of(sizes)
        self.text = self.arrays.text.data
        self.block = self.arrays.block.data
        self.role = self.arrays.role.data
        self.container = self.arrays.container.data
        self.anchor = self.arrays.anchor.data
        self.piece = self.arrays.piece.data
        self.open = self.arrays.open.data

    def _classes(self) -> NDArray[np.uint8]:
        """Return the class bits of the text."""
        found = np.empty(self.characters, dtype=np.uint8)
        classes: cython.uchar[::1] = found.data
        place: cython.Py_ssize_t
        with cython.nogil:
            for place in range(self.characters):
                classes[place] = self.class_of[self.text[place]]
        return found

    def found(self) -> Walked:
        """Return what was found."""
        codes = _first(self.arrays.text, self.characters)
        starts, ends, first_byte, end_byte, container = _first(self.arrays.block, self.blocks)
        piece_ends, piece_flags = _first(self.arrays.piece, self.pieces)
        page_text = PageText(
            text=str(codes.data, "utf-32-le", "surrogatepass"),
            codes=codes,
            classes=self._classes(),
            block_ends=ends,
            piece_ends=piece_ends,
            piece_flags=piece_flags.astype(np.uint8),
        )
        return Walked(
            page_text=page_text,
            block_starts=starts,
            first_byte=first_byte,
            end_byte=end_byte,
            role_counts=dict(zip(_ROLES, _first(self.arrays.role, self.blocks), strict=True)),
            container=container,
            containers=Containers(*_first(self.arrays.container, self.containers)),
            anchors=Anchors(*_first(self.arrays.anchor, self.anchors)),
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _count_texts(self, counts: cython.longlong[::1]) -> cython.void:
        """Count the characters there can be, and the texts between two tags."""
        tags: cython.Py_ssize_t = self.start.shape[0]
        tag: cython.Py_ssize_t
        length: cython.longlong
        counts[_CHARACTERS] = tags + 1
        for tag in range(tags):
            length = (self.start[tag + 1] if tag + 1 < tags else self.size) - self.stop[tag]
            counts[_CHARACTERS] += length
            counts[_TEXTS] += length > 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _count_elements(self, counts: cython.longlong[::1]) -> cython.void:
        """Count containers, anchors, elements that flag their text, and the elements open at once."""
        element: cython.Py_ssize_t
        code: cython.int
        empty: cython.longlong = 0
        depth: cython.longlong = 0
        for element in range(self.codes.shape[0]):
            code = self.codes[element]
            counts[_CONTAINERS] += code & _OPERATION == _BOUNDARY
            counts[_ANCHORS] += code & _ANCHOR_ROLE != 0
            counts[_FLAGGED] += code & (_ANCHOR_ROLE | _FORMAT_ROLE) != 0
            # Start tags before it that open an element, less the end tags before it.
            depth = max(depth, 2 * element - empty - self.opened[element] + 1)
            empty += self.closed[element] == self.opened[element]
        counts[_DEPTH] = depth

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _walk(self) -> cython.void:
        """Go from tag to tag; over pruned elements in one step."""
        tags: cython.Py_ssize_t = self.start.shape[0]
        elements: cython.Py_ssize_t = self.opened.shape[0]
        tag: cython.Py_ssize_t = 0
        element: cython.Py_ssize_t = 0
        while tag < tags:
            if element == elements or self.opened[element] != tag:
                self._close(tag)
            elif self.codes[element] & _OPERATION == _PRUNE:
                tag = self.closed[element]
                self.follows_white = False
                while element < elements and self.opened[element] <= tag:
                    element += 1
            else:
                self._open(element, tag)
                element += 1
            self._read_text(self.stop[tag], self.start[tag + 1] if tag + 1 < tags else self.size)
            tag += 1
        self._write_space(_NEW_LINE)
        self._end_stretch(self.size, self.size)
        self._end_piece()
        self._start_anchors()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _open(self, element: cython.int, tag: cython.Py_ssize_t) -> cython.void:
        """Read a start tag."""
        code: cython.int = self.codes[element]
        is_empty: cython.bint = self.closed[element] == tag
        is_boundary: cython.bint = code & _OPERATION == _BOUNDARY
        first: cython.int = self.blocks
        before: cython.int = self.stretch_solid
        self._write_mark(code & _OPERATION)
        if is_boundary:
            self.breaks = 0
        splits: cython.bint = is_boundary
        if code & _LINE_BREAK and self.breaks_of_split:
            splits = self._ends_row_of_breaks() or splits
        if splits:
            self._end_stretch(self.start[tag], self.stop[tag])
        if is_boundary:
            first = self.blocks
            self._add_container(element, is_empty)
        elif is_empty and self.solid > before:
            self._count_roles(code, first)
        if not is_empty:
            self.open[_ELEMENT, self.level] = element
            self.open[_OPEN_BLOCK, self.level] = first
            self.open[_OPEN_SOLID, self.level] = before
            self.open[_OPEN_ANCHOR, self.level] = self.anchors
            self.level += 1
            self._enter(element, code)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _close(self, tag: cython.Py_ssize_t) -> cython.void:
        """Read an end tag."""
        if self.level == 0:
            return
        self.level -= 1
        code: cython.int = self.codes[self.open[_ELEMENT, self.level]]
        first: cython.int = self.open[_OPEN_BLOCK, self.level]
        is_boundary: cython.bint = code & _OPERATION == _BOUNDARY
        if code & _ANCHOR_ROLE:
            self.anchor[_ANCHOR_END, self.open[_OPEN_ANCHOR, self.level]] = self.characters
        if is_boundary or not code & _LINE_BREAK:
            self._write_mark(code & _OPERATION)
        else:
            self.follows_white = False
        if is_boundary:
            self.breaks = 0
            self._end_stretch(self.start[tag], self.stop[tag])
            self.container[_END_BLOCK, self.innermost] = self.blocks
            self.innermost = self.container[_PARENT, self.innermost]
            self.stretch_container = self.innermost
            if self.blocks > first:
                self._count_roles(code, first)
        elif self.solid > self.open[_OPEN_SOLID, self.level]:
            self._count_roles(code, first)
        self._leave(code)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _ends_row_of_breaks(self) -> cython.bint:
        """Count a line break; tell whether it is the one that ends the block."""
        if self.solid != self.solid_at_break:
            self.breaks = 0
        self.breaks += 1
        self.solid_at_break = self.solid
        return self.breaks == self.breaks_of_split

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _end_stretch(self, end: cython.longlong, following: cython.longlong) -> cython.void:
        """End the stretch of text before a tag, given as bytes; it is a block if there is something in it."""
        if self.stretch_text >= 0:
            self.block[_START, self.blocks] = self.stretch_text
            self.block[_END, self.blocks] = self.characters
            self.block[_FIRST_BYTE, self.blocks] = self.stretch_byte
            self.block[_END_BYTE, self.blocks] = cython.cast(cython.int, end)
            self.block[_CONTAINER, self.blocks] = self.stretch_container
            self.blocks += 1
        self.stretch_text = _NONE
        self.stretch_solid = self.solid
        self.stretch_byte = cython.cast(cython.int, following)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _add_container(self, element: cython.int, is_empty: cython.bint) -> cython.void:
        """Add a boundary element; what follows stands inside unless it is empty."""
        self.container[_ELEMENT, self.containers] = element
        self.container[_PARENT, self.containers] = self.innermost
        self.container[_FIRST_BLOCK, self.containers] = self.blocks
        self.container[_END_BLOCK, self.containers] = self.blocks
        if not is_empty:
            self.innermost = self.containers
        self.stretch_container = self.innermost
        self.containers += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _count_roles(self, code: cython.int, block: cython.int) -> cython.void:
        """Count an element for a block.

        An inline element counts for the block that it stands in unless it ended before the block had any text; a
        boundary element counts for the first block inside it.
        """
        if code & _FORMAT_ROLE:
            self.role[_FORMATS, block] += 1
        if code & _LIST_ROLE:
            self.role[_LISTS, block] += 1
        if code & _STRUCTURE_ROLE:
            self.role[_STRUCTURES, block] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _enter(self, element: cython.int, code: cython.int) -> cython.void:
        """Flag the text inside an anchor or a formatting element."""
        if code & _ANCHOR_ROLE:
            self.anchor[_ELEMENT, self.anchors] = element
            self.anchors += 1
            self.anchors_open += 1
        if code & _FORMAT_ROLE:
            self.formats_open += 1
        if code & (_ANCHOR_ROLE | _FORMAT_ROLE):
            self._change_flags()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _leave(self, code: cython.int) -> cython.void:
        """Undo what `_enter` did."""
        if code & _ANCHOR_ROLE:
            self.anchors_open -= 1
        if code & _FORMAT_ROLE:
            self.formats_open -= 1
        if code & (_ANCHOR_ROLE | _FORMAT_ROLE):
            self._change_flags()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _change_flags(self) -> cython.void:
        """End the piece of text before a tag if what follows has other flags."""
        flags: cython.int = (_IN_ANCHOR if self.anchors_open else 0) | (_IN_FORMAT if self.formats_open else 0)
        if flags != self.flags:
            self._end_piece()
            self.flags = flags

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _end_piece(self) -> cython.void:
        """End a piece of text here."""
        self.piece[_PIECE_END, self.pieces] = self.characters
        self.piece[_PIECE_FLAGS, self.pieces] = self.flags
        self.pieces += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _start_anchors(self) -> cython.void:
        """Let the anchors that wait for their first solid character start here."""
        while self.started_anchors < self.anchors:
            self.anchor[_ANCHOR_START, self.started_anchors] = self.characters
            self.started_anchors += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _write_mark(self, operation: cython.int) -> cython.void:
        """Write what stands for a tag in the text."""
        if operation == _BOUNDARY:
            self._write_space(_NEW_LINE)
        elif operation == _REMOVE_WITH_SPACE:
            self._write_space(_BLANK)
        else:
            self.follows_white = False

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _write_space(self, character: cython.uint) -> cython.void:
        """Write a white space character that no text stands for."""
        self.text[self.characters] = character
        self.characters += 1
        self.follows_white = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _read_text(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
        """Write the text between two tags: references decoded, white space folded, no soft hyphens."""
        while byte < end:
            if self.source[byte] <= _BLANK:
                byte = self._fold_white(byte, end)
                continue
            self.follows_white = False
            if self.source[byte] >= _FIRST_NOT_ASCII:
                byte = self._read_sequence(byte, end)
            elif self.source[byte] == _AMPERSAND:
                byte = self._read_reference(byte, end)
            else:
                byte = self._copy_plain(byte, end)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fold_white(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write the first of some white space and control characters unless there is one already; pass the others."""
        if not self.follows_white:
            self._write(self.source[byte])
            self.follows_white = True
        while byte < end and self.source[byte] <= _BLANK:
            byte += 1
        return byte

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _copy_plain(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write ASCII characters and single blanks between them, as they stand; return the byte behind them.

        Most of a page's text: this loop decides how fast pages are cut.
        """
        behind: cython.Py_ssize_t = byte
        blanks: cython.Py_ssize_t = 0
        place: cython.Py_ssize_t
        character: cython.uchar
        before: cython.uchar = 0
        while behind < end:
            character = self.source[behind]
            if character <= _BLANK and (character < _BLANK or before == _BLANK):
                break
            if character >= _FIRST_NOT_ASCII or character == _AMPERSAND:
                break
            blanks += character == _BLANK
            before = character
            behind += 1
        self._note_solid(behind - byte - blanks)
        for place in range(behind - byte):
            self.text[self.characters + place] = self.source[byte + place]
        self.characters += behind - byte
        self.follows_white = before == _BLANK
        return behind

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _write(self, character: cython.uint) -> cython.void:
        """Write a character of the text."""
        if not self.class_of[character] & _IS_SPACE:
            self._note_solid(1)
        self.text[self.characters] = character
        self.characters += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _note_solid(self, count: cython.Py_ssize_t) -> cython.void:
        """Note that characters other than white space will be written."""
        self.solid += count
        if self.stretch_text < 0:
            self.stretch_text = self.characters
        if self.started_anchors < self.anchors:
            self._start_anchors()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _read_reference(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write the character of a reference; only these stand in well-formed markup. Return the byte behind it."""
        if self._stands_at(byte, end, b"&amp;", 5):
            self._write(_AMPERSAND)
            return byte + 5
        if self._stands_at(byte, end, b"&lt;", 4):
            self._write(ord("<"))
            return byte + 4
        if self._stands_at(byte, end, b"&gt;", 4):
            self._write(ord(">"))
            return byte + 4
        if self._stands_at(byte, end, b"&quot;", 6):
            self._write(ord('"'))
            return byte + 6
        if self._stands_at(byte, end, b"&#13;", 5):
            self._write(_BLANK)
            return byte + 5
        # Stands for a control character that XML does not allow.
        if self._stands_at(byte, end, b"&#xFFFD;", 8):
            self._write(_BLANK)
            return byte + 8
        self._write(_AMPERSAND)
        return byte + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _stands_at(
        self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t, wanted: cython.p_const_uchar, length: cython.Py_ssize_t
    ) -> cython.bint:
        """Return whether some bytes stand here."""
        place: cython.Py_ssize_t = 0
        if byte + length > end:
            return False
        while place < length and self.source[byte + place] == wanted[place]:
            place += 1
        return place == length

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _read_sequence(self, byte: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write a character of two to four bytes in UTF-8 unless it is a soft hyphen; return the byte behind it."""
        lead: cython.uint = self.source[byte]
        character: cython.uint
        behind: cython.Py_ssize_t
        if lead < 0xE0:
            character, behind = lead & 0x1F, byte + 2
        elif lead < 0xF0:
            character, behind = lead & 0x0F, byte + 3
        else:
            character, behind = lead & 0x07, byte + 4
        byte += 1
        while byte < behind:
            if byte == end or self.source[byte] & 0xC0 != 0x80:
                # Cut short: not UTF-8.
                self._write(_REPLACEMENT)
                return byte
            character = character << 6 | self.source[byte] & 0x3F
            byte += 1
        if character > 0x10FFFF:
            character = _REPLACEMENT
        if character != _SOFT_HYPHEN:
            self._write(character)
        return behind
