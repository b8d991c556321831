"""Clean HTML of content."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from urllib.parse import quote

from blockfeat.content import nodes as tree
from blockfeat.content.links import Base, fold_white_space, is_plain, xml_characters
from blockfeat.content.sanitise import Sanitiser
from blockfeat.lang.characters import direction_of, has_leftward

_TEXTS = "blockquote dd dt figcaption h1 h2 h3 h4 h5 h6 li p pre td th"
_WITH_TEXT = frozenset(_TEXTS.split())
_MARKUP = re.compile("<[^>]*>|&[a-z#0-9]+;")
_NOT_IN_ADDRESS = re.compile("[^!-~]+")
_NODES = 2_000


def to_html(content: tree.Content, *, fragment: bool = False) -> str:
    """Return content as a small, complete HTML document, or as the elements of its body alone.

    The body holds headings, paragraphs, lists, definitions, tables, quotes, preformatted text and captions; in them
    links and images with a relative, http, https or mailto target, bold, italics, code and line breaks. Nothing else:
    it is built from escaped text, and sanitised as foreign pages are. A page written from right to left has
    ``dir``, and so has a block of the other direction.
    """
    nodes = [*map(_Writer().node, content.nodes)]
    markup, direction = "\n".join(nodes), direction_of(content.lang)
    if direction == "rtl" or has_leftward(markup):
        direction = direction_of(content.lang, _MARKUP.sub("", markup))
        nodes = [*map(_Writer("ltr" if direction == "rtl" else "rtl").node, content.nodes)]
    # Some at a time: the tree of what is sanitised takes ten times as much memory as its markup.
    parts = ("\n".join(nodes[start : start + _NODES]) for start in range(0, len(nodes), _NODES))
    body = "\n".join(map(_sanitised(), parts))
    if fragment:
        return f"{body}\n"
    title = escape(fold_white_space(xml_characters(content.title or "")).strip())
    language = f' lang="{escape(xml_characters(content.lang))}"' if content.lang else ""
    language += ' dir="rtl"' if direction == "rtl" else ""
    head = f'<meta charset="utf-8">\n<title>{title}</title>'
    return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


@cache
def _sanitised() -> Callable[[str], str]:
    """Return what sanitises, which is the same for all pages and is made at its first use."""
    return Sanitiser(Base(None)).of_parts()


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes nodes as HTML; nesting is bounded by the content.

    Attributes
    ----------
    marked : str or None
        ``"ltr"`` or ``"rtl"``: blocks all letters of which have this direction say so.
    """

    marked: str | None = None

    def node(self, node: tree.Node) -> str:
        """Return the element of a node."""
        if isinstance(node, tree.Paragraph):
            return self._element("p", _inline(node.inline))
        if isinstance(node, tree.ListOf):
            name, start = ("ol", f' start="{node.start}"') if node.ordered else ("ul", "")
            items = "".join(self._holding("li", nodes) for nodes in node.items)
            return self._element(name, items, start if node.start != 1 else "")
        if isinstance(node, tree.Definitions):
            entries = (self._holding("dt" if entry.is_term else "dd", entry.nodes) for entry in node.entries)
            return self._element("dl", "".join(entries))
        if isinstance(node, tree.Quote):
            return self._element("blockquote", "".join(map(self.node, node.nodes)))
        if isinstance(node, tree.Figure):
            return self._element("figure", "".join(map(self._of_figure, node.nodes)))
        if isinstance(node, tree.Table):
            return self._table(node)
        if isinstance(node, tree.Code):
            text = escape(xml_characters(node.text).strip("\n"))
            if node.language is not None:
                text = f'<code class="language-{escape(node.language)}">{text}</code>'
            return self._element("pre", text)
        if isinstance(node, tree.Caption):
            return self._element("figure", self._of_figure(node))
        assert isinstance(node, tree.Heading)
        return self._element(f"h{node.level}", _inline(node.inline))

    def _element(self, name: str, inner: str, attributes: str = "") -> str:
        if self.marked is not None and name in _WITH_TEXT:
            text = _MARKUP.sub("", inner)
            # A block without letters takes the direction of its page.
            if {direction_of(lang, text) for lang in ("ar", "en")} == {self.marked}:
                attributes += f' dir="{self.marked}"'
        return f"<{name}{attributes}>{inner}</{name}>"

    def _of_figure(self, node: tree.Node) -> str:
        """Return what stands in a figure; its images do without paragraphs."""
        if isinstance(node, tree.Caption):
            return self._element("figcaption", _inline(node.inline))
        if isinstance(node, tree.Paragraph) and all(isinstance(piece, tree.Image) for piece in node.inline):
            return _inline(node.inline)
        return self.node(node)

    def _holding(self, name: str, nodes: Sequence[tree.Node]) -> str:
        """Return an item with nodes; the text of the first paragraph stands in it without one."""
        first, *rest = nodes
        inner = _inline(first.inline) if isinstance(first, tree.Paragraph) else self.node(first)
        return self._element(name, inner + "".join(map(self.node, rest)))

    def _table(self, node: tree.Table) -> str:
        rows = [f"<tr>{''.join(map(self._cell, row))}</tr>" for row in node.rows]
        # No cell reaches from the head into the body.
        head = max(cell.rows for cell in node.rows[0]) if node.has_header else 0
        header = f"<thead>{''.join(rows[:head])}</thead>" if node.has_header else ""
        return f"<table>{header}<tbody>{''.join(rows[head:])}</tbody></table>"

    def _cell(self, cell: tree.Cell) -> str:
        spans = "".join(f' {name}span="{count}"' for name, count in cell.spans().items())
        return self._element("th" if cell.is_header else "td", _inline(cell.inline), spans) if cell.columns else ""


def _inline(inline: tree.Inline) -> str:
    """Return a line of text; neighbours with the same target are one link."""
    written = ""
    for target, pieces in groupby(inline, key=tree.target_of):
        inner = "".join(map(_piece, pieces))
        written += inner if target is None else f'<a href="{_address(target)}">{inner}</a>'
    return written


def _piece(piece: tree.Text | tree.Image) -> str:
    if isinstance(piece, tree.Image):
        return f'<img src="{_address(piece.source)}" alt="{escape(xml_characters(piece.alt))}">'
    written = piece.text
    if piece.formula:
        latex = escape(xml_characters(written), quote=False)
        shown = rf"\({latex}\)" if piece.formula == "$" else rf"\[{latex}\]"
        return f'<span class="math">{shown}</span>'
    if not is_plain(written):
        written = "<br>".join(map(fold_white_space, escape(xml_characters(written), quote=False).split("\n")))
    for name in (piece.script, piece.code and "code", piece.italic and "em", piece.bold and "strong"):
        written = f"<{name}>{written}</{name}>" if name else written
    return written


def _address(target: str) -> str:
    """Return a target as the value of an attribute, in ASCII."""
    return escape(_NOT_IN_ADDRESS.sub(lambda match: quote(match.group()), xml_characters(target)))
