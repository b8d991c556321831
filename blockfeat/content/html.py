"""Clean HTML of content."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from blockfeat.content.links import Base, fold_white_space, xml_characters
from blockfeat.content.nodes import (
    Caption,
    Code,
    Content,
    Definitions,
    Figure,
    Heading,
    Image,
    Inline,
    ListOf,
    Node,
    Paragraph,
    Quote,
    Table,
)
from blockfeat.content.sanitise import Sanitiser
from blockfeat.lang.characters import direction_of, has_leftward

if TYPE_CHECKING:
    from lxml.etree import _Element
    from lxml.html import HtmlElement


_WITH_TEXT = ("blockquote", "dd", "dt", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre", "td", "th")


def to_html(content: Content) -> str:
    """Return content as a small, complete HTML document.

    The body holds headings, paragraphs, lists, definitions, tables, quotes, preformatted text and captions; in them
    links and images with a relative, http, https or mailto target, bold, italics, code and line breaks. Nothing else:
    it is built from escaped text, and sanitised as foreign pages are. A page written from right to left has
    ``dir``, and so has a block of the other direction.
    """
    from lxml import html

    elements = [_element(node) for node in content.nodes]
    text = " ".join(element.text_content() for element in elements)
    direction = direction_of(content.lang, text)
    if direction == "rtl" or has_leftward(text):
        _set_directions(elements, direction)
    body = "\n".join(html.tostring(element, encoding="unicode") for element in elements)
    body = Sanitiser(Base(None)).markup(body)
    title = escape(fold_white_space(xml_characters(content.title or "")).strip())
    language = f' lang="{escape(xml_characters(content.lang))}"' if content.lang else ""
    language += ' dir="rtl"' if direction == "rtl" else ""
    head = f'<meta charset="utf-8">\n<title>{title}</title>'
    return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def _set_directions(elements: Iterable[HtmlElement], direction: str) -> None:
    """Mark the blocks all letters of which have the other direction."""
    other = "ltr" if direction == "rtl" else "rtl"
    for element in elements:
        for block in element.iter(*_WITH_TEXT):
            # A block without letters takes the direction of its page.
            if {direction_of(lang, block.text_content()) for lang in ("ar", "en")} == {other}:
                block.set("dir", other)


def _element(node: Node) -> HtmlElement:
    """Return the element of a node; nesting is bounded by the content."""
    from lxml.html import builder

    if isinstance(node, ListOf):
        return _list(node)
    if isinstance(node, Definitions):
        entries = ((builder.DT() if entry.is_term else builder.DD(), entry.nodes) for entry in node.entries)
        return builder.DL(*(_holding(element, nodes) for element, nodes in entries))
    if isinstance(node, Quote):
        return builder.BLOCKQUOTE(*map(_element, node.nodes))
    if isinstance(node, Figure):
        return _figure(node)
    if isinstance(node, Table):
        return _table(node)
    if isinstance(node, Code):
        text = xml_characters(node.text).strip("\n")
        if node.language is None:
            return builder.PRE(text)
        return builder.PRE(builder.CODE(text, {"class": f"language-{node.language}"}))
    if isinstance(node, Caption):
        return _figure(Figure((node,)))
    if isinstance(node, Heading):
        return _filled(builder.E(f"h{node.level}"), node.inline)
    return _filled(builder.P(), node.inline)


def _figure(node: Figure) -> HtmlElement:
    """Return a figure; its images stand in it without paragraphs."""
    from lxml.html import builder

    element = builder.E("figure")
    for inner in node.nodes:
        if isinstance(inner, Caption):
            element.append(_filled(builder.E("figcaption"), inner.inline))
        elif isinstance(inner, Paragraph) and all(isinstance(piece, Image) for piece in inner.inline):
            _filled(element, inner.inline)
        else:
            element.append(_element(inner))
    return element


def _list(node: ListOf) -> HtmlElement:
    from lxml.html import builder

    element = builder.OL() if node.ordered else builder.UL()
    if node.ordered and node.start != 1:
        element.set("start", str(node.start))
    element.extend(_holding(builder.LI(), nodes) for nodes in node.items)
    return element


def _holding(element: HtmlElement, nodes: Iterable[Node]) -> HtmlElement:
    """Put nodes into an item; the text of the first paragraph stands in it without one."""
    first, *rest = nodes
    if isinstance(first, Paragraph):
        _filled(element, first.inline)
    else:
        element.append(_element(first))
    element.extend(map(_element, rest))
    return element


def _table(node: Table) -> HtmlElement:
    from lxml.html import builder

    rows = [builder.TR() for _ in node.rows]
    for element, row in zip(rows, node.rows, strict=True):
        for cell in row:
            if cell.columns:
                spans = {f"{name}span": str(count) for name, count in cell.spans().items()}
                element.append(_filled(builder.E("th" if cell.is_header else "td", spans), cell.inline))
    if not node.has_header:
        return builder.TABLE(builder.E("tbody", *rows))
    # No cell reaches from the head into the body.
    head = max(cell.rows for cell in node.rows[0])
    return builder.TABLE(builder.E("thead", *rows[:head]), builder.E("tbody", *rows[head:]))


def _filled(element: HtmlElement, inline: Inline) -> HtmlElement:
    """Put a line of text into an element."""
    from lxml.html import builder

    target = None
    for piece in inline:
        if isinstance(piece, Image):
            target = None
            element.append(builder.IMG(src=xml_characters(piece.source), alt=xml_characters(piece.alt)))
            continue
        parent = element
        if piece.target is not None:
            parent = element[-1] if piece.target == target else _within(parent, "a")
            parent.set("href", xml_characters(piece.target))
        target = piece.target
        if piece.formula:
            parent = _within(parent, "span")
            parent.set("class", "math")
            parent.text = (r"\(%s\)" if piece.formula == "$" else r"\[%s\]") % xml_characters(piece.text)
            continue
        styles = ((piece.bold, "strong"), (piece.italic, "em"), (piece.code, "code"), (piece.script, piece.script))
        for is_set, name in styles:
            parent = _within(parent, name) if is_set else parent
        for number, line in enumerate(xml_characters(piece.text).split("\n")):
            if number:
                parent.append(builder.BR())
            append_text(parent, fold_white_space(line))
    return element


def _within(parent: HtmlElement, name: str) -> HtmlElement:
    """Return a new child at the end of an element."""
    from lxml.html import builder

    child = builder.E(name)
    parent.append(child)
    return child


def append_text(parent: _Element, text: str) -> None:
    """Put text at the end of an element."""
    # The number of children would take time for each of them.
    last = next(parent.iterchildren(reversed=True), None)
    if last is not None:
        last.tail = (last.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
