"""``PageAnalysis``: a measured page, and what an extraction reports of it beside the text, computed on demand.

Most callers read the text alone: modules that only other parts need are imported where those parts are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.block import Block
from blockfeat.blocks.table import kinds_of_blocks
from blockfeat.content.nodes import Node
from blockfeat.extraction.postprocess import Choice
from blockfeat.extraction.walls import PageEvidence
from blockfeat.features.measuring import PageFeatures
from blockfeat.lang.identify import Identifier
from blockfeat.metadata.metadata import Metadata
from blockfeat.models.model import BlockReason, Model, Prediction

if TYPE_CHECKING:
    from blockfeat.content.links import TextLink
    from blockfeat.extraction.block_classes import BoxNames
    from blockfeat.extraction.reasons import Counterfactual, Fact


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a page and its text.

    Attributes
    ----------
    kind : str
        What the page is, one of `blockfeat.extraction.page_kind.KINDS`.
    confidence : float or None
        Expected word F1 of the text; None for plain text, all of which is kept whatever the model says.
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


@dataclass(frozen=True, eq=False)
class PageAnalysis:
    """One page as it was measured and predicted.

    Attributes
    ----------
    measured : PageFeatures
        The page's blocks and their features.
    prediction : Prediction
        Scores, and the blocks that are kept at last.
    model : Model
        What labelled the blocks.
    identifier : Identifier
        Language identification.
    evidence : PageEvidence
        Evidence for the kind of the page.
    choice : Choice
        The labels after rules and options, with the reasons; the page, the options and the headline.
    """

    measured: PageFeatures
    prediction: Prediction
    model: Model
    identifier: Identifier
    evidence: PageEvidence
    choice: Choice

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of the page, in order, with the reason why it was kept or dropped."""
        from blockfeat.extraction.reasons import facts_of

        blocks = self.measured.blocks
        kept = self.prediction.kept.tolist()
        reasons = self.model.explain(self.measured, self.prediction)
        parts = self.parts
        facts = facts_of(self.measured, self.prediction.kept, self._boxes, parts)
        columns = zip(
            blocks.texts(),
            blocks.measures.words.tolist(),
            blocks.xpaths(),
            kinds_of_blocks(blocks),
            blocks.links(),
            self.prediction.scores.tolist(),
            reasons,
            strict=True,
        )
        made = []
        for index, (text, words, xpath, (kind, level, ordered), links, score, reason) in enumerate(columns):
            is_preformatted = kind == "preformatted"
            made.append(
                Block(
                    index=index,
                    text=blocks.preformatted_text(index) if is_preformatted else text,
                    words=words,
                    xpath=xpath,
                    kind=kind,
                    level=level,
                    ordered=ordered,
                    links=() if is_preformatted else links,
                    kept=kept[index],
                    score=score,
                    features=reason.features,
                    contributions=reason.contributions,
                    failed=reason.failed,
                    reason=self.choice.rule_reasons.get(index)
                    or self._reason(reason, parts[index], facts[index], kept=kept[index]),
                    part=parts[index],
                    facts=() if index in self.choice.rule_reasons else facts[index],
                )
            )
        return tuple(made)

    def _reason(self, said: BlockReason, part: str, facts: tuple[Fact, ...], *, kept: bool) -> str:
        """Return a model's own reason, with the class where thresholds failed, else the facts; these alone without."""
        from blockfeat.extraction.reasons import reason, said_facts, with_part

        lang = self.choice.options.lang_ui
        if not said.reason or lang != "en":
            return reason(part, facts, kept=kept, lang=lang)
        if said.failed:
            return said.reason if kept else with_part(part, said.reason)
        return "; ".join(filter(None, (said.reason, said_facts(facts))))

    @property
    def kind(self) -> str:
        """What the page is."""
        return self._kind_and_probabilities[0]

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The part of each block."""
        from blockfeat.extraction.parts import block_roles

        return block_roles(self.measured.blocks, self.prediction.kept, self.choice.headline)

    def what_would_change(self, block: int) -> Counterfactual | None:
        """Return what would turn the decision about a block around; None where little would, or a rule decides."""
        from blockfeat.extraction.reasons import what_would_change

        predicted = self.model.predict(self.measured)
        if block in self.choice.rule_reasons or predicted.kept[block] != self.prediction.kept[block]:
            return None
        return what_would_change(self.model, self.measured, predicted, block)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """What each block is: its role, or the class of what is dropped."""
        from blockfeat.extraction.block_classes import classes_of

        return classes_of(self.measured.blocks, self.prediction.kept, self._boxes, self.roles)

    @cached_property
    def _boxes(self) -> BoxNames:
        from blockfeat.extraction.block_classes import BoxNames

        return BoxNames(self.measured.blocks)

    @cached_property
    def _kind_and_probabilities(self) -> tuple[str, NDArray[np.float64]]:
        from blockfeat.extraction.page_kind import page_kind

        kind, probabilities = page_kind(self.evidence)
        return "list" if self.choice.is_list and kind == "other" else kind, probabilities

    @cached_property
    def facts(self) -> Facts:
        """What is known of the page beside the text; linear in the page."""
        from blockfeat.content.links import Base, links_of_text
        from blockfeat.content.plain import data_tables, plain_text
        from blockfeat.extraction.page_kind import confidence_measures, expected_f1

        blocks, kept, roles = self.measured.blocks, self.prediction.kept, self.roles
        page, model_kind, normalise = self.choice.page, self.model.kind, self.choice.options.normalise
        kind, probabilities = self._kind_and_probabilities
        measures = confidence_measures(model_kind, self.prediction.scores, kept, blocks.measures.words, probabilities)

        def text(role: str) -> str:
            chosen = np.array([found == role for found in roles], dtype=np.bool_)
            return plain_text(blocks, chosen, data_tables(blocks, chosen), normalise=normalise)

        return Facts(
            kind=kind,
            confidence=expected_f1(model_kind, measures, is_list=self.choice.is_list) if page.has_markup else None,
            lang_confidence=self._lang_confidence(),
            roles=roles,
            lead=text("lead") or None,
            body=text("body") or None,
            captions=tuple(filter(None, text("caption").split("\n\n"))),
            comments=tuple(filter(None, text("comment").split("\n\n"))),
            links=links_of_text(blocks, kept, Base.of(blocks.tags, page.url)) if len(blocks) else (),
        )

    def _lang_confidence(self) -> float | None:
        """Return how sure it is that the text that is kept, or else all of it, is in the page's language."""
        blocks, lang = self.measured.blocks, self.measured.lang
        if lang is None or not len(blocks):
            return None
        kept = self.prediction.kept if self.prediction.kept.any() else np.ones(len(blocks), dtype=np.bool_)
        measures = blocks.measures
        masks = self.identifier.index.masks_of(measures.token_keys[kept[measures.token_block]])
        text = "\n".join(blocks.texts(kept.nonzero()[0].tolist()))
        guess = self.identifier.identify(text, declared=lang, masks=masks)
        return round(guess.confidence if guess.lang == lang else 1 - max(guess.confidence, 0.5), 3)

    @cached_property
    def metadata(self) -> Metadata | None:
        """What the page says of itself; None where the options leave it out."""
        if not self.choice.options.metadata:
            return None
        # Its patterns take some ten milliseconds to compile.
        from blockfeat.metadata.read import read_metadata

        return read_metadata(self.choice.page, self.measured.blocks, self.prediction.kept, self.choice.headline)

    def nodes(self, *, links: bool, images: bool) -> tuple[Node, ...]:
        """Return the kept blocks as nodes, with the titles of the article; with links and images or without."""
        from blockfeat.content.build import nodes_of
        from blockfeat.content.inline import Inlines
        from blockfeat.extraction.parts import article_titles

        blocks, kept = self.measured.blocks, self.prediction.kept.copy()
        kept[article_titles(blocks, kept, self.choice.headline)] = True
        url, normalise = self.choice.page.url, self.choice.options.normalise
        inlines = Inlines.of(blocks, kept, url=url, normalise=normalise, links=links, images=images)
        return nodes_of(blocks, kept, inlines)

    def markup(self, *, absolute: bool, styles: bool) -> str:
        """Return the page with all but its kept blocks taken out, with absolute addresses or not, styles or not."""
        from blockfeat.content.kept_page import KeptPage

        blocks, kept = self.measured.blocks, self.prediction.kept
        return KeptPage(blocks, kept, self.choice.page.url, self.evidence.title, self.choice.page.data).written(
            absolute=absolute, styles=styles
        )
