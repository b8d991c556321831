"""Nodes of content for tests of the formats."""

from collections.abc import Iterable, Iterator

from hypothesis import strategies as st

from blockfeat.content.nodes import (
    Caption,
    Cell,
    Code,
    Definitions,
    Entry,
    Figure,
    Heading,
    Image,
    ListOf,
    Node,
    Paragraph,
    Quote,
    Table,
    Text,
)

WORDS = st.sampled_from(
    ["a", "b c", "1. x", "- y", "# z", "*", "> q", "é\nline", "|", "```", "漢", "<b>", "&amp;", "="]
)
TARGETS = st.sampled_from([None, None, "https://a.example/b?c=1&d=2", "/rel"])
TEXTS = st.builds(Text, WORDS, st.booleans(), st.booleans(), st.booleans(), TARGETS)
INLINES = st.lists(TEXTS, min_size=1, max_size=4).map(tuple)
PARAGRAPHS = INLINES.map(Paragraph)
CELLS = st.builds(Cell, INLINES, st.booleans(), st.integers(1, 2), st.integers(1, 2))
TABLES = st.integers(2, 3).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width).map(tuple), min_size=1, max_size=3)
)
LEAVES: st.SearchStrategy[Node] = (
    PARAGRAPHS
    | INLINES.map(Caption)
    | st.builds(Heading, st.integers(1, 6), INLINES)
    | st.sampled_from(["a\n  b", "```\nx", "x\n\ny"]).map(Code)
    | TABLES.map(lambda rows: Table(tuple(rows)))
)


def _around(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=1, max_size=2).map(tuple)
    return (
        several.map(Quote)
        | several.map(Figure)
        | st.builds(ListOf, st.booleans(), st.lists(several, min_size=1, max_size=3).map(tuple), st.integers(0, 9))
        | st.lists(st.builds(Entry, st.booleans(), several), min_size=1, max_size=3).map(
            lambda entries: Definitions(tuple(entries))
        )
    )


NODES = st.recursive(LEAVES, _around, max_leaves=4)


def paragraph(text: str) -> Paragraph:
    """Return a paragraph of plain text."""
    return Paragraph((Text(text),))


def node_texts(nodes: Iterable[Node]) -> Iterator[str]:
    """Return all text inside of nodes, in order."""
    for node in nodes:
        if isinstance(node, Code):
            yield node.text
        elif isinstance(node, Quote | Figure):
            yield from node_texts(node.nodes)
        elif isinstance(node, ListOf):
            for item in node.items:
                yield from node_texts(item)
        elif isinstance(node, Definitions):
            for entry in node.entries:
                yield from node_texts(entry.nodes)
        elif isinstance(node, Table):
            for row in node.rows:
                for cell in row:
                    yield from (piece.text for piece in cell.inline if not isinstance(piece, Image))
        else:
            yield from (piece.text for piece in node.inline if not isinstance(piece, Image))
