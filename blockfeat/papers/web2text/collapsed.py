"""The collapsed DOM: the tree of a page with chains of single children merged (Vogels et al. 2018, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.page.tags import parents_of

Indices = NDArray[np.integer[Any]]
_NONE = -2


@dataclass(frozen=True, slots=True)
class CollapsedDom:
    """The collapsed tree over the n text leaves of a page; m inner nodes in document order, the root first.

    A node stands for all elements that hold the same leaves, so each inner node has two children at least; elements
    around a single leaf belong to that leaf. The root is a node even where the page has one leaf only.

    Attributes
    ----------
    element : int array, m
        Outermost element of each node, as `blockfeat.page.tags.Tags` numbers them.
    first, end : int array, m
        The leaves of each node are those from first (inclusive) to end (exclusive).
    parent : int array, m
        Node around each node; -1 for the root.
    depth : int array, m
        Nodes around each node.
    leaf_parent : int array, n
        Innermost node around each leaf; -1 where the only leaf is the root.
    common : int array, n - 1
        Innermost node around each leaf and the next.
    merged : int array, c
        Elements that hold at least one leaf, in document order.
    merged_into : int array, c
        The node that each is part of, or -1 - leaf for an element around a single leaf.
    """

    element: Indices
    first: Indices
    end: Indices
    parent: Indices
    depth: Indices
    leaf_parent: Indices
    common: Indices
    merged: Indices
    merged_into: Indices

    @classmethod
    def of(cls, blocks: Blocks) -> CollapsedDom:
        """Collapse the tree of a page whose blocks are its text leaves; linear in the page."""
        tags, containers = blocks.tags, blocks.containers
        held = containers.end_block > containers.first_block
        first, end = containers.first_block[held], containers.end_block[held]
        merged = containers.element[held]
        is_inner = end - first > 1
        is_inner[:1] = True
        place = np.flatnonzero(is_inner)
        # Elements of one node follow each other here: what stands between them would hold leaves of its own.
        is_new = np.ones(place.size, dtype=np.bool_)
        is_new[1:] = (first[place[1:]] != first[place[:-1]]) | (end[place[1:]] != end[place[:-1]])
        merged_into = -1 - first
        merged_into[place] = np.cumsum(is_new) - 1
        node = place[is_new]
        element, first, end = merged[node], first[node], end[node]
        opened, closed = tags.opened[element], tags.closed[element]
        parent = parents_of(opened, closed)
        depth = np.arange(node.size) - np.searchsorted(np.sort(closed), opened)
        common = _common_nodes(first, end, parent, len(blocks))
        return cls(
            element=element,
            first=first,
            end=end,
            parent=parent,
            depth=depth,
            leaf_parent=_leaf_parents(common, depth, len(blocks)),
            common=common,
            merged=merged,
            merged_into=merged_into,
        )

    def distances(self) -> Indices:
        """Return the hops between each leaf and the next by way of their common node: int array, n - 1."""
        leaf_depth = self.depth[self.leaf_parent] + 1
        hops: Indices = leaf_depth[:-1] + leaf_depth[1:] - 2 * self.depth[self.common]
        return hops


def _common_nodes(first: Indices, end: Indices, parent: Indices, leaves: int) -> Indices:
    """Return the innermost node around each leaf and the next."""
    known = np.full(max(leaves, 1), _NONE, dtype=np.int64)
    # Where several nodes begin or end at one place, the last assignment stands: outermost end, innermost begin.
    known[end[::-1] - 1] = parent[::-1]
    known[first] = np.arange(first.size)
    last = np.maximum.accumulate(np.where(known != _NONE, np.arange(known.size), 0))
    common: Indices = known[last][: max(leaves - 1, 0)]
    return common


def _leaf_parents(common: Indices, depth: Indices, leaves: int) -> Indices:
    """Return the deeper of the two nodes that each leaf shares with its neighbours."""
    if leaves < 2:
        return np.full(leaves, -1, dtype=np.int64)
    before, after = np.append(common[:1], common), np.append(common, common[-1:])
    parents: Indices = np.where(depth[before] >= depth[after], before, after)
    return parents
