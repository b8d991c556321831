"""One walk over the tags of a page and the text between them: blocks, containers, anchors, counts of roles.

Compiled by Cython where it can be, with the C types of ``tag_walk.pxd``; runs as it stands otherwise, with the same
results.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import tagtable
from blockfeat.blocks.element_codes import ALL_NAMES
from blockfeat.blocks.table import COLUMNS, Anchors, Blocks, Containers
from blockfeat.lang.characters import ALPHANUMERIC, SPACE
from blockfeat.lang.counting import ANCHOR, FORMAT
from blockfeat.lang.measures import PageText, Tokenizer
from blockfeat.page.page import NOTHING_DECLARED, DeclaredText, check_memory
from blockfeat.page.tags import Tags

if not cython.compiled:
    from blockfeat.blocks.text_reader import TextReader


_OPERATION = tagtable.OPERATION
_REMOVE_WITH_SPACE = tagtable.REMOVE_WITH_SPACE
_REMOVE_BETWEEN_WORDS = tagtable.REMOVE_BETWEEN_WORDS
_BOUNDARY = tagtable.BOUNDARY
_PRUNE = tagtable.PRUNE
_ANCHOR_ROLE = tagtable.ANCHOR_ROLE
_FORMAT_ROLE = tagtable.FORMAT_ROLE
_LINE_BREAK = tagtable.LINE_BREAK
_LIST_ROLE = tagtable.LIST_ROLE
_STRUCTURE_ROLE = tagtable.STRUCTURE_ROLE
_IS_SPACE, _IS_ALPHANUMERIC = SPACE, ALPHANUMERIC
_IN_ANCHOR = ANCHOR
_IN_FORMAT = FORMAT

_NEW_LINE = ord("\n")
_BLANK = ord(" ")
_NONE = -1
_MANY_BLOCKS, _LONGEST_SIGN, _AT_ONCE = 80_000, 2, 1 << 16

# Rows of `_Walk.block`: `blockfeat.blocks.table.COLUMNS`.
_START, _END, _FIRST_BYTE, _END_BYTE, _CONTAINER, _FORMATS, _LISTS, _STRUCTURES = range(8)
# Rows of `_Walk.container`.
_ELEMENT, _PARENT, _FIRST_BLOCK, _END_BLOCK = range(4)
# Rows of `_Walk.anchor`; the element is the first there too.
_ANCHOR_START, _ANCHOR_END = 1, 2
# Rows of `_Walk.piece`.
_PIECE_END, _PIECE_FLAGS = 0, 1
# Rows of `_Walk.open`: the element, the block that it counts for, solid characters before the stretch of text
# that it was opened in, and its number among the anchors.
_OPEN_BLOCK, _OPEN_SOLID, _OPEN_ANCHOR = 1, 2, 3


def walk(
    tags: Tags,
    codes: NDArray[np.uint8],
    breaks_of_split: int,
    *,
    segmenter: Tokenizer,
    names: int = ALL_NAMES,
    table: str = "",
    declared: DeclaredText = NOTHING_DECLARED,
    bytes_of_block: int = 0,
) -> Blocks:
    """Walk over a page and return its blocks.

    Parameters
    ----------
    tags : Tags
        The page.
    codes : uint8 array, m elements
        The code of each element; see `blockfeat.blocks.tagtable`.
    breaks_of_split : int
        Line breaks in a row that end a block; 0 for never.
    segmenter : Tokenizer
        Counts words and sentences.
    names : int
        The groups of names that the page has; see `Blocks.names`.
    table : str
        Name of the tag table that the codes are of.
    declared : DeclaredText
        What the page's JSON-LD declares to be its text.
    bytes_of_block : int
        What will be made of each block takes so much memory.

    Raises
    ------
    LimitExceeded
        That of all blocks is too much; see `blockfeat.page.page.check_memory`.
    """
    found = _Walk(tags, codes, breaks_of_split)
    found.check_blocks(len(declared.data), bytes_of_block)
    return found.blocks_found(tags, names, segmenter, table, declared)


class _Walk(TextReader):
    """A walk over one page. Positions are characters of the page's text, except where they are named bytes."""

    def __init__(self, tags: Tags, codes: NDArray[np.uint8], breaks_of_split: int) -> None:
        """Walk over a page; see `walk`."""
        super().__init__(tags.source)
        self.start, self.stop, self.opened, self.closed = tags.start, tags.stop, tags.opened, tags.closed
        self.codes = codes
        self.breaks_of_split = breaks_of_split
        self._begin()
        self._allocate()
        with cython.nogil:
            self._walk()

    def _begin(self) -> None:
        """Set what is counted."""
        self.blocks = self.containers = self.anchors = self.pieces = 0
        self.level = self.anchors_open = self.formats_open = self.flags = 0
        self.stretch_solid = self.stretch_byte = self.breaks = self.solid_at_break = 0
        self.innermost = self.stretch_container = _NONE

    def _allocate(self) -> None:
        """Allocate the arrays at their maximum sizes."""
        if not cython.compiled:
            self.sizes = [0] * 7
        self._count()
        tags, characters, texts, containers, anchors, flagged, depth = (self.sizes[number] for number in range(7))
        block = np.zeros((len(COLUMNS), texts), dtype=np.int32)
        container, anchor = np.empty((4, containers), dtype=np.int32), np.empty((3, anchors), dtype=np.int32)
        piece, text = np.empty((2, 2 * flagged + 1), dtype=np.int32), np.empty(characters, dtype=np.uint32)
        place = np.empty(tags, dtype=np.int32)
        self.arrays = text, block, container, anchor, piece, place
        self.text, self.block, self.container, self.anchor, self.piece, self.place = self.arrays
        self.open = np.empty((4, depth), dtype=np.int32)

    def _count(self) -> cython.void:
        """Count tags, characters, texts, containers, anchors, flagged and open elements, at most."""
        tag: cython.Py_ssize_t
        element: cython.Py_ssize_t
        code: cython.int
        length: cython.longlong
        empty: cython.longlong = 0
        self.sizes[0] = len(self.start)
        self.sizes[1] = self.sizes[0] + 1
        for tag in range(len(self.start)):
            length = (self.start[tag + 1] if tag + 1 < self.sizes[0] else self.size) - self.stop[tag]
            self.sizes[1] += length
            self.sizes[2] += length > 0
        for element in range(len(self.opened)):
            code = self.codes[element]
            self.sizes[3] += code & _OPERATION == _BOUNDARY
            self.sizes[4] += code & _ANCHOR_ROLE != 0
            self.sizes[5] += code & (_ANCHOR_ROLE | _FORMAT_ROLE) != 0
            # Start tags before it that open an element, less the end tags before it.
            self.sizes[6] = max(self.sizes[6], 2 * element - empty - self.opened[element] + 1)
            empty += self.closed[element] == self.opened[element]

    def check_blocks(self, size: int, bytes_of_block: int) -> None:
        """Raise LimitExceeded where what will be made of so many blocks takes too much for a page of a size."""
        if self.blocks > _MANY_BLOCKS:
            check_memory(size, bytes_of_block * self.blocks, f"the {self.blocks:,} blocks of the page")

    def blocks_found(self, tags: Tags, names: int, segmenter: Tokenizer, table: str, declared: DeclaredText) -> Blocks:
        """Return what was found, its words and sentences counted."""
        all_text, block, container, anchor, piece, places = self.arrays
        codes, classes = _leading(all_text, self.characters), self.classes()
        signs = self._start_anchors(classes) if self.anchors else []
        columns, containers = _leading(block, self.blocks), _leading(container, self.containers)
        page_text = PageText(
            text=self.string(),
            codes=codes,
            classes=classes,
            block_ends=columns[_END],
            pieces=_leading(piece, self.pieces),
            has_marks=bool(self.has_marks),
        )
        anchors = _leading(anchor, self.anchors)
        return Blocks(
            tags=tags,
            page_text=page_text,
            columns=columns,
            measures=segmenter.measure(page_text),
            containers=Containers(containers, tags.key.take(containers[_ELEMENT])),
            anchors=Anchors(anchors[0], anchors[1], anchors[2], signs),
            places=places,
            names=names,
            table=table,
            segmenter=segmenter.name,
            declared=declared,
        )

    def _start_anchors(self, classes_of_text: NDArray[np.uint8]) -> list[int]:
        """Let every anchor start at the first character behind its tag that is no white space; return the signs."""
        classes: cython.const[cython.uchar][::1] = classes_of_text if cython.compiled else classes_of_text.data
        anchor: cython.int
        place: cython.int
        # Where the anchor behind was opened, and where it starts: no character is looked at twice.
        opened: cython.int = self.characters
        start: cython.int = self.characters
        length: cython.int
        signs: list[int] = []
        for anchor in range(self.anchors - 1, -1, -1):
            place = self.anchor[_ANCHOR_START, anchor]
            while place < opened and classes[place] & _IS_SPACE:
                place += 1
            opened, start = self.anchor[_ANCHOR_START, anchor], start if place == opened else place
            self.anchor[_ANCHOR_START, anchor] = start
            length = self.anchor[_ANCHOR_END, anchor] - start
            if 0 < length <= _LONGEST_SIGN and not classes[start] & _IS_ALPHANUMERIC:
                signs.append(anchor)
        signs.reverse()
        return signs

    def _walk(self) -> cython.void:
        """Go from tag to tag; over pruned elements in one step."""
        tags: cython.Py_ssize_t = len(self.start)
        elements: cython.Py_ssize_t = len(self.opened)
        tag: cython.Py_ssize_t = 0
        element: cython.Py_ssize_t = 0
        while tag < tags:
            self.place[tag] = self.characters
            if element == elements or self.opened[element] != tag:
                self._close(tag)
            elif self.codes[element] & _OPERATION == _PRUNE:
                while tag < self.closed[element]:
                    self.place[tag] = self.characters
                    tag += 1
                self.place[tag] = self.characters
                self.follows_white = False
                while element < elements and self.opened[element] <= tag:
                    element += 1
            else:
                self._open(element, tag)
                element += 1
            self.read_text(self.stop[tag], self.start[tag + 1] if tag + 1 < tags else self.size)
            tag += 1
        self.write_space(_NEW_LINE)
        self._end_stretch(self.size, self.size)
        self._end_piece()

    def _open(self, element: cython.int, tag: cython.Py_ssize_t) -> cython.void:
        """Read a start tag."""
        code: cython.int = self.codes[element]
        is_empty: cython.bint = self.closed[element] == tag
        is_boundary: cython.bint = code & _OPERATION == _BOUNDARY
        first: cython.int = self.blocks
        before: cython.int = self.stretch_solid
        self._write_mark(code)
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
            self._write_mark(code)
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

    def _ends_row_of_breaks(self) -> cython.bint:
        """Count a line break; return whether it ends the block."""
        if self.solid != self.solid_at_break:
            self.breaks = 0
        self.breaks += 1
        self.solid_at_break = self.solid
        return self.breaks == self.breaks_of_split

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

    def _count_roles(self, code: cython.int, block: cython.int) -> cython.void:
        """Count an element for a block.

        An inline element counts for the block that it stands in unless it ended before the block had any text; a
        boundary element counts for the first block inside it.
        """
        self.block[_FORMATS, block] += code & _FORMAT_ROLE != 0
        self.block[_LISTS, block] += code & _LIST_ROLE != 0
        self.block[_STRUCTURES, block] += code & _STRUCTURE_ROLE != 0

    def _enter(self, element: cython.int, code: cython.int) -> cython.void:
        """Flag the text inside an anchor or a formatting element."""
        if code & _ANCHOR_ROLE:
            self.anchor[_ELEMENT, self.anchors] = element
            self.anchor[_ANCHOR_START, self.anchors] = self.characters
            self.anchors += 1
            self.anchors_open += 1
        if code & _FORMAT_ROLE:
            self.formats_open += 1
        if code & (_ANCHOR_ROLE | _FORMAT_ROLE):
            self._change_flags()

    def _leave(self, code: cython.int) -> cython.void:
        """Undo what `_enter` did."""
        if code & _ANCHOR_ROLE:
            self.anchors_open -= 1
        if code & _FORMAT_ROLE:
            self.formats_open -= 1
        if code & (_ANCHOR_ROLE | _FORMAT_ROLE):
            self._change_flags()

    def _change_flags(self) -> cython.void:
        """End the piece of text before a tag if what follows has other flags."""
        flags: cython.int = (_IN_ANCHOR if self.anchors_open else 0) | (_IN_FORMAT if self.formats_open else 0)
        if flags != self.flags:
            self._end_piece()
            self.flags = flags

    def _end_piece(self) -> cython.void:
        """End a piece of text here."""
        self.piece[_PIECE_END, self.pieces] = self.characters
        self.piece[_PIECE_FLAGS, self.pieces] = self.flags
        self.pieces += 1

    def _write_mark(self, code: cython.int) -> cython.void:
        """Write what stands for a tag in the text."""
        operation: cython.int = code & _OPERATION
        if operation == _BOUNDARY:
            self.write_space(_NEW_LINE)
            self.is_border = False
        elif operation == _REMOVE_WITH_SPACE:
            self.write_space(_NEW_LINE if code & _LINE_BREAK else _BLANK)
        else:
            self.is_border = self.is_border or operation == _REMOVE_BETWEEN_WORDS
            self.follows_white = False


def _leading(columns: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the first entries of columns, contiguous: a copy where that takes little memory, else moved together."""
    chosen = columns[..., :count]
    if 2 * chosen.size < columns.size or (columns.ndim > 1 and chosen.size < _AT_ONCE):
        return chosen.copy()
    if columns.ndim == 1:
        return chosen
    packed = columns.reshape(-1)[: chosen.size].reshape(chosen.shape)
    for row, to in zip(chosen, packed, strict=True):
        to[:] = row
    return packed
