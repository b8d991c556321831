"""Cut a page into blocks: one pass over its tree by a tag table (Ziegler & Skubacz 2007, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat.blocks.table import Anchors, Blocks, Containers
from blockfeat.blocks.tagtable import TagTable
from blockfeat.lang.measures import ANCHOR, FORMAT, FastSegmenter, PageText, Segmenter
from blockfeat.page import Page

__all__ = ["Cutter", "cut_into_blocks"]

_OPERATION = {"remove_without_space": 0, "remove_with_space": 1, "boundary": 2, "prune": 3}
_WITH_SPACE, _BOUNDARY, _PRUNE = 1, 2, 3
_KEEPABLE = 4
_KIND = 7
_ANCHOR_ROLE = 8
_FORMAT_ROLE = 16
_BREAK = 32
_COUNTED_ROLES = {"format": _FORMAT_ROLE, "list": 64, "structure": 128}
_SCAN = 2_000
_SCAN_INSIDE = 40
_FEW_WORDS = 50
_MANY_WORDS = 100


@dataclass(frozen=True)
class Cutter:
    """A tag table made ready for cutting pages.

    Attributes
    ----------
    table : TagTable
        The table.
    codes : dict
        Operation and roles of every tag that the table names, as one number.
    other : int
        The number of all other tags.
    """

    table: TagTable
    codes: dict[str, int]
    other: int

    @classmethod
    def of(cls, table: TagTable) -> Cutter:
        """Make a table ready."""
        other = _OPERATION[table.other]
        codes = {tag: _OPERATION[operation] for tag, operation in table.operations.items()}
        for tag in table.guards.keep_if_it_holds_paragraphs:
            codes[tag] = _KEEPABLE
        for role, bit in {"anchor": _ANCHOR_ROLE, **_COUNTED_ROLES}.items():
            for tag in table.roles[role]:
                codes[tag] = codes.get(tag, other) | bit
        if table.guards.split_at_breaks:
            codes["br"] = codes.get("br", other) | _BREAK
        return cls(table, codes, other)

    def cut(self, page: Page, segmenter: Segmenter | None = None) -> Blocks:
        """Cut a page into text blocks; see `cut_into_blocks`."""
        segmenter = segmenter or FastSegmenter()
        blocks = _Walk(page.root, self).blocks(segmenter)
        rescue = self.table.guards.noscript_rescue and page.root is not None
        if rescue and blocks.measures.words.sum() < _FEW_WORDS:
            opened = Cutter(self.table, {**self.codes, "noscript": _BOUNDARY}, self.other)
            rescued = _Walk(page.root, opened).blocks(segmenter)
            if rescued.measures.words.sum() - blocks.measures.words.sum() > _MANY_WORDS:
                return rescued
        return blocks


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
    return Cutter.of(table).cut(page, segmenter)


class _Walk:
    """One pass over a tree: gathers pieces of text, blocks, containers and anchors."""

    def __init__(self, root: etree._Element | None, cutter: Cutter) -> None:
        self.cutter = cutter
        self.pieces: list[str] = []
        self.flags = bytearray()
        self.first_piece: list[int] = []
        self.end_piece: list[int] = []
        self.held: list[str] = []
        self.held_end: list[int] = []
        self.container: list[int] = []
        self.elements: list[etree._Element] = []
        self.codes: list[int] = []
        self.parent: list[int] = []
        self.first_block: list[int] = []
        self.end_block: list[int] = []
        self.anchors: list[tuple[etree._Element, int, int]] = []
        if root is not None:
            self._walk(root)

    def _walk(self, root: etree._Element) -> None:
        """Visit every element; the hot loop, so names are local and it is one function."""
        code_of, other = self.cutter.codes.get, self.cutter.other
        hidden = self.cutter.table.guards.prune_hidden
        split_at = self.cutter.table.guards.split_at_breaks
        pieces, flags, held, first_piece = self.pieces, self.flags, self.held, self.first_piece
        parent, first_block, end_block = self.parent, self.first_block, self.end_block
        add_piece, add_flag, add_element = pieces.append, flags.append, self.elements.append
        add_code, hold, close = self.codes.append, held.append, self._close
        open_anchors: list[tuple[etree._Element, int]] = []
        left_out: list[etree._Element] = []
        filled = False
        current = -1
        first = flag = formats = breaks = kept_inside = 0
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            code = code_of(tag, other)
            if event == "start":
                if code == _BOUNDARY and not hidden:
                    if filled:
                        close(first, current)
                        filled = False
                    parent.append(current)
                    current = len(end_block)
                    add_element(element)
                    add_code(code)
                    first_block.append(len(first_piece))
                    end_block.append(0)
                elif code or hidden:
                    kind = code & _KIND
                    if kind >= _PRUNE or (hidden and _is_hidden(element)):
                        if kind < _KEEPABLE or not _holds_paragraph(element, _SCAN_INSIDE if kept_inside else _SCAN):
                            walk.skip_subtree()
                            left_out.append(element)
                            continue
                        kept_inside += 1
                        kind = _BOUNDARY
                    if kind == _BOUNDARY:
                        if filled:
                            close(first, current)
                            filled = False
                        parent.append(current)
                        current = len(end_block)
                        add_element(element)
                        add_code(code)
                        first_block.append(len(first_piece))
                        end_block.append(0)
                    else:
                        hold(tag)
                        if kind == _WITH_SPACE and filled:
                            if code & _BREAK:
                                breaks += 1
                            if breaks and breaks == split_at:
                                close(first, current)
                                filled = False
                            else:
                                add_piece("\n")
                                add_flag(flag)
                    if code & _ANCHOR_ROLE:
                        open_anchors.append((element, len(pieces)))
                        flag |= ANCHOR
                    if code & _FORMAT_ROLE:
                        formats += 1
                        flag |= FORMAT
                else:
                    hold(tag)
                text = element.text
            else:
                if left_out and left_out[-1] is element:
                    left_out.pop()
                elif not code:
                    if not filled:
                        self._let_go(tag)
                else:
                    kind = code & _KIND
                    if kind >= _BOUNDARY:
                        if filled:
                            close(first, current)
                            filled = False
                        end_block[current] = len(first_piece)
                        current = parent[current]
                        if kind == _KEEPABLE:
                            kept_inside -= 1
                    elif not filled:
                        self._let_go(tag)
                    elif kind == _WITH_SPACE and not code & _BREAK:
                        add_piece(" ")
                        add_flag(flag)
                    if code & _ANCHOR_ROLE:
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
                    add_piece(text)
                    add_flag(flag)
                elif not text.isspace():
                    if not filled:
                        first = len(pieces)
                        filled = True
                    breaks = 0
                    add_piece(text)
                    add_flag(flag)
        if filled:
            close(first, current)

    def _close(self, first: int, container: int) -> None:
        """End the block whose first piece is given."""
        self.first_piece.append(first)
        self.end_piece.append(len(self.pieces))
        self.pieces.append("\n")
        self.flags.append(0)
        self.held_end.append(len(self.held))
        self.container.append(container)

    def _let_go(self, tag: str) -> None:
        """Forget an inline element that ended before its block had any text."""
        before = self.held_end[-1] if self.held_end else 0
        if len(self.held) > before and self.held[-1] == tag:
            self.held.pop()

    def blocks(self, segmenter: Segmenter) -> Blocks:
        """Return what was gathered as a table."""
        piece_ends = np.fromiter(accumulate(map(len, self.pieces)), dtype=np.intp, count=len(self.pieces))
        end_piece = np.array(self.end_piece, dtype=np.int64)
        page_text = PageText(
            text="".join(self.pieces),
            block_ends=piece_ends[end_piece],
            piece_ends=piece_ends,
            piece_flags=np.frombuffer(self.flags, dtype=np.uint8),
        )
        containers = Containers(
            self.elements,
            np.array(self.parent, dtype=np.int64),
            np.array(self.first_block, dtype=np.int64),
            np.array(self.end_block, dtype=np.int64),
        )
        held_end = np.array(self.held_end, dtype=np.int64)
        return Blocks(
            pieces=self.pieces,
            first_piece=np.array(self.first_piece, dtype=np.int64),
            end_piece=end_piece,
            page_text=page_text,
            measures=segmenter.measure(page_text),
            held_tags=self.held,
            held_end=held_end,
            role_counts=self._role_counts(held_end, containers),
            container=np.array(self.container, dtype=np.int64),
            containers=containers,
            anchors=_anchor_table(self.anchors),
            table=self.cutter.table.name,
            segmenter=segmenter.name,
        )

    def _role_counts(self, held_end: NDArray[np.int64], containers: Containers) -> dict[str, NDArray[np.int64]]:
        """Count by block and role the inline elements held and the boundary elements opened just before."""
        n = held_end.size
        code_of, other = self.cutter.codes.get, self.cutter.other
        inline = np.array([code_of(tag, other) for tag in self.held[: int(held_end[-1]) if n else 0]], dtype=np.int64)
        owner = np.searchsorted(held_end, np.arange(inline.size), side="right")
        with_text = containers.end_block > containers.first_block
        outer = np.array(self.codes, dtype=np.int64)[with_text]
        opened = containers.first_block[with_text]
        counts = {}
        for role, bit in _COUNTED_ROLES.items():
            counts[role] = np.bincount(owner[inline & bit != 0], minlength=n)
            counts[role] += np.bincount(opened[outer & bit != 0], minlength=n)
        return counts


def _anchor_table(anchors: list[tuple[etree._Element, int, int]]) -> Anchors:
    return Anchors(
        [anchor for anchor, _, _ in anchors],
        np.array([start for _, start, _ in anchors], dtype=np.int64),
        np.array([end for _, _, end in anchors], dtype=np.int64),
    )


def _holds_paragraph(element: etree._Element, most: int) -> bool:
    """Tell whether one of the first descendants is a paragraph; bounded, so that nesting stays linear."""
    for count, inner in enumerate(element.iter()):
        if inner.tag == "p":
            return True
        if count > most:
            return False
    return False


def _is_hidden(element: etree._Element) -> bool:
    """Tell whether an element is hidden by attribute or inline style."""
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    style = (element.get("style") or "")[:500].replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style
