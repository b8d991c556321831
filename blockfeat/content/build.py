"""Build the content of a page from its kept blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content import nodes as tree
from blockfeat.content.code import CodePart, code_language, code_parts, code_text
from blockfeat.content.inline import Inlines
from blockfeat.content.plain import DataTable, data_tables, normalised
from blockfeat.page.tags import are_among, name_key, name_keys

# Deeper lists (two steps each: the list and its item) and quotes are written at this depth, which bounds recursion.
_MOST_DEPTH = 24
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_CAPTIONS = ("caption", "figcaption")
_CAPTION_KEYS = name_keys(_CAPTIONS)
# What says what the text inside of it is; all but headings and captions are paragraphs.
_TEXTS = frozenset((*_LEVELS, *_CAPTIONS, *["blockquote", "dd", "dt", "li", "listing", "pre", "td", "th", "xmp"]))
_HEADINGS = name_keys(_LEVELS)
_ITEM, _FIGURE = name_key("li"), name_key("figure")
_LIST_KEYS = name_keys(sorted(_LISTS))
_ROLES = {"blockquote": "quote", "dl": "definitions", "figure": "figure"}
# What gives shape to what is inside.
_SHAPES = frozenset((*_LISTS, *_ROLES, "li", "dd", "dt"))
_NAMES = {name_key(name): name for name in (*_TEXTS, *_LISTS, *_ROLES)}
_START = re.compile(r'\sstart="\s*([0-9]{1,6})\s*"')


@dataclass(slots=True)
class _Open:
    """A list, item, quote, figure … that is being filled, with the container that it stands for."""

    role: str
    container: int
    ordered: bool = False
    start: int = 1
    children: list[_Open | tree.Node] = field(default_factory=list)


_Path = tuple[_Open, ...]


def nodes_of(blocks: Blocks, kept: NDArray[np.bool_], inlines: Inlines) -> tuple[tree.Node, ...]:
    """Return the kept blocks as nodes, in document order; linear in the size of the page.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        Those that are kept.
    inlines : Inlines
        Styles, links and images of their text.
    """
    shows = shows_images(kept, caption_blocks(blocks)) if inlines.loose else kept
    loose = {index: images for index, images in inlines.loose.items() if shows[index]}
    figure_of = _figures(blocks) if loose else {}
    places, root = _Places(blocks), _Open("root", -1)
    first_of = {table.first_block: table for table in data_tables(blocks, kept)}
    code_of = {part.first: part for part in code_parts(blocks, kept)}
    behind, container = 0, blocks.container.data
    is_asked = np.concatenate((kept, [False]))
    is_asked[[*first_of, *loose]] = True
    # One number at a time: a set and a list of all take 14 MB of a page of 1 MB with an empty cell in each seven bytes.
    for index in is_asked.nonzero()[0].data:
        if index < behind:
            continue
        for place, image in loose.get(index, ()):
            figure = next((container for container, span in figure_of.items() if place in span), -1)
            _add(root, places[figure][0], tree.Paragraph((image,)))
        table = first_of.get(index)
        if table is not None:
            behind = table.end_block
            if nodes := _table_nodes(table, kept, inlines):
                _add(root, places[table.container][0], nodes[0] if len(nodes) == 1 else tree.Figure(tuple(nodes)))
        elif index in code_of:
            behind = code_of[index].end
            _add(root, places[code_of[index].container][0], _code(blocks, code_of[index], inlines))
        elif kept[index] and (inline := inlines.of_block(index)):
            path, text_name = places[container[index]]
            _add(root, path, _leaf(inline, text_name))
    return tuple(_closed(child) for child in root.children)


def caption_blocks(blocks: Blocks) -> NDArray[np.bool_]:
    """Return which blocks are captions; linear in the size of the page."""
    found, behind, containers = np.zeros(len(blocks), dtype=np.bool_), 0, blocks.containers
    holders = are_among(containers.key, _CAPTION_KEYS).nonzero()[0].tolist()
    if not holders:
        return found
    places = _Places(blocks)
    for container in holders:
        for block in range(max(int(containers.first_block[container]), behind), int(containers.end_block[container])):
            found[block] = places[int(blocks.container[block])][1] in _CAPTIONS
            behind = block + 1
    return found


def shows_images(kept: NDArray[np.bool_], is_caption: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether the images before each block, and behind the last, are kept: the next blocks on both sides are.

    Captions are passed over.
    """
    others = (~is_caption).nonzero()[0]
    sides = np.concatenate(([False], kept[others], [False]))
    number = others.searchsorted(np.arange(kept.size + 1))
    return np.asarray(sides[number] & sides[number + 1])


class _Places:
    """Where the blocks of a page stand in its content; each container is looked at once, when a block asks for it."""

    def __init__(self, blocks: Blocks) -> None:
        """Look at the containers of these blocks; a number is read from a buffer several times as fast as an array."""
        self._blocks, containers = blocks, blocks.containers
        self._parent, self._key, self._element = containers.parent.data, containers.key.data, containers.element.data
        # Of each container what is around it and in it, outermost first, and the name that says what its text is.
        self._found: dict[int, tuple[_Path, str]] = {-1: ((), "")}

    def __getitem__(self, container: int) -> tuple[_Path, str]:
        """Return the lists, items, quotes … around what a container holds, and the name that says what its text is.

        The path is that from outside, the name that of the innermost such element, as of a heading.
        """
        around = []
        while container not in self._found:
            around.append(container)
            container = self._parent[container]
        path, text_name = self._found[container]
        for container in reversed(around):
            if name := _NAMES.get(self._key[container]):
                path, text_name = self._inner(path, container, name), name if name in _TEXTS else text_name
            self._found[container] = path, text_name
        return path, text_name

    def _inner(self, path: _Path, container: int, name: str) -> _Path:
        """Return the path inside of a container, given the one around it."""
        if name not in _SHAPES or len(path) >= _MOST_DEPTH or container in self._layout:
            return path
        around = self._parent[container]
        if name in _LISTS:
            tag = self._blocks.tags.start_tag(self._element[container]) if name == "ol" else ""
            start = _START.search(tag)
            return (*path, _Open("list", container, name == "ol", int(start.group(1)) if start else 1))
        if name == "li":
            # An item outside of a list makes one with its neighbours.
            outer = path if path and path[-1].role == "list" else (*path, _Open("list", ~around))
            return (*outer, _Open("item", container))
        if name in ("dt", "dd"):
            # The parser leaves a term open that the next one should end.
            outer = path[:-1] if len(path) > 1 and path[-2].role == "definitions" else path
            if not outer or outer[-1].role != "definitions":
                outer = (*path, _Open("definitions", ~around))
            return (*outer, _Open("term" if name == "dt" else "item", container))
        return (*path, _Open(_ROLES[name], container))

    @cached_property
    def _layout(self) -> set[int]:
        """Lists and items that only lay out sections: items that begin with a heading and hold more than that."""
        blocks, containers = self._blocks, self._blocks.containers
        items = (containers.key == _ITEM).nonzero()[0]
        several = items[containers.end_block[items] > containers.first_block[items] + 1]
        first = blocks.container[containers.first_block[several]]
        sections = several[are_among(containers.key[first], _HEADINGS)]
        if not sections.size:
            return set()
        around = containers.parent[sections]
        layout = {*sections.tolist(), *around[(around >= 0) & are_among(containers.key[around], _LIST_KEYS)].tolist()}
        return layout | {item for item in items.tolist() if int(containers.parent[item]) in layout}


def _figures(blocks: Blocks) -> dict[int, range]:
    """Return where each figure stands in the source, by its container, the innermost first."""
    tags, containers = blocks.tags, blocks.containers
    figures = (containers.key == _FIGURE).nonzero()[0][::-1]
    elements = containers.element[figures]
    starts, ends = tags.start[tags.opened[elements]].tolist(), tags.start[tags.closed[elements]].tolist()
    return dict(zip(figures.tolist(), map(range, starts, ends), strict=True))


def _add(root: _Open, path: _Path, node: tree.Node) -> None:
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


def _closed(child: _Open | tree.Node) -> tree.Node:
    """Return the node of a part and of all parts in it, which are nested at most 12 deep."""
    if not isinstance(child, _Open):
        return child
    if child.role in ("quote", "figure"):
        return (tree.Quote if child.role == "quote" else tree.Figure)(tuple(_closed(inner) for inner in child.children))
    parts = [part for part in child.children if isinstance(part, _Open)]
    inside = [(part.role == "term", tuple(map(_closed, part.children))) for part in parts]
    if child.role == "definitions":
        return tree.Definitions(tuple(tree.Entry(is_term, nodes) for is_term, nodes in inside))
    return tree.ListOf(child.ordered, tuple(nodes for _, nodes in inside), child.start)


def _code(blocks: Blocks, part: CodePart, inlines: Inlines) -> tree.Code:
    """Return the node of a piece of code."""
    text = code_text(blocks, part)
    return tree.Code(normalised(text) if inlines.normalise else text, code_language(blocks, part.container))


def _leaf(inline: tree.Inline, name: str) -> tree.Node:
    """Return the node of the text of one block, given the name of the element that says what it is."""
    if name in _LEVELS:
        # Headings are bold by themselves.
        return tree.Heading(_LEVELS[name], tree.set_bold(inline, False))
    return tree.Caption(inline) if name in _CAPTIONS else tree.Paragraph(inline)


def _table_nodes(table: DataTable, kept: NDArray[np.bool_], inlines: Inlines) -> list[tree.Node]:
    """Return the captions of a table and its rows that have something in them."""
    captions = table.first_block + (kept[table.first_block : table.end_block] & ~table.in_cells()).nonzero()[0]
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
    nothing, spanned = tree.Cell(), tree.Cell(columns=0, rows=0)
    rows_of_cells = tuple(
        tuple(shown[cell] if cell >= 0 else spanned if below else nothing for cell, below in zip(*line, strict=True))
        for line, is_line in zip(zip(grid.tolist(), is_spanned.tolist(), strict=True), is_shown, strict=True)
        if is_line
    )
    nodes: list[tree.Node] = [tree.Caption(inlines.of_block(index)) for index in captions.tolist()]
    return [*nodes, tree.Table(_with_header(rows_of_cells))] if rows_of_cells else nodes


def _with_header(rows: tuple[tuple[tree.Cell, ...], ...]) -> tuple[tuple[tree.Cell, ...], ...]:
    """Return the rows of a table, the first as its header where all in it is bold and others follow."""
    first, *others = rows
    unmarked = [piece for cell in first if not cell.is_header for piece in cell.inline]
    if not others or not all(isinstance(one, tree.Text) and (one.bold or one.text.isspace()) for one in unmarked):
        return rows
    return (tuple(replace(cell, inline=tree.set_bold(cell.inline, False), is_header=True) for cell in first), *others)


def _cell(table: DataTable, cell: int, kept: NDArray[np.bool_], inlines: Inlines) -> tree.Cell:
    """Return a cell, its blocks joined by line breaks."""
    is_header = bool(table.is_header[cell])
    inline: list[tree.Text | tree.Image] = []
    for index in range(int(table.first[cell]), int(table.end[cell])):
        if kept[index]:
            inline += [tree.Text("\n")] if inline else []
            inline += tree.set_bold(inlines.of_block(index), False) if is_header else inlines.of_block(index)
    return tree.Cell(tuple(inline), is_header)
