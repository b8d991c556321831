"""A hostile page written again so that nothing in it can run, with its blocks marked where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content.links import Base, fold_white_space, safe_target, xml_characters
from blockfeat.extraction.analysis import PageAnalysis
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags
from blockfeat.web.safe.markup import ALLOWED, DROPPED, LOOKS, RENAMED, VOID, SafeAttributes, safe_style_sheet

# Their tags are written once, at the top.
_FRAME = frozenset(("body", "head", "html"))
_LEFT_OUT, _UNWRAPPED = "-", ""
WRAPPER = "bf-block"
"""Name of the element around each text node of a block."""


def safe_page(
    page: Page,
    *,
    styles: str = "",
    head: str = "",
    look: str = "page",
    link: Callable[[str], str] | None = None,
    marks: BlockMarks | None = None,
) -> str:
    """Return a page as a document that neither runs nor sends anything; linear in the size of the page.

    Scripts, event handlers, frames, objects, drawings, forms, ``base``, ``meta`` and every address that is not http,
    https or mailto go; elements and attributes of an allow list stay, relative addresses are made absolute. The page
    still belongs into a sandboxed frame with a content security policy of its own.

    Parameters
    ----------
    page : Page
        The page.
    styles : str
        Styles of the page for the head: what `head_styles` returned.
    head : str
        Safe markup for the end of the head.
    look : str
        ``"plain"`` leaves styles and images out, ``"page"`` has those that stand in the page, ``"web"`` also loads
        images from their hosts.
    link : callable, optional
        Makes the address of a link from its absolute one; links lead nowhere without it.
    marks : BlockMarks, optional
        Which text is wrapped, in elements named `WRAPPER`.

    Raises
    ------
    ValueError
        There is no such look.
    """
    if look not in LOOKS:
        raise ValueError(f"look {look!r} is unknown; known are {', '.join(LOOKS)}")
    tags = page.tags if page.tags is not None else Tags.of_markup(b"<html></html>")
    attributes = SafeAttributes(Base.of(tags, page.url), look, link)
    frame = _frame_attributes(tags, attributes)
    body = "".join(_written(tags, attributes, marks))
    title = escape(fold_white_space(xml_characters(page.title or "")).strip())
    language = "" if ' lang="' in frame["html"] or not page.declared_lang else f' lang="{escape(page.declared_lang)}"'
    return (
        f"<!DOCTYPE html>\n<html{frame['html']}{language}>\n<head>\n"
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n{styles}{head}</head>\n<body{frame['body']}>\n{body}\n</body>\n</html>\n"
    )


def _frame_attributes(tags: Tags, attributes: SafeAttributes) -> Mapping[str, str]:
    """Return the attributes of html and body, by name."""
    found: dict[str, str] = {}
    for name in ("html", "body"):
        elements = tags.named(name)[:1].tolist()
        found[name] = attributes.written(name, tags.attributes(elements[0])) if elements else ""
    return found


def _written(tags: Tags, attributes: SafeAttributes, marks: BlockMarks | None) -> Iterator[str]:
    """Yield the markup of the body piece by piece, tag by tag and the text behind each."""
    starts, stops = tags.start.tolist(), [*tags.stop.tolist()]
    opened, closed = tags.opened.tolist(), tags.closed.tolist()
    ends: list[str] = []
    element, tag, count = 0, 0, len(starts)
    while tag < count:
        if element < len(opened) and opened[element] == tag:
            last = closed[element]
            name, start = _start(tags, element, attributes, marks, last)
            if name == _LEFT_OUT:
                # Nothing inside counts: go to the text behind.
                tag = last
                while element < len(opened) and opened[element] <= last:
                    element += 1
            else:
                yield start
                if last > tag:
                    ends.append(name)
                elif name not in VOID and name != _UNWRAPPED:
                    yield f"</{name}>"
                element += 1
        elif ends:
            name = ends.pop()
            if name not in VOID and name != _UNWRAPPED:
                yield f"</{name}>"
        text = tags.source[stops[tag] : starts[tag + 1] if tag + 1 < count else None]
        if text:
            yield _text(text, "" if marks is None else marks.opening(tag))
        tag += 1


def _start(
    tags: Tags, element: int, attributes: SafeAttributes, marks: BlockMarks | None, last: int
) -> tuple[str, str]:
    """Return the name that an element is written under, and its start tag."""
    name = tags.name(element)
    if name in _FRAME:
        return _UNWRAPPED, ""
    if name in DROPPED:
        is_marked = marks is not None and marks.has_text(int(tags.opened[element]), last)
        return (_UNWRAPPED if is_marked else _LEFT_OUT), ""
    shown = RENAMED.get(name, name if name in ALLOWED else "span")
    return shown, f"<{shown}{attributes.written(shown, tags.attributes(element))}>"


def _text(source: bytes, opening: str) -> str:
    text = escape(xml_characters(unescape(source.decode("utf-8", "replace"))), quote=False)
    return f"{opening}{text}</{WRAPPER}>" if opening and not text.isspace() else text


def head_styles(html: str | bytes, *, url: str | None, charset: str | None = None, look: str = "page") -> str:
    """Return the styles of a page as markup for a head: its style elements, and with ``"web"`` its linked sheets.

    Parameters
    ----------
    html : str or bytes
        The page, read once more with its styles.
    url, charset : str, optional
        As for `Page.parse`.
    look : str
        One of `LOOKS`.
    """
    if look == "plain":
        return ""
    tags = Page.parse(html, url=url, charset=charset, keep_raw_text=True).tags
    if tags is None:
        return ""
    base = Base.of(tags, url)
    found = []
    for element in sorted([*tags.named("style").tolist(), *tags.named("link").tolist()]):
        attributes = tags.attributes(element)
        media = escape(xml_characters(attributes.get("media", "")))
        if tags.name(element) == "style":
            css = safe_style_sheet(xml_characters(tags.text(element)), loads=look == "web")
            found.append(f'<style media="{media}">{css}</style>\n' if media else f"<style>{css}</style>\n")
        elif look == "web" and "stylesheet" in attributes.get("rel", "").lower().split():
            target = safe_target(base.resolved(attributes.get("href", "")))
            if target and target.lower().startswith(("http://", "https://")):
                found.append(f'<link rel="stylesheet" href="{escape(target)}" media="{media or "all"}">\n')
    return "".join(found)


@dataclass(frozen=True)
class BlockMarks:
    """Wraps the text nodes of blocks.

    Attributes
    ----------
    owner : int array, t tags
        The block that the text behind each tag belongs to, -1 for none.
    total : int array, t + 1
        Number of text nodes in blocks before each tag.
    openings : list of str
        The start tag of the wrapper of each block.
    """

    owner: NDArray[np.int64]
    total: NDArray[np.int64]
    openings: Sequence[str]

    @classmethod
    def of(cls, blocks: Blocks, verdicts: Sequence[str], more: Mapping[int, str]) -> BlockMarks:
        """Find the block of every text node; linear."""
        tags = blocks.tags
        places = np.append(blocks.places.astype(np.int64), len(blocks.page_text.text))
        owner = np.searchsorted(blocks.end_byte, tags.stop, side="right").astype(np.int64)
        inside = owner < len(blocks)
        first = blocks.first_byte[np.minimum(owner, len(blocks) - 1)] if len(blocks) else np.zeros(owner.size)
        # Text in pruned elements does not move the place in the page's text.
        owner[~(inside & (first <= tags.stop) & (np.diff(places) > 0))] = -1
        total = np.concatenate([[0], np.cumsum(owner >= 0)])
        openings = [
            f'<{WRAPPER} data-block="{index}" data-verdict="{escape(verdict)}"{more.get(index, "")}>'
            for index, verdict in enumerate(verdicts)
        ]
        return cls(owner, total, openings)

    def has_text(self, first: int, last: int) -> bool:
        """Return whether text of a block stands between two tags."""
        return bool(self.total[last] > self.total[first])

    def opening(self, tag: int) -> str:
        """Return the start tag of the wrapper around the text behind a tag."""
        block = int(self.owner[tag])
        return self.openings[block] if block >= 0 else ""


def coloured_page(
    page: Page,
    blocks: Blocks,
    verdicts: Sequence[str],
    *,
    styles: str = "",
    look: str = "page",
    attributes: Mapping[int, str] | None = None,
    style_sheet: str | None = None,
) -> str:
    """Return a page with its blocks marked, as a safe document for a sandboxed frame.

    Each text node of block ``N`` stands in an element ``<bf-block data-block="N" data-verdict="…">``; a block may
    have several of them. Nothing in the document runs or loads (see `blockfeat.web.safe.page.safe_page`), links lead
    nowhere: the page around the frame handles clicks and keys.

    Parameters
    ----------
    page : Page
        The page that was cut.
    blocks : Blocks
        Its blocks, cut from ``page.tags``.
    verdicts : sequence of str, n
        What ``data-verdict`` says of each block, such as ``"kept"`` or ``"dropped"``.
    styles : str
        What `blockfeat.web.safe.page.head_styles` returned for the page.
    look : str
        One of `blockfeat.web.safe.markup.LOOKS`.
    attributes : mapping, optional
        Further attributes of some blocks' elements as safe markup with a space in front, by block.
    style_sheet : str, optional
        Style sheet of the marks, instead of the one that colours kept and dropped blocks.
    """
    sheet = _style_sheet(look) if style_sheet is None else style_sheet
    marks = BlockMarks.of(blocks, verdicts, attributes or {})
    return safe_page(page, styles=styles, head=f"<style>{sheet}</style>\n", look=look, marks=marks)


_BESIDE = ("headline", "byline")


def verdicts_of(kept: Sequence[bool] | NDArray[np.bool_], parts: Sequence[str]) -> list[str]:
    """Return ``"kept"`` or ``"dropped"`` for each block; ``"beside"`` for headline and byline outside of the text."""
    both = zip(kept, parts, strict=True)
    return ["kept" if is_kept else "beside" if part in _BESIDE else "dropped" for is_kept, part in both]


def extraction_and_coloured_page(
    html: str | bytes,
    extractor: Extractor,
    *,
    url: str | None = None,
    lang: str | None = None,
    charset: str | None = None,
    look: str = "page",
) -> tuple[Extraction, str]:
    """Extract a page and return the extraction with the coloured page; see `Extractor.extract` and `coloured_page`."""
    extraction = extractor.extract(html, url=url, lang=lang, charset=charset)
    analysis = analysis_of(extraction)
    page = Page.parse(
        html,
        url=url,
        charset=charset,
        max_bytes=extractor.options.max_bytes,
        keep_drawings=extractor.model.table.reads_drawings,
    )
    styles = head_styles(html, url=url, charset=charset, look=look)
    verdicts = verdicts_of(analysis.prediction.kept.tolist(), analysis.parts)
    return extraction, coloured_page(page, analysis.measured.blocks, verdicts, styles=styles, look=look)


def analysis_of(extraction: Extraction) -> PageAnalysis:
    """Return what was measured of a page that was extracted in this process."""
    analysis = extraction.analysis
    if analysis is None:
        raise TypeError("the extraction was made in another process: its page is not here")
    return analysis


def _style_sheet(look: str) -> str:
    """Return the style sheet of the marks; only a page without styles of its own can be dark."""
    names = ("coloured.css", "coloured-dark.css") if look == "plain" else ("coloured.css",)
    folder = files("blockfeat.web").joinpath("static")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
