"""XML of an extraction, after the guidelines of the Text Encoding Initiative (TEI P5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from blockfeat.blocks.block import Block
from blockfeat.output.characters import fold_white_space, xml_characters
from blockfeat.output.links import linked_pieces
from blockfeat.output.structure import BlockList, Quote, structured

if TYPE_CHECKING:
    from lxml.etree import _Element

    from blockfeat.extraction.extraction import Extraction

__all__ = ["TEI_NAMESPACE", "to_xml"]

TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def to_xml(extraction: Extraction) -> str:
    """Return the content as a TEI document (XML 1.0, namespace ``http://www.tei-c.org/ns/1.0``).

    The header holds title, source address, language and model. In the body a heading opens a ``div``,
    nested by its level, with a ``head``; then ``p``, ``list`` (``rend="numbered"``) of ``item``, ``quote``,
    ``ab`` with ``code``; links as ``ref``. Characters that XML 1.0 forbids are left out.
    """
    from lxml import etree

    # The stubs of lxml forbid the key None, which means the default namespace.
    root = etree.Element(_name("TEI"), nsmap=cast("dict[str, str]", {None: TEI_NAMESPACE}))
    _add_header(root, extraction)
    text = _add(root, "text")
    if extraction.lang:
        text.set(_XML_LANG, xml_characters(extraction.lang))
    _add_content(_add(_add(text, "body"), "div"), structured(extraction.blocks))
    for element in root.iter(tag=etree.Element):
        if element.tag not in (_name("ref"), _name("code")):
            element.tail = "\n"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{etree.tostring(root, encoding="unicode")}'


def _name(tag: str) -> str:
    return f"{{{TEI_NAMESPACE}}}{tag}"


def _add(parent: _Element, tag: str, text: str | None = None, **attributes: str) -> _Element:
    """Append an element with text and attributes, all made valid for XML."""
    from lxml import etree

    clean = {key: xml_characters(value) for key, value in attributes.items()}
    element = etree.SubElement(parent, _name(tag), clean)
    if text is not None:
        element.text = fold_white_space(xml_characters(text)).strip()
    return element


def _add_header(root: _Element, extraction: Extraction) -> None:
    header = _add(root, "teiHeader")
    description = _add(header, "fileDesc")
    _add(_add(description, "titleStmt"), "title", extraction.title or "")
    _add(_add(description, "publicationStmt"), "p", "Main text of a web page, extracted by machine.")
    source = _add(_add(description, "sourceDesc"), "bibl")
    _add(source, "title", extraction.title or "")
    if extraction.url:
        _add(source, "ptr", target=extraction.url)
    if extraction.id:
        _add(source, "idno", extraction.id)
    _add(_add(header, "encodingDesc"), "p", f"blockfeat, model {extraction.model}")
    if extraction.lang:
        usage = _add(_add(header, "profileDesc"), "langUsage")
        _add(usage, "language", extraction.lang, ident=extraction.lang)


def _add_content(division: _Element, parts: Iterable[Block | BlockList | Quote]) -> None:
    """Fill the body; a heading opens a division inside the last one of a higher rank."""
    # Open divisions with the level of their heading; the outermost has none.
    divisions = [(0, division)]
    for part in parts:
        if isinstance(part, Block) and part.kind == "heading":
            level = min(max(part.level, 1), 6)
            while divisions[-1][0] >= level:
                divisions.pop()
            division = _add(divisions[-1][1], "div", type="section", n=str(level))
            divisions.append((level, division))
            _fill(_add(division, "head"), part)
        else:
            _add_part(divisions[-1][1], part)


def _add_part(parent: _Element, part: Block | BlockList | Quote) -> None:
    if isinstance(part, BlockList):
        _add_list(parent, part)
    elif isinstance(part, Quote):
        quote = _add(parent, "quote")
        for block in part.blocks:
            _fill(_add(quote, "p"), block)
    elif part.kind == "preformatted":
        code = _add(_add(parent, "ab", type="preformatted"), "code")
        code.set(_XML_SPACE, "preserve")
        code.text = xml_characters(part.text)
    elif part.kind in ("caption", "table_cell"):
        _fill(_add(parent, "p", rend=part.kind.replace("_", "-")), part)
    else:
        _fill(_add(parent, "p"), part)


def _add_list(parent: _Element, block_list: BlockList) -> None:
    element = _add(parent, "list", rend="numbered" if block_list.ordered else "bulleted")
    for entry in block_list.entries:
        item = _add(element, "item")
        _fill(item, entry.block)
        for nested in entry.lists:
            _add_list(item, nested)


def _fill(element: _Element, block: Block) -> None:
    """Put a block's text and its allowed links into an element."""
    last: _Element | None = None
    for piece, target in linked_pieces(block):
        text = fold_white_space(xml_characters(piece))
        if target is not None:
            last = _add(element, "ref", target=target)
            last.text = text
        elif last is None:
            element.text = (element.text or "") + text
        else:
            last.tail = (last.tail or "") + text
