"""XML of content, after the guidelines of the Text Encoding Initiative (TEI P5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from blockfeat.content import nodes as tree
from blockfeat.content.links import TEI_NAMESPACE, fold_white_space, safe_target, xml_characters

if TYPE_CHECKING:
    from lxml.etree import _Element


_OF_TEI = f"{{{TEI_NAMESPACE}}}"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_Line = tree.Paragraph | tree.Heading | tree.Caption
_RENDITIONS = {"sup": "superscript", "sub": "subscript"}
_BLOCK_NAMES = """ab bibl body cell div encodingDesc fileDesc head idno item label langUsage language list p profileDesc
ptr publicationStmt quote row sourceDesc table teiHeader text title titleStmt"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())


def to_xml(content: tree.Content) -> str:
    """Return content as a TEI document (XML 1.0, namespace ``http://www.tei-c.org/ns/1.0``).

    The header holds title, source address, language and model. In the body a heading opens a ``div``, nested by its
    level, with a ``head``; then ``p``, ``list`` (``rend="numbered"``, ``type="gloss"`` for definitions) of ``item``,
    ``table`` of ``row`` and ``cell``, ``quote``, ``ab`` with ``code``; ``hi``, ``code``, ``ref``, ``lb`` and
    ``graphic`` in text. Characters that XML 1.0 forbids are left out.
    """
    from lxml import etree

    # The stubs of lxml forbid the key None, which means the default namespace.
    root = etree.Element(f"{_OF_TEI}TEI", nsmap=cast("dict[str, str]", {None: TEI_NAMESPACE}))
    _add_header(root, content)
    text = _add(root, "text")
    if content.lang:
        text.set(_XML_LANG, xml_characters(content.lang))
    _add_content(_add(_add(text, "body"), "div"), content.nodes)
    for element in root.iter(tag=etree.Element):
        if etree.QName(element).localname in _BLOCKS:
            element.tail = (element.tail or "") + "\n"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{etree.tostring(root, encoding="unicode")}'


def _add(parent: _Element, tag: str, text: str | None = None, **attributes: str) -> _Element:
    """Append an element with text and attributes, all made valid for XML."""
    from lxml import etree

    clean = {key: xml_characters(value) for key, value in attributes.items()}
    element = etree.SubElement(parent, _OF_TEI + tag, clean)
    if text is not None:
        element.text = fold_white_space(xml_characters(text)).strip()
    return element


def _add_header(root: _Element, content: tree.Content) -> None:
    header = _add(root, "teiHeader")
    description = _add(header, "fileDesc")
    _add(_add(description, "titleStmt"), "title", content.title or "")
    _add(_add(description, "publicationStmt"), "p", "Main text of a web page, extracted by machine.")
    source = _add(_add(description, "sourceDesc"), "bibl")
    _add(source, "title", content.title or "")
    if target := safe_target(content.url or ""):
        _add(source, "ptr", target=target)
    if content.id:
        _add(source, "idno", content.id)
    _add(_add(header, "encodingDesc"), "p", f"blockfeat, model {content.model}")
    if content.lang:
        usage = _add(_add(header, "profileDesc"), "langUsage")
        _add(usage, "language", content.lang, ident=content.lang)


def _add_content(division: _Element, nodes: Iterable[tree.Node]) -> None:
    """Fill the body; a heading opens a division inside the last one of a higher rank."""
    # Open divisions with the level of their heading; the outermost has none.
    divisions = [(0, division)]
    for node in nodes:
        if isinstance(node, tree.Heading):
            while divisions[-1][0] >= node.level:
                divisions.pop()
            division = _add(divisions[-1][1], "div", type="section", n=str(node.level))
            divisions.append((node.level, division))
            _fill(_add(division, "head"), node.inline)
        else:
            _add_node(divisions[-1][1], node)


def _add_node(parent: _Element, node: tree.Node) -> None:
    """Append the element of a node; nesting is bounded by the content."""
    if isinstance(node, tree.ListOf):
        element = _add(parent, "list", rend="numbered" if node.ordered else "bulleted")
        for nodes in node.items:
            _add_item(element, nodes)
    elif isinstance(node, tree.Definitions):
        _add_definitions(parent, node)
    elif isinstance(node, tree.Quote):
        quote = _add(parent, "quote")
        for inner in node.nodes:
            _add_node(quote, inner)
    elif isinstance(node, tree.Figure):
        figure = _add(parent, "figure")
        figure.tail = "\n"
        for inner in node.nodes:
            if isinstance(inner, tree.Caption):
                _fill(_add(figure, "head"), inner.inline)
            else:
                _add_node(figure, inner)
    elif isinstance(node, tree.Table):
        _add_table(parent, node)
    elif isinstance(node, tree.Code):
        code = _add(_add(parent, "ab", type="preformatted"), "code")
        code.set(_XML_SPACE, "preserve")
        if node.language is not None:
            code.set("lang", node.language)
        code.text = xml_characters(node.text)
    elif isinstance(node, tree.Caption | tree.Heading):
        _fill(_add(parent, "p", rend="caption" if isinstance(node, tree.Caption) else "heading"), node.inline)
    else:
        _fill(_add(parent, "p"), node.inline)


def _add_item(parent: _Element, inside: Sequence[tree.Node]) -> None:
    """Append an item; the text of its first paragraph stands in it without one if there is no other."""
    item = _add(parent, "item")
    if inside and isinstance(inside[0], tree.Paragraph) and all(isinstance(inner, tree.ListOf) for inner in inside[1:]):
        _fill(item, inside[0].inline)
        inside = inside[1:]
    for inner in inside:
        _add_node(item, inner)


def _add_definitions(parent: _Element, node: tree.Definitions) -> None:
    """Append a list of glosses: in TEI each label has one item, so neighbours of one kind are put together."""
    element = _add(parent, "list", type="gloss")
    for terms, said in _pairs(node):
        label = _add(element, "label")
        for number, inner in enumerate(terms):
            if number:
                _add(label, "lb")
            _fill(label, inner.inline)
        _add_item(element, said)


def _pairs(node: tree.Definitions) -> list[tuple[list[_Line], list[tree.Node]]]:
    """Return terms in a row with what is said of them; what is no line of text cannot be part of a term."""
    pairs: list[tuple[list[_Line], list[tree.Node]]] = []
    for entry in node.entries:
        if not pairs or (entry.is_term and pairs[-1][1]):
            pairs.append(([], []))
        for inner in entry.nodes:
            if entry.is_term and isinstance(inner, _Line):
                pairs[-1][0].append(inner)
            else:
                pairs[-1][1].append(inner)
    return pairs


def _add_table(parent: _Element, node: tree.Table) -> None:
    table = _add(parent, "table", rows=str(len(node.rows)), cols=str(len(node.rows[0])))
    for number, cells in enumerate(node.rows):
        row = _add(table, "row", role="label" if number == 0 and node.has_header else "data")
        for cell in cells:
            if cell.columns:
                spans = {f"{name}s": str(count) for name, count in cell.spans().items()}
                _fill(_add(row, "cell", role="label" if cell.is_header else "data", **spans), cell.inline)


def _fill(element: _Element, inline: tree.Inline) -> None:
    """Put a line of text into an element."""
    target = None
    for piece in inline:
        if isinstance(piece, tree.Image):
            target = None
            figure = _add(element, "figure")
            _add(figure, "graphic", url=piece.source)
            if piece.alt:
                _add(figure, "figDesc", piece.alt)
            continue
        parent = element
        if piece.target is not None:
            parent = element[-1] if piece.target == target else _add(parent, "ref", target=piece.target)
        target = piece.target
        if piece.formula:
            _add(parent, "formula", piece.text, notation="TeX", rend="inline" if piece.formula == "$" else "display")
            continue
        named = (piece.bold and "bold", piece.italic and "italic", _RENDITIONS.get(piece.script))
        styles = " ".join(style for style in named if style)
        parent = _add(parent, "hi", rend=styles) if styles else parent
        parent = _add(parent, "code") if piece.code else parent
        for number, line in enumerate(xml_characters(piece.text).split("\n")):
            if number and not piece.code:
                _add(parent, "lb")
            _append_text(parent, fold_white_space(line if not number or not piece.code else f" {line}"))


def _append_text(parent: _Element, text: str) -> None:
    """Put text at the end of an element."""
    # The number of children would take time for each of them.
    last = next(parent.iterchildren(reversed=True), None)
    if last is not None:
        last.tail = (last.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
