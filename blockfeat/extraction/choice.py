"""Which blocks are the text, once rules and options are met; what part each block is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import blocks_named, has_key
from blockfeat.blocks.table import Blocks, kind_names
from blockfeat.content.code import PREFORMATTED, code_marks
from blockfeat.content.tables import DataTable, completed, data_tables
from blockfeat.extraction.banners import banners
from blockfeat.extraction.options import ExtractionOptions
from blockfeat.extraction.phrases import asks_at_an_edge, pointers
from blockfeat.extraction.structure import (
    in_named_box,
    is_doubtful,
    lost_standfirst,
    section_headings,
    technical_text,
)
from blockfeat.features.cues import bundled_cues
from blockfeat.lang.measures import tokenize
from blockfeat.models.model import Prediction
from blockfeat.page.page import Page
from blockfeat.page.tags import name_keys
from blockfeat.page.utf_8 import Marks

Mask = NDArray[np.bool_]

_COMMENTS = re.compile(
    r"comment|kommentar|komentar|komentarz|commentaire|comentari|commenti|reacties|yorum|disqus|discussion|responses|"
    r"коммент|评论|コメント|replies|livefyre|talkback",
    re.IGNORECASE,
)
_COMMENT_MARKS = Marks.of(
    form.encode()
    for word in _COMMENTS.pattern.split("|")
    for form in (word, word.upper(), word.capitalize())
    if form == word or not word.isascii()
)
_OF_THE_ARTICLE = re.compile(r"no-?comment|comment-?(?:count|link|button|icon|toggle)|body|main", re.IGNORECASE)
_HEADINGS = name_keys(["h1", "h2"])
_LEAST_LIKE = 0.2
_FEW_WORDS = 4
_LINKED = 0.5
_COMPLETED = "kept: most of the table, list or preformatted text around it is"
_TECHNICAL = "kept: it stands inside technical text, nearly all of which is"
_SECTION = "kept: it is the heading of a section that is"
_ASKED_FOR = "kept: the options ask for it"
_LEFT_OUT = "dropped: the options leave it out"
_STANDFIRST = "kept: the page describes itself with these words, right before its text"
_OUTSIDE = "dropped: it stands outside of the box that the page names as its article"
_POINTER = "dropped: it points at another text, by its first words and its link"
_BANNER = "dropped: it asks for consent to cookies or to the processing of data"
_CODE_MARK = "dropped: it only numbers the lines of code, or names its language"
_WITHOUT_MARKUP = "kept: the page has no markup, so all of it is text"

ROLES = ("headline", "lead", "body", "caption", "comment", "clutter")
"""What a block can be."""

_FEWEST_WORDS = 4
# A standfirst is one of the first so many blocks behind the headline.
_FIRST = 4
_LEAST_LEAD = 8
_AROUND = 3


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The blocks that are the text of a page.

    Attributes
    ----------
    kept : bool array, n
        Which blocks are kept.
    tables : list of DataTable
        The data tables of the page.
    overruled : dict
        Why blocks are kept or dropped against the model's label, by block.
    headline : int or None
        The block that is the headline; see `find_headline`.
    headline_text : str or None
        Its text, not in normal form.
    may_ask : bool
        Whether the text may ask for consent, by its begin and end; see `asks_at_an_edge`.
    """

    kept: Mask
    tables: list[DataTable]
    overruled: dict[int, str]
    headline: int | None = None
    headline_text: str | None = None
    may_ask: bool = True


@dataclass(frozen=True)
class Chooser:
    """Chooses the text among the blocks that a model keeps.

    Attributes
    ----------
    options : ExtractionOptions
        Which parts of a page belong to its text.
    has_rules : bool
        Whether consent banners, boxes that ask to subscribe, lines that only point at other texts, long texts that
        stand there twice, and on doubtful pages what stands outside of the article's box are dropped, and what belongs
        to the text is kept: a standfirst, headings of sections, technical text as a whole.
    """

    options: ExtractionOptions
    has_rules: bool

    def choose(self, blocks: Blocks, prediction: Prediction, page: Page, *, title: str | None) -> Choice:
        """Return what is kept of what the model keeps.

        Plain text is kept as it is.

        Parameters
        ----------
        blocks : Blocks
            The page's n blocks.
        prediction : Prediction
            What the model keeps, and how likely it takes blocks for content.
        page : Page
            The page, for its address and descriptions.
        title : str or None
            Its title, as the result shall have it.
        """
        predicted = prediction.kept
        if not page.has_markup:
            return Choice(np.ones_like(predicted), [], dict.fromkeys(range(len(blocks)), _WITHOUT_MARKUP))
        overruled: dict[int, str] = {}
        if self.has_rules and prediction.log_odds is not None:
            is_doubted = is_doubtful(prediction.log_odds, predicted, blocks.measures.words)
            if is_doubted and self.options.favour != "recall":
                likely = (prediction.log_odds >= 0) & ~in_comments(blocks)
                predicted = in_named_box(blocks, predicted, likely, page.url)
                outside = (prediction.kept & ~predicted).nonzero()[0].tolist()
                overruled = dict.fromkeys(outside, _OUTSIDE)
            standfirst = lost_standfirst(blocks, predicted, prediction.log_odds, page.declared.descriptions)
            if standfirst is not None:
                predicted = predicted.copy()
                predicted[standfirst] = True
                overruled[standfirst] = _STANDFIRST
        choice = self._with_options(blocks, predicted, title)
        return replace(choice, overruled=overruled | choice.overruled) if overruled else choice

    def _with_options(self, blocks: Blocks, predicted: Mask, title: str | None) -> Choice:
        """Return what is kept once the options are met, of the blocks that the model keeps.

        Tables and lists that are kept for the most part are kept whole, the options add or drop parts, and banners and
        lines that point at other texts go.
        """
        tables = data_tables(blocks, predicted)
        overruled: dict[int, str] = {}
        whole = completed(blocks, predicted, tables)
        _note(overruled, whole, predicted, _COMPLETED)
        if self.has_rules and self.options.favour != "precision" and whole.any():
            for complete, reason in (
                (technical_text, _TECHNICAL),
                (section_headings, _SECTION),
            ):
                before, whole = whole, complete(blocks, whole)
                _note(overruled, whole, before, reason)
        headline, headline_text = find_headline(blocks, predicted, title) or (None, None)
        chosen = with_parts(blocks, whole, headline, self.options)
        if chosen is not whole:
            changed = (chosen != whole).nonzero()[0].tolist()
            overruled.update({block: _ASKED_FOR if chosen[block] else _LEFT_OUT for block in changed})
            tables = data_tables(blocks, chosen)
        may_ask = asks_at_an_edge(blocks, chosen)
        rules = [(banners, _BANNER)] if may_ask else []
        rules += [(pointers, _POINTER)]
        if has_key(blocks.containers.key, PREFORMATTED):
            rules.append((code_marks, _CODE_MARK))
        for clutter, reason in rules if self.has_rules else ():
            if found := clutter(blocks, chosen):
                chosen = chosen.copy()
                chosen[found] = False
                overruled.update(dict.fromkeys(found, reason))
        return Choice(chosen, tables, overruled, headline, headline_text, may_ask)


def _note(overruled: dict[int, str], kept: Mask, before: Mask, reason: str) -> None:
    """Note why blocks are kept that were not before."""
    if kept is not before:
        overruled.update(dict.fromkeys((kept & ~before).nonzero()[0].tolist(), reason))


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
    if not kept.any() or all(wanted is None for wanted in parts):
        return kept
    chosen = kept.copy()
    span = text_span(kept)
    prose = blocks.measures.anchor_words <= _LINKED * blocks.measures.words
    for wanted, kind in ((options.captions, "caption"), (options.tables, "table_cell")):
        if wanted is not None:
            is_part = kind_names(blocks) == kind
            chosen[is_part & span & prose if wanted else is_part] = wanted
    if options.comments is not None:
        is_comment = in_comments(blocks)
        long_enough = prose & (blocks.measures.words >= _FEW_WORDS)
        chosen[is_comment & long_enough if options.comments else is_comment] = options.comments
    if options.headline is not None and headline is not None:
        chosen[headline] = options.headline
    return chosen


def text_span(kept: Mask) -> Mask:
    """Return which blocks stand between the first and the last that is kept, these included; one has to be."""
    span = np.zeros(kept.size, dtype=np.bool_)
    span[kept.argmax() : kept.size - kept[::-1].argmax()] = True
    return span


def find_headline(blocks: Blocks, kept: Mask, title: str | None) -> tuple[int, str] | None:
    """Return the block that is the headline, and its text: the heading near the text's begin most like the title.

    Looks at h1 and h2 from the start of the page to the third block that is kept; None where there is none.
    """
    first = kept.nonzero()[0][:3].tolist()
    keys, container, measures = blocks.containers.key, blocks.container, blocks.measures
    near = blocks_named(container, keys, _HEADINGS, first[-1] + 1) if first else []
    if not near:
        return None
    wanted = {*(title or "").lower().split()}
    is_unspaced = {block for block in near if measures.unspaced_words[block]}
    if is_unspaced:
        wanted.update(tokenize(title or ""))
    best: tuple[int, str] | None = None
    most = _LEAST_LIKE
    for block, text in zip(near, blocks.texts(near), strict=True):
        # In scripts without spaces characters are words.
        words = tokenize(text) if block in is_unspaced else text.lower().split()
        share = sum(map(wanted.__contains__, words)) / max(len(words), 1)
        # The page's name is a heading too, but a short one.
        score = share * min(len(words), 8) / 8 + (0.25 if keys[container[block]] == _HEADINGS[0] else 0.0)
        if len(words) > 1 and score >= most:
            best, most = (block, text), score
    return best


def in_comments(blocks: Blocks) -> Mask:
    """Return a mask of the blocks in a comment section, by class and id of the elements around them."""
    found = np.zeros(len(blocks), dtype=np.bool_)
    containers, tags = blocks.containers, blocks.tags
    # Attributes are read where the tag has such a word in it.
    likely = np.array(tags.elements_at(_COMMENT_MARKS.places_in(tags.source)), dtype=np.int64)
    chosen = (np.isin(containers.element, likely) & (containers.first_block < containers.end_block)).nonzero()[0]
    spans = zip(containers.first_block[chosen].tolist(), containers.end_block[chosen].tolist(), strict=True)
    attributes = tags.attributes_of(containers.element[chosen].tolist())
    for (first, end), given in zip(spans, attributes, strict=True):
        if _is_of_comments(given):
            found[first:end] = True
    return found


def _is_of_comments(attributes: Mapping[str, str]) -> bool:
    names = f"{attributes.get('class', '')} {attributes.get('id', '')} {attributes.get('itemtype', '')}"
    return _COMMENTS.search(names) is not None and _OF_THE_ARTICLE.search(names) is None


def block_roles(blocks: Blocks, kept: Mask, headline: int | None) -> tuple[str, ...]:
    """Return the role of each block, one of `ROLES`; linear in the page.

    Every block that is kept is ``"headline"``, ``"lead"``, ``"body"``, ``"caption"`` or ``"comment"``. Of the others,
    the headline, captions inside the text, and comments are told from ``"clutter"``.

    The lead is the standfirst: among the first blocks behind the headline, those in an element named so (``cues.toml``,
    kind ``lead``) or the sub-heading right behind the headline; where there is none, the first paragraph. A text of
    one block has no lead.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that are content.
    headline : int or None
        The block that is the headline (`blockfeat.extraction.choice.find_headline`).
    """
    kinds = kind_names(blocks)
    roles = np.where(kept, ROLES.index("body"), ROLES.index("clutter"))
    if kept.any():
        roles[(kinds == "caption") & text_span(kept)] = ROLES.index("caption")
    words = blocks.measures.words
    prose = (blocks.measures.anchor_words <= _LINKED * words) & (words >= _FEWEST_WORDS)
    roles[in_comments(blocks) & (kept | prose)] = ROLES.index("comment")
    if headline is not None:
        roles[headline] = ROLES.index("headline")
    body = (roles == ROLES.index("body")).nonzero()[0]
    roles[_lead(blocks, body, headline, kinds == "heading")] = ROLES.index("lead")
    return tuple(ROLES[role] for role in roles.tolist())


def _lead(blocks: Blocks, body: NDArray[np.integer[Any]], headline: int | None, headings: Mask) -> list[int]:
    """Return the blocks of the lead, from those of the body."""
    if body.size < 2:
        return []
    behind = body if headline is None else body[body > headline]
    first: list[int] = behind[:_FIRST].tolist()
    marked = [block for block in first if _is_marked(blocks, block)]
    if marked and len(marked) < body.size:
        return marked
    is_below_headline = headline is not None and len(first) > 1 and headings[first[0]] and not headings[first[1]]
    if is_below_headline and int(blocks.measures.words[first[0]]) >= _LEAST_LEAD:
        return first[:1]
    paragraphs = [block for block in first if not headings[block] and int(blocks.measures.words[block]) >= _LEAST_LEAD]
    return paragraphs[:1]


def _is_marked(blocks: Blocks, block: int) -> bool:
    """Return whether one of the innermost elements around a block, of few blocks, is named as a standfirst."""
    cues, containers = bundled_cues(), blocks.containers
    around, container = [], int(blocks.container[block])
    while container >= 0 and int(containers.end_block[container] - containers.first_block[container]) <= _AROUND:
        around.append(int(containers.element[container]))
        container = int(containers.parent[container])
    bits = cues.of_elements(blocks.tags, np.array(around, dtype=np.int64)).bits
    return bool((bits & np.uint32(cues.masks["lead"])).any())
