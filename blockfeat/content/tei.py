"""XML of content, after the guidelines of the Text Encoding Initiative (TEI P5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from blockfeat.content import nodes as tree
from blockfeat.content.links import TEI_NAMESPACE, fold_white_space, is_plain, safe_target, xml_characters

_Line = tree.Paragraph | tree.Heading | tree.Caption
_RENDITIONS = {"sup": "superscript", "sub": "subscript"}
_BLOCK_NAMES = """ab bibl body cell div encodingDesc fileDesc head idno item label langUsage language list p profileDesc
ptr publicationStmt quote row sourceDesc table teiHeader text title titleStmt"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_IN_ATTRIBUTES = str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


def to_xml(content: tree.Content) -> str:
    """Return content as a TEI document (XML 1.0, namespace ``http://www.tei-c.org/ns/1.0``).

    The header holds title, source address, language and model. In the body a heading opens a ``div``, nested by its
    level, with a ``head``; then ``p``, ``list`` (``rend="numbered"``, ``type="gloss"`` for definitions) of ``item``,
    ``table`` of ``row`` and ``cell``, ``quote``, ``ab`` with ``code``; ``hi``, ``code``, ``ref``, ``lb`` and
    ``graphic`` in text. Characters that XML 1.0 forbids are left out.
    """
    language = {"xml:lang": content.lang} if content.lang else {}
    body = _element("body", _element("div", _sections(content.nodes)))
    document = _element("TEI", _header(content) + _element("text", body, **language), xmlns=TEI_NAMESPACE)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{document}'


def _start(name: str, attributes: dict[str, str]) -> str:
    """Return what a start tag begins with."""
    values = {key: escape(xml_characters(value), quote=False) for key, value in attributes.items()}
    return "".join([f"<{name}", *(f' {key}="{value.translate(_IN_ATTRIBUTES)}"' for key, value in values.items())])


def _element(name: str, inner: str = "", **attributes: str) -> str:
    """Return an element with markup in it; one that is no part of a line ends its line."""
    end = "\n" if name in _BLOCKS else ""
    return f"{_start(name, attributes)}>{inner}</{name}>{end}" if inner else f"{_start(name, attributes)}/>{end}"


def _titled(name: str, text: str, **attributes: str) -> str:
    """Return an element with a text, also an empty one, made valid for XML."""
    shown = escape(fold_white_space(xml_characters(text)).strip(), quote=False)
    return f"{_start(name, attributes)}>{shown}</{name}>" + "\n" * (name in _BLOCKS)


def _header(content: tree.Content) -> str:
    titles = _element("titleStmt", _titled("title", content.title or ""))
    published = _element("publicationStmt", _titled("p", "Main text of a web page, extracted by machine."))
    source = _titled("title", content.title or "")
    if target := safe_target(content.url or ""):
        source += _element("ptr", target=target)
    if content.id:
        source += _titled("idno", content.id)
    header = _element("fileDesc", titles + published + _element("sourceDesc", _element("bibl", source)))
    header += _element("encodingDesc", _titled("p", f"blockfeat, model {content.model}"))
    if content.lang:
        language = _titled("language", content.lang, ident=content.lang)
        header += _element("profileDesc", _element("langUsage", language))
    return _element("teiHeader", header)


def _sections(nodes: Iterable[tree.Node]) -> str:
    """Return what the body holds; a heading opens a division inside the last one of a higher rank."""
    written: list[str] = []
    levels: list[int] = []
    for node in nodes:
        if not isinstance(node, tree.Heading):
            written.append(_node(node))
            continue
        while levels and levels[-1] >= node.level:
            written.append("</div>\n")
            levels.pop()
        levels.append(node.level)
        written += [f'<div type="section" n="{node.level}">', _element("head", _line(node.inline))]
    return "".join([*written, *("</div>\n" for _ in levels)])


def _node(node: tree.Node) -> str:
    """Return the element of a node; nesting is bounded by the content."""
    if isinstance(node, tree.ListOf):
        return _element("list", "".join(map(_item, node.items)), rend="numbered" if node.ordered else "bulleted")
    if isinstance(node, tree.Definitions):
        return _definitions(node)
    if isinstance(node, tree.Quote):
        return _element("quote", "".join(map(_node, node.nodes)))
    if isinstance(node, tree.Figure):
        return _element("figure", "".join(map(_of_figure, node.nodes))) + "\n"
    if isinstance(node, tree.Table):
        return _table(node)
    if isinstance(node, tree.Code):
        named = {"xml:space": "preserve"} | ({} if node.language is None else {"lang": node.language})
        text = escape(xml_characters(node.text), quote=False)
        return _element("ab", f"{_start('code', named)}>{text}</code>", type="preformatted")
    rend = {tree.Caption: "caption", tree.Heading: "heading"}.get(type(node))
    return _element("p", _line(node.inline), **({"rend": rend} if rend else {}))


def _of_figure(node: tree.Node) -> str:
    return _element("head", _line(node.inline)) if isinstance(node, tree.Caption) else _node(node)


def _item(inside: Sequence[tree.Node]) -> str:
    """Return an item; the text of its first paragraph stands in it without one if there is no other."""
    first = ""
    if inside and isinstance(inside[0], tree.Paragraph) and all(isinstance(inner, tree.ListOf) for inner in inside[1:]):
        first, inside = _line(inside[0].inline), inside[1:]
    return _element("item", first + "".join(map(_node, inside)))


def _definitions(node: tree.Definitions) -> str:
    """Return a list of glosses: in TEI each label has one item, so neighbours of one kind are put together."""
    written = ""
    for terms, said in _pairs(node):
        written += _element("label", "<lb/>".join(_line(inner.inline) for inner in terms)) + _item(said)
    return _element("list", written, type="gloss")


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


def _table(node: tree.Table) -> str:
    rows = []
    for number, cells in enumerate(node.rows):
        row = "".join(_cell(cell) for cell in cells if cell.columns)
        rows.append(_element("row", row, role="label" if number == 0 and node.has_header else "data"))
    return _element("table", "".join(rows), rows=str(len(node.rows)), cols=str(len(node.rows[0])))


def _cell(cell: tree.Cell) -> str:
    spans = {f"{name}s": str(count) for name, count in cell.spans().items()}
    return _element("cell", _line(cell.inline), role="label" if cell.is_header else "data", **spans)


def _line(inline: tree.Inline) -> str:
    """Return a line of text; neighbours with the same target are one reference."""
    written = ""
    for target, pieces in groupby(inline, key=tree.target_of):
        inner = "".join(map(_piece, pieces))
        written += inner if target is None else _element("ref", inner, target=target)
    return written


def _piece(piece: tree.Text | tree.Image) -> str:
    if isinstance(piece, tree.Image):
        described = _titled("figDesc", piece.alt) if piece.alt else ""
        return _element("figure", _element("graphic", url=piece.source) + described)
    if piece.formula:
        rend = "inline" if piece.formula == "$" else "display"
        return _titled("formula", piece.text, notation="TeX", rend=rend)
    written = piece.text
    if not is_plain(written):
        first, *others = escape(xml_characters(written), quote=False).split("\n")
        lines = (fold_white_space(f" {line}") if piece.code else f"<lb/>{fold_white_space(line)}" for line in others)
        written = "".join([fold_white_space(first), *lines])
    written = _element("code", written) if piece.code else written
    named = (piece.bold and "bold", piece.italic and "italic", _RENDITIONS.get(piece.script))
    styles = " ".join(style for style in named if style)
    return _element("hi", written, rend=styles) if styles else written
