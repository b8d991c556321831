"""Small random pages, as nested elements with words in several classes, for comparing columns with plain references."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from blockfeat.features.context import PageContext
from blockfeat.features.cues import bundled_cues
from blockfeat.features.schema import Measured
from blockfeat.features.stopwords import StopWordRatios
from blocks_of import blocks_of

_TAGS = (
    "div", "div class=content", "div class='related-posts'", "div id=comments", "article", "section hidden", "ul", "h2",
)  # fmt: skip
_SENTENCE = "The lantern makers of the valley meet every autumn at the old mill, and many guests come."
_TEXTS = (
    "word",
    "Read more",
    f"<p>{_SENTENCE}",
    f"<p>{_SENTENCE} {_SENTENCE} “So it is said”",
    "<li><a href=x>a link of four</a>",
    "<p>Subscribe to our <a href=y>newsletter</a>:",
    "<h1>Lantern makers</h1>",
    "<p>Comments and replies",
)

_LEAVES = st.sampled_from(_TEXTS)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.tuples(st.sampled_from(_TAGS), st.lists(inner, max_size=4)).map(
        lambda node: f"<{node[0]}>{''.join(node[1])}</{node[0].split()[0]}>"
    ),
    max_leaves=20,
)
PAGES = st.lists(_TREES, min_size=1, max_size=4).map(
    lambda trees: f"<title>Lantern makers meet</title><body>{''.join(trees)}</body>"
)
"""Pages with at least one block or none."""


def measured_of(html: str) -> Measured:
    """Return the blocks of a page, with stop-word ratios of 0."""
    blocks = blocks_of(html)
    zeros = np.zeros(len(blocks))
    return Measured(blocks, StopWordRatios(("en",), np.zeros(len(blocks), dtype=np.intp), zeros, zeros))


def context_of(html: str) -> PageContext:
    """Return what the features of a page rest on."""
    return PageContext(measured_of(html), bundled_cues())
