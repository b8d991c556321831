"""From a page to its blocks, their features and its language: the part that training and extraction share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.table import Blocks
from blockfeat.errors import ModelError
from blockfeat.features.schema import Feature, Measured, feature_matrix
from blockfeat.features.stopwords import StopWordRatios, stop_word_ratios
from blockfeat.lang.codes import normalise_code
from blockfeat.lang.identify import Identifier
from blockfeat.lang.index import StopWordIndex
from blockfeat.lang.measures import FastSegmenter, Segmenter
from blockfeat.page.page import Page

__all__ = ["STOP_WORD_SCOPES", "MeasuredPage", "Measurer"]

STOP_WORD_SCOPES = ("page", "block")
_PROSE_WORDS = 12
_SAMPLE_WORDS = 600


@dataclass(frozen=True)
class MeasuredPage:
    """A page's blocks, its features (float array, n × k), its language and the stop-word ratios."""

    blocks: Blocks
    matrix: NDArray[np.float64]
    lang: str | None
    stop_words: StopWordRatios


@dataclass(frozen=True)
class Measurer:
    """Cuts and measures pages in one way; a model records that way.

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
        asked for, as in the paper.
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

    @property
    def index(self) -> StopWordIndex:
        """The stop lists."""
        return self.identifier.index

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
        rows = self.index.rows_of_keys(blocks.measures.token_keys)
        lang = normalise_code(lang) or self._identify(page, blocks, rows)
        ratios = stop_word_ratios(blocks, self.index, self._asked(lang), rows=rows)
        matrix = feature_matrix(self.features, Measured(blocks, ratios))
        return MeasuredPage(blocks, matrix, lang, ratios)

    def _asked(self, lang: str | None) -> tuple[str, ...]:
        """Languages whose stop lists are counted on a page of this language."""
        asked = tuple(code for code in self.languages if code in self.index.languages) or self.index.languages
        if self.stop_word_scope == "page" and lang in self.index.languages:
            return (str(lang),)
        return asked

    def _identify(self, page: Page, blocks: Blocks, rows: NDArray[np.int32]) -> str | None:
        """Identify the page's language by its longer blocks, or by all text where there are none."""
        if len(blocks) == 0:
            return normalise_code(page.declared_lang)
        measures = blocks.measures
        prose = (measures.words >= _PROSE_WORDS) & (2 * measures.anchor_words <= measures.words)
        if not prose.any():
            prose = measures.words > 0
        chosen = prose.nonzero()[0]
        chosen = chosen[measures.words[chosen].cumsum() - measures.words[chosen] < _SAMPLE_WORDS]
        keep = np.zeros(len(blocks), dtype=bool)
        keep[chosen] = True
        rows = rows[keep[measures.token_block]]
        declared = page.declared_lang
        prior = normalise_code(declared)
        if prior and (not self.languages or prior in self.languages) and self.identifier.confirms(prior, rows):
            return prior
        text = "\n".join(blocks.raw_text(index) for index in chosen.tolist())
        if self.languages:
            asked = self.identifier.identify(text, declared=declared, candidates=self.languages, rows=rows).lang
            if asked is not None:
                return asked
        return self.identifier.identify(text, declared=declared, rows=rows).lang
