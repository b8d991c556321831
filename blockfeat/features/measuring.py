"""The measuring stage: from a page to its blocks, their features and its language, for training and extraction."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import TagTable
from blockfeat.errors import ModelError
from blockfeat.features.context import feature_matrix
from blockfeat.features.schema import Feature, Measured
from blockfeat.lang.identify import Identifier
from blockfeat.lang.index import StopWordRatios
from blockfeat.lang.measures import FastSegmenter, Segmenter
from blockfeat.lang.spacy_segmenter import segmenter_for
from blockfeat.page.page import Page

STOP_WORD_SCOPES = ("page", "block", "ziegler2007")

PAPER_LANGUAGES = ("da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ru", "sv")
"""Fourteen European languages: the paper counts stop words of as many and names five of them."""


@dataclass(frozen=True, eq=False)
class MeasuredPage:
    """A page as a model reads it.

    Attributes
    ----------
    blocks : Blocks
        The page's n blocks.
    matrix : float array, n × k
        The features that the model asks for, in its order.
    lang : str or None
        ISO 639-1 code of the page's language.
    stop_words : StopWordRatios
        Stop-word ratios of the blocks.
    """

    blocks: Blocks
    matrix: NDArray[np.floating[Any]]
    lang: str | None
    stop_words: StopWordRatios


class MeasuringOptions(Protocol):
    """What a model records of the way its pages are measured; see `Measurer`."""

    @property
    def table(self) -> TagTable:
        """Tag table that cuts pages."""
        ...

    @property
    def features(self) -> tuple[Feature, ...]:
        """Features of the blocks."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model was trained on; empty for any."""
        ...

    @property
    def stop_word_scope(self) -> str:
        """How stop words are counted, one of `STOP_WORD_SCOPES`."""
        ...

    @property
    def segmenter(self) -> str:
        """How words and sentences are cut."""
        ...


@dataclass(frozen=True)
class Measurer:
    """Cuts pages and computes features in one way; a model records that way.

    Attributes
    ----------
    cutter : Cutter
        How pages are cut: a tag table made ready.
    features : tuple of Feature
        What is measured.
    identifier : Identifier
        Language identification, over the stop lists of ``index``.
    languages : tuple of str
        Languages asked for, which a page is taken to be in unless it clearly is in none of them; empty for any.
    stop_word_scope : str
        ``"page"``: stop words of the page's language; ``"block"``: for each block the argmax over the languages
        asked for; ``"ziegler2007"``: for each block the argmax over 14 languages, as in the paper.
    segmenter : Segmenter
        Counts words and sentences.
    """

    cutter: Cutter
    features: tuple[Feature, ...]
    identifier: Identifier
    languages: tuple[str, ...] = ()
    stop_word_scope: str = "page"
    segmenter: Segmenter = field(default_factory=FastSegmenter)

    def __post_init__(self) -> None:
        """Check the values."""
        if self.stop_word_scope not in STOP_WORD_SCOPES:
            known = ", ".join(STOP_WORD_SCOPES)
            raise ModelError(f"unknown scope of stop words {self.stop_word_scope!r}; known are {known}")

    @classmethod
    def of(cls, how: MeasuringOptions, identifier: Identifier) -> Measurer:
        """Make the measurer that a model records."""
        only = how.languages[0] if len(how.languages) == 1 else None
        return cls(
            cutter=Cutter.of(how.table),
            features=how.features,
            identifier=identifier,
            languages=how.languages,
            stop_word_scope=how.stop_word_scope,
            segmenter=segmenter_for(how.segmenter, only),
        )

    @cached_property
    def stop_lists(self) -> tuple[str, ...]:
        """Languages whose stop lists are counted on a page that has none of its own, or where each block has one."""
        known = self.identifier.index.languages
        wanted = PAPER_LANGUAGES if self.stop_word_scope == "ziegler2007" else self.languages
        return tuple(code for code in wanted if code in known) or known

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredPage:
        """Cut a page and measure its blocks.

        Parameters
        ----------
        page : Page
            The page.
        lang : str, optional
            The page's language where the caller knows it; identified otherwise.
        """
        blocks = self.cutter.cut(page, self.segmenter)
        language = self.identifier.page_language(
            blocks.measures,
            blocks.block_starts,
            lang=lang,
            declared=page.declared_lang,
            languages=self.languages,
            stop_lists=self.stop_lists,
            page_wide=self.stop_word_scope == "page",
        )
        matrix = feature_matrix(self.features, Measured(blocks, language.stop_words))
        return MeasuredPage(blocks, matrix, language.lang, language.stop_words)
