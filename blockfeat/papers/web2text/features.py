"""The features of text leaves and the edges between them (Vogels et al. 2018, 3.3), and the stage measuring them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import MeasuredPage, Measurer
from blockfeat.lang.word_keys import keys_of_spans
from blockfeat.page.page import Page
from blockfeat.page.tags import name_keys
from blockfeat.papers.web2text.catalogue import BLOCK_FEATURES, EDGE_FEATURES, LEAF_TAGS, PARENT_TAGS, ranges
from blockfeat.papers.web2text.leaves import CollapsedDom, Leaf, LeafCounts, class_paths, count_leaves

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

_TEXT_FEATURES = 17
_NODE_FEATURES = 20
_MANY_DUPLICATES = 10
_FARTHEST = 4
_FORM_ELEMENTS = name_keys(("input", "select", "textarea", "button"))
_BLOCK_RANGES, _EDGE_RANGES = ranges(BLOCK_FEATURES), ranges(EDGE_FEATURES)
# Keys of tags in ascending order, and the place of each tag among them.
_LEAF_KEYS = np.unique(name_keys(LEAF_TAGS), return_inverse=True)
_PARENT_KEYS = np.unique(name_keys(PARENT_TAGS), return_inverse=True)
# Elements that begin on a line of their own where a page has no style, and the break.
_LINE_TAGS = (
    "address article aside blockquote body br canvas caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html iframe input legend li main menu nav "
    "noscript ol output p pre section select summary table tbody td textarea tfoot th thead tr ul video"
)
_LINES = np.sort(name_keys(_LINE_TAGS.split()))


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """The inputs of the networks for one page, clipped but not standardised.

    Attributes
    ----------
    blocks : float32 array, n × 128
        The features of each leaf; NaN where a page has no such value (words of a leaf without words, ancestors of a
        leaf without them).
    edges : float32 array, n - 1 × 25
        The features of each leaf and the next.
    """

    blocks: NDArray[np.float32]
    edges: NDArray[np.float32]


def page_features(measured: MeasuredPage) -> PageFeatures:
    """Compute all features of a page that was cut into text leaves; linear in the page.

    Parameters
    ----------
    measured : MeasuredPage
        What the measurer of `blockfeat.papers.web2text.leaves.leaf_measurer` returned.
    """
    blocks = measured.blocks
    n = len(blocks)
    if n == 0:
        return PageFeatures(*(np.zeros((0, len(known)), np.float32) for known in (BLOCK_FEATURES, EDGE_FEATURES)))
    tree = CollapsedDom.of(blocks)
    counts = count_leaves(blocks, measured.stop_words)
    nodes = _node_features(blocks, tree, counts)
    missing = np.full((1, nodes.shape[1]), np.nan)
    nodes = np.concatenate((nodes, missing))  # the node -1 has nothing
    leaf_tags, node_tags = _tags_of(blocks, tree)
    grandparent = np.append(tree.parent, -1)[tree.leaf_parent]
    features = np.concatenate(
        (
            _own_features(blocks, counts, tree),
            nodes[tree.leaf_parent],
            node_tags[tree.leaf_parent],
            (grandparent >= 0)[:, None],
            nodes[grandparent],
            np.broadcast_to(nodes[:1], (n, _NODE_FEATURES)),
            leaf_tags,
        ),
        axis=1,
        dtype=np.float32,
    )
    edges = np.concatenate(
        (_distances(tree), _line_breaks(blocks)[:, None], nodes[tree.common]), axis=1, dtype=np.float32
    )
    np.clip(features, *_BLOCK_RANGES, out=features)
    np.clip(edges, *_EDGE_RANGES, out=edges)
    return PageFeatures(features, edges)


def _text_features(sums: Floats, ends_in_punctuation: Flags, ends_in_question: Flags) -> Floats:
    """Return features b6 to b22 of leaves or nodes: float array, m × 17."""
    at = Leaf()
    words, characters = sums[:, at.words], sums[:, at.characters]
    has_words = words > 0
    divisor = np.where(has_words, words, np.nan)
    capital = sums[:, at.capitalised] / divisor
    with np.errstate(divide="ignore"):
        punctuation = np.log(sums[:, at.punctuation] / characters)
    return np.column_stack(
        (
            sums[:, at.word_characters] / divisor,
            sums[:, at.stop_words] > 0,
            sums[:, at.stop_words] / divisor,
            np.log(characters),
            punctuation,
            sums[:, at.digits] > 0,
            sums[:, at.digits] / characters,
            np.log(characters / sums[:, at.sentences]),
            ends_in_punctuation,
            ends_in_question,
            sums[:, at.copyright] > 0,
            sums[:, at.email] > 0,
            sums[:, at.address] > 0,
            sums[:, at.year] > 0,
            capital,
            capital**2,
            capital**3,
        )
    )


def _own_features(blocks: Blocks, counts: LeafCounts, tree: CollapsedDom) -> Floats:
    """Return features b1 to b28: float array, n × 28."""
    at, own, n = Leaf(), counts.counts, len(blocks)
    same_text = _occurrences(keys_of_spans(blocks.page_text.codes, counts.starts, counts.starts + counts.lengths))
    first_byte = blocks.first_byte
    position = (first_byte - first_byte[0]) / max(int(blocks.end_byte[-1] - first_byte[0]), 1)
    before = (
        same_text > 1,
        same_text > _MANY_DUPLICATES,
        _occurrences(class_paths(blocks)) / n,
        own[:, at.words] > 0,
        np.log(np.maximum(own[:, at.words], 1)),
    )
    behind = (
        own[:, at.punctuation] > 0,
        own[:, at.punctuation],
        own[:, at.sentences] > 1,
        position,
        position**2,
        tree.leaf_parent >= 0,
    )
    text = _text_features(own, counts.ends_in_punctuation, counts.ends_in_question)
    return np.column_stack((*before, text, *behind))


def _node_features(blocks: Blocks, tree: CollapsedDom, counts: LeafCounts) -> Floats:
    """Return features b29 to b48 of every node: float array, m × 20."""
    at, sums, last = Leaf(), counts.sums(tree.first, tree.end), tree.end - 1
    first_byte, end_byte = blocks.first_byte, blocks.end_byte
    share = (end_byte[last] - first_byte[tree.first]) / max(int(end_byte[-1] - first_byte[0]), 1)
    tags = blocks.tags
    forms = tags.opened[np.isin(tags.key, _FORM_ELEMENTS)]
    opened, closed = tags.opened[tree.element], tags.closed[tree.element]
    return np.column_stack(
        (
            share,
            sums[:, at.anchor_characters] / sums[:, at.characters],
            _text_features(sums, counts.ends_in_punctuation[last], counts.ends_in_question[last]),
            np.searchsorted(forms, closed) > np.searchsorted(forms, opened),
        )
    )


def _occurrences(keys: NDArray[np.uint64]) -> Indices:
    """Return how often the key of each leaf occurs."""
    _, inverse, counted = np.unique(keys, return_inverse=True, return_counts=True)
    found: Indices = counted[inverse]
    return found


def _tags_of(blocks: Blocks, tree: CollapsedDom) -> tuple[Flags, Flags]:
    """Return which tags the leaves have (n × 19), and the nodes (m + 1 × 20; the last has none)."""
    keys, into = blocks.tags.key[tree.merged], tree.merged_into
    of_leaf = into < 0
    is_single = len(blocks) == 1
    leaf = np.where(of_leaf, -1 - into, 0)
    # The only leaf of a page has the root's elements too.
    leaf_tags = _flags(keys, leaf, of_leaf | is_single, _LEAF_KEYS, len(blocks))
    node_tags = _flags(keys, into, ~of_leaf, _PARENT_KEYS, tree.first.size + 1)
    return leaf_tags, node_tags


def _flags(
    keys: NDArray[np.uint64],
    owner: NDArray[np.integer[Any]],
    chosen: Flags,
    tags: tuple[NDArray[np.uint64], Indices],
    count: int,
) -> Flags:
    """Return which of some tags the elements of each owner have."""
    known, column_of = tags
    place = np.minimum(np.searchsorted(known, keys), known.size - 1)
    hit = np.flatnonzero((known[place] == keys) & chosen)
    flags = np.zeros((count, known.size), dtype=np.bool_)
    flags[owner[hit], place[hit]] = True
    return flags[:, column_of]


def _distances(tree: CollapsedDom) -> Flags:
    """Return whether there are 2, 3, 4 or more hops between each leaf and the next: bool array, n - 1 × 4."""
    hops = tree.distances()[:, None]
    return np.concatenate((hops == np.arange(2, _FARTHEST + 1), hops > _FARTHEST), axis=1)


def _line_breaks(blocks: Blocks) -> Flags:
    """Return whether a line breaks between each leaf and the next on a page without style."""
    tags = blocks.tags
    place = np.minimum(np.searchsorted(_LINES, tags.key), _LINES.size - 1)
    chosen = _LINES[place] == tags.key
    is_line = np.zeros(tags.start.size, dtype=np.bool_)
    is_line[tags.opened[chosen]] = True
    is_line[tags.closed[chosen]] = True
    before = np.cumsum(is_line)[np.searchsorted(tags.start, blocks.first_byte, side="right") - 1]
    breaks: Flags = before[1:] > before[:-1]
    return breaks


@dataclass(frozen=True, eq=False)
class MeasuredLeaves(MeasuredPage):
    """A page as Web2Text reads it.

    Attributes
    ----------
    leaves : Blocks
        The page's text leaves.
    leaf_features : PageFeatures
        The features of the leaves and of the edges between them.
    """

    leaves: Blocks
    leaf_features: PageFeatures


@dataclass(frozen=True)
class Web2TextMeasurer(Measurer):
    """Cuts pages into blocks, of which no features are computed, and into text leaves.

    Attributes
    ----------
    leaves : Measurer
        What `blockfeat.papers.web2text.leaves.leaf_measurer` returned.
    """

    leaves: Measurer = field(kw_only=True)

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredLeaves:
        """Measure a page; ``lang`` is its language where the caller knows it, identified otherwise."""
        measured = super().measure(page, lang=lang)
        leaves = self.leaves.measure(page, lang=measured.lang)
        return MeasuredLeaves(**vars(measured), leaves=leaves.blocks, leaf_features=page_features(leaves))
