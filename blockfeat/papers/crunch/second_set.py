"""Lists of links and tables without substance: the filters that look at all that an element holds."""

from __future__ import annotations

from dataclasses import dataclass

from blockfeat.papers.crunch.decision import Decision, Held
from blockfeat.papers.crunch.letters import letters
from blockfeat.papers.crunch.settings import EmptyTables, LinkLists

_CELLS = frozenset({"td", "th"})
_WITHOUT_TEXT = frozenset({"script", "style", "template", "title"})


@dataclass(frozen=True, eq=False)
class Counts:
    """What is left in each element: links, letters outside of links, all letters, elements of substance."""

    links: list[int]
    unlinked: list[int]
    letters: list[int]
    substance: list[int]

    def add(self, parent: int, index: int) -> None:
        """Add the counts of an element to those of the element around it."""
        for column in (self.links, self.unlinked, self.letters, self.substance):
            column[parent] += column[index]

    def held(self, index: int) -> Held:
        """Return what is left in an element."""
        return Held(self.links[index], self.unlinked[index], self.letters[index])

    def clear(self, index: int) -> None:
        """Forget what is in an element."""
        for column in (self.links, self.unlinked, self.letters, self.substance):
            column[index] = 0


def decide_second_set(decision: Decision, lists: LinkLists, tables: EmptyTables) -> None:
    """Mark lists of links and empty tables; linear, also where tables are nested.

    First, from the top down, table cells (4.2). Then, from the bottom up, tables, and with them cells and containers
    by what is left in them: what this keeps would be kept again.

    Parameters
    ----------
    decision : Decision
        What goes so far, and what this adds.
    lists : LinkLists
        What is a list of links.
    tables : EmptyTables
        What is an empty table.
    """
    cells = _CELLS if lists.remove and lists.cells else frozenset()
    containers = cells | (frozenset(lists.containers) if lists.remove else frozenset())
    if cells:
        _empty_cells(decision, lists, cells)
    counts, own = own_counts(decision, tables), decision.gone()
    walked = decision.walked
    for index in range(len(walked) - 1, -1, -1):
        if own[index]:
            continue
        name = walked.names[index]
        if name in containers or name == "table":
            held = counts.held(index)
            decision.held.setdefault(index, held)
        if name in containers and _is_link_list(held, lists, is_cell=name in _CELLS):
            (decision.removed if lists.remove_container else decision.emptied)[index] = 1
            counts.clear(index)
        elif name == "table" and tables.remove and _is_empty(counts, index, tables):
            decision.removed[index] = 1
            counts.clear(index)
        if index and not decision.removed[index]:
            counts.substance[index] += name in tables.substance
            counts.add(walked.parent[index], index)


def _empty_cells(decision: Decision, lists: LinkLists, cells: frozenset[str]) -> None:
    """Mark table cells that are lists of links, from the top down."""
    walked, gone = decision.walked, decision.gone()
    counts = own_counts(decision, EmptyTables())
    for index in range(len(walked) - 1, 0, -1):
        if not gone[index]:
            counts.add(walked.parent[index], index)
    index = 0
    while index < len(walked):
        if gone[index]:
            index = walked.end[index]
        elif walked.names[index] in cells and _is_link_list(held := counts.held(index), lists, is_cell=True):
            decision.held[index] = held
            (decision.removed if lists.remove_container else decision.emptied)[index] = 1
            index = walked.end[index]
        else:
            index += 1


def own_counts(decision: Decision, tables: EmptyTables) -> Counts:
    """Return what stands in each element itself: its text, and the text behind the elements in it."""
    walked, gone, around = decision.walked, decision.gone(), decision.walked.links_around()
    counts = Counts(*([0] * len(walked) for _ in range(4)))
    for index, element in enumerate(walked.elements):
        parent = walked.parent[index]
        if not gone[index] and not decision.emptied[index]:
            _add_letters(counts, index, 0 if walked.names[index] in _WITHOUT_TEXT else letters(element.text), around)
            counts.links[index] += around[index] == index
        if parent >= 0 and not gone[parent] and not decision.emptied[parent]:
            _add_letters(counts, parent, letters(element.tail) + letters(decision.shown.get(index)), around)
    return counts


def _add_letters(counts: Counts, index: int, number: int, around: list[int]) -> None:
    counts.letters[index] += number
    if around[index] < 0:
        counts.unlinked[index] += number


def _is_link_list(held: Held, lists: LinkLists, *, is_cell: bool) -> bool:
    ratio = lists.ratio if is_cell else lists.container_ratio
    return held.links >= lists.least_links and held.links > ratio * held.unlinked / lists.letters_per_word


def _is_empty(counts: Counts, index: int, tables: EmptyTables) -> bool:
    return not counts.substance[index] and counts.letters[index] < tables.least_characters
