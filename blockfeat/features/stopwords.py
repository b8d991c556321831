"""Stop-word ratio of every block, by language and normalised (Ziegler & Skubacz 2007, 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.lang.characters import code_points
from blockfeat.lang.measures import lower
from blockfeat.lang.stopwords import StopWordIndex, density

PAPER_LANGUAGES = ("da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ru", "sv")
"""Fourteen European languages: the paper counts stop words of as many and names five of them."""


@dataclass(frozen=True)
class StopWordRatios:
    """Stop-word ratios of the blocks of a page.

    Attributes
    ----------
    languages : tuple of str
        The languages whose lists were asked for.
    language : int array, n
        For each block the position in ``languages`` of the argmax.
    ratio : float array, n
        Stop words of that language by words, 0 to 1.
    normalised : float array, n
        The ratio over the density of running prose of that language; about 1 for prose.
    """

    languages: tuple[str, ...]
    language: NDArray[np.intp]
    ratio: NDArray[np.float64]
    normalised: NDArray[np.float64]


def stop_word_ratios(
    blocks: Blocks,
    index: StopWordIndex,
    languages: tuple[str, ...] | None = None,
    *,
    rows: NDArray[np.int32] | None = None,
) -> StopWordRatios:
    """Count the stop words of every block in some languages of an index and take the argmax of the ratios.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    index : StopWordIndex
        The stop lists.
    languages : tuple of str, optional
        The languages asked for; all of the index by default. With one there is no choice to make: the page's
        language decides for all of its blocks.
    rows : int array, optional
        ``index.rows_of_keys`` of the page's words, where the caller has it.
    """
    asked = index.languages if languages is None else languages
    rows = index.rows_of_keys(blocks.measures.token_keys) if rows is None else rows
    words = np.maximum(blocks.measures.words, 1)
    columns = np.array([index.languages.index(lang) for lang in asked], dtype=np.int64)
    counts = _counts(blocks, index, columns, rows)
    if len(asked) == 1:
        ratio = counts[:, 0] / words
        return StopWordRatios(asked, np.zeros(len(blocks), dtype=np.intp), ratio, ratio / density(asked[0]))
    densities = np.array([density(lang) for lang in asked])
    ratios = counts / words[:, None]
    best = ratios.argmax(axis=1) if len(blocks) else np.zeros(0, dtype=np.intp)
    ratio = ratios[np.arange(len(blocks)), best]
    return StopWordRatios(asked, best, ratio, ratio / densities[best])


def _counts(
    blocks: Blocks, index: StopWordIndex, columns: NDArray[np.int64], rows: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Stop words by block and language, n × languages."""
    measures = blocks.measures
    counts = index.counts_by_block(rows, measures.words, columns)
    if measures.unspaced_words.any():
        _count_covered(blocks, index, columns, counts)
    return counts


def _count_covered(blocks: Blocks, index: StopWordIndex, columns: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Add the characters that entries of unspaced languages cover; a character is a word there."""
    unspaced = [
        (place, column)
        for place, column in enumerate(columns.tolist())
        if any(keys.size for keys in index.sequences[column])
    ]
    if not unspaced:
        return
    codes = code_points(lower(blocks.page_text.text))
    starts = np.concatenate(([0], blocks.page_text.block_ends[:-1]))
    for place, column in unspaced:
        covered = index.cover(codes, column).astype(np.int64)
        counts[:, place] += np.add.reduceat(covered, starts)
    np.minimum(counts, np.maximum(blocks.measures.words, 1)[:, None], out=counts)
