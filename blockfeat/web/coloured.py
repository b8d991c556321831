"""Third-party pages as documents that are safe to show in a frame, optionally with their blocks marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files

import numpy as np
from lxml import etree

from blockfeat.blocks import Blocks, text_places
from blockfeat.content import Base, Loads, Sanitiser, fold_white_space, xml_characters
from blockfeat.extraction import Extraction, PageAnalysis
from blockfeat.page import Page, Tags, lxml_tree

WRAPPER = "bf-block"
"""Name of the element around each text node of a block."""

LOOKS = ("plain", "page", "web")
"""How much of a page's look is kept: no styles; the styles in the page; also style sheets and images that it loads."""

_PICTURES: dict[str, Loads] = {"plain": "none", "page": "embedded", "web": "web"}
_LEFT_OUT = frozenset(
    (
        *("applet", "area", "audio", "base", "bgsound", "canvas", "command", "embed", "frame", "iframe", "isindex"),
        *("keygen", "link", "map", "math", "meta", "noembed", "noframes", "noscript", "object", "param", "script"),
        *("source", "style", "svg", "template", "title", "track", "video"),
    )
)


class _Marks:
    """Finds the block of each text node, and creates the elements that mark blocks."""

    def __init__(self, blocks: Blocks, attributes: Sequence[Mapping[str, str]]) -> None:
        places = text_places(blocks)
        self._attributes = attributes
        self._block = np.full(blocks.tags.start.size, -1, dtype=np.int64)
        self._block[places.tag] = places.block
        self._before = np.concatenate([[0], np.cumsum(self._block >= 0)])

    def wrapper(self, tag: int, text: str | None) -> etree._Element | None:
        """Return the text after a tag in a marking element of its block; None where it belongs to no block."""
        block = int(self._block[tag])
        if block < 0 or not text or text.isspace():
            return None
        made = etree.Element(WRAPPER, {"data-block": str(block), **self._attributes[block]})
        made.text = text
        return made

    def stand_between(self, first: int, last: int) -> bool:
        """Return whether there is text of a block between two tags."""
        return bool(self._before[last] > self._before[first])


def safe_page(
    page: Page,
    *,
    head: str = "",
    look: str = "page",
    link: Callable[[str], str] | None = None,
    marks: _Marks | None = None,
) -> str:
    """Return a page as a document that neither runs nor sends anything; linear in the size of the page.

    Elements, attributes, addresses and styles are those that `blockfeat.content.sanitise` allows; frames, objects,
    films and drawings are left out. The page should still be shown in a sandboxed frame with a content security policy.

    Parameters
    ----------
    page : Page
        The page.
    head : str
        Safe markup for the end of the head, such as what `head_styles` returned.
    look : str
        ``"plain"`` leaves styles and images out, ``"page"`` keeps those that are embedded in the page, ``"web"`` also
        loads images from their hosts.
    link : callable, optional
        Maps the absolute address of a link to the address that is written; links lead nowhere without it.
    marks : _Marks, optional
        What marks the blocks.

    Raises
    ------
    ValueError
        There is no such look.
    """
    if look not in LOOKS:
        raise ValueError(f"look {look!r} is unknown; known are {', '.join(LOOKS)}")
    tags = page.tags if page.tags is not None and len(page.tags) else Tags.of_markup(b"<html></html>")
    root = lxml_tree(tags)
    elements = list(root.iter(etree.Element))
    # From the end, so that the content of an element is processed before it.
    for number in range(len(elements) - 1, -1, -1):
        _mark(elements[number], int(tags.opened[number]), int(tags.closed[number]), marks)
    if "lang" not in root.attrib and page.declared_lang:
        root.set("lang", page.declared_lang)
    title = escape(fold_white_space(xml_characters(page.title or "")).strip())
    top = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">'
    written = _sanitiser(tags, page.url, look, link).document(root, f"{top}\n<title>{title}</title>\n{head}")
    return f"<!DOCTYPE html>\n{written}"


def _mark(element: etree._Element, opened: int, closed: int, marks: _Marks | None) -> None:
    """Leave an element out, or wrap the text before its first child and the text after it in marking elements."""
    if element.tag in _LEFT_OUT and (marks is None or not marks.stand_between(opened, closed)):
        # The sanitiser drops elements of this name.
        tail = element.tail
        element.clear()
        element.tag, element.tail = "style", tail
    elif element.tag == WRAPPER:
        element.tag = "span"
    if marks is None:
        return
    if opened != closed and (inside := marks.wrapper(opened, element.text)) is not None:
        element.text = None
        element.insert(0, inside)
    if element.getparent() is not None and (behind := marks.wrapper(closed, element.tail)) is not None:
        element.tail = None
        element.addnext(behind)


def _sanitiser(tags: Tags, url: str | None, look: str, link: Callable[[str], str] | None) -> Sanitiser:
    # In a frame that may neither open windows nor navigate another one, a link to a new window leads nowhere.
    nowhere = {"target": "_blank", "rel": "noopener noreferrer", "tabindex": "-1"}
    anchors = nowhere if link is None else {"target": "_top", "rel": "noreferrer"}
    added = {"a": anchors, "img": {"referrerpolicy": "no-referrer", "loading": "lazy"}}
    return Sanitiser(Base.of(tags, url), styles=look != "plain", pictures=_PICTURES[look], link=link, added=added)


def head_styles(html: str | bytes, *, url: str | None, charset: str | None = None, look: str = "page") -> str:
    """Return the styles of a page as markup for a head: its style elements, and with ``"web"`` its linked sheets.

    Parameters
    ----------
    html : str or bytes
        The page, which is parsed again with its styles.
    url, charset : str, optional
        As for `Page.parse`.
    look : str
        One of `LOOKS`.
    """
    if look == "plain":
        return ""
    tags = Page.parse(html, url=url, charset=charset, keep_raw_text=True).tags
    styles = [] if tags is None else _sanitiser(tags, url, look, None).head_styles(tags)
    return "".join(f"{style}\n" for style in styles)


def coloured_page(
    page: Page,
    blocks: Blocks,
    verdicts: Sequence[str],
    *,
    styles: str = "",
    look: str = "page",
    attributes: Mapping[int, Mapping[str, str]] | None = None,
    style_sheet: str | None = None,
) -> str:
    """Return a page with its blocks marked, as a safe document for a sandboxed frame.

    Each text node of block ``N`` stands in an element ``<bf-block data-block="N" data-verdict="…">``; a block may
    have several of them. Nothing in the document runs or loads (see `safe_page`), links lead nowhere: the page around
    the frame handles clicks and keys.

    Parameters
    ----------
    page : Page
        The page that was cut.
    blocks : Blocks
        Its blocks, cut from ``page.tags``.
    verdicts : sequence of str, n
        Value of ``data-verdict`` for each block, such as ``"kept"`` or ``"dropped"``.
    styles : str
        What `head_styles` returned for the page.
    look : str
        One of `LOOKS`.
    attributes : mapping, optional
        Further attributes of some blocks' elements, by block; their names begin with ``data-``.
    style_sheet : str, optional
        Style sheet of the marks, instead of the one that colours kept and dropped blocks.
    """
    sheet = _style_sheet(look) if style_sheet is None else style_sheet
    more = attributes or {}
    marks = _Marks(blocks, [{"data-verdict": each, **more.get(block, {})} for block, each in enumerate(verdicts)])
    return safe_page(page, head=f"{styles}<style>{sheet}</style>\n", look=look, marks=marks)


_VERDICTS = dict.fromkeys(("headline", "byline"), "beside")


def coloured_extraction(
    extraction: Extraction, html: str | bytes, *, charset: str | None = None, look: str = "page"
) -> str:
    """Return the coloured page of an extraction: blocks are ``"kept"``, ``"dropped"`` or, as a byline, ``"beside"``."""
    analysis = analysis_of(extraction)
    page = analysis.choice.page
    styles = head_styles(html, url=page.url, charset=charset, look=look)
    verdicts = ["kept" if block.kept else _VERDICTS.get(block.part, "dropped") for block in extraction.blocks]
    return coloured_page(page, analysis.measured.blocks, verdicts, styles=styles, look=look)


def analysis_of(extraction: Extraction) -> PageAnalysis:
    """Return the analysis of an extraction; raise TypeError for one that was made in another process."""
    analysis = extraction.analysis
    if analysis is None:
        raise TypeError("the extraction was made in another process: its page is not here")
    return analysis


def _style_sheet(look: str) -> str:
    """Return the style sheet of the marks; only a page without styles of its own can be dark."""
    names = ("coloured.css", "coloured-dark.css") if look == "plain" else ("coloured.css",)
    folder = files("blockfeat.web").joinpath("static")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
