"""The box that a page itself names as its article, for pages of which a model is in doubt."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.extraction.page_kind import is_forum
from blockfeat.page.tags import name_keys

Mask = NDArray[np.bool_]

_ARTICLE, _MAIN = name_keys(["article", "main"]).tolist()
_UNNAMED, _MOST_ATTRIBUTES = 3, 200
_NAMES = re.compile(r"(?:article|entry|post|story)[-_]{0,2}(?:body|content|text)", re.IGNORECASE)
# The box has most of what is likely, and enough of what is kept.
_LEAST_SHARE, _FEWEST_WORDS, _LEAST_KEPT = 0.6, 20, 0.05


def in_named_box(blocks: Blocks, kept: Mask, likely: Mask, url: str | None = None) -> Mask:
    """Return the kept blocks inside the box that the page names as its article; all of them where there is none.

    The first kind counts that has an element with most of the likely words: by class or id
    (``article-body``, ``entry-content`` …) or ``itemprop="articleBody"``; ``<article>``; ``<main>`` or its role. Of
    elements in one another the outermost is the box.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept, likely : bool arrays, n
        The blocks that are content, and those outside of comments that are more likely so than not.
    url : str, optional
        Address of the page; on that of a forum all answers count, and each may be in a box of its own.
    """
    if is_forum(url):
        return kept
    containers, words = blocks.containers, blocks.measures.words
    spans = containers.first_block, containers.end_block
    likely_words = words * likely
    kept_words = _sums(words * kept, *spans)
    total = int(likely_words.sum())
    is_large = (_sums(likely_words, *spans) >= _LEAST_SHARE * total) & (kept_words >= _FEWEST_WORDS)
    named: dict[int, int] = {}
    for container in is_large.nonzero()[0].tolist() if total else ():
        named.setdefault(_rank(blocks, container), container)
    box = named.get(min(named, default=_UNNAMED))
    if box is None or kept_words[box] < _LEAST_KEPT * int(words[kept].sum()):
        return kept
    inside = np.zeros(len(blocks), dtype=np.bool_)
    inside[int(containers.first_block[box]) : int(containers.end_block[box])] = True
    return kept & inside


def _sums(
    words: NDArray[np.integer[Any]], first: NDArray[np.integer[Any]], end: NDArray[np.integer[Any]]
) -> NDArray[np.integer[Any]]:
    """Return the words of the blocks from first to end."""
    before: NDArray[np.integer[Any]] = np.append(0, words.cumsum())
    difference: NDArray[np.integer[Any]] = before[end] - before[first]
    return difference


def _rank(blocks: Blocks, container: int) -> int:
    """Return how clearly a container is named as the article, 0 for the clearest, `_UNNAMED` for not at all."""
    attributes = blocks.tags.attributes(int(blocks.containers.element[container]), most=_MOST_ATTRIBUTES)
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    if _NAMES.search(names) or attributes.get("itemprop", "").lower() == "articlebody":
        return 0
    key = int(blocks.containers.key[container])
    return 1 if key == _ARTICLE else 2 if key == _MAIN or attributes.get("role", "").lower() == "main" else _UNNAMED
