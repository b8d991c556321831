"""Build the content of a page from its kept blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, Kind, kinds_of_blocks
from blockfeat.content.code import CodePart, code_language, code_parts, code_text
from blockfeat.content.inline import Inlines
from blockfeat.content.nodes import (
    Caption,
    Cell,
    Code,
    Definitions,
    Entry,
    Figure,
    Heading,
    Image,
    Inline,
    ListOf,
    Node,
    Paragraph,
    Quote,
    Table,
    Text,
)
from blockfeat.content.plain import DataTable, data_tables, normalised
from blockfeat.page.tags import name_key, name_keys

# Deeper lists (two steps each: the list and its item) and quotes are written at this depth, which bounds recursion.
_MOST_DEPTH = 24
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_HEADINGS = name_keys(["h1", "h2", "h3", "h4", "h5", "h6"])
_ITEM, _FIGURE = name_key("li"), name_key("figure")
_LIST_KEYS = name_keys(sorted(_LISTS))
_ROLES = {"blockquote": "quote", "dl": "definitions", "figure": "figure"}
_START = re.compile(r'\sstart="\s*([0-9]{1,6})\s*"')


@dataclass(slots=True)
class _Open:
    """A list, item, quote, figure … that is being filled, with the container that it stands for."""

    role: str
    container: int
    ordered: bool = False
    start: int = 1
    children: list[_Open | Node] = field(default_factory=list)


_Path = tuple[_Open, ...]


def nodes_of(blocks: Blocks, kept: NDArray[np.bool_], inlines: Inlines) -> tuple[Node, ...]:
    """Return the kept blocks as nodes, in document order; linear in the size of the page.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        Those that are kept.
    inlines : Inlines
        Styles, links and images of the page's text.
    """
    kinds = kinds_of_blocks(blocks)
    shows = shows_images(kept.tolist(), kinds)
    paths, root = _paths(blocks), _Open("root", -1)
    first_of = {table.first_block: table for table in data_tables(blocks, kept)}
    code_of = {part.first: part for part in code_parts(blocks, kept)}
    loose = {index: images for index, images in inlines.loose.items() if shows[index]}
    figure_of = _figures(blocks) if loose else {}
    behind = 0
    for index in sorted({*kept.nonzero()[0].tolist(), *first_of, *loose}):
        if index < behind:
            continue
        path = paths[int(blocks.container[index])]
        for place, image in loose.get(index, ()):
            figure = next((container for container, span in figure_of.items() if place in span), None)
            _add(root, () if figure is None else paths[figure], Paragraph((image,)))
        table = first_of.get(index)
        if table is not None:
            behind = table.end_block
            if nodes := _table_nodes(table, kept, inlines):
                _add(root, paths[table.container], nodes[0] if len(nodes) == 1 else Figure(tuple(nodes)))
        elif index in code_of:
            behind = code_of[index].end
            _add(root, paths[code_of[index].container], _code(blocks, code_of[index], inlines))
        elif kept[index] and (inline := inlines.of_block(index)):
            _add(root, path, _leaf(inline, kinds[index]))
    return tuple(_closed(child) for child in root.children)


def shows_images(kept: list[bool], kinds: list[Kind]) -> list[bool]:
    """Return whether the images before each block are kept: the next blocks on both sides are, captions aside."""
    before = after = False
    befores = []
    for is_kept, kind in zip(kept, kinds, strict=True):
        befores.append(before)
        before = before if kind.name == "caption" else is_kept
    shows = [False]
    for is_kept, kind, is_kept_before in zip(reversed(kept), reversed(kinds), reversed(befores), strict=True):
        after = after if kind.name == "caption" else is_kept
        shows.append(after and is_kept_before)
    return shows[::-1]


def _paths(blocks: Blocks) -> list[_Path]:
    """Return the lists, items, quotes, figures and definitions around what each container holds, outermost first."""
    paths: list[_Path] = []
    containers, tags = blocks.containers, blocks.tags
    layout = _layout_lists(blocks)
    for container, (element, around) in enumerate(
        zip(containers.element.tolist(), containers.parent.tolist(), strict=True)
    ):
        path: _Path = paths[around] if around >= 0 else ()
        name = tags.name(element)
        inner = path[-1].role if path else ""
        if len(path) >= _MOST_DEPTH or container in layout:
            paths.append(path)
        elif name in _LISTS:
            start = _START.search(tags.start_tag(element)) if name == "ol" else None
            paths.append((*path, _Open("list", container, name == "ol", int(start.group(1)) if start else 1)))
        elif name == "li":
            # An item outside of a list makes one with its neighbours.
            outer = path if inner == "list" else (*path, _Open("list", ~around))
            paths.append((*outer, _Open("item", container)))
        elif name in ("dt", "dd"):
            # The parser leaves a term open that the next one should end.
            outer = path[:-1] if len(path) > 1 and path[-2].role == "definitions" else path
            if not outer or outer[-1].role != "definitions":
                outer = (*path, _Open("definitions", ~around))
            paths.append((*outer, _Open("term" if name == "dt" else "item", container)))
        elif name in _ROLES:
            paths.append((*path, _Open(_ROLES[name], container)))
        else:
            paths.append(path)
    return [*paths, ()]


def _figures(blocks: Blocks) -> dict[int, range]:
    """Return where each figure stands in the source, by its container, the innermost first."""
    tags, containers = blocks.tags, blocks.containers
    figures = (containers.key == _FIGURE).nonzero()[0][::-1]
    elements = containers.element[figures]
    starts, ends = tags.start[tags.opened[elements]].tolist(), tags.start[tags.closed[elements]].tolist()
    return dict(zip(figures.tolist(), map(range, starts, ends), strict=True))


def _layout_lists(blocks: Blocks) -> set[int]:
    """Return lists and items that only lay out sections: items that begin with a heading and hold more than that."""
    containers = blocks.containers
    headings = np.isin(containers.key[blocks.container], _HEADINGS) & (blocks.container >= 0)
    found: set[int] = set()
    for heading in headings.nonzero()[0].tolist():
        around = int(containers.parent[blocks.container[heading]])
        while around >= 0 and int(containers.first_block[around]) == heading:
            outer = int(containers.parent[around])
            if containers.key[around] == _ITEM and containers.end_block[around] > heading + 1:
                found |= {around, outer} if outer >= 0 and containers.key[outer] in _LIST_KEYS else {around}
            around = outer
    items = (containers.key == _ITEM).nonzero()[0] if found else containers.element[:0]
    return found | {item for item in items.tolist() if int(containers.parent[item]) in found}


def _add(root: _Open, path: _Path, node: Node) -> None:
    """Put a node where its path leads, behind all that is there."""
    place = root
    for step in path:
        place = _entered(place, step)
    if place.role in ("list", "definitions"):
        place = _entered(place, place.children[-1] if place.children else _Open("item", -1))  # type: ignore[arg-type]
    place.children.append(node)


def _entered(place: _Open, step: _Open) -> _Open:
    """Return the child that a step of a path means: the last one, or a new one."""
    last = place.children[-1] if place.children else None
    if isinstance(last, _Open) and last.role == step.role and last.container == step.container:
        return last
    if place.role in ("list", "definitions") and step.role not in ("item", "term"):
        # Text of a list outside of its items goes to the item before it.
        item = last if isinstance(last, _Open) else _Open("item", -1)
        if item is not last:
            place.children.append(item)
        return _entered(item, step)
    new = _Open(step.role, step.container, step.ordered, step.start)
    place.children.append(new)
    return new


def _closed(child: _Open | Node) -> Node:
    """Return the node of a part and of all parts in it, which are nested at most 12 deep."""
    if not isinstance(child, _Open):
        return child
    if child.role in ("quote", "figure"):
        return (Quote if child.role == "quote" else Figure)(tuple(_closed(inner) for inner in child.children))
    inside = [
        (entry.role == "term", tuple(_closed(inner) for inner in entry.children))
        for entry in child.children
        if isinstance(entry, _Open)
    ]
    if child.role == "definitions":
        return Definitions(tuple(Entry(is_term, nodes) for is_term, nodes in inside))
    return ListOf(child.ordered, tuple(nodes for _, nodes in inside), child.start)


def _code(blocks: Blocks, part: CodePart, inlines: Inlines) -> Code:
    """Return the node of a piece of code."""
    text = code_text(blocks, part)
    return Code(normalised(text) if inlines.normalise else text, code_language(blocks, part.container))


def _leaf(inline: Inline, kind: Kind) -> Node:
    """Return the node of the text of one block."""
    if kind.name == "heading":
        return Heading(min(max(kind.level, 1), 6), _unbold(inline))
    return Caption(inline) if kind.name == "caption" else Paragraph(inline)


def _unbold(inline: Inline) -> Inline:
    """Return text without bold, which headings are by themselves."""
    return tuple(replace(piece, bold=False) if isinstance(piece, Text) else piece for piece in inline)


def _table_nodes(table: DataTable, kept: NDArray[np.bool_], inlines: Inlines) -> list[Node]:
    """Return the captions of a table and its rows that have something in them."""
    captions = (
        table.first_block + (kept[table.first_block : table.end_block] & ~table.in_cells()).nonzero()[0]
    ).tolist()
    grid = table.grid()
    shown = [_cell(table, cell, kept, inlines) for cell in range(table.first.size)]
    is_shown = np.array([any(cell >= 0 and shown[cell].inline for cell in line) for line in grid.tolist()])
    is_spanned = np.zeros(grid.shape, dtype=np.bool_)
    for row, column in np.argwhere(grid >= 0).tolist():
        cell = int(grid[row, column])
        columns, rows = (int(spans[cell]) for spans in (table.columns, table.rows))
        if columns > 1 or rows > 1:
            place = is_spanned[row : row + rows, column : column + columns]
            place[:] = True
            rows = int(is_shown[row : row + rows].sum())
            shown[cell] = replace(shown[cell], columns=place.shape[1], rows=rows)
    nothing, spanned = Cell(), Cell(columns=0, rows=0)
    rows_of_cells = tuple(
        tuple(shown[cell] if cell >= 0 else spanned if below else nothing for cell, below in zip(*line, strict=True))
        for line, is_line in zip(zip(grid.tolist(), is_spanned.tolist(), strict=True), is_shown, strict=True)
        if is_line
    )
    return [
        *(Caption(inlines.of_block(index)) for index in captions),
        *([Table(rows_of_cells)] if rows_of_cells else []),
    ]


def _cell(table: DataTable, cell: int, kept: NDArray[np.bool_], inlines: Inlines) -> Cell:
    """Return a cell, its blocks joined by line breaks."""
    is_header = bool(table.is_header[cell])
    inline: list[Text | Image] = []
    for index in range(int(table.first[cell]), int(table.end[cell])):
        if kept[index]:
            inline += [Text("\n")] if inline else []
            inline += _unbold(inlines.of_block(index)) if is_header else inlines.of_block(index)
    return Cell(tuple(inline), is_header)
