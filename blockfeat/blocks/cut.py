"""Cut a page into blocks: one pass over its tree by a tag table (Ziegler & Skubacz 2007, 3.1)."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat.blocks.table import Anchors, Blocks, Containers
from blockfeat.blocks.tagtable import TagTable
from blockfeat.lang.measures import ANCHOR, FORMAT, FastSegmenter, PageText, Segmenter
from blockfeat.page import Page

__all__ = ["cut_into_blocks"]

_OPERATION = {"remove_without_space": 0, "remove_with_space": 1, "boundary": 2, "prune": 3}
_KEEPABLE = 4
_KIND = 7
_ANCHOR_ROLE = 8
_FORMAT_ROLE = 16
_BREAK = 32
_COUNTED_ROLES = ("format", "list", "structure")
_SCAN = 2_000
_PARAGRAPHS = ("p",)
_FEW_WORDS = 50
_MANY_WORDS = 100


def cut_into_blocks(page: Page, table: TagTable, segmenter: Segmenter | None = None) -> Blocks:
    """Cut a page into text blocks.

    Parameters
    ----------
    page : Page
        The parsed page; one without a tree has no blocks.
    table : TagTable
        What each element means.
    segmenter : Segmenter, optional
        Counts words and sentences; `FastSegmenter` by default.

    Returns
    -------
    Blocks
        The blocks in document order; linear in the size of the page.
    """
    segmenter = segmenter or FastSegmenter()
    codes = _codes(table)
    blocks = _Walk(page.root, codes, table).blocks(segmenter)
    if table.guards.noscript_rescue and page.root is not None and blocks.measures.words.sum() < _FEW_WORDS:
        rescued = _Walk(page.root, codes | {"noscript": _OPERATION["boundary"]}, table).blocks(segmenter)
        if rescued.measures.words.sum() - blocks.measures.words.sum() > _MANY_WORDS:
            return rescued
    return blocks


def _codes(table: TagTable) -> dict[str, int]:
    """Operation and roles of every tag of a table as one number."""
    codes = {tag: _OPERATION[operation] for tag, operation in table.operations.items()}
    for tag in table.guards.keep_if_it_holds_paragraphs:
        codes[tag] = _KEEPABLE
    other = _OPERATION[table.other]
    for role, bit in (("anchor", _ANCHOR_ROLE), ("format", _FORMAT_ROLE)):
        for tag in table.roles[role]:
            codes[tag] = codes.get(tag, other) | bit
    if table.guards.split_at_breaks:
        codes["br"] = codes.get("br", other) | _BREAK
    return codes


class _Walk:
    """One pass over a tree: gathers pieces of text, blocks, containers and anchors."""

    def __init__(self, root: etree._Element | None, codes: dict[str, int], table: TagTable) -> None:
        self.codes = codes
        self.table = table
        self.pieces: list[str] = []
        self.flags: list[int] = []
        self.first_piece: list[int] = []
        self.end_piece: list[int] = []
        self.held: list[str] = []
        self.held_end: list[int] = []
        self.container: list[int] = []
        self.elements: list[etree._Element] = []
        self.parent: list[int] = []
        self.first_block: list[int] = []
        self.end_block: list[int] = []
        self.open_containers: list[int] = [-1]
        self.held_at_open: list[int] = []
        self.anchors: list[tuple[etree._Element, int, int]] = []
        if root is not None:
            self._walk(root)

    def _walk(self, root: etree._Element) -> None:
        """Visit every element; the hot loop, so names are local."""
        codes_get, other = self.codes.get, _OPERATION[self.table.other]
        hidden = self.table.guards.prune_hidden
        split_at = self.table.guards.split_at_breaks
        pieces, flags, held = self.pieces, self.flags, self.held
        open_anchors: list[tuple[etree._Element, int]] = []
        kept: list[etree._Element] = []
        filled = False
        first = flag = formats = breaks = 0
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            code = codes_get(tag, other)
            if event == "start":
                if code or hidden:
                    kind = code & _KIND
                    if kind >= 3 or (hidden and _is_hidden(element)):
                        if kind < _KEEPABLE or not _holds_paragraph(element):
                            walk.skip_subtree()
                            kept.append(element)
                            continue
                        kind = 2
                    if kind == 2:
                        if filled:
                            self._close(first)
                            filled = False
                        self._open_container(element)
                    elif kind == 1:
                        if code & _BREAK and filled:
                            breaks += 1
                            if breaks == split_at:
                                self._close(first)
                                filled = False
                        if filled:
                            pieces.append("\n")
                            flags.append(flag)
                    if code & _ANCHOR_ROLE:
                        open_anchors.append((element, len(pieces)))
                        flag |= ANCHOR
                    if code & _FORMAT_ROLE:
                        formats += 1
                        flag |= FORMAT
                held.append(tag)
                text = element.text
            else:
                if code or hidden:
                    if kept and kept[-1] is element:
                        kept.pop()
                    else:
                        kind = code & _KIND
                        if kind >= 2:
                            if filled:
                                self._close(first)
                                filled = False
                            self._close_container()
                        elif kind == 1 and filled and not code & _BREAK:
                            pieces.append(" ")
                            flags.append(flag)
                        if code & _ANCHOR_ROLE and open_anchors:
                            anchor, start = open_anchors.pop()
                            self.anchors.append((anchor, start, len(pieces)))
                            if not open_anchors:
                                flag &= ~ANCHOR
                        if code & _FORMAT_ROLE:
                            formats -= 1
                            if not formats:
                                flag &= ~FORMAT
                text = element.tail
            if text:
                if filled and not breaks:
                    pieces.append(text)
                    flags.append(flag)
                elif not text.isspace():
                    if not filled:
                        first = len(pieces)
                        filled = True
                    breaks = 0
                    pieces.append(text)
                    flags.append(flag)
        if filled:
            self._close(first)

    def _close(self, first: int) -> None:
        """End the block whose first piece is given."""
        self.first_piece.append(first)
        self.end_piece.append(len(self.pieces))
        self.pieces.append("\n")
        self.flags.append(0)
        self.held_end.append(len(self.held))
        self.container.append(self.open_containers[-1])

    def _open_container(self, element: etree._Element) -> None:
        self.elements.append(element)
        self.parent.append(self.open_containers[-1])
        self.first_block.append(len(self.first_piece))
        self.end_block.append(0)
        self.open_containers.append(len(self.elements) - 1)
        self.held_at_open.append(len(self.held))

    def _close_container(self) -> None:
        """Close the innermost container; what it held without text belongs to no block."""
        closed = self.open_containers.pop()
        self.end_block[closed] = len(self.first_piece)
        held_at_open = self.held_at_open.pop()
        if self.end_block[closed] == self.first_block[closed]:
            del self.held[held_at_open:]

    def blocks(self, segmenter: Segmenter) -> Blocks:
        """Return what was gathered as a table."""
        piece_ends = np.fromiter(accumulate(map(len, self.pieces)), dtype=np.intp, count=len(self.pieces))
        end_piece = np.array(self.end_piece, dtype=np.int64)
        page_text = PageText(
            text="".join(self.pieces),
            block_ends=piece_ends[end_piece],
            piece_ends=piece_ends,
            piece_flags=np.array(self.flags, dtype=np.uint8),
        )
        return Blocks(
            pieces=self.pieces,
            first_piece=np.array(self.first_piece, dtype=np.int64),
            end_piece=end_piece,
            page_text=page_text,
            measures=segmenter.measure(page_text),
            held_tags=self.held,
            held_end=np.array(self.held_end, dtype=np.int64),
            role_counts=_role_counts(self.held, self.held_end, self.table),
            container=np.array(self.container, dtype=np.int64),
            containers=Containers(
                self.elements,
                np.array(self.parent, dtype=np.int64),
                np.array(self.first_block, dtype=np.int64),
                np.array(self.end_block, dtype=np.int64),
            ),
            anchors=_anchor_table(self.anchors),
            table=self.table.name,
            segmenter=segmenter.name,
        )


def _anchor_table(anchors: list[tuple[etree._Element, int, int]]) -> Anchors:
    return Anchors(
        [anchor for anchor, _, _ in anchors],
        np.array([start for _, start, _ in anchors], dtype=np.int64),
        np.array([end for _, _, end in anchors], dtype=np.int64),
    )


def _role_counts(held: list[str], held_end: list[int], table: TagTable) -> dict[str, NDArray[np.int64]]:
    """Count the held elements of each role by block: one look-up a tag, then sums by column."""
    ends = np.array(held_end, dtype=np.int64)
    bits: dict[str, int] = {}
    for bit, role in enumerate(_COUNTED_ROLES):
        for tag in table.roles[role]:
            bits[tag] = bits.get(tag, 0) | (1 << bit)
    masks = np.array([bits.get(tag, 0) for tag in held], dtype=np.int64)
    counts = {}
    for bit, role in enumerate(_COUNTED_ROLES):
        total = np.concatenate(([0], np.cumsum((masks >> bit) & 1)))
        counts[role] = np.diff(total[ends], prepend=0)
    return counts


def _holds_paragraph(element: etree._Element) -> bool:
    """Tell whether one of the first descendants is a paragraph; bounded, so that nesting stays linear."""
    for count, inner in enumerate(element.iter()):
        if inner.tag in _PARAGRAPHS:
            return True
        if count > _SCAN:
            return False
    return False


def _is_hidden(element: etree._Element) -> bool:
    """Tell whether an element is hidden by attribute or inline style."""
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    style = (element.get("style") or "")[:500].replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style
