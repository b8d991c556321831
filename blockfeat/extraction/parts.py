"""The parts of a page: the role of each block (headline, lead, body, caption …), and the links of the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, kinds_of_containers
from blockfeat.content.links import Base
from blockfeat.extraction.choice import in_comments, text_span
from blockfeat.features.cues import bundled_cues

Mask = NDArray[np.bool_]

ROLES = ("headline", "lead", "body", "caption", "comment", "clutter")
"""What a block can be."""

_FEWEST_WORDS = 4
_LINKED = 0.5
# A standfirst is one of the first so many blocks behind the headline.
_FIRST = 4
_LEAST_LEAD = 8
_AROUND = 3


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
    kinds = _kinds(blocks)
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


def _kinds(blocks: Blocks) -> NDArray[np.str_]:
    """Return the kind of each block."""
    return np.array([kind.name for kind in kinds_of_containers(blocks)])[blocks.container]


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


MOST_LINKS = 200
"""At most so many links of a page are given."""

_SCHEMES = ("http", "https")
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class TextLink:
    """A link in the text: its words, and the absolute address that it points to."""

    text: str
    url: str


def links_of_text(blocks: Blocks, kept: NDArray[np.bool_], base: Base) -> tuple[TextLink, ...]:
    """Return the links that begin in the blocks that are kept, in order, at most `MOST_LINKS`.

    Only addresses of the web, absolute once they are resolved against ``base``; links without words are passed over.
    """
    anchors, text = blocks.anchors, blocks.page_text.text
    owners = np.searchsorted(blocks.page_text.block_ends, anchors.start, side="right")
    inside = (owners < len(blocks)).nonzero()[0]
    found = []
    for anchor in inside[kept[owners[inside]]].tolist():
        words = " ".join(text[int(anchors.start[anchor]) : int(anchors.end[anchor])].split())
        href = blocks.tags.attributes(int(anchors.element[anchor])).get("href", "")
        target = _of_the_web(base.resolved(href.strip())) if words and href and len(href) <= _LONGEST else None
        if target is not None:
            found.append(TextLink(words, target))
        if len(found) == MOST_LINKS:
            break
    return tuple(found)


def _of_the_web(address: str) -> str | None:
    """Return an address that is absolute and of the web; None for any other."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in _SCHEMES and parts.netloc else None
