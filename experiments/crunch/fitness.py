"""The fitness of many settings of Crunch's filters at once, over arrays of removable elements, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blockfeat.features.measuring import PageFeatures
from blockfeat.papers.crunch.decision import Decision, HostList, Walked
from blockfeat.papers.crunch.filters import decide_first_set, own_counts
from blockfeat.papers.crunch.model import MeasuredTree, tree_of
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.training.swarm_search import Gold, Part, Prepared, TrainingSet, chunk_of, pages_in_groups

CANDIDATES = CleanSettings().link_lists.containers
"""Containers of modern pages that a particle may have checked beside table cells."""

OTHER, TEXT_LINK, FORM, TABLE, CELL = range(-5, 0)
"""Kinds of nodes; the kind of a container is its index in `CANDIDATES`."""

Indices = NDArray[np.int64]


Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
_PARTICLES_AT_ONCE = 32


@dataclass(frozen=True)
class Nodes:
    """The m elements of a page that filters may remove, in document order; the first is the root.

    Attributes
    ----------
    parent : int array, m
        Index of the innermost node around each; -1 for the first.
    level : int array, m
        Number of nodes around each.
    kind : int array, m
        Kind of each: one of those above, or for a container its index in `CANDIDATES`.
    held : float64 array, 4 × m
        Numbers of links, letters outside of links, all letters and elements of substance directly in each, without
        those in the nodes inside it.
    block, node, count : int array, k
        Pairs of a block and a node, and the number of the block's characters directly in the node.
    total : int array, n
        Number of characters of each block.
    """

    parent: Indices
    level: Indices
    kind: Indices
    held: NDArray[np.float64]
    block: Indices
    node: Indices
    count: Indices
    total: Indices


def nodes_of(tree: MeasuredTree, base: CleanSettings, hosts: HostList | None) -> Nodes:
    """Return the nodes of a page; ``base`` has the settings that are fixed in the search.

    What the filters remove by these settings is left out.
    """
    walked = tree.walked
    decision = _first_set(walked, base, hosts)
    gone = np.frombuffer(decision.gone(), dtype=np.uint8) != 0
    kinds = _kinds(walked, decision, _first_set(walked, base, hosts, text_links=True))
    counts = own_counts(decision, base.empty_tables)
    end, links = np.array(walked.end), np.cumsum([0, *counts.links])
    # Without a link nothing is a list of links, whatever the settings.
    kinds[gone | ((kinds >= CELL) & (links[end] == links[:-1]))] = OTHER
    is_node = kinds != OTHER
    is_node[0] = True
    number = np.cumsum(is_node) - 1
    owner = number[np.array(walked.innermost(is_node.tolist()), dtype=np.int64)]
    is_substance = np.array([name in base.empty_tables.substance for name in walked.names]) & ~gone
    columns = (counts.links, counts.unlinked, counts.letters, is_substance)
    size = int(number[-1]) + 1
    held = np.array([np.bincount(owner, weights=np.asarray(column), minlength=size) for column in columns])
    elements = is_node.nonzero()[0]
    around = np.array(walked.parent, dtype=np.int64)[elements]
    parent = np.where(around >= 0, owner[around], -1)
    text, stays = tree.text, ~gone[tree.text.element]
    return Nodes(
        parent=parent,
        level=np.arange(size) - np.searchsorted(np.sort(end[elements]), elements, side="right"),
        kind=kinds[elements],
        held=held,
        block=text.block[stays],
        node=owner[text.element[stays]],
        count=text.count[stays],
        total=text.total,
    )


def _first_set(walked: Walked, base: CleanSettings, hosts: HostList | None, *, text_links: bool = False) -> Decision:
    """Return the decision of the fixed filters of the first set, and of the one for text links if ``text_links``."""
    decision = Decision.none(walked)
    decide_first_set(decision, replace(base.filters, text_links=text_links, forms=False), hosts)
    return decision


def _kinds(walked: Walked, decision: Decision, without_links: Decision) -> Indices:
    """Return the kind of each element; links are text links where the filter of text links removes them."""
    codes = {"form": FORM, "table": TABLE, "td": CELL, "th": CELL}
    codes |= {name: place for place, name in enumerate(CANDIDATES)}
    kinds = np.array([codes.get(name, OTHER) for name in walked.names], dtype=np.int64)
    kinds[np.frombuffer(without_links.removed, np.uint8) > np.frombuffer(decision.removed, np.uint8)] = TEXT_LINK
    return kinds


@dataclass(frozen=True)
class PreparedTree(Prepared):
    """What training needs of a page: also its nodes."""

    nodes: Nodes


def prepared_tree(measured: PageFeatures, gold: Gold, *, base: CleanSettings, hosts: HostList | None) -> PreparedTree:
    """Return what training needs of a page; see `nodes_of`."""
    nodes = nodes_of(tree_of(measured), base, hosts)
    return PreparedTree(nodes, words=measured.blocks.measures.words, gold=gold)


@dataclass(frozen=True)
class _Limits:
    """The settings of p particles as arrays of p entries; ``containers`` is candidates × p."""

    ratio: Array
    container_ratio: Array
    least_links: Array
    letters_per_word: Array
    least_characters: Array
    text_links: Mask
    forms: Mask
    tables: Mask
    cells: Mask
    containers: Mask

    @classmethod
    def of(cls, found: Sequence[CleanSettings]) -> _Limits:
        lists, tables = [one.link_lists for one in found], [one.empty_tables for one in found]
        return cls(
            ratio=np.array([one.ratio for one in lists]),
            container_ratio=np.array([one.container_ratio for one in lists]),
            least_links=np.array([float(one.least_links) for one in lists]),
            letters_per_word=np.array([one.letters_per_word for one in lists]),
            least_characters=np.array([float(one.least_characters) for one in tables]),
            text_links=np.array([one.filters.text_links for one in found]),
            forms=np.array([one.filters.forms for one in found]),
            tables=np.array([one.remove for one in tables]),
            cells=np.array([one.remove and one.cells for one in lists]),
            containers=np.array([[one.remove and name in one.containers for one in lists] for name in CANDIDATES]),
        )


@dataclass(frozen=True)
class _Level:
    """The nodes of one level, first to end (exclusive), sorted by parent; the parents, and the first node of each."""

    first: int
    end: int
    parents: NDArray[np.int64]
    starts: NDArray[np.int64]


@dataclass(frozen=True)
class _Part(Part[Sequence[CleanSettings]]):
    """The nodes of some pages by level, and the characters that each block has in them."""

    kind: NDArray[np.int64]
    parent: NDArray[np.int64]
    held: Array
    levels: tuple[_Level, ...]
    text: sparse.csr_array
    half: Array

    @classmethod
    def of(cls, pages: Sequence[PreparedTree], metric: str) -> _Part:
        nodes = [page.nodes for page in pages]
        sizes = np.cumsum([0, *(one.kind.size for one in nodes)])
        parent = np.concatenate(
            [np.where(one.parent < 0, -1, one.parent + at) for one, at in zip(nodes, sizes, strict=False)]
        )
        level = np.concatenate([one.level for one in nodes])
        # By level, then by parent: the nodes of one parent are adjacent, and still in document order.
        order = np.lexsort((parent, level))
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        parent = np.where(parent < 0, -1, place[parent])[order]
        total = np.concatenate([one.total for one in nodes])
        blocks = np.cumsum([0, *(one.total.size for one in nodes)])
        rows = np.concatenate([one.block + at for one, at in zip(nodes, blocks, strict=False)])
        columns = np.concatenate([place[one.node + at] for one, at in zip(nodes, sizes, strict=False)])
        counts = np.concatenate([one.count for one in nodes]).astype(np.float32)
        return cls(
            chunk_of(pages, metric),
            len(pages),
            total.size,
            kind=np.concatenate([one.kind for one in nodes])[order],
            parent=parent,
            held=np.concatenate([one.held for one in nodes], axis=1)[:, order],
            levels=tuple(_levels(level[order], parent)),
            text=sparse.csr_array((counts, (rows, columns)), shape=(total.size, order.size)),
            half=total[:, None] / 2,
        )

    def masks(self, candidates: Sequence[CleanSettings]) -> NDArray[np.float32]:
        """Return which blocks are kept under each of some settings: blocks × settings."""
        some = (candidates[at : at + _PARTICLES_AT_ONCE] for at in range(0, len(candidates), _PARTICLES_AT_ONCE))
        kept = [self.text @ self._left(_Limits.of(found)) > self.half for found in some]
        return np.concatenate(kept, axis=1, dtype=np.float32)

    def _left(self, limits: _Limits) -> NDArray[np.float32]:
        """Return 1 where the text of a node remains, 0 elsewhere: nodes × particles."""
        gone = np.zeros((self.kind.size, limits.ratio.size), dtype=np.bool_)
        gone[self.kind == TEXT_LINK] = limits.text_links
        gone[self.kind == FORM] = limits.forms
        self._cells_from_the_top(gone, limits)
        self._all_from_the_bottom(gone, limits)
        for level in self.levels[1:]:
            gone[level.first : level.end] |= gone[self.parent[level.first : level.end]]
        return np.asarray(~gone, dtype=np.float32)

    def _cells_from_the_top(self, gone: Mask, limits: _Limits) -> None:
        """Mark cells that are lists of links by all their content; cells inside of a marked one are removed with it."""
        links, unlinked = (self._columns(gone, row) for row in (0, 1))
        for level in self.levels[:0:-1]:
            for column in (links, unlinked):
                self._add_up(column, gone, level)
        gone |= (self.kind == CELL)[:, None] & limits.cells & _is_list(links, unlinked, limits.ratio, limits)

    def _all_from_the_bottom(self, gone: Mask, limits: _Limits) -> None:
        """Mark cells, containers and tables by what remains in them."""
        columns = tuple(self._columns(gone, row) for row in range(4))
        for level in self.levels[::-1]:
            own = slice(level.first, level.end)
            gone[own] |= self._goes(own, tuple(column[own] for column in columns), limits)
            if level.first:
                for column in columns:
                    self._add_up(column, gone, level)

    def _goes(self, own: slice, held: tuple[Array, ...], limits: _Limits) -> Mask:
        links, unlinked, letters, substance = held
        kind = self.kind[own]
        goes = np.zeros(links.shape, dtype=np.bool_)
        for rows, is_on, ratio in (
            ((kind == CELL).nonzero()[0], limits.cells, limits.ratio),
            ((kind >= 0).nonzero()[0], limits.containers[kind[kind >= 0]], limits.container_ratio),
        ):
            goes[rows] = is_on & _is_list(links[rows], unlinked[rows], ratio, limits)
        rows = (kind == TABLE).nonzero()[0]
        goes[rows] = limits.tables & (substance[rows] == 0) & (letters[rows] < limits.least_characters)
        return goes

    def _columns(self, gone: Mask, row: int) -> Array:
        return np.where(gone, 0.0, self.held[row][:, None])

    def _add_up(self, column: Array, gone: Mask, level: _Level) -> None:
        """Add the counts of the remaining nodes of a level to those of their parents."""
        own = slice(level.first, level.end)
        left = np.where(gone[own], 0.0, column[own])
        column[level.parents] += np.add.reduceat(left, level.starts, axis=0)


def _is_list(links: Array, unlinked: Array, ratio: Array, limits: _Limits) -> Mask:
    return np.asarray((links >= limits.least_links) & (links > ratio * unlinked / limits.letters_per_word))


def _levels(level: NDArray[np.int64], parent: NDArray[np.int64]) -> Iterator[_Level]:
    """Yield the levels of nodes that are sorted by level and parent."""
    bounds = [*np.unique(level, return_index=True)[1].tolist(), level.size]
    for first, end in pairwise(bounds):
        parents, starts = np.unique(parent[first:end], return_index=True)
        yield _Level(first, end, parents, starts)


def training_set(pages: Sequence[PreparedTree], metric: str) -> TrainingSet[Sequence[CleanSettings]]:
    """Return a training set of prepared pages, over which settings are scored."""
    return TrainingSet(tuple(_Part.of(group, metric) for group in pages_in_groups(pages)))
