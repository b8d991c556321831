"""Clean HTML of an extraction."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from blockfeat.blocks.block import Block
from blockfeat.output.characters import fold_white_space, xml_characters
from blockfeat.output.links import linked_pieces
from blockfeat.output.structure import BlockList, Quote, structured

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blockfeat.extraction.extraction import Extraction

__all__ = ["to_html"]

_TAGS = {"a", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "pre", "ul"}


def to_html(extraction: Extraction) -> str:
    """Return the content as a small, complete HTML document.

    The body holds headings, paragraphs, lists, quotes, preformatted text and links with a relative, http,
    https or mailto target, nothing else: it is built from escaped text and then sanitised by nh3 with
    that allow list.
    """
    import nh3
    from lxml import html

    elements = [_element(part) for part in structured(extraction.blocks)]
    body = "\n".join(html.tostring(element, encoding="unicode") for element in elements)
    body = nh3.clean(
        body, tags=_TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}, link_rel=None
    )
    title = escape(fold_white_space(xml_characters(extraction.title or "")).strip())
    language = f' lang="{escape(xml_characters(extraction.lang))}"' if extraction.lang else ""
    head = f'<meta charset="utf-8">\n<title>{title}</title>'
    return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def _element(part: Block | BlockList | Quote) -> HtmlElement:
    from lxml.html import builder

    if isinstance(part, BlockList):
        return _list(part)
    if isinstance(part, Quote):
        return builder.BLOCKQUOTE(*(_filled(builder.P(), block) for block in part.blocks))
    if part.kind == "preformatted":
        return builder.PRE(xml_characters(part.text).strip("\n"))
    if part.kind == "heading":
        return _filled(builder.E(f"h{min(max(part.level, 1), 6)}"), part)
    return _filled(builder.P(), part)


def _list(block_list: BlockList) -> HtmlElement:
    from lxml.html import builder

    element = builder.OL() if block_list.ordered else builder.UL()
    for entry in block_list.entries:
        item = _filled(builder.LI(), entry.block)
        item.extend(_list(nested) for nested in entry.lists)
        element.append(item)
    return element


def _filled(element: HtmlElement, block: Block) -> HtmlElement:
    """Put a block's text and its allowed links into an element."""
    from lxml.html import builder

    last = None
    for piece, target in linked_pieces(block):
        text = fold_white_space(xml_characters(piece))
        if target is not None:
            last = builder.A(text, href=target)
            element.append(last)
        elif last is None:
            element.text = (element.text or "") + text
        else:
            last.tail = (last.tail or "") + text
    return element
