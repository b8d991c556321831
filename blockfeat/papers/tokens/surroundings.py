"""What stands around each token: length of its text, of the texts around it, links, and what part of the page it is.

A third feature beside the paper's two, which see three tokens and one tag: on modern, deeply nested pages, that is
too little (docs/mss.md has the figures).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.page.tags import name_keys, parents_of
from blockfeat.papers.tokens.page_tokens import START_TAG, PageTokens, are_among, tag_tokens

Indices = NDArray[np.int64]
Ids = NDArray[np.uint32]

_PARTS = (
    "article",
    "main",
    "nav",
    "header",
    "footer",
    "aside",
    "form",
    "figure",
    "ul",
    "ol",
    "table",
    "blockquote",
    "section",
)
_INLINE = (
    *("a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small"),
    *("strike", "strong", "sub", "sup", "time", "tt", "u", "var", "span", "br", "img", "wbr"),
)
_LENGTHS = np.array([2, 5, 10, 20, 40])
_NO_TEXT = _LENGTHS.size + 2
_KINDS = 8
_IN_TEXT = 1 << 10


def surroundings(tokens: PageTokens) -> Ids:
    """Return a number for what stands around each token; linear in the page.

    It combines the part of the page (the innermost of article, main, nav, header, footer, aside, form, figure, lists,
    table, quote and section), whether the token is inside a link, and how many words stand in the stretch of text that
    the token stands in, in the one before and in the one behind it; stretches end at tags that are not inline.
    """
    if not len(tokens):
        return np.zeros(0, dtype=np.uint32)
    inline = np.sort(np.concatenate([_tags(_INLINE, opens=True), _tags(_INLINE, opens=False)]))
    is_border = tokens.is_tag.copy()
    is_border[is_border] = ~are_among(tokens.key[is_border], inline)
    stretch = np.cumsum(is_border)
    words = np.bincount(stretch[tokens.is_word], minlength=int(stretch[-1]) + 1)
    in_text = ~is_border & (words[stretch] > 0)
    lengths = _length_classes(words, np.asarray(stretch), in_text)
    part = _innermost(tokens, _PARTS)
    in_link = _innermost(tokens, ("a",)) > 0
    return (((lengths * 2 + in_link) * (len(_PARTS) + 1)) + part).astype(np.uint32)


def _length_classes(words: Indices, stretch: Indices, in_text: NDArray[np.bool_]) -> Indices:
    """Return one number for the lengths of the texts before, at and behind each token."""
    filled = np.flatnonzero(words)
    if not filled.size:
        return np.zeros(stretch.size, dtype=np.int64)
    known = np.concatenate(([_NO_TEXT], np.searchsorted(_LENGTHS, words[filled], side="right"), [_NO_TEXT]))
    # Place of the first stretch with words from here on, moved by one for the border at the front.
    here = np.searchsorted(filled, np.arange(words.size)) + 1
    by_stretch_before, by_stretch_here = known[here - 1], known[here]
    by_stretch_behind = known[np.minimum(here + 1, known.size - 1)]
    between = by_stretch_before * _KINDS + by_stretch_here
    inside = _IN_TEXT + (by_stretch_before * _KINDS + by_stretch_here) * _KINDS + by_stretch_behind
    return np.where(in_text, inside[stretch], between[stretch])


def _innermost(tokens: PageTokens, names: tuple[str, ...]) -> Indices:
    """Return for each token the innermost element of some names that it is inside of: 1 for the first name, 0: none."""
    nothing = np.zeros(len(tokens), dtype=np.int64)
    tags = np.flatnonzero(tokens.is_tag)
    end_of = np.zeros(int(tokens.element.max()) + 1, dtype=np.int64)
    end_of[tokens.element[tags]] = tags
    keys = _tags(names, opens=True)
    start = tags[(tokens.kind[tags] == START_TAG) & are_among(tokens.key[tags], np.sort(keys))]
    end = end_of[tokens.element[start]]
    start, end = start[end > start], end[end > start]
    if not start.size:
        return nothing
    number = np.argmax(tokens.key[start][:, None] == keys[None, :], axis=1) + 1
    parent = parents_of(start, end)
    # What holds from each start tag on, and from behind each end tag on; start tags last, for they may stand there.
    since = np.zeros(len(tokens) + 1, dtype=np.int64)
    holds = np.zeros(len(tokens) + 1, dtype=np.int64)
    since[end + 1] = end + 1
    holds[end + 1] = np.where(parent >= 0, number[parent], 0)
    since[start], holds[start] = start, number
    return holds[np.maximum.accumulate(since)][:-1]


def _tags(names: tuple[str, ...], *, opens: bool) -> NDArray[np.uint64]:
    return tag_tokens(name_keys(names), np.full(len(names), opens))
