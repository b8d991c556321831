"""Nodes of content for tests of the formats."""

from collections.abc import Iterable, Iterator

from hypothesis import strategies as st

from blockfeat.content import nodes as tree

WORDS = st.sampled_from(
    ["a", "b c", "1. x", "- y", "# z", "*", "> q", "é\nline", "|", "```", "漢", "<b>", "&amp;", "="]
)
TARGETS = st.sampled_from([None, None, "https://a.example/b?c=1&d=2", "/rel"])
TEXTS = st.tuples(WORDS, st.booleans(), st.booleans(), st.booleans(), TARGETS).map(lambda values: tree.Text(*values))
INLINES = st.lists(TEXTS, min_size=1, max_size=4).map(tuple)
PARAGRAPHS = INLINES.map(tree.Paragraph)
CELLS = st.builds(tree.Cell, INLINES, st.booleans(), st.integers(1, 2), st.integers(1, 2))
TABLES = st.integers(2, 3).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width).map(tuple), min_size=1, max_size=3)
)
LEAVES: st.SearchStrategy[tree.Node] = (
    PARAGRAPHS
    | INLINES.map(tree.Caption)
    | st.builds(tree.Heading, st.integers(1, 6), INLINES)
    | st.sampled_from(["a\n  b", "```\nx", "x\n\ny"]).map(tree.Code)
    | TABLES.map(lambda rows: tree.Table(tuple(rows)))
)


def _around(inner: st.SearchStrategy[tree.Node]) -> st.SearchStrategy[tree.Node]:
    several = st.lists(inner, min_size=1, max_size=2).map(tuple)
    return (
        several.map(tree.Quote)
        | several.map(tree.Figure)
        | st.builds(tree.ListOf, st.booleans(), st.lists(several, min_size=1, max_size=3).map(tuple), st.integers(0, 9))
        | st.lists(st.builds(tree.Entry, st.booleans(), several), min_size=1, max_size=3).map(
            lambda entries: tree.Definitions(tuple(entries))
        )
    )


NODES = st.recursive(LEAVES, _around, max_leaves=4)


def paragraph(text: str) -> tree.Paragraph:
    """Return a paragraph of plain text."""
    return tree.Paragraph((tree.Text(text),))


def node_texts(nodes: Iterable[tree.Node]) -> Iterator[str]:
    """Return all text inside of nodes, in order."""
    for node in nodes:
        if isinstance(node, tree.Code):
            yield node.text
        elif isinstance(node, tree.Quote | tree.Figure):
            yield from node_texts(node.nodes)
        elif isinstance(node, tree.ListOf):
            for item in node.items:
                yield from node_texts(item)
        elif isinstance(node, tree.Definitions):
            for entry in node.entries:
                yield from node_texts(entry.nodes)
        elif isinstance(node, tree.Table):
            for row in node.rows:
                for cell in row:
                    yield from (piece.text for piece in cell.inline if not isinstance(piece, tree.Image))
        else:
            yield from (piece.text for piece in node.inline if not isinstance(piece, tree.Image))
