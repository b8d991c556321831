"""A cleaned tree written out: as HTML5, sanitised, or as plain text."""

from __future__ import annotations

from html import escape

from lxml import etree

_MORE_TAGS = {"address", "main", "picture", "section"}
_ATTRIBUTES = {
    "*": {"class", "dir", "id", "lang", "title"},
    "a": {"href"},
    "col": {"span", "width"},
    "colgroup": {"span", "width"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "table": {"border", "cellpadding", "cellspacing", "width"},
    "td": {"align", "colspan", "headers", "rowspan", "valign", "width"},
    "th": {"abbr", "align", "colspan", "headers", "rowspan", "scope", "valign", "width"},
    "time": {"datetime"},
}
_DROPPED = "dropped"
_OPTIONS = {"optgroup", "option", "script"}
_SCHEMES = {"http", "https", "mailto"}


def html_of(root: etree._Element) -> str:
    """Return a tree as HTML5, as a browser would write it: what may not be nested stands side by side."""
    from resiliparse.parse.html import HTMLTree

    head = root.find("head")
    if head is None:
        head = etree.Element("head")
        root.insert(0, head)
    for meta in head.findall("meta"):
        if meta.get("charset") is not None or (meta.get("http-equiv") or "").lower() == "content-type":
            head.remove(meta)
    head.insert(0, etree.Element("meta", charset="utf-8"))
    _drop_empty_noscript(root)
    _leave_options(root)
    _strip_end(root)
    markup = etree.tostring(root, method="html", encoding="unicode", doctype="<!DOCTYPE html>", with_tail=False)
    document = HTMLTree.parse(markup).document
    written = markup if document is None else document.html
    return f"<!DOCTYPE html>\n{written.removeprefix('<!DOCTYPE html>').lstrip()}\n"


def _drop_empty_noscript(root: etree._Element) -> None:
    """Drop what is left behind where reading put the content of a noscript to the end of the page."""
    for element in root.iter("noscript"):
        if not len(element) and not (element.text or "").strip():
            element.tag, element.text = _DROPPED, None
    etree.strip_tags(root, _DROPPED)


def _leave_options(root: etree._Element) -> None:
    """Leave only the text of what else stands in drop-down lists: parsers differ in what they let stand there."""
    for select in root.iter("select"):
        for child in select.iterdescendants(etree.Element):
            if child.tag not in _OPTIONS:
                child.tag, child.text, child.tail = _DROPPED, f" {child.text or ''}", f" {child.tail or ''}"
        etree.strip_tags(select, _DROPPED)


def _strip_end(root: etree._Element) -> None:
    """Take white space away at the end of the body, where parsers add that behind the page."""
    body = root.find("body")
    if body is None:
        return
    for last in body.iterchildren(etree.Element, reversed=True):
        last.tail = (last.tail or "").rstrip()
        if last.tail or last.tag != "noscript":
            return
    body.text = (body.text or "").rstrip()


def sanitised_html(html: str) -> str:
    """Return a page of which only title, language and body are left, sanitised by nh3 with an allow list."""
    import nh3

    from blockfeat.page.page import Page

    page = Page.parse(html)
    body = nh3.clean(
        html,
        tags=nh3.ALLOWED_TAGS | _MORE_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        clean_content_tags={"script", "style", "title"},
        link_rel=None,
    ).strip()
    language = f' lang="{escape(page.declared_lang)}"' if page.declared_lang else ""
    head = f'<meta charset="utf-8">\n<title>{escape(page.title or "")}</title>'
    return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def text_of(html: str) -> str:
    """Return the text of a page: its blocks parted by blank lines, the rows of data tables as lines."""
    import numpy as np

    from blockfeat.blocks.cut import cut_into_blocks
    from blockfeat.blocks.tagtable import load_table
    from blockfeat.content.characters import clean_characters
    from blockfeat.content.plain import plain_text
    from blockfeat.content.tables import data_tables
    from blockfeat.page.page import Page

    blocks = cut_into_blocks(Page.parse(html), load_table("html5"))
    kept = np.ones(len(blocks), dtype=np.bool_)
    return clean_characters(plain_text(blocks, kept, data_tables(blocks, kept)))
