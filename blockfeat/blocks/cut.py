"""Cut a page into blocks by a tag table, by column over all of its tags (Ziegler & Skubacz 2007, 3.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.marked_text import BOUNDARY_MARK, NO_MARK, SPACE_MARK, MarkedText
from blockfeat.blocks.table import Anchors, Blocks, Containers
from blockfeat.blocks.tagtable import TagTable
from blockfeat.lang.measures import ANCHOR, FORMAT, FastSegmenter, PageText, Segmenter
from blockfeat.page.json_ld import DeclaredText
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags, name_key, name_keys, parents_of

__all__ = ["Cutter", "cut_into_blocks"]

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

_OPERATION = {"remove_without_space": 0, "remove_with_space": 1, "boundary": 2, "prune": 3}
_WITH_SPACE, _BOUNDARY, _PRUNE = 1, 2, 3
_KEEPABLE = 4
_KIND = 7
_ANCHOR_ROLE = 8
_FORMAT_ROLE = 16
_BREAK = 32
_COUNTED_ROLES = {"format": _FORMAT_ROLE, "list": 64, "structure": 128}
_FEW_WORDS = 50
_MANY_WORDS = 100
_HIDDEN = re.compile(
    rb'\s(?:hidden="|aria-hidden="true"|style="[^"]{0,500}?(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden))',
    re.IGNORECASE,
)


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

    @cached_property
    def _sorted_codes(self) -> tuple[NDArray[np.uint64], Indices]:
        """Keys of the named tags in ascending order, and the code of each."""
        keys = name_keys(self.codes)
        order = np.argsort(keys)
        return keys[order], np.array(list(self.codes.values()), dtype=np.int64)[order]

    def codes_of(self, tags: Tags) -> Indices:
        """Return operation and roles of every element."""
        keys, codes = self._sorted_codes
        places = np.minimum(keys.searchsorted(tags.key), keys.size - 1)
        return np.where(keys[places] == tags.key, codes[places], self.other)

    def cut(self, page: Page, segmenter: Segmenter | None = None) -> Blocks:
        """Cut a page into text blocks; see `cut_into_blocks`."""
        segmenter = segmenter or FastSegmenter()
        tags = page.tags if page.tags is not None else Tags.of_markup(b"<html></html>")
        codes = self.codes_of(tags)
        blocks = _Cut.of(tags, codes, self.table).blocks(segmenter, page.declared)
        if self.table.guards.noscript_rescue and blocks.measures.words.sum() < _FEW_WORDS:
            hidden = tags.named("noscript")
            if hidden.size:
                codes[hidden] = _BOUNDARY
                rescued = _Cut.of(tags, codes, self.table).blocks(segmenter, page.declared)
                if rescued.measures.words.sum() - blocks.measures.words.sum() > _MANY_WORDS:
                    return rescued
        return blocks


def cut_into_blocks(page: Page, table: TagTable, segmenter: Segmenter | None = None) -> Blocks:
    """Cut a page into text blocks.

    Parameters
    ----------
    page : Page
        The parsed page; one without tags has no blocks.
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


@dataclass(frozen=True, slots=True)
class _Cut:
    """One page with what its elements mean; tags are numbered among those outside of pruned elements ("live").

    Attributes
    ----------
    element : int array
        The live elements.
    code : int array
        Operation and roles of each live element.
    opened, closed : int array
        Live numbers of the start tag and the end tag of each live element.
    kind : int array
        Operation of each live tag.
    splits : int array
        The live tags that end a stretch of text; stretch g ends at ``splits[g]``.
    stretch : int array
        For each live tag how many splits come before it.
    has_text : bool array
        For each stretch whether it holds text.
    blocks_upto : int array
        For each stretch the number of blocks that have ended with it.
    block_starts, block_ends : int array
        Where each block begins and ends in the text.
    first_byte, end_byte : int array
        Where its markup begins and ends.
    """

    tags: Tags
    table: TagTable
    marked: MarkedText
    element: Indices
    code: Indices
    opened: Indices
    closed: Indices
    kind: Indices
    splits: Indices
    stretch: Indices
    has_text: Mask
    blocks_upto: Indices
    block_starts: Indices
    block_ends: Indices
    first_byte: Indices
    end_byte: Indices

    @classmethod
    def of(cls, tags: Tags, codes: Indices, table: TagTable) -> _Cut:
        """Mark the text at the live tags and find where it is cut."""
        codes = _pruned_or_kept(tags, codes, table)
        live, dropped = _live_tags(tags, (codes & _KIND) == _PRUNE)
        element = live[tags.opened].nonzero()[0]
        code = codes[element]
        number = live.cumsum() - 1
        opened, closed = number[tags.opened[element]], number[tags.closed[element]]
        kind = np.empty(int(live.sum()), dtype=np.int64)
        kind[opened] = kind[closed] = code & _KIND
        marks = np.array([NO_MARK, SPACE_MARK, BOUNDARY_MARK], dtype=np.uint8)[kind]
        marks[closed[(code & _BREAK != 0) & (opened != closed)]] = NO_MARK
        marked = MarkedText.of(tags, live, marks, dropped)
        is_split = kind == _BOUNDARY
        if table.guards.split_at_breaks:
            breaks = opened[code & _BREAK != 0]
            is_split[marked.repeated(breaks, table.guards.split_at_breaks, is_split)] = True
        splits = np.append(is_split.nonzero()[0], kind.size)
        starts, ends, has_text = marked.stretches(splits)
        at_split = live.nonzero()[0][splits[:-1]]
        first_byte = np.concatenate(([0], tags.stop[at_split]))[has_text]
        end_byte = np.append(tags.start[at_split], len(tags.source))[has_text]
        return cls(
            tags=tags,
            table=table,
            marked=marked,
            element=element,
            code=code,
            opened=opened,
            closed=closed,
            kind=kind,
            splits=splits,
            stretch=is_split.cumsum() - is_split,
            has_text=has_text,
            blocks_upto=has_text.cumsum(),
            block_starts=starts,
            block_ends=ends,
            first_byte=first_byte,
            end_byte=end_byte,
        )

    def blocks(self, segmenter: Segmenter, declared: DeclaredText) -> Blocks:
        """Return the page's blocks as a table."""
        page_text = self._page_text()
        inner, containers = self._containers()
        owner, is_held = self._held()
        role_counts = {}
        for role, bit in _COUNTED_ROLES.items():
            counted = is_held & (self.code & bit != 0)
            role_counts[role] = np.bincount(owner[counted], minlength=self.block_ends.size)
        return Blocks(
            tags=self.tags,
            page_text=page_text,
            block_starts=self.block_starts,
            first_byte=self.first_byte,
            end_byte=self.end_byte,
            measures=segmenter.measure(page_text),
            held=self.element[is_held],
            held_owner=owner[is_held],
            role_counts=role_counts,
            container=inner,
            containers=containers,
            anchors=self._anchors(),
            table=self.table.name,
            segmenter=segmenter.name,
            declared=declared,
        )

    def _page_text(self) -> PageText:
        """Return the text with the stretches inside anchors and formatting elements."""
        flags = np.zeros(self.kind.size + 1, dtype=np.uint8)
        for role, flag in ((_ANCHOR_ROLE, ANCHOR), (_FORMAT_ROLE, FORMAT)):
            chosen = self.code & role != 0
            edges = np.zeros(self.kind.size + 1, dtype=np.int64)
            edges[self.opened[chosen]] += 1
            edges[self.closed[chosen]] -= 1
            flags[edges.cumsum() > 0] |= flag
        # The text behind a tag has its flag; where the flag changes, a piece ends.
        changes = (flags[1:] != flags[:-1]).nonzero()[0] + 1
        ends = np.append(self.marked.places[changes], len(self.marked.text))
        return PageText(
            text=self.marked.text,
            codes=self.marked.codes,
            classes=self.marked.classes,
            solid=self.marked.solid,
            block_ends=self.block_ends,
            piece_ends=ends,
            piece_flags=np.append(flags[0], flags[changes]),
        )

    def _containers(self) -> tuple[Indices, Containers]:
        """Return the innermost boundary element around each block, and all boundary elements."""
        chosen = (self.code & _KIND) == _BOUNDARY
        opened, closed = self.opened[chosen], self.closed[chosen]
        parent = parents_of(opened, closed)
        # What holds the text behind each boundary tag, and the tag that tells it for each stretch.
        holder = np.full(self.kind.size + 1, -1, dtype=np.int64)
        holder[opened + 1] = np.arange(opened.size)
        holder[closed + 1] = parent
        told = np.zeros(self.kind.size + 1, dtype=np.int64)
        told[opened + 1] = opened + 1
        told[closed + 1] = closed + 1
        begins = np.concatenate(([0], self.splits[:-1] + 1))
        inner = holder[np.maximum.accumulate(told)[begins]]
        containers = Containers(
            self.element[chosen],
            parent,
            self.blocks_upto[self.stretch[opened]],
            self.blocks_upto[self.stretch[closed]],
        )
        return inner[self.has_text], containers

    def _held(self) -> tuple[Indices, Mask]:
        """Return the block of each live element, and whether it counts there.

        An inline element counts for the block that it stands in unless it ended before the block had any text; a
        boundary element counts for the first block inside it.
        """
        is_boundary = (self.code & _KIND) == _BOUNDARY
        before = np.concatenate(([0], self.blocks_upto))
        first = np.where(is_boundary, self.blocks_upto[self.stretch[self.opened]], before[self.stretch[self.opened]])
        last = self.blocks_upto[self.stretch[self.closed]]
        solid = self.marked.solid_before
        begin = np.concatenate(([0], solid[self.splits[:-1]]))
        has_begun = solid[self.closed] > begin[self.stretch[self.opened]]
        is_held = np.where(is_boundary, last > first, has_begun) & (first < self.block_ends.size)
        return first, is_held

    def _anchors(self) -> Anchors:
        chosen = (self.code & _ANCHOR_ROLE != 0) & (self.opened != self.closed)
        marked = self.marked
        first_solid = np.append(marked.solid, len(marked.text))[marked.solid_before[self.opened[chosen]]]
        closed = self.closed[chosen]
        return Anchors(self.element[chosen], first_solid, marked.places[closed] - marked.width[closed])


def _pruned_or_kept(tags: Tags, codes: Indices, table: TagTable) -> Indices:
    """Decide for elements that may be kept: boundaries where they hold a paragraph, pruned where not."""
    kind = codes & _KIND
    keepable = (kind == _KEEPABLE).nonzero()[0]
    swallowing = (kind == _PRUNE).nonzero()[0] if table.guards.keep_if_it_holds_paragraphs else keepable[:0]
    if swallowing.size:
        # Only end tags behind it: the parser has put the rest of the page inside.
        last_text = tags.last_text_tag
        swallowing = swallowing[tags.key[swallowing] != name_key("noscript")]
        swallowing = swallowing[(tags.closed[swallowing] > last_text) & (tags.opened[swallowing] < last_text)]
    if keepable.size or swallowing.size or table.guards.prune_hidden:
        codes = codes.copy()
    for elements, kept in ((keepable, _KEEPABLE), (swallowing, _PRUNE)):
        if elements.size:
            paragraphs = tags.opened[tags.named("p")]
            first = paragraphs.searchsorted(tags.opened[elements])
            last = paragraphs.searchsorted(tags.closed[elements])
            codes[elements] += np.where(last > first, _BOUNDARY, _PRUNE) - kept
    if table.guards.prune_hidden:
        places = np.array([found.start() for found in _HIDDEN.finditer(tags.source)], dtype=np.int64)
        tag = tags.start.searchsorted(places, side="right") - 1
        in_tag = tag[places < tags.stop[tag]] if places.size else tag
        codes[tags.opened.searchsorted(in_tag)] = _PRUNE
    return codes


def _live_tags(tags: Tags, is_pruned: Mask) -> tuple[Mask, Mask]:
    """Return which tags stand outside of pruned elements, and behind which ones the text is inside."""
    inside = np.zeros(tags.start.size + 1, dtype=np.int64)
    inside[tags.opened[is_pruned]] += 1
    inside[tags.closed[is_pruned]] -= 1
    dropped = inside.cumsum()[:-1] > 0
    live = ~dropped
    live[tags.closed[is_pruned]] = False
    return live, dropped
