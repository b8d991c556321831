"""Content options: parts of a page on which conventions differ (headline, captions, tables, comments)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.kinds import kinds_of_containers
from blockfeat.blocks.table import Blocks
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


@dataclass(frozen=True, slots=True)
class ContentOptions:
    """Whether parts of a page belong to its text: True, False, or None to leave it to the model.

    Attributes
    ----------
    headline : bool or None
        The headline of the article, where it is a block of its own above the text.
    captions : bool or None
        Captions of figures and tables inside the text.
    tables : bool or None
        Cells of tables inside the text.
    comments : bool or None
        What readers wrote.
    """

    headline: bool | None = None
    captions: bool | None = None
    tables: bool | None = None
    comments: bool | None = None

    def choose(self, blocks: Blocks, kept: Mask, headline: int | None) -> Mask:
        """Return which blocks are kept once the parts are in or out.

        Parameters
        ----------
        blocks : Blocks
            The page's blocks.
        kept : bool array, n
            What the model keeps.
        headline : int or None
            The block that is the headline; see `find_headline`.
        """
        if not kept.any() or self == ContentOptions():
            return kept
        chosen = kept.copy()
        span = text_span(kept)
        prose = blocks.measures.anchor_words <= _LINKED * blocks.measures.words
        for wanted, kind in ((self.captions, "caption"), (self.tables, "table_cell")):
            if wanted is not None:
                is_part = _of_kind(blocks, kind)
                chosen[is_part & span & prose if wanted else is_part] = wanted
        if self.comments is not None:
            is_comment = in_comments(blocks)
            chosen[is_comment & prose & (blocks.measures.words >= _FEW_WORDS) if self.comments else is_comment] = (
                self.comments
            )
        if self.headline is not None and headline is not None:
            chosen[headline] = self.headline
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
    for block in headings[headings <= last].tolist():
        words = _words_of(blocks.text(block), blocks, block)
        share = sum(word in wanted for word in words) / max(len(words), 1)
        # The page's name is a heading too, but a short one.
        score = share * min(len(words), 8) / 8 + (0.25 if keys[blocks.container[block]] == _H1 else 0.0)
        if len(words) > 1 and score >= most:
            best, most = block, score
    return best


def _words_of(text: str, blocks: Blocks, block: int) -> list[str]:
    """Return the words of a block's text; in scripts without spaces its characters are."""
    return tokenize(text) if blocks.measures.unspaced_words[block] else text.lower().split()


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
