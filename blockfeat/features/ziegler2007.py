"""The eight features of Ziegler & Skubacz (2007), 3.3 and 3.4; each a pure function of the blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.schema import Column, Measured, read_features


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


_COMPUTED: tuple[Callable[[Measured], Column], ...] = (
    average_sentence_length,
    sentence_count,
    character_distribution,
    stop_word_ratio,
    anchor_ratio,
    format_tag_ratio,
    list_element_ratio,
    text_structuring_ratio,
    paper_stop_word_ratio,
)
# The last is the stop-word ratio as the paper has it: not normalised by language.
*_EIGHT, PAPER_STOP_WORD_RATIO = read_features("ziegler2007.toml", {each.__name__: each for each in _COMPUTED})

CANONICAL = tuple(_EIGHT)
"""The eight features, in the order of the paper."""

CANONICAL_NAMES = tuple(feature.name for feature in CANONICAL)
"""Their names."""
