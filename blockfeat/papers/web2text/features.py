"""The features of text leaves and of the edges between them (Vogels et al. 2018, 3.3), and their computation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import PageFeatures
from blockfeat.lang.word_keys import keys_of_spans
from blockfeat.page.tags import name_keys
from blockfeat.papers.web2text.leaves import CollapsedDom, Leaf, LeafCounts, class_paths, count_leaves

_PAPER = "Vogels, Ganea & Eickhoff 2018"
_PARENT_TAGS = "td div p tr table body ul span li blockquote b small a ol ul i form dl strong pre"
_LEAF_TAGS = "a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote"
PARENT_TAGS = tuple(_PARENT_TAGS.split())
"""Tags of b49 to b68, as the appendix lists them, ``ul`` twice."""
LEAF_TAGS = tuple(_LEAF_TAGS.split())
"""Tags of b110 to b128."""


# Name, unit, whether binary, lowest and highest value.
_Entry = tuple[str, str, bool, float, float]


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
    source : str
        Paper and section.
    """

    identifier: str
    name: str
    unit: str
    low: float = -np.inf
    high: float = np.inf
    is_binary: bool = False
    source: str = f"{_PAPER}, appendix 0.A"


def _share(name: str, unit: str) -> _Entry:
    return name, unit, False, 0.0, 1.0


def _flag(name: str, unit: str) -> _Entry:
    return name, unit, True, 0.0, 1.0


def _text_entries(longest: float) -> list[_Entry]:
    """Return features b6 to b22; ``longest``, the highest logarithm of characters, differs between leaves and nodes."""
    return [
        ("average_word_length", "characters a word", False, 3.0, 15.0),
        _flag("has_stop_word", "a stop word"),
        ("stop_word_ratio", "stop words by words, over what prose of the language has", False, 0.0, np.inf),
        ("log_characters", "logarithm of characters", False, 2.5, longest),
        ("log_punctuation_ratio", "logarithm of punctuation by characters", False, -4.0, -2.5),
        _flag("has_digit", "a digit"),
        _share("digit_ratio", "digits by characters"),
        ("log_sentence_length", "logarithm of characters a sentence", False, 2.0, 5.0),
        _flag("ends_in_punctuation", "punctuation is the last character"),
        _flag("ends_in_question_mark", "a question mark is the last character"),
        _flag("has_copyright_sign", "a copyright sign"),
        _flag("has_email", "an email address"),
        _flag("has_address", "a web address"),
        _flag("has_year", "a word of four digits"),
        _share("capital_ratio", "words with a capital by words"),
        _share("capital_ratio_squared", "square of the above"),
        _share("capital_ratio_cubed", "cube of the above"),
    ]


def _own_entries() -> list[_Entry]:
    """Return features b1 to b28."""
    return [
        _flag("has_duplicate", "another leaf with the same text"),
        _flag("has_10_duplicates", "ten other leaves with the same text"),
        _share("same_class_path", "share of leaves with the same path of tags and classes"),
        _flag("has_word", "a word"),
        ("log_words", "logarithm of words", False, 0.0, 3.5),
        *_text_entries(longest=5.5),
        _flag("has_punctuation", "punctuation"),
        ("punctuation", "characters of punctuation", False, 0.0, np.inf),
        _flag("has_sentences", "more than one sentence"),
        _share("position", "start in the source"),
        _share("position_squared", "square of the above"),
        _flag("has_parent", "a node around the leaf"),
    ]


def _node_entries() -> list[_Entry]:
    """Return features b29 to b48, of a node; clipped at 22,000 characters, as a leaf's 244 would clip almost all."""
    return [
        _share("page_share", "source characters by those of the page"),
        _share("anchor_ratio", "characters inside anchors by characters"),
        *_text_entries(longest=10.0),
        _flag("has_form_element", "a form's input, select, text area or button"),
    ]


def _prefixed(prefix: str, entries: list[_Entry]) -> list[_Entry]:
    return [(prefix + name, *rest) for name, *rest in entries]  # type: ignore[misc]


def _tags(prefix: str, tags: tuple[str, ...]) -> list[_Entry]:
    """Return one flag for each tag; a tag that the paper lists twice gets a number the second time."""
    names = [f"{prefix}{tag}" + ("_2" if tag in tags[:place] else "") for place, tag in enumerate(tags)]
    return [_flag(name, f"an element {tag}") for name, tag in zip(names, tags, strict=True)]


def _numbered(letter: str, *entries: _Entry) -> Iterator[Web2TextFeature]:
    for number, (name, unit, is_binary, low, high) in enumerate(entries, start=1):
        source = f"{_PAPER}, {'appendix 0.A' if letter == 'b' else '3.3'}"
        yield Web2TextFeature(f"{letter}{number}", name, unit, low, high, is_binary, source)


BLOCK_FEATURES: tuple[Web2TextFeature, ...] = tuple(
    _numbered(
        "b",
        *_own_entries(),
        *_prefixed("parent_", _node_entries()),
        *_tags("parent_tag_", PARENT_TAGS),
        _flag("has_grandparent", "a node around the parent"),
        *_prefixed("grandparent_", _node_entries()),
        *_prefixed("root_", _node_entries()),
        *_tags("tag_", LEAF_TAGS),
    )
)
"""The features of a leaf, b1 to b128.

The appendix gives b69 to two features, the last of the parent's tags and "has grandparent"; it lists twenty tags, so
they are b49 to b68 here and "has grandparent" is b69, which makes 128. The tag ``ul`` is listed twice: b55 and b63 are
the same, kept so that the network has the paper's size. "b27 relative position 17" is the square of b26.
"""

EDGE_FEATURES: tuple[Web2TextFeature, ...] = tuple(
    _numbered(
        "e",
        _flag("distance_2", "two hops between the leaves"),
        _flag("distance_3", "three hops"),
        _flag("distance_4", "four hops"),
        _flag("distance_more", "more than four hops"),
        _flag("line_break", "a line break between the leaves"),
        *_prefixed("common_", _node_entries()),
    )
)
"""The features of a leaf and the next, e1 to e25: the last twenty are b70 to b89 of their common node."""


def ranges(features: tuple[Web2TextFeature, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and highest values of features, to clip the columns of a matrix of them."""
    low, high = zip(*((feature.low, feature.high) for feature in features), strict=True)
    return np.array(low, dtype=np.float32), np.array(high, dtype=np.float32)


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

_NODE_FEATURES = 20
_MANY_DUPLICATES = 10
_FARTHEST = 4
_FORM_ELEMENTS = name_keys(("input", "select", "textarea", "button"))
_BLOCK_RANGES, _EDGE_RANGES = ranges(BLOCK_FEATURES), ranges(EDGE_FEATURES)
# Keys of tags in ascending order, and the place of each tag among them.
_LEAF_KEYS = np.unique(name_keys(LEAF_TAGS), return_inverse=True)
_PARENT_KEYS = np.unique(name_keys(PARENT_TAGS), return_inverse=True)
# Elements that begin a new line on a page without style sheets, and br.
_LINE_TAGS = (
    "address article aside blockquote body br canvas caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html iframe input legend li main menu nav "
    "noscript ol output p pre section select summary table tbody td textarea tfoot th thead tr ul video"
)
_LINES = np.sort(name_keys(_LINE_TAGS.split()))


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
    missing = np.full((1, nodes.shape[1]), np.nan)
    nodes = np.concatenate((nodes, missing))  # index -1 stands for no node
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
    return LeafFeatures(features, edges)


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
            sums[:, [at.copyright, at.email, at.address, at.year]] > 0,
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
    """Return which of some tags the elements of each owner have: bool array, owners × tags."""
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
    """Return whether a line breaks between each leaf and the next on a page without style sheets: bool array, n - 1."""
    tags = blocks.tags
    place = np.minimum(np.searchsorted(_LINES, tags.key), _LINES.size - 1)
    chosen = _LINES[place] == tags.key
    is_line = np.zeros(tags.start.size, dtype=np.bool_)
    is_line[tags.opened[chosen]] = True
    is_line[tags.closed[chosen]] = True
    before = np.cumsum(is_line)[np.searchsorted(tags.start, blocks.first_byte, side="right") - 1]
    breaks: Flags = before[1:] > before[:-1]
    return breaks
