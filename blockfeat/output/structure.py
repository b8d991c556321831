"""The kept blocks as nested lists, quotes and single blocks, for formats with structure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from blockfeat.blocks.block import Block

__all__ = ["BlockList", "ListEntry", "Quote", "structured"]

# Deeper items are written at this depth, which bounds recursion over lists.
_MAX_DEPTH = 12


@dataclass(slots=True)
class ListEntry:
    """One item of a list with the lists nested in it."""

    block: Block
    lists: list[BlockList] = field(default_factory=list)


@dataclass(slots=True)
class BlockList:
    """Neighbouring items of one kind (numbered or not) at one depth."""

    ordered: bool
    entries: list[ListEntry] = field(default_factory=list)


@dataclass(slots=True)
class Quote:
    """Neighbouring blocks of a quotation."""

    blocks: list[Block] = field(default_factory=list)


def structured(blocks: Iterable[Block]) -> list[Block | BlockList | Quote]:
    """Group the kept blocks that have text; nesting follows the level of list items, at most 12 deep."""
    parts: list[Block | BlockList | Quote] = []
    run: list[Block] = []
    for block in blocks:
        if not block.kept or not block.text.strip():
            continue
        if run and block.kind != run[-1].kind:
            parts.extend(_grouped(run))
            run = []
        run.append(block)
    parts.extend(_grouped(run))
    return parts


def _grouped(run: Sequence[Block]) -> list[Block | BlockList | Quote]:
    """Group neighbours of one kind."""
    if run and run[0].kind == "list_item":
        return [*_nested(run)]
    if run and run[0].kind == "quote":
        return [Quote(list(run))]
    return [*run]


def _nested(items: Iterable[Block]) -> list[BlockList]:
    """Build lists from items in document order by their levels; a skipped level counts as one step."""
    top: list[BlockList] = []
    # The lists that are open, each with the level of its items, outermost first.
    open_lists: list[tuple[int, BlockList]] = []
    for item in items:
        level = min(max(item.level, 1), _MAX_DEPTH)
        left: BlockList | None = None
        while open_lists and open_lists[-1][0] >= level:
            left = open_lists.pop()[1]
        siblings = open_lists[-1][1].entries[-1].lists if open_lists else top
        if left is None or left.ordered != item.ordered:
            left = BlockList(item.ordered)
            siblings.append(left)
        left.entries.append(ListEntry(item))
        open_lists.append((level, left))
    return top
