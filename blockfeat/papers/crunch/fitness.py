"""The fitness of many settings of Crunch's filters at once: nodes of many pages as arrays, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blockfeat.papers.crunch.nodes import CELL, FORM, TABLE, TEXT_LINK, Nodes
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.papers.crunch.space import CANDIDATES
from blockfeat.pso.fitness import Chunk
from blockfeat.training.chunks import Gold, chunk_of, grouped_scores, pages_in_groups
from blockfeat.training.evaluation.strategies import GroupedScores

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
_PARTICLES_AT_ONCE = 32


@dataclass(frozen=True)
class PreparedTree:
    """What training needs of a page: its nodes, words of its blocks, and its gold."""

    nodes: Nodes
    words: NDArray[np.integer[Any]]
    gold: Gold


@dataclass(frozen=True)
class _Limits:
    """The settings of some particles as rows: each array has one entry for a particle."""

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
    """The nodes of one level, sorted by what is around them: from first to end, and where each parent's begin."""

    first: int
    end: int
    parents: NDArray[np.int64]
    starts: NDArray[np.int64]


@dataclass(frozen=True)
class _Part:
    """The nodes of some pages by level, the text that each block has in them, and what scores the blocks."""

    kind: NDArray[np.int64]
    parent: NDArray[np.int64]
    held: Array
    levels: tuple[_Level, ...]
    text: sparse.csr_array
    half: Array
    chunk: Chunk
    pages: int

    @classmethod
    def of(cls, pages: Sequence[PreparedTree], metric: str) -> _Part:
        nodes = [page.nodes for page in pages]
        sizes = np.cumsum([0, *(one.kind.size for one in nodes)])
        parent = np.concatenate(
            [np.where(one.parent < 0, -1, one.parent + at) for one, at in zip(nodes, sizes, strict=False)]
        )
        level = np.concatenate([one.level for one in nodes])
        # By level, then by what is around: nodes are in document order, so that those of one parent follow it.
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
            kind=np.concatenate([one.kind for one in nodes])[order],
            parent=parent,
            held=np.concatenate([one.held for one in nodes], axis=1)[:, order],
            levels=tuple(_levels(level[order], parent)),
            text=sparse.csr_array((counts, (rows, columns)), shape=(total.size, order.size)),
            half=total[:, None] / 2,
            chunk=chunk_of(pages, metric),
            pages=len(pages),
        )

    def masks(self, found: Sequence[CleanSettings]) -> Mask:
        """Return which blocks are kept under each of some settings: blocks × settings."""
        return np.asarray(self.text @ self._left(_Limits.of(found)) > self.half)

    def fitness(self, found: Sequence[CleanSettings]) -> Array:
        """Return the fitness of each page under each of some settings: pages × settings."""
        return self.chunk.fitness(self.masks(found).astype(np.float32))

    def _left(self, limits: _Limits) -> NDArray[np.float32]:
        """Return whether the text of each node is left: nodes × particles."""
        gone = np.zeros((self.kind.size, limits.ratio.size), dtype=np.bool_)
        gone[self.kind == TEXT_LINK] = limits.text_links
        gone[self.kind == FORM] = limits.forms
        self._cells_from_the_top(gone, limits)
        self._all_from_the_bottom(gone, limits)
        for level in self.levels[1:]:
            gone[level.first : level.end] |= gone[self.parent[level.first : level.end]]
        return np.asarray(~gone, dtype=np.float32)

    def _cells_from_the_top(self, gone: Mask, limits: _Limits) -> None:
        """Mark cells by all that is in them; those inside of a marked one go with it."""
        links, unlinked = (self._columns(gone, row) for row in (0, 1))
        for level in self.levels[:0:-1]:
            for column in (links, unlinked):
                self._add_up(column, gone, level)
        gone |= (self.kind == CELL)[:, None] & limits.cells & _is_list(links, unlinked, limits.ratio, limits)

    def _all_from_the_bottom(self, gone: Mask, limits: _Limits) -> None:
        """Mark cells, containers and tables by what is left in them."""
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
        """Add what is left in the nodes of a level to the nodes around them."""
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


@dataclass(frozen=True)
class CrunchTrainingSet:
    """Prepared pages in chunks; evaluates settings by array arithmetic, over threads, the same for any number."""

    parts: tuple[_Part, ...]

    @classmethod
    def build(cls, pages: Sequence[PreparedTree], metric: str) -> CrunchTrainingSet:
        """Put pages together."""
        return cls(tuple(_Part.of(group, metric) for group in pages_in_groups(pages)))

    def values(self, found: Sequence[CleanSettings], *, jobs: int = 1) -> Array:
        """Return the fitness of each page under each of some settings: pages × settings."""
        some = [found[first : first + _PARTICLES_AT_ONCE] for first in range(0, len(found), _PARTICLES_AT_ONCE)]

        def one(part: _Part) -> Array:
            return np.concatenate([part.fitness(settings) for settings in some], axis=1)

        if jobs <= 1:
            return np.concatenate([one(part) for part in self.parts])
        with ThreadPoolExecutor(jobs) as threads:
            return np.concatenate(list(threads.map(one, self.parts)))

    def keep_all(self) -> Array:
        """Return the fitness of each page where every block is kept."""
        whole = [part.chunk.fitness(np.ones((part.half.size, 1), dtype=np.float32)) for part in self.parts]
        return np.concatenate(whole)[:, 0]

    def grouped(self, metric: str, settings: CleanSettings) -> GroupedScores:
        """Return fitness and that of all blocks, pages with gold text and pages with snippets apart."""
        chunks = ((part.chunk, part.pages) for part in self.parts)
        return grouped_scores(metric, chunks, self.values([settings])[:, 0], self.keep_all())
