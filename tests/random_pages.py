"""Small random pages, as nested elements with words in several classes, for comparing columns with plain references."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from blockfeat.blocks import Blocks
from blockfeat.features.cues import WORD_KINDS, Cues, bundled_cues
from blockfeat.features.measuring import context_columns
from blockfeat.features.nesting import Nesting
from blockfeat.features.schema import Measured
from blockfeat.lang.stopwords import StopWordRatios
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


@dataclass(frozen=True)
class PageParts:
    """What the plain references of the features read: a page's blocks, containers and cues."""

    measured: Measured
    cues: Cues

    @property
    def blocks(self) -> Blocks:
        return self.measured.blocks

    @property
    def words(self) -> np.ndarray:
        return self.blocks.measures.words

    @property
    def density(self) -> np.ndarray:
        return self.blocks.measures.anchor_words / np.maximum(self.words, 1)

    @cached_property
    def containers(self) -> Nesting:
        return Nesting.of(self.blocks, self.cues)

    def levels(self, block: int) -> list[int]:
        """The smallest container with more than one block, the next larger one, the next larger again."""
        found, nesting = [int(self.containers.inner[block])], self.containers
        if nesting.end[found[0]] - nesting.first[found[0]] == 1:
            found = [int(nesting.larger[found[0]])]
        for _ in range(2):
            found.append(int(nesting.larger[found[-1]]))
        return found

    def good_words(self, block: int) -> float:
        """words · clip(1 - 2.5 · density) · clip((words - 6) / 14), less where the ending or a container says so."""
        words, density = int(self.words[block]), float(self.density[block])
        container = self.containers.inner[block]
        good = words * min(max(1 - 2.5 * density, 0), 1) * min(max((words - 6) / 14, 0), 1)
        good *= 1 if self.columns(("terminal",))[block, 0] else 0.5
        good *= 0.3 if self.containers.negatives[container] else 1
        return good * (0.1 if self.containers.shunned[container] else 1)

    def cue_words(self, kind: str) -> list[int]:
        """Words of each block that have a kind of cue."""
        table = self.cues.words.table
        places = table.places(self.blocks.measures.token_keys)
        has = [place >= 0 and bool(self.cues.words.bits[place] >> WORD_KINDS.index(kind) & 1) for place in places]
        return np.bincount(self.blocks.measures.token_block, weights=has, minlength=len(self.blocks)).tolist()

    def columns(self, names: Sequence[str]) -> np.ndarray:
        return context_columns(self.measured, names=names, cues=self.cues)

    def columns_by_name(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        return dict(zip(names, self.columns(names).T, strict=True))


def context_of(html: str) -> PageParts:
    """Return what the features of a page rest on."""
    return PageParts(measured_of(html), bundled_cues())
