"""A page as Crunch's filters compare it with their thresholds: the elements that may go, and what each holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.papers.crunch.decision import Decision
from blockfeat.papers.crunch.first_set import decide_first_set
from blockfeat.papers.crunch.hosts import HostList
from blockfeat.papers.crunch.measuring import MeasuredTree
from blockfeat.papers.crunch.second_set import Counts, own_counts
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.papers.crunch.space import CANDIDATES
from blockfeat.papers.crunch.walked import Walked

OTHER, TEXT_LINK, FORM, TABLE, CELL = range(-5, 0)
"""Kinds of nodes; containers have their place in `CANDIDATES`."""

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Nodes:
    """The elements of a page that may go, in document order; the first is the outermost.

    Attributes
    ----------
    parent : int array, m
        The node around each; -1 for the first.
    level : int array, m
        Nodes around each.
    kind : int array, m
        What each is.
    held : float64 array, 4 × m
        Links, letters outside of links, all letters, elements of substance that stand in each itself, without those in
        the nodes inside.
    block, node, count : int array, k
        Characters that blocks have in nodes themselves.
    total : int array, n
        Characters of each block.
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
    """Return the nodes of a page; ``base`` are the settings of the filters that are not looked for.

    What those filters remove is not there any more.
    """
    walked = tree.walked
    off = replace(base.filters, text_links=False, forms=False)
    decision = _first_set(walked, base, hosts)
    gone = np.frombuffer(decision.gone(), dtype=np.uint8) != 0
    kinds = _kinds(walked, decision, _removed(walked, replace(base, filters=replace(off, text_links=True)), hosts))
    counts = own_counts(decision, base.empty_tables)
    # Without a link nothing is a list of links, whatever the settings.
    kinds[gone | ((kinds >= CELL) & ~_has_link(walked, counts))] = OTHER
    is_node = kinds != OTHER
    is_node[0] = True
    number = np.cumsum(is_node) - 1
    owner = _owners(walked, is_node, number)
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
        level=_levels(parent),
        kind=kinds[elements],
        held=held,
        block=text.block[stays],
        node=owner[text.element[stays]],
        count=text.count[stays],
        total=text.total,
    )


def _first_set(walked: Walked, base: CleanSettings, hosts: HostList | None) -> Decision:
    """Return what goes by the filters that are not looked for."""
    decision = Decision.none(walked)
    decide_first_set(decision, replace(base.filters, text_links=False, forms=False), hosts)
    return decision


def _removed(walked: Walked, settings: CleanSettings, hosts: HostList | None) -> NDArray[np.bool_]:
    decision = Decision.none(walked)
    decide_first_set(decision, settings.filters, hosts)
    return np.asarray(np.frombuffer(decision.removed, dtype=np.uint8) != 0)


def _kinds(walked: Walked, decision: Decision, without_links: NDArray[np.bool_]) -> Indices:
    """Return the kind of each element; links are text links where the filter of text links takes them."""
    codes = {"form": FORM, "table": TABLE, "td": CELL, "th": CELL}
    codes |= {name: place for place, name in enumerate(CANDIDATES)}
    kinds = np.array([codes.get(name, OTHER) for name in walked.names], dtype=np.int64)
    kinds[without_links & (np.frombuffer(decision.removed, dtype=np.uint8) == 0)] = TEXT_LINK
    return kinds


def _has_link(walked: Walked, counts: Counts) -> NDArray[np.bool_]:
    """Return whether an element has links in it."""
    links = list(counts.links)
    for index in range(len(links) - 1, 0, -1):
        links[walked.parent[index]] += links[index]
    return np.array([count > 0 for count in links], dtype=np.bool_)


def _owners(walked: Walked, is_node: NDArray[np.bool_], number: Indices) -> Indices:
    """Return the innermost node that each element is or stands in."""
    owner: list[int] = []
    for is_own, own, parent in zip(is_node.tolist(), number.tolist(), walked.parent, strict=True):
        owner.append(own if is_own else owner[parent])
    return np.array(owner, dtype=np.int64)


def _levels(parent: Indices) -> Indices:
    levels: list[int] = []
    for around in parent.tolist():
        levels.append(levels[around] + 1 if around >= 0 else 0)
    return np.array(levels, dtype=np.int64)
