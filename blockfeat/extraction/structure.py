"""What a page's structure says of blocks that a model drops: technical text is whole, and sections have headings."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.element_codes import blocks_named, has_key
from blockfeat.blocks.table import Blocks
from blockfeat.features.cues import bundled_cues
from blockfeat.page.tags import name_keys

Mask = NDArray[np.bool_]

# Elements that technical text is known by, and how many of them there are at least.
_TECHNICAL = name_keys(["code", "kbd", "math", "mjx-container", "pre", "samp", "tt"])
_FEWEST_TECHNICAL = 3
# The text is what is in the innermost element that holds so much of what is kept.
_NEARLY_ALL = 0.97
_NOT_TEXT = name_keys(["aside", "dialog", "footer", "form", "header", "nav"])
_CUES_OF_OTHERS = ("advertisement", "comment", "consent", "dialog", "newsletter", "share")
# Where so much of the kept words is a discussion, what is dropped is what surrounds the posts.
_MOST_DISCUSSED = 0.3

_PERMALINKS = " #¶§🔗\u200b\uf0c1"
_PAGE = name_keys(["body", "html"])
_HEADINGS = name_keys(["h1", "h2", "h3", "h4", "h5", "h6"])
_LEAST_OF_SECTION = 0.5
_MOST_LINKED = 0.5


def technical_text(blocks: Blocks, kept: Mask) -> Mask:
    """Return which blocks are kept once technical text is kept whole, from its first kept block on.

    Text is technical if some of its elements hold code or formulas. It is all that stands in the innermost element that
    holds nearly all that is kept; but not menus, forms, asides, comments and the like inside of it. Discussions stay as
    they are.
    """
    tags, containers, words = blocks.tags, blocks.containers, blocks.measures.words
    if not has_key(tags.key, _TECHNICAL) or not kept.any():
        return kept
    innermost = _innermost_around(blocks, kept)
    if innermost < 0:
        return kept
    element = int(containers.element[innermost])
    end_element = int(tags.opened.searchsorted(tags.closed[element]))
    if np.count_nonzero(np.isin(tags.key[element:end_element], _TECHNICAL)) < _FEWEST_TECHNICAL:
        return kept
    cues = bundled_cues()
    bits = cues.of_elements(tags, containers.element).bits
    discussed = _inside(blocks, bits & np.uint32(cues.masks["discussion"]) != 0)
    if words[kept & discussed].sum() >= _MOST_DISCUSSED * words[kept].sum():
        return kept
    of_others = np.uint32(np.bitwise_or.reduce([cues.masks[kind] for kind in _CUES_OF_OTHERS]))
    is_other = (bits & of_others != 0) | np.isin(containers.key, _NOT_TEXT)
    is_other[: innermost + 1] = False
    chosen = ~_inside(blocks, is_other)
    chosen[: max(_start(blocks, kept), int(containers.first_block[innermost]))] = False
    chosen[int(containers.end_block[innermost]) :] = False
    return chosen | kept


def _innermost_around(blocks: Blocks, kept: Mask) -> int:
    """Return the innermost container that holds nearly all kept words; -1 for none."""
    kept_words = np.concatenate(([0], np.cumsum(np.where(kept, blocks.measures.words, 0))))
    held = kept_words[blocks.containers.end_block] - kept_words[blocks.containers.first_block]
    around = (held >= _NEARLY_ALL * kept_words[-1]).nonzero()[0]
    return int(around[-1]) if around.size else -1


def _inside(blocks: Blocks, containers: Mask) -> Mask:
    """Return which blocks stand inside one of some containers."""
    change = np.zeros(len(blocks) + 1, dtype=np.int64)
    np.add.at(change, blocks.containers.first_block[containers], 1)
    np.add.at(change, blocks.containers.end_block[containers], -1)
    inside: Mask = change.cumsum()[:-1] > 0
    return inside


def section_headings(blocks: Blocks, kept: Mask) -> Mask:
    """Return which blocks are kept once headings inside the text are kept where their sections are.

    A section is what follows a heading, up to the next one of its rank or a higher one, in the element around it; most
    of its words have to be kept.
    """
    measures, shown = blocks.measures, kept.nonzero()[0]
    headings = blocks_named(blocks.container, blocks.containers.key, _HEADINGS, int(shown[-1]))
    dropped = [
        block
        for block in headings[bisect_right(headings, int(shown[0])) :]
        if not kept[block] and measures.anchor_words[block] <= _MOST_LINKED * measures.words[block]
    ]
    if not dropped:
        return kept
    levels = _heading_levels(blocks)
    words = np.concatenate(([0], np.cumsum(blocks.measures.words)))
    kept_words = np.concatenate(([0], np.cumsum(np.where(kept, blocks.measures.words, 0))))
    chosen = kept.copy()
    for heading in dropped:
        behind = _section_end(blocks, levels, heading)
        size = words[behind] - words[heading + 1]
        chosen[heading] = size > 0 and kept_words[behind] - kept_words[heading + 1] >= _LEAST_OF_SECTION * size
    return chosen


def article_titles(blocks: Blocks, kept: Mask, headline: int | None) -> list[int]:
    """Return the blocks that are titles of the article: the first h1 inside it, and the headline where that is another.

    The first h1 is one before the text, in the innermost element around nearly all of the text that has one, other than
    the page's body.
    """
    if not kept.any():
        return []
    title = _first_title(blocks, kept)
    titles = {block for block in (title, headline) if block is not None}
    if len(titles) > 1 and len({blocks.text(block).rstrip(_PERMALINKS) for block in titles}) == 1:
        titles.discard(headline)
    return sorted(titles)


def _first_title(blocks: Blocks, kept: Mask) -> int | None:
    """Return the first h1 inside the article; see `article_titles`."""
    is_title = _heading_levels(blocks)[: int(kept.argmax()) + 1] == 1
    containers = blocks.containers
    around = _innermost_around(blocks, kept) if is_title.any() else -1
    while around >= 0 and containers.key[around] not in _PAGE:
        first = int(containers.first_block[around])
        if is_title[first:].any():
            return first + int(is_title[first:].argmax())
        around = int(containers.parent[around])
    return None


def _start(blocks: Blocks, kept: Mask) -> int:
    """Return the first block of the text: the one behind the title in the element around it, or else the first kept."""
    title = _first_title(blocks, kept)
    return int(kept.argmax()) if title is None else title + 1


def _heading_levels(blocks: Blocks) -> NDArray[np.int8]:
    """Return the level of each block that is a heading, 0 of all others."""
    keys = blocks.containers.key
    levels = np.zeros(keys.size + 1, dtype=np.int8)
    for level, key in enumerate(_HEADINGS, start=1):
        levels[:-1][keys == key] = level
    return levels[blocks.container]


def _section_end(blocks: Blocks, levels: NDArray[np.int8], heading: int) -> int:
    """Return the block behind a heading's section."""
    containers = blocks.containers
    around = int(blocks.container[heading])
    while around >= 0 and containers.end_block[around] <= heading + 1:
        around = int(containers.parent[around])
    end = int(containers.end_block[around]) if around >= 0 else len(blocks)
    following = levels[heading + 1 : end]
    higher = ((following > 0) & (following <= levels[heading])).nonzero()[0]
    return heading + 1 + int(higher[0]) if higher.size else end
