"""The features of text leaves and of the edges between them (Vogels et al. 2018, 3.3), and their computation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_table
from blockfeat._numeric import places_among
from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import PageFeatures
from blockfeat.lang.word_keys import keys_of_spans
from blockfeat.page.tags import Indices, name_keys
from blockfeat.papers.web2text.leaves import CollapsedDom, Flags, Floats, Leaf, LeafCounts, class_paths, count_leaves

_TABLES = bundled_table("blockfeat.papers.web2text", "features.toml")


@dataclass(frozen=True, slots=True)
class Web2TextFeature:
    """One input of a network.

    Attributes
    ----------
    identifier : str
        Its number in the paper, such as ``"b6"``; edge features, which the paper does not number, have ``"e1"`` on.
    name : str
        Name in model files.
    unit : str
        What the value measures, and its unit.
    low, high : float
        Range that values are clipped to.
    is_binary : bool
        1 or 0, used as it is; other features are standardised.
    """

    identifier: str
    name: str
    unit: str
    low: float = -np.inf
    high: float = np.inf
    is_binary: bool = False


def _features(table: str) -> tuple[Web2TextFeature, ...]:
    """Return the features of a table, numbered."""
    numbered = enumerate(_TABLES[table], start=1)
    return tuple(Web2TextFeature(f"{table[0]}{number}", **entry) for number, entry in numbered)


BLOCK_FEATURES = _features("block")
"""The features of a leaf, b1 to b128."""
EDGE_FEATURES = _features("edge")
"""The features of a leaf and the next, e1 to e25."""


def ranges(features: tuple[Web2TextFeature, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and highest values of features, to clip the columns of a matrix of them."""
    low, high = zip(*((feature.low, feature.high) for feature in features), strict=True)
    return np.array(low, dtype=np.float32), np.array(high, dtype=np.float32)


_NODE_FEATURES = 20
_MANY_DUPLICATES = 10
_FARTHEST = 4
_FORM_ELEMENTS = name_keys(("input", "select", "textarea", "button"))
_BLOCK_RANGES, _EDGE_RANGES = ranges(BLOCK_FEATURES), ranges(EDGE_FEATURES)
# Keys of tags in ascending order, and the place of each tag among them.
_LEAF_KEYS = np.unique(name_keys(_TABLES["leaf_tags"].split()), return_inverse=True)
_PARENT_KEYS = np.unique(name_keys(_TABLES["parent_tags"].split()), return_inverse=True)
_LINES = name_keys(_TABLES["line_tags"].split())


@dataclass(frozen=True, slots=True)
class LeafFeatures:
    """The inputs of the networks for one page, clipped but not standardised.

    Attributes
    ----------
    blocks : float32 array, n × 128
        The features of each leaf; NaN for a value that does not exist (of the words of a leaf without words, of the
        ancestors of a leaf without them).
    edges : float32 array, n - 1 × 25
        The features of each leaf and the next.
    """

    blocks: NDArray[np.float32]
    edges: NDArray[np.float32]


def page_features(measured: PageFeatures) -> LeafFeatures:
    """Compute all features of a page that was cut into text leaves; linear in the page.

    Parameters
    ----------
    measured : PageFeatures
        What the measurer of `blockfeat.papers.web2text.leaves.leaf_measurer` returned.
    """
    blocks = measured.blocks
    n = len(blocks)
    if n == 0:
        return LeafFeatures(*(np.zeros((0, len(known)), np.float32) for known in (BLOCK_FEATURES, EDGE_FEATURES)))
    tree = CollapsedDom.of(blocks)
    counts = count_leaves(blocks, measured.stop_words)
    nodes = _node_features(blocks, tree, counts)
    nodes = np.concatenate((nodes, np.full((1, nodes.shape[1]), np.nan)))  # index -1 stands for no node
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
    # Hops between each leaf and the next: 2, 3, 4, or more.
    hops = tree.distances()[:, None]
    edges = np.concatenate(
        (hops == np.arange(2, _FARTHEST + 1), hops > _FARTHEST, _line_breaks(blocks)[:, None], nodes[tree.common]),
        axis=1,
        dtype=np.float32,
    )
    np.clip(features, *_BLOCK_RANGES, out=features)
    np.clip(edges, *_EDGE_RANGES, out=edges)
    return LeafFeatures(features, edges)


def _text_features(sums: Floats, ends_in_punctuation: Flags, ends_in_question: Flags) -> Floats:
    """Return features b6 to b22 of leaves or nodes: float array, m × 17."""
    at = Leaf
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
            sums[:, [at.copyright, at.email, at.address, at.year]] > 0,
            capital,
            capital**2,
            capital**3,
        )
    )


def _own_features(blocks: Blocks, counts: LeafCounts, tree: CollapsedDom) -> Floats:
    """Return features b1 to b28: float array, n × 28."""
    at, own, n = Leaf, counts.counts, len(blocks)
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
    at, sums, last = Leaf, counts.sums(tree.first, tree.end), tree.end - 1
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
    return np.asarray(counted[inverse])


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
    """Return which of some tags the elements of each owner have: bool array, owners × tags."""
    known, column_of = tags
    place = places_among(keys, known)
    hit = np.flatnonzero((place >= 0) & chosen)
    flags = np.zeros((count, known.size), dtype=np.bool_)
    flags[owner[hit], place[hit]] = True
    return flags[:, column_of]


def _line_breaks(blocks: Blocks) -> Flags:
    """Return whether a line breaks between each leaf and the next on a page without style sheets: bool array, n - 1."""
    tags = blocks.tags
    chosen = np.isin(tags.key, _LINES)
    is_line = np.zeros(tags.start.size, dtype=np.bool_)
    is_line[tags.opened[chosen]] = True
    is_line[tags.closed[chosen]] = True
    before = np.cumsum(is_line)[np.searchsorted(tags.start, blocks.first_byte, side="right") - 1]
    return np.asarray(before[1:] > before[:-1])
