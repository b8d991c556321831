"""Names, paper ids and ranges of Web2Text's 128 block features and 25 edge features (Vogels et al. 2018, 0.A)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
        What the number is.
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


def _text_features(longest: float) -> list[_Entry]:
    """Features b6 to b22; the highest logarithm of characters differs between leaves and nodes."""
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


def _own_features() -> list[_Entry]:
    """Features b1 to b28."""
    return [
        _flag("has_duplicate", "another leaf with the same text"),
        _flag("has_10_duplicates", "ten other leaves with the same text"),
        _share("same_class_path", "share of leaves with the same path of tags and classes"),
        _flag("has_word", "a word"),
        ("log_words", "logarithm of words", False, 0.0, 3.5),
        *_text_features(longest=5.5),
        _flag("has_punctuation", "punctuation"),
        ("punctuation", "characters of punctuation", False, 0.0, np.inf),
        _flag("has_sentences", "more than one sentence"),
        _share("position", "start in the source"),
        _share("position_squared", "square of the above"),
        _flag("has_parent", "a node around the leaf"),
    ]


def _node_features() -> list[_Entry]:
    """Features b29 to b48, of a node; clipped at 22,000 characters, for 244 (a leaf's) would clip nearly all nodes."""
    return [
        _share("page_share", "source characters by those of the page"),
        _share("anchor_ratio", "characters inside anchors by characters"),
        *_text_features(longest=10.0),
        _flag("has_form_element", "a form's input, select, text area or button"),
    ]


def _prefixed(prefix: str, entries: list[_Entry]) -> list[_Entry]:
    return [(prefix + name, *rest) for name, *rest in entries]  # type: ignore[misc]


def _tags(prefix: str, tags: tuple[str, ...]) -> list[_Entry]:
    """One flag a tag; a tag that the paper lists again gets a number."""
    names = [f"{prefix}{tag}" + ("_2" if tag in tags[:place] else "") for place, tag in enumerate(tags)]
    return [_flag(name, f"an element {tag}") for name, tag in zip(names, tags, strict=True)]


def _numbered(letter: str, entries: list[_Entry]) -> Iterator[Web2TextFeature]:
    for number, (name, unit, is_binary, low, high) in enumerate(entries, start=1):
        source = f"{_PAPER}, {'appendix 0.A' if letter == 'b' else '3.3'}"
        yield Web2TextFeature(f"{letter}{number}", name, unit, low, high, is_binary, source)


BLOCK_FEATURES: tuple[Web2TextFeature, ...] = tuple(
    _numbered(
        "b",
        [
            *_own_features(),
            *_prefixed("parent_", _node_features()),
            *_tags("parent_tag_", PARENT_TAGS),
            _flag("has_grandparent", "a node around the parent"),
            *_prefixed("grandparent_", _node_features()),
            *_prefixed("root_", _node_features()),
            *_tags("tag_", LEAF_TAGS),
        ],
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
        [
            _flag("distance_2", "two hops between the leaves"),
            _flag("distance_3", "three hops"),
            _flag("distance_4", "four hops"),
            _flag("distance_more", "more than four hops"),
            _flag("line_break", "a line break between the leaves"),
            *_prefixed("common_", _node_features()),
        ],
    )
)
"""The features of a leaf and the next, e1 to e25: the last twenty are b70 to b89 of their common node."""


def ranges(features: tuple[Web2TextFeature, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and highest values of features, to clip the columns of a matrix of them."""
    low, high = zip(*((feature.low, feature.high) for feature in features), strict=True)
    return np.array(low, dtype=np.float32), np.array(high, dtype=np.float32)
