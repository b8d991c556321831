"""The parts of a page: headline, roles of blocks, comments, titles; what else belongs to an article."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import KEYS, TITLES, blocks_named
from blockfeat.blocks.table import Blocks, FoldedText, Mask, kinds_of_blocks
from blockfeat.content.plain import data_tables
from blockfeat.extraction.options import ExtractionOptions
from blockfeat.extraction.rules import first_title
from blockfeat.extraction.signs import inside, within
from blockfeat.features.cues import bundled_cues
from blockfeat.lang.measures import tokenize
from blockfeat.page.tags import are_among, name_key, name_keys
from blockfeat.page.utf_8 import Marks

if TYPE_CHECKING:
    from blockfeat.extraction.analysis import PageAnalysis
    from blockfeat.extraction.extraction import Extraction


_COMMENTS = re.compile(
    r"comment|kommentar|komentar|komentarz|commentaire|comentari|commenti|reacties|yorum|disqus|discussion|responses|"
    r"коммент|评论|コメント|replies|livefyre|talkback",
    re.IGNORECASE,
)
_NAMES = re.compile(r'\s(?:class|id|itemtype)="([^"]*)"')
_COMMENT_MARKS = Marks.of(
    form.encode()
    for word in _COMMENTS.pattern.split("|")
    for form in (word, word.upper(), word.capitalize())
    if form == word or not word.isascii()
)
_OF_THE_ARTICLE = re.compile(r"no-?comment|comment-?(?:count|link|button|icon|toggle)|body|main", re.IGNORECASE)
_FIRST_HEADING = name_key("h1")
_LEAST_LIKE = 0.2
_FEW_WORDS = 4
_LEFT_TO_THE_MODEL = (None,) * 4
_LINKED = 0.5

ROLES = ("headline", "lead", "body", "caption", "comment", "clutter")
"""Roles of blocks."""
_HEADLINE, _LEAD, _BODY, _CAPTION, _COMMENT, _CLUTTER = range(len(ROLES))
_ROLES_OF_LABELS = np.array([_CLUTTER, _BODY], dtype=np.uint8)

# Elements that give a block its kind, by their keys; those of other kinds than the two end them.
_HEADING_KIND, _CAPTION_KIND = 1, 2
_KINDS = dict.fromkeys(name_keys(["li", "dd", "dt", "pre", "listing", "xmp", "blockquote", "td", "th"]).tolist(), 0)
_KINDS |= dict.fromkeys(name_keys(["h1", "h2", "h3", "h4", "h5", "h6"]).tolist(), _HEADING_KIND)
_KINDS |= dict.fromkeys(name_keys(["figcaption", "caption"]).tolist(), _CAPTION_KIND)

_FEWEST_WORDS = 4
# The standfirst is among so many first blocks after the headline.
_FIRST = 4
_LEAST_LEAD = 8
_AROUND = 3


def with_parts(blocks: Blocks, kept: Mask, headline: int | None, options: ExtractionOptions) -> Mask:
    """Return which blocks are kept once headline, captions, tables and comments are in or out as the options say.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        What the model keeps.
    headline : int or None
        The block that is the headline; see `find_headline`.
    options : ExtractionOptions
        True, False, or None to leave a part to the model.
    """
    parts = (options.headline, options.captions, options.tables, options.comments)
    if parts == _LEFT_TO_THE_MODEL or not kept.any():
        return kept
    chosen, span = kept.copy(), text_span(kept)
    prose = blocks.measures.anchor_words <= _LINKED * blocks.measures.words
    for wanted, kind in ((options.captions, "caption"), (options.tables, "table_cell")):
        if wanted is not None:
            is_part = np.array([found.name == kind for found in kinds_of_blocks(blocks)])
            chosen[is_part & span & prose if wanted else is_part] = wanted
    if options.comments is not None:
        is_comment = in_comments(blocks)
        long_enough = prose & (blocks.measures.words >= _FEW_WORDS)
        chosen[is_comment & long_enough if options.comments else is_comment] = options.comments
    if options.headline is not None and headline is not None:
        chosen[headline] = options.headline
    return chosen


def text_span(kept: Mask) -> Mask:
    """Return which blocks stand between the first and the last that is kept, these included; none where none is."""
    return np.asarray(np.logical_or.accumulate(kept) & np.logical_or.accumulate(kept[::-1])[::-1])


def find_headline(blocks: Blocks, kept: Mask, title: str | None) -> tuple[int, str] | None:
    """Return the block that is the headline, and its text: the heading near the text's begin most like the title.

    Looks at h1 and h2 from the start of the page to the third block that is kept; None where there is none.
    """
    first = kept.nonzero()[0][:3].tolist() if blocks.names & TITLES else []
    keys, container, measures = blocks.containers.key, blocks.container, blocks.measures
    near = blocks_named(container, keys, KEYS[TITLES], first[-1] + 1) if first else []
    wanted = {*(title or "").lower().split()}
    is_unspaced = {block for block in near if measures.unspaced_words[block]} if measures.has_unspaced else set()
    if is_unspaced:
        wanted.update(tokenize(title or ""))
    best: tuple[int, str] | None = None
    most = _LEAST_LIKE
    for block in near:
        text = blocks.text(block)
        # In scripts without spaces characters are words.
        words = tokenize(text) if block in is_unspaced else text.lower().split()
        share = sum(map(wanted.__contains__, words)) / max(len(words), 1)
        # The page's name is a heading too, but a short one.
        score = share * min(len(words), 8) / 8 + (0.25 if keys[container[block]] == _FIRST_HEADING else 0.0)
        if len(words) > 1 and score >= most:
            best, most = (block, text), score
    return best


def in_comments(blocks: Blocks, among: Mask | None = None) -> Mask:
    """Return a mask of the blocks in a comment section, by class and id of the elements around them.

    Of sections that hold none of the blocks of ``among`` nothing is said.
    """
    tags, elements, some = blocks.tags, blocks.containers.element, list[int]()
    around = (inside(blocks, np.ones(len(blocks), dtype=np.int32), among) > 0).nonzero()[0]
    # Names are read where the tag has such a word in it.
    for container in around[[*dict.fromkeys(tags.marked(elements[around], _COMMENT_MARKS)[1])]].tolist():
        names = " ".join(_NAMES.findall(tags.start_tag(int(elements[container]))))
        if _COMMENTS.search(names) and not _OF_THE_ARTICLE.search(names):
            some.append(container)
    return within(blocks, np.array(some, dtype=np.intp))


def block_roles(blocks: Blocks, kept: Mask, headline: int | None) -> NDArray[np.uint8]:
    """Return the role of each block as its number in `ROLES`; linear in the page.

    Every block that is kept is ``"headline"``, ``"lead"``, ``"body"``, ``"caption"`` or ``"comment"``. Of the others,
    the headline, captions inside the text, and comments have their role too; all else is ``"clutter"``.

    The lead is the standfirst: among the first blocks after the headline, those in an element named so (``cues.toml``,
    kind ``lead``) or the sub-heading right after the headline; where there is none, the first paragraph. A text of
    one block has no lead.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that are content.
    headline : int or None
        The block that is the headline (`find_headline`).
    """
    roles = _ROLES_OF_LABELS.take(kept)
    kinds = _kinds_of_text(blocks, kept)
    roles[kinds == _CAPTION_KIND] = _CAPTION
    words = blocks.measures.words
    may_be = kept | ((blocks.measures.anchor_words <= _LINKED * words) & (words >= _FEWEST_WORDS))
    roles[in_comments(blocks, may_be) & may_be] = _COMMENT
    if headline is not None:
        roles[headline] = _HEADLINE
    roles[_lead(blocks, (roles == _BODY).nonzero()[0], headline, kinds == _HEADING_KIND)] = _LEAD
    return roles


def _kinds_of_text(blocks: Blocks, kept: Mask) -> NDArray[np.uint8]:
    """Return which blocks from the first to the last that is kept are headings or captions, 0 for all others."""
    kinds, containers, text = np.zeros(kept.size, dtype=np.uint8), blocks.containers, kept.nonzero()[0]
    if not text.size:
        return kinds
    around = ((containers.first_block <= text[-1]) & (containers.end_block > text[0])).nonzero()[0]
    columns, found = (containers.key, containers.first_block, containers.end_block), kinds.data
    # In the order of the page: what is said last is of the innermost.
    for key, first, end in zip(*(column[around].tolist() for column in columns), strict=True):
        # Most end nothing.
        if (kind := _KINDS.get(key)) or (kind == 0 and found[first]):
            kinds[first:end] = kind
    kinds[: text[0]] = kinds[text[-1] + 1 :] = 0
    return kinds


def _lead(blocks: Blocks, body: NDArray[np.integer[Any]], headline: int | None, headings: Mask) -> list[int]:
    """Return the blocks of the lead, from those of the body."""
    if body.size < 2:
        return []
    first: list[int] = (body if headline is None else body[body > headline])[:_FIRST].tolist()
    marked = _marked(blocks, first) if first else []
    if marked and len(marked) < body.size:
        return marked
    is_below_headline = headline is not None and len(first) > 1 and headings[first[0]] and not headings[first[1]]
    if is_below_headline and int(blocks.measures.words[first[0]]) >= _LEAST_LEAD:
        return first[:1]
    return [block for block in first if not headings[block] and int(blocks.measures.words[block]) >= _LEAST_LEAD][:1]


def _marked(blocks: Blocks, candidates: Sequence[int]) -> list[int]:
    """Return the blocks around which an element of few blocks is named as a standfirst."""
    cues, first, end = bundled_cues(), blocks.containers.first_block, blocks.containers.end_block
    around = ((end - first <= _AROUND) & (first <= candidates[-1]) & (end > candidates[0])).nonzero()[0]
    bits = cues.of_elements(blocks.tags, blocks.containers.element[around]).bits
    named = around[bits & np.uint32(cues.masks["lead"]) != 0].tolist()
    return [block for block in candidates if any(first[one] <= block < end[one] for one in named)]


def article_titles(blocks: Blocks, kept: Mask, headline: int | None) -> list[int]:
    """Return the blocks that are titles of the article: the first h1 inside it, and the headline where that is another.

    The first h1 is one before the text, in the innermost element around nearly all of the text that has one, other than
    the page's body.
    """
    if not kept.any():
        return []
    title = first_title(blocks, kept)
    titles = {block for block in (title, headline) if block is not None}
    if len(titles) > 1 and len({blocks.text(block) for block in titles}) == 1:
        titles.discard(headline)
    return sorted(titles)


_LONGEST_MARK = 4
# With the white space around it, which is folded: a longer text is not looked at once for each element around it.
_LONGEST_RAISED = 64
_LONGEST_DESCRIPTION = 1000
_SAYS = ("alt", "title", "aria-label")
_FIGURES = name_keys(["img", "video", "audio", "figure", "svg", "object"])


@dataclass(frozen=True)
class PageParts:
    """What belongs to an article beside its kept blocks, and which marks in their texts do not.

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
        if analysis is None or not len(analysis.measured.blocks):
            return cls()
        blocks, kept = analysis.measured.blocks, analysis.prediction.kept
        return cls(_marks(blocks, analysis), _table_blocks(blocks, kept), _descriptions(blocks, kept))


def _marks(blocks: Blocks, analysis: PageAnalysis) -> dict[int, list[tuple[int, int]]]:
    """Return where raised signs stand that touch the word before them."""
    marks: dict[int, list[tuple[int, int]]] = {}
    tags, text, last = blocks.tags, blocks.page_text.text, -1
    for element in tags.named("sup").tolist():
        start, end = int(blocks.places[tags.opened[element]]), int(blocks.places[tags.closed[element]])
        raised = text[start:end].strip() if end - start <= _LONGEST_RAISED else ""
        index = int(blocks.block_starts.searchsorted(start, side="right")) - 1
        if index < 0 or not 0 < len(raised) <= _LONGEST_MARK:
            continue
        if index != last:
            last, folded = index, FoldedText.of(blocks.raw_text(index))
        at = folded.end(start - int(blocks.block_starts[index]))
        read = analysis.columns["text"][index][at : at + len(raised)]
        if at and not text[start - 1].isspace() and read == raised:
            marks.setdefault(index, []).append((at, at + len(raised)))
    return marks


def _table_blocks(blocks: Blocks, kept: Mask) -> frozenset[int]:
    """Return the blocks, beside those that are kept, of tables of data that stand beside text of the article."""
    containers, measures, span = blocks.containers, blocks.measures, text_span(kept)
    tables = data_tables(blocks, span)
    comments = in_comments(blocks) if tables else ~span
    found: set[int] = set()
    for table in tables:
        rows = slice(table.first_block, table.end_block)
        around = int(containers.parent[table.container])
        is_beside_text = around >= 0 and kept[containers.first_block[around] : containers.end_block[around]].any()
        is_linked = measures.anchor_words[rows].sum() > _LINKED * measures.words[rows].sum()
        if is_beside_text and not is_linked and span[rows].all() and not comments[rows].any():
            found.update((table.first_block + (~kept[rows]).nonzero()[0]).tolist())
    return frozenset(found)


def _descriptions(blocks: Blocks, kept: Mask) -> tuple[tuple[int, str], ...]:
    """Return what figures between blocks of the text, or before a caption inside of it, say of themselves."""
    from blockfeat.content.build import caption_blocks, shows_images

    tags = blocks.tags
    elements = are_among(tags.key, _FIGURES).nonzero()[0]
    places = tags.start[tags.opened[elements]]
    before = blocks.first_byte.searchsorted(places, side="right") - 1
    is_inside = places < blocks.end_byte[before]
    captions = caption_blocks(blocks)
    shows = np.append((text_span(kept) & captions) | shows_images(kept, captions)[:-1], False)
    is_shown = np.where(is_inside, kept[before], shows[before + 1]) & (before >= 0)
    found = []
    for element, index in zip(elements[is_shown].tolist(), before[is_shown].tolist(), strict=True):
        attributes = tags.attributes(element)
        said = dict.fromkeys(" ".join(attributes.get(name, "").split())[:_LONGEST_DESCRIPTION] for name in _SAYS)
        found += [(index, text) for text in said if text]
    return tuple(found)
