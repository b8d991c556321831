"""What the roles of blocks do not say: marks of footnotes, tables of the article, descriptions of its figures."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from blockfeat.blocks.block import Block
from blockfeat.blocks.table import Blocks, kinds_of_containers
from blockfeat.content.build import shows_images
from blockfeat.content.tables import data_tables
from blockfeat.extraction.analysis import PageAnalysis
from blockfeat.extraction.choice import in_comments, text_span
from blockfeat.extraction.extraction import Extraction
from blockfeat.page.tags import name_key

_LONGEST_MARK = 4
_LONGEST_DESCRIPTION = 1000
_LINKED = 0.5
_SAYS = ("alt", "title", "aria-label")
_FIGURES = tuple(map(name_key, ("img", "video", "audio", "figure", "svg", "object")))


@dataclass(frozen=True)
class PageParts:
    """What else is known of a page.

    Attributes
    ----------
    marks : dict of int to list of (int, int)
        The spans of raised signs of at most four characters, in the text of their block.
    tables : frozenset of int
        Blocks that were not kept and stand in tables of data inside the article.
    descriptions : tuple of (int, str)
        What the article's own figures say of themselves (``alt``, ``title``, ``aria-label``), with the block before.
    """

    marks: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    tables: frozenset[int] = frozenset()
    descriptions: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(cls, extraction: Extraction) -> PageParts:
        """Read the parts of a page; none where its analysis is not at hand. Linear in the page."""
        analysis = extraction.analysis
        if not isinstance(analysis, PageAnalysis) or not len(analysis.measured.blocks):
            return cls()
        blocks, kept = analysis.measured.blocks, analysis.prediction.kept
        marks = _marks(blocks, extraction.blocks)
        if not kept.any():
            return cls(marks)
        return cls(marks, _table_blocks(blocks, kept), _descriptions(blocks, kept))


def _marks(blocks: Blocks, shown: tuple[Block, ...]) -> dict[int, list[tuple[int, int]]]:
    """Return where raised signs stand that touch the word before them."""
    marks: dict[int, list[tuple[int, int]]] = {}
    tags, text = blocks.tags, blocks.page_text.text
    for element in tags.named("sup").tolist():
        start, end = int(blocks.places[tags.opened[element]]), int(blocks.places[tags.closed[element]])
        raised = text[start:end].strip()
        if not 0 < len(raised) <= _LONGEST_MARK:
            continue
        index = int(blocks.block_starts.searchsorted(start, side="right")) - 1
        before = text[int(blocks.block_starts[index]) : start] if index >= 0 else ""
        at = len(" ".join(before.split()))
        if at and not before[-1].isspace() and shown[index].text[at : at + len(raised)] == raised:
            marks.setdefault(index, []).append((at, at + len(raised)))
    return marks


def _table_blocks(blocks: Blocks, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> frozenset[int]:
    """Return the blocks, beside those that are kept, of tables of data that stand beside text of the article."""
    containers, measures = blocks.containers, blocks.measures
    span, comments = text_span(kept), in_comments(blocks)
    found: set[int] = set()
    for table in data_tables(blocks, span):
        rows = slice(table.first_block, table.end_block)
        around = int(containers.parent[table.container])
        is_beside_text = around >= 0 and kept[containers.first_block[around] : containers.end_block[around]].any()
        is_linked = measures.anchor_words[rows].sum() > _LINKED * measures.words[rows].sum()
        if is_beside_text and not is_linked and span[rows].all() and not comments[rows].any():
            found.update((table.first_block + (~kept[rows]).nonzero()[0]).tolist())
    return frozenset(found)


def _descriptions(blocks: Blocks, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[tuple[int, str], ...]:
    """Return what figures between blocks of the text, or before a caption inside of it, say of themselves."""
    tags = blocks.tags
    elements = np.isin(tags.key, _FIGURES).nonzero()[0]
    if not elements.size:
        return ()
    kinds = kinds_of_containers(blocks)
    of_blocks = [kinds[container] for container in blocks.container.tolist()]
    captioned = text_span(kept) & np.array([kind.name == "caption" for kind in of_blocks])
    shows = captioned | np.array(shows_images(kept.tolist(), of_blocks)[: len(of_blocks)])
    found = []
    for element in elements.tolist():
        byte = int(tags.start[tags.opened[element]])
        index = int(blocks.first_byte.searchsorted(byte, side="right")) - 1
        is_inside = index >= 0 and byte < int(blocks.end_byte[index])
        if index < 0 or not (kept[index] if is_inside else index + 1 < shows.size and shows[index + 1]):
            continue
        attributes = tags.attributes(element)
        said = dict.fromkeys(" ".join(attributes.get(name, "").split())[:_LONGEST_DESCRIPTION] for name in _SAYS)
        found += [(index, text) for text in said if text]
    return tuple(found)
