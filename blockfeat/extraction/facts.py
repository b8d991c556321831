"""What an extraction says of its page beside the text: kind, parts, links, confidence, made when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blockfeat.features.measuring import MeasuredPage
from blockfeat.lang.identify import Identifier
from blockfeat.models.model import Prediction

if TYPE_CHECKING:
    from blockfeat.extraction.links import TextLink


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a page and its text.

    Attributes
    ----------
    kind : str
        What the page is, one of `blockfeat.extraction.page_kind.KINDS`.
    confidence : float or None
        Word F1 to be expected of the text.
    lang_confidence : float or None
        How sure it is that the text is in the page's language, from 0 to 1.
    roles : tuple of str
        The part of each block, of `blockfeat.extraction.parts.ROLES`.
    lead, body : str or None
        The standfirst; the kept text that is neither headline, lead, caption nor comment.
    captions, comments : tuple of str
        Captions inside the text, and what readers wrote, kept or not.
    links : tuple of TextLink
        Links of the text.
    """

    kind: str = "error"
    confidence: float | None = None
    lang_confidence: float | None = None
    roles: tuple[str, ...] = ()
    lead: str | None = None
    body: str | None = None
    captions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    links: tuple[TextLink, ...] = ()


@dataclass(frozen=True)
class FactFinder:
    """Finds the facts of one page.

    Attributes
    ----------
    measured : MeasuredPage
        The page.
    prediction : Prediction
        Scores, and the blocks that are kept.
    model_kind : str
        Kind of the model.
    headline : int or None
        The block that is the headline.
    title, url : str or None
        Title and address of the page.
    identifier : Identifier
        Language identification.
    normalise : bool
        Whether texts are brought into a normal form.
    linked_data : tuple of bytes
        JSON-LD scripts of the page, which may say that its text is for subscribers.
    """

    measured: MeasuredPage
    prediction: Prediction
    model_kind: str
    headline: int | None
    title: str | None
    url: str | None
    identifier: Identifier
    normalise: bool = True
    linked_data: tuple[bytes, ...] = ()

    def __call__(self) -> Facts:
        """Return the facts; linear in the page."""
        # Imported here, for most extractions are asked for their text alone.
        from blockfeat.content.links import Base
        from blockfeat.content.plain import plain_text
        from blockfeat.content.tables import data_tables
        from blockfeat.extraction.confidence import confidence_measures, expected_f1
        from blockfeat.extraction.links import links_of_text
        from blockfeat.extraction.page_kind import PageEvidence, page_kind
        from blockfeat.extraction.parts import block_roles
        from blockfeat.page.json_ld import declared_free

        blocks, kept, scores = self.measured.blocks, self.prediction.kept, self.prediction.scores
        is_free = declared_free(self.linked_data)
        kind, chances = page_kind(PageEvidence(blocks, kept, scores, self.title, self.url, is_free))
        roles = block_roles(blocks, kept, self.headline)
        measures = confidence_measures(self.model_kind, scores, kept, blocks.measures.words, chances)

        def text(role: str) -> str:
            chosen = np.array([found == role for found in roles], dtype=np.bool_)
            return plain_text(blocks, chosen, data_tables(blocks, chosen), normalise=self.normalise)

        return Facts(
            kind=kind,
            confidence=expected_f1(self.model_kind, measures),
            lang_confidence=self._lang_confidence(),
            roles=roles,
            lead=text("lead") or None,
            body=text("body") or None,
            captions=tuple(filter(None, text("caption").split("\n\n"))),
            comments=tuple(filter(None, text("comment").split("\n\n"))),
            links=links_of_text(blocks, kept, Base.of(blocks.tags, self.url)) if len(blocks) else (),
        )

    def _lang_confidence(self) -> float | None:
        """Return how sure it is that the text that is kept, or else all of it, is in the page's language."""
        blocks, lang = self.measured.blocks, self.measured.lang
        if lang is None or not len(blocks):
            return None
        kept = self.prediction.kept if self.prediction.kept.any() else np.ones(len(blocks), dtype=np.bool_)
        measures = blocks.measures
        rows = self.identifier.index.rows_of_keys(measures.token_keys[kept[measures.token_block]])
        text = "\n".join(blocks.texts(kept.nonzero()[0].tolist()))
        guess = self.identifier.identify(text, declared=lang, rows=rows)
        return round(guess.confidence if guess.lang == lang else 1 - max(guess.confidence, 0.5), 3)
