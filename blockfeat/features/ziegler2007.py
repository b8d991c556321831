"""The eight features of Ziegler & Skubacz (2007), 3.3 and 3.4; each a pure function of the blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.schema import Column, Feature, Measured


def _share(part: NDArray[np.integer[Any]], whole: NDArray[np.integer[Any]]) -> Column:
    """Part by whole; 0 where the whole is 0."""
    result: Column = part / np.maximum(whole, 1)
    return result


def average_sentence_length(measured: Measured) -> Column:
    """Words a sentence."""
    return _share(measured.blocks.measures.words, measured.blocks.measures.sentences)


def sentence_count(measured: Measured) -> Column:
    """Sentences; a block of text without a stop is one."""
    return measured.blocks.measures.sentences.astype(np.float64)


def character_distribution(measured: Measured) -> Column:
    """Letters and digits by all characters other than white space."""
    return _share(measured.blocks.measures.alphanumerics, measured.blocks.measures.characters)


def stop_word_ratio(measured: Measured) -> Column:
    """Stop words by words, over what running prose of the language has; argmax over languages."""
    return measured.stop_words.normalised


def paper_stop_word_ratio(measured: Measured) -> Column:
    """Stop words by all other words, a block of stop words alone counted with one other; argmax over languages."""
    words = measured.blocks.measures.words
    stop_words = measured.stop_words.ratio * words
    return np.asarray(stop_words / np.maximum(words - stop_words, 1.0))


def anchor_ratio(measured: Measured) -> Column:
    """Words inside anchors by words."""
    return _share(measured.blocks.measures.anchor_words, measured.blocks.measures.words)


def format_tag_ratio(measured: Measured) -> Column:
    """Elements that format by words."""
    return _share(measured.blocks.role_counts["format"], measured.blocks.measures.words)


def list_element_ratio(measured: Measured) -> Column:
    """List elements by words."""
    return _share(measured.blocks.role_counts["list"], measured.blocks.measures.words)


def text_structuring_ratio(measured: Measured) -> Column:
    """Headings, paragraphs, breaks and alignment elements by words."""
    return _share(measured.blocks.role_counts["structure"], measured.blocks.measures.words)


_PAPER = "Ziegler & Skubacz 2007"

CANONICAL = (
    Feature(
        "average_sentence_length",
        "average sentence length",
        "words a sentence",
        0.0,
        40.0,
        "minimum",
        f"{_PAPER}, 3.3: words / sentences",
        "decimal",
        "long sentences ({} words)",
        "short sentences ({} words)",
        compute=average_sentence_length,
    ),
    Feature(
        "sentence_count",
        "number of sentences",
        "sentences",
        0.0,
        10.0,
        "minimum",
        f"{_PAPER}, 3.3",
        "count",
        "{} sentences",
        "hardly a sentence ({})",
        compute=sentence_count,
    ),
    Feature(
        "character_distribution",
        "character distribution",
        "share of characters that are letters or digits",
        0.0,
        1.0,
        "minimum",
        f"{_PAPER}, 3.3: alphanumeric / (all but white space)",
        "percent",
        "mostly letters and digits ({})",
        "many signs ({} letters and digits)",
        compute=character_distribution,
    ),
    Feature(
        "stop_word_ratio",
        "stop-word ratio",
        "share of stop words, 1 = that of running prose of the language",
        0.0,
        1.5,
        "minimum",
        f"{_PAPER}, 3.3: argmax over languages of stop words / words, over the language's density",
        "percent",
        "as many stop words as running text ({})",
        "few stop words ({} of what running text has)",
        compute=stop_word_ratio,
    ),
    Feature(
        "anchor_ratio",
        "anchor ratio",
        "share of words inside anchors",
        0.0,
        1.0,
        "maximum",
        f"{_PAPER}, 3.4",
        "tenths",
        "{} words are links",
        "{} words are links",
        compute=anchor_ratio,
    ),
    Feature(
        "format_tag_ratio",
        "format tag ratio",
        "formatting elements a word",
        0.0,
        0.1,
        "minimum",
        f"{_PAPER}, 3.4",
        "decimal",
        "much bold or italic text ({} elements a word)",
        "hardly any bold or italic text ({} elements a word)",
        compute=format_tag_ratio,
    ),
    Feature(
        "list_element_ratio",
        "list element ratio",
        "list elements a word",
        0.0,
        1.0,
        "maximum",
        f"{_PAPER}, 3.4",
        "decimal",
        "many list elements ({} a word)",
        "hardly a list element ({} a word)",
        compute=list_element_ratio,
    ),
    Feature(
        "text_structuring_ratio",
        "text structuring ratio",
        "structuring elements a word",
        0.0,
        0.2,
        "minimum",
        f"{_PAPER}, 3.4",
        "decimal",
        "many paragraphs and headings ({} a word)",
        "hardly a paragraph or heading ({} a word)",
        compute=text_structuring_ratio,
    ),
)
"""The eight features, in the order of the paper."""

PAPER_STOP_WORD_RATIO = Feature(
    "paper_stop_word_ratio",
    "stop-word ratio of the paper",
    "stop words by other words",
    0.0,
    2.0,
    "minimum",
    f"{_PAPER}, 3.3: argmax over languages of stop words / other words",
    "decimal",
    "as many stop words as running text ({} a word)",
    "few stop words ({} a word)",
    compute=paper_stop_word_ratio,
)
"""The stop-word ratio as the paper has it: not normalised by language."""

CANONICAL_NAMES = tuple(feature.name for feature in CANONICAL)
