"""The original page with every text block marked by what was decided about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.extraction.explain import Evidence
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.page import Page
from blockfeat.web.safe.page import head_styles, safe_page

WRAPPER = "bf-block"
"""Name of the element around each text node of a block."""


@dataclass(frozen=True)
class _BlockMarks:
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
    def of(cls, blocks: Blocks, verdicts: Sequence[str], more: Mapping[int, str]) -> _BlockMarks:
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
    marks = _BlockMarks.of(blocks, verdicts, attributes or {})
    return safe_page(page, styles=styles, head=f"<style>{sheet}</style>\n", look=look, marks=marks, wrapper=WRAPPER)


def verdicts_of(kept: Sequence[bool] | NDArray[np.bool_]) -> list[str]:
    """Return ``"kept"`` or ``"dropped"`` for each block."""
    return ["kept" if is_kept else "dropped" for is_kept in kept]


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
    evidence = extraction.evidence
    if not isinstance(evidence, Evidence):
        raise TypeError("the extraction was made in another process: its page is not here")
    page = Page.parse(
        html,
        url=url,
        charset=charset,
        max_bytes=extractor.max_bytes,
        keep_drawings=extractor.model.table.reads_drawings,
    )
    styles = head_styles(html, url=url, charset=charset, look=look)
    verdicts = verdicts_of(evidence.prediction.kept.tolist())
    return extraction, coloured_page(page, evidence.measured.blocks, verdicts, styles=styles, look=look)


def _style_sheet(look: str) -> str:
    """Return the style sheet of the marks; only a page without styles of its own can be dark."""
    names = ("coloured.css", "coloured-dark.css") if look == "plain" else ("coloured.css",)
    folder = files("blockfeat.web").joinpath("static")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
