"""Which blocks are the text: what the model keeps, once the options are met and what the site repeats is dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, kinds_of_containers
from blockfeat.content.tables import DataTable, completed, data_tables
from blockfeat.extraction.options import ExtractionOptions
from blockfeat.extraction.phrases import pointers
from blockfeat.extraction.site_profile import KeptTexts, SiteProfile
from blockfeat.lang.measures import tokenize
from blockfeat.page.tags import name_keys

Mask = NDArray[np.bool_]

_COMMENTS = re.compile(
    r"comment|kommentar|komentar|komentarz|commentaire|comentari|commenti|reacties|yorum|disqus|discussion|responses|"
    r"коммент|评论|コメント|replies|livefyre|talkback",
    re.IGNORECASE,
)
_OF_THE_ARTICLE = re.compile(r"no-?comment|comment-?(?:count|link|button|icon|toggle)|body|main", re.IGNORECASE)
_H1, _H2 = name_keys(["h1", "h2"])
_LEAST_LIKE = 0.2
_FEW_WORDS = 4
_LINKED = 0.5
_COMPLETED = "kept: most of the table, list or preformatted text around it is"
_ASKED_FOR = "kept: the options ask for it"
_LEFT_OUT = "dropped: the options leave it out"
_POINTER = "dropped: it points at another text, by its first words and its link"
_REPEATED = "dropped: repeated on {pages} other {noun} of the site"


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
    site_repeated : int
        How many blocks were dropped because other pages of the site repeat them.
    """

    kept: Mask
    tables: list[DataTable]
    overruled: dict[int, str]
    site_repeated: int = 0


@dataclass(frozen=True)
class Chooser:
    """Chooses the text among the blocks that a model keeps.

    Attributes
    ----------
    options : ExtractionOptions
        Which parts of a page belong to its text.
    site : SiteProfile or None
        Other pages of the site; text that they repeat is dropped.
    drops_pointers : bool
        Whether lines that only point at other texts are dropped.
    """

    options: ExtractionOptions
    site: SiteProfile | None
    drops_pointers: bool

    def choose(self, blocks: Blocks, predicted: Mask, headline: int | None) -> Choice:
        """Return what is kept of what the model keeps.

        What the site repeats goes first, unless nothing would be left of the text.

        Parameters
        ----------
        blocks : Blocks
            The page's n blocks.
        predicted : bool array, n
            What the model keeps.
        headline : int or None
            The block that is the headline; see `find_headline`.
        """
        if self.site is not None and (repeated := self.site.repeated(KeptTexts.of(blocks.measures, predicted))):
            without = predicted.copy()
            without[list(repeated)] = False
            choice = self._with_options(blocks, without, headline)
            if choice.kept.any():
                dropped = {block: _repeated(pages) for block, pages in repeated.items() if not choice.kept[block]}
                return Choice(choice.kept, choice.tables, dropped | choice.overruled, len(dropped))
        return self._with_options(blocks, predicted, headline)

    def _with_options(self, blocks: Blocks, predicted: Mask, headline: int | None) -> Choice:
        """Return what is kept once the options are met.

        Tables and lists that are kept for the most part are kept whole, the options add or drop parts, and lines that
        point at other texts go.
        """
        tables = data_tables(blocks, predicted)
        whole = completed(blocks, predicted, tables)
        chosen = with_parts(blocks, whole, headline, self.options)
        overruled: dict[int, str] = {}
        if whole is not predicted:
            overruled = dict.fromkeys((whole & ~predicted).nonzero()[0].tolist(), _COMPLETED)
        if chosen is not whole:
            changed = (chosen != whole).nonzero()[0].tolist()
            overruled.update({block: _ASKED_FOR if chosen[block] else _LEFT_OUT for block in changed})
            tables = data_tables(blocks, chosen)
        found = pointers(blocks, chosen) if self.drops_pointers else []
        if found:
            chosen = chosen.copy()
            chosen[found] = False
            overruled.update(dict.fromkeys(found, _POINTER))
        return Choice(chosen, tables, overruled)


def _repeated(pages: int) -> str:
    return _REPEATED.format(pages=pages, noun="page" if pages == 1 else "pages")


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
            is_part = _of_kind(blocks, kind)
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


def find_headline(blocks: Blocks, kept: Mask, title: str | None) -> int | None:
    """Return the block that is the headline: the heading near the text's begin that is most like the page's title.

    Looks at h1 and h2 from the start of the page to the third block that is kept; None where there is none.
    """
    if not kept.any():
        return None
    keys = blocks.tags.key[blocks.containers.element]
    is_heading = (keys == _H1) | (keys == _H2)
    if not is_heading.any():
        return None
    headings = (is_heading[blocks.container] & (blocks.container >= 0)).nonzero()[0]
    last = int(kept.nonzero()[0][:3][-1])
    wanted = {*(title or "").lower().split()}
    if blocks.measures.unspaced_words[headings].any():
        wanted.update(tokenize(title or ""))
    best, most = None, _LEAST_LIKE
    near = headings[headings <= last].tolist()
    for block, text in zip(near, blocks.texts(near), strict=True):
        # In scripts without spaces characters are words.
        words = tokenize(text) if blocks.measures.unspaced_words[block] else text.lower().split()
        share = sum(word in wanted for word in words) / max(len(words), 1)
        # The page's name is a heading too, but a short one.
        score = share * min(len(words), 8) / 8 + (0.25 if keys[blocks.container[block]] == _H1 else 0.0)
        if len(words) > 1 and score >= most:
            best, most = block, score
    return best


def _of_kind(blocks: Blocks, kind: str) -> Mask:
    """Return a mask of the blocks of a kind."""
    is_kind = np.array([found.name == kind for found in kinds_of_containers(blocks)], dtype=np.bool_)
    return is_kind[blocks.container]


def in_comments(blocks: Blocks) -> Mask:
    """Return a mask of the blocks in a comment section, by class and id of the elements around them."""
    found = np.zeros(len(blocks), dtype=np.bool_)
    containers, tags = blocks.containers, blocks.tags
    opened = tags.opened[containers.element]
    spans = zip(containers.first_block.tolist(), containers.end_block.tolist(), strict=True)
    places = zip(tags.start[opened].tolist(), tags.stop[opened].tolist(), containers.element.tolist(), strict=True)
    # Most elements of a page are written like others of it.
    known: dict[bytes, bool] = {}
    for (first, end), (start, stop, element) in zip(spans, places, strict=True):
        if first < end:
            tag = tags.source[start:stop]
            if tag not in known:
                # Attributes are read where the tag has such a word in it, or a reference that may stand for a letter.
                is_likely = b"&" in tag or _COMMENTS.search(tag.decode("utf-8", "replace")) is not None
                known[tag] = is_likely and _is_of_comments(tags.attributes(element))
            if known[tag]:
                found[first:end] = True
    return found


def _is_of_comments(attributes: Mapping[str, str]) -> bool:
    names = f"{attributes.get('class', '')} {attributes.get('id', '')} {attributes.get('itemtype', '')}"
    return _COMMENTS.search(names) is not None and _OF_THE_ARTICLE.search(names) is None
