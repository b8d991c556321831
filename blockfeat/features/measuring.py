"""The measuring stage: compute the blocks of a page, their features and its language."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from random import getrandbits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.table import Blocks
from blockfeat.errors import ModelError
from blockfeat.features.block_kernel import FeatureRows
from blockfeat.features.context_kernel import PageRows
from blockfeat.features.cues import Cues, bundled_cues
from blockfeat.features.keys import SharedRuns, WordFlags, shared_runs
from blockfeat.features.nesting import Nesting
from blockfeat.features.places import COLUMNS
from blockfeat.features.schema import CANONICAL, PAPER_STOP_WORD_RATIO, Feature, Measured, read_features
from blockfeat.lang.identify import Identifier
from blockfeat.lang.measures import FastTokenizer, Tokenizer, keys_of_text
from blockfeat.lang.stopwords import StopWordRatios
from blockfeat.page.page import DeclaredText, Page

_LONGEST_TITLE = 600
# Of a block at the most, all that is made on the way to its text, and each feature in a matrix.
_BYTES_OF_BLOCK, _BYTES_OF_FEATURE = 500, 8


def title_words(declared: DeclaredText) -> tuple[NDArray[np.uint64], int]:
    """Return the keys of the words of a page's title, then of its descriptions; and how many are of the title."""
    title = declared.title[:_LONGEST_TITLE]
    keys, starts = keys_of_text(f"{title}\n{declared.descriptions}")
    return keys, bisect_left(starts, len(title))  # Of a few words a third of the time that NumPy takes.


def page_rows(measured: Measured, cues: Cues | None = None) -> FeatureRows:
    """Return all features of a page, in the order of `context_features`; linear in the page.

    Parameters
    ----------
    measured : Measured
        The blocks of a page, and their stop-word ratios.
    cues : Cues, optional
        Cues of tags, attributes and words; the bundled ones if not given.
    """
    blocks, cues = measured.blocks, bundled_cues() if cues is None else cues
    if not blocks.columns.size:
        return FeatureRows(np.zeros((0, len(COLUMNS)), dtype=np.float32))
    nesting = Nesting.of(blocks, cues)
    measures, declared, spread = blocks.measures, blocks.declared, getrandbits(64) | 1
    title, in_title = title_words(declared)
    flags = WordFlags.of(measures.token_keys, cues.words, title=title, title_words=in_title, spread=spread)
    body = other = SharedRuns(np.zeros(measures.words.size, dtype=np.int32), 0, 0)
    if declared.scripts:
        body, other = (
            shared_runs(measures.token_keys, measures.words, keys_of_text(text)[0], spread) if text else body
            for text in (declared.body, declared.other)
        )
    return PageRows(blocks, nesting, cues, measured.stop_words.normalised, flags, spread, body, other)


@cache
def context_features() -> tuple[Feature, ...]:
    """Return the eight features of the paper, then the context features as ``context.toml`` lists them."""
    return (*CANONICAL, *read_features("context.toml", {}))


@cache
def context_places() -> Mapping[str, int]:
    """Return the column of each feature in `context_columns`, in order."""
    return {feature.name: place for place, feature in enumerate(context_features())}


def context_columns(
    measured: Measured, *, names: Sequence[str] | None = None, cues: Cues | None = None
) -> NDArray[np.float32]:
    """Return features of a page by name.

    Parameters
    ----------
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.
    names : sequence of str, optional
        Names of features, k of them; all, in the order of `context_features`, if not given.
    cues : Cues, optional
        Cues of tags, attributes and words; the bundled ones if not given.

    Returns
    -------
    float32 array, n × k
        A row for each block. Linear in the page.

    Raises
    ------
    ModelError
        A name is not that of a feature.
    """
    places = context_places()
    if unknown := [name for name in names or () if name not in places]:
        raise ModelError(f"unknown features: {', '.join(unknown)}")
    rows = page_rows(measured, cues).matrix()
    return rows if names is None else rows.take([places[name] for name in names], axis=1)


def feature_matrix(features: Sequence[Feature], measured: Measured) -> NDArray[np.floating[Any]]:
    """Return the features of all blocks of a page.

    Parameters
    ----------
    features : sequence of Feature
        What to compute, k of them; none where nothing is to be measured.
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.

    Returns
    -------
    float array, n × k
        One column per feature, in order: 64 bits where all are functions of single blocks, 32 bits where
        context features, which rest on shared sums, are among them.
    """
    functions = [feature.compute for feature in features]
    if None in functions:
        return context_columns(measured, names=[feature.name for feature in features])
    matrix = np.empty((len(measured.blocks), len(features)), dtype=np.float64)
    for column, compute in enumerate(functions):
        if compute is not None:
            matrix[:, column] = compute(measured)
    return matrix


def registered_features() -> tuple[Feature, ...]:
    """Return every feature: the canonical eight, the paper's own stop-word ratio, and the context features."""
    return (*context_features(), PAPER_STOP_WORD_RATIO)


def features_named(names: Sequence[str], *, where: str = "") -> tuple[Feature, ...]:
    """Return the features of these names, in this order.

    Parameters
    ----------
    names : sequence of str
        Names of features.
    where : str
        What the message of an error begins with.

    Raises
    ------
    ModelError
        A name is not in the registry; the message lists the closest names.
    """
    known = {feature.name: feature for feature in (*CANONICAL, PAPER_STOP_WORD_RATIO)}
    if not known.keys() >= set(names):
        known = {feature.name: feature for feature in registered_features()}
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            prefix, closest = f"{where}: " if where else "", get_close_matches(name, known, cutoff=0.0)
            raise ModelError(f"{prefix}unknown feature {name!r}; the closest names are {', '.join(closest)}")
    return tuple(known[name] for name in names)


STOP_WORD_SCOPES = ("page", "block", "ziegler2007")
"""Scopes of stop words: the page's language, each block's language, or the fourteen languages of the paper."""

PAPER_LANGUAGES = ("da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ru", "sv")
"""Fourteen European languages: the paper counts stop words of as many and names five of them."""


@dataclass(frozen=True, eq=False)
class PageFeatures:
    """The input of a model for one page.

    Attributes
    ----------
    blocks : Blocks
        The page's n blocks.
    rows : FeatureRows or float array, n × k, or callable
        The features of the model, in its order, or what makes them once more.
    lang : str or None
        ISO 639-1 code of the page's language.
    stop_words : StopWordRatios
        Stop-word ratios of the blocks.
    """

    blocks: Blocks
    rows: FeatureRows | NDArray[np.floating[Any]] | Callable[[], FeatureRows]
    lang: str | None
    stop_words: StopWordRatios

    @cached_property
    def matrix(self) -> NDArray[np.floating[Any]]:
        """The features as a matrix, n × k; of a page that is not explained it need not be made."""
        rows = self.rows() if callable(self.rows) else self.rows
        return rows.matrix() if isinstance(rows, FeatureRows) else rows

    def released(self) -> PageFeatures:
        """Return the same without all features, 200 bytes a block: few pages are explained."""
        made = partial(page_rows, Measured(self.blocks, self.stop_words))
        return replace(self, rows=made) if isinstance(self.rows, FeatureRows) else self


@dataclass(frozen=True)
class FeatureExtractor:
    """Cuts pages and computes features in one way; a model records that way.

    Attributes
    ----------
    cutter : Blockifier
        How pages are cut: a tag table made ready.
    features : tuple of Feature
        What is measured.
    identifier : Identifier
        Language identification, over the stop lists of ``index``.
    languages : tuple of str
        Expected languages: a page is taken to be in one of them unless it clearly is in none; empty for any.
    stop_word_scope : str
        ``"page"``: stop words of the page's language; ``"block"``: for each block the argmax over the expected
        languages; ``"ziegler2007"``: for each block the argmax over 14 languages, as in the paper.
    segmenter : Tokenizer
        Counts words and sentences.
    """

    cutter: Blockifier
    features: tuple[Feature, ...]
    identifier: Identifier
    languages: tuple[str, ...] = ()
    stop_word_scope: str = "page"
    segmenter: Tokenizer = field(default_factory=FastTokenizer)

    def __post_init__(self) -> None:
        """Check the values."""
        if self.stop_word_scope not in STOP_WORD_SCOPES:
            known = ", ".join(STOP_WORD_SCOPES)
            raise ModelError(f"unknown scope of stop words {self.stop_word_scope!r}; known are {known}")

    @cached_property
    def stop_lists(self) -> tuple[str, ...]:
        """Languages whose stop lists are counted on a page that has none of its own, or where each block has one."""
        known = self.identifier.index.languages
        wanted = PAPER_LANGUAGES if self.stop_word_scope == "ziegler2007" else self.languages
        return tuple(code for code in wanted if code in known) or known

    def measure(self, page: Page, *, lang: str | None = None) -> PageFeatures:
        """Cut a page and measure its blocks.

        Parameters
        ----------
        page : Page
            The page.
        lang : str, optional
            The page's language where the caller knows it; identified otherwise.

        Raises
        ------
        LimitExceeded
            The features of all blocks would take too much memory; see `blockfeat.page.page.check_memory`.
        """
        has_all = self.features == context_features()
        in_matrix = 0 if has_all else len(self.features)
        blocks = self.cutter.cut(page, self.segmenter, _BYTES_OF_BLOCK + _BYTES_OF_FEATURE * in_matrix)
        language = self.identifier.page_language(
            blocks.measures,
            blocks.block_starts,
            lang=lang,
            declared=page.declared_lang,
            languages=self.languages,
            stop_lists=self.stop_lists,
            page_wide=self.stop_word_scope == "page",
        )
        measured = Measured(blocks, language.stop_words)
        rows = page_rows(measured) if has_all else feature_matrix(self.features, measured)
        return PageFeatures(blocks, rows, language.lang, language.stop_words)
