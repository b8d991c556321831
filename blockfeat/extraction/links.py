"""The links of the text that is kept, with absolute targets."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content.links import Base

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
