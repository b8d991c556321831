"""What a model suggests for the blocks of a page, and how sure it is of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.blocks.table import Blocks
from blockfeat.content.plain import plain_text
from blockfeat.content.tables import data_tables
from blockfeat.data.block_roles import cut_digest
from blockfeat.extraction.chances import content_logits
from blockfeat.extraction.explain import Evidence
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.features.catalogue import features_named
from blockfeat.features.matrix import feature_matrix
from blockfeat.features.measuring import MeasuredPage
from blockfeat.features.schema import Measured
from blockfeat.metadata.dates import find_span
from blockfeat.web.labelling.shelf import ShelvedPage

_LONGEST_BYLINE = 25
_AROUND = 4
_MOST_ODDS = 30.0


@dataclass(frozen=True)
class Suggestion:
    """What a model says of a page.

    Attributes
    ----------
    roles : tuple of str, n
        A role for each block.
    chances : tuple of float, n
        Probability, by the model's scores, that the block is content, from 0 to 1.
    confidence : float
        Word F1 that is to be expected of the model's text, 0 to 1; 0 where it finds none.
    """

    roles: tuple[str, ...]
    chances: tuple[float, ...]
    confidence: float


@dataclass(frozen=True)
class CutPage:
    """A page with its blocks as the labeller sees them.

    Attributes
    ----------
    page : ShelvedPage
        The page.
    extraction : Extraction
        What the model made of it.
    blocks : Blocks
        Its n blocks.
    cut : str
        Digest of their texts.
    suggestion : Suggestion
        What the model suggests for them.
    """

    page: ShelvedPage
    extraction: Extraction
    blocks: Blocks
    cut: str
    suggestion: Suggestion


@dataclass(frozen=True)
class Suggester:
    """Cuts pages and suggests the roles of their blocks, by one model.

    Attributes
    ----------
    extractor : Extractor
        With the model.
    """

    extractor: Extractor

    @property
    def table(self) -> str:
        """Name of the tag table that cuts pages."""
        return self.extractor.model.table.name

    def __call__(self, page: ShelvedPage) -> CutPage:
        """Cut a page and suggest roles.

        Raises
        ------
        BlockfeatError
            The page cannot be taken.
        """
        extraction = self.extractor.extract(page.html, url=page.url, lang=page.lang)
        evidence = extraction.evidence
        if not isinstance(evidence, Evidence):
            raise TypeError("the extraction was made in another process: its blocks are not here")
        measured, blocks = evidence.measured, evidence.measured.blocks
        kept, scores = evidence.prediction.kept, evidence.prediction.scores
        sizes = np.maximum(blocks.measures.words, 1)
        logits = content_logits(self.extractor.model.kind, scores, sizes)
        chances = probabilities(logits, limit=_MOST_ODDS)
        confidence = extraction.confidence if kept.any() else 0.0
        suggestion = Suggestion(
            roles=_roles(extraction, measured, kept),
            chances=tuple(chances.tolist()),
            confidence=sureness(chances, sizes) if confidence is None else confidence,
        )
        return CutPage(page, extraction, blocks, cut_digest(blocks), suggestion)


def text_of_roles(blocks: Blocks, roles: tuple[str | None, ...]) -> str:
    """Return the text of the blocks that are content, as an extraction of them would be."""
    is_content = np.array([role == "content" for role in roles], dtype=np.bool_)
    return plain_text(blocks, is_content, data_tables(blocks, is_content)) if is_content.any() else ""


def _roles(extraction: Extraction, measured: MeasuredPage, kept: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the role of each block: by the model, headline, byline and caption by their markup."""
    named = np.array(["content" if is_kept else "clutter" for is_kept in kept.tolist()], dtype=object)
    parts = np.array(extraction.roles, dtype=object)
    named[parts == "caption"] = "caption"
    named[_bylines(extraction, measured, kept)] = "byline"
    named[parts == "headline"] = "headline"
    return tuple(named.tolist())


def _bylines(extraction: Extraction, measured: MeasuredPage, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the short blocks that name author or date.

    By their markup, from the headline to the end of the text; around the headline, where the model drops them, also by
    a date or the name of an author in their text.
    """
    blocks = measured.blocks
    found = np.zeros(len(blocks), dtype=np.bool_)
    if not kept.any():
        return found
    features = features_named(("around_byline", "terminal"))
    named, terminal = feature_matrix(features, Measured(blocks, measured.stop_words)).T
    is_short = (blocks.measures.words <= _LONGEST_BYLINE) & (terminal == 0)
    start, end = int(kept.argmax()), int(kept.size - kept[::-1].argmax())
    headline = extraction.roles.index("headline") if "headline" in extraction.roles else start
    first = min(headline, start)
    found[first:end] = (is_short & (named > 0))[first:end]
    authors = [author for author in extraction.metadata.authors if author]
    for block in range(max(headline - _AROUND, 0), min(max(headline, start) + _AROUND, end)):
        if is_short[block] and not kept[block]:
            text = blocks.text(block)
            found[block] |= find_span(text) is not None or any(author in text for author in authors)
    return found


def sureness(chances: NDArray[np.float64], sizes: NDArray[np.integer[Any]]) -> float:
    """Return 1 less the mean entropy, in bits, of the labels of the words; for models without a calibration.

    Parameters
    ----------
    chances : float array, n
        Probability that each block is content.
    sizes : int array, n
        Words of each block.
    """
    odds = np.clip(chances, 1e-12, 1 - 1e-12)
    entropy = -(odds * np.log2(odds) + (1 - odds) * np.log2(1 - odds))
    return float(1 - np.average(entropy, weights=sizes)) if chances.size else 0.0
