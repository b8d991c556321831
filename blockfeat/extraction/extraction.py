"""``Extraction``: the main text of a page with its evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import blockfeat
from blockfeat.blocks.block import Block
from blockfeat.content.links import clean_characters
from blockfeat.content.nodes import Content
from blockfeat.extraction.analysis import Facts, PageAnalysis
from blockfeat.metadata.metadata import Metadata

if TYPE_CHECKING:
    from blockfeat.content.links import TextLink
    from blockfeat.extraction.reasons.counterfactual import Counterfactual


RECORD_SCHEMA = 1
"""Version of the record that `Extraction.to_dict` returns; ``blockfeat/io/outputs/record.schema.json`` describes it."""
_EMPTY_PAGE = '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n</body>\n</html>\n'


@dataclass(frozen=True)
class Extraction:
    """What was found on a page.

    Attributes
    ----------
    text : str
        The main text, blocks joined by blank lines; empty where the page has none. Line breaks, rows of tables (cells
        parted by tabs) and preformatted lines stay lines.
    lang : str or None
        ISO 639-1 code of the page's language.
    url, id : str or None
        Address and identifier as the caller gave them.
    title : str or None
        Text of the title element.
    headline : str or None
        The heading above the text that is most like the title, whether it is part of ``text`` or not.
    status : str
        ``"ok"``, ``"no content"`` (none of the page's text is main text, or it is an error page, a login, a bot check
        or a consent wall, whose notice is the text), ``"empty"`` (the page has no text) or ``"error"``. What the page
        is says ``kind``.
    warnings : tuple of str
        What was capped or repaired on the way.
    error : str or None
        Why the page could not be read.
    model : str
        Name of the model.
    encoding : str or None
        What the bytes were decoded as.
    blocks : tuple of Block
        Every block with its features, score and reason, made when first asked for.
    kind : str
        What the page is: ``"article"``, ``"other"`` (another page with content, such as a forum, a product),
        ``"front page"``, ``"list"``, ``"consent wall"``, ``"paywall stub"``, ``"login"``, ``"bot check"``,
        ``"error page"``, ``"empty"``, or ``"error"`` where it could not be read. This and the following are made when
        first asked for.
    confidence : float or None
        The word F1 that is to be expected of ``text``, from 0 to 1; None without a text, and for plain text.
    lang_confidence : float or None
        How sure it is that the text is in ``lang``, from 0 to 1.
    roles : tuple of str
        The part of each block: ``"headline"``, ``"lead"``, ``"body"``, ``"caption"``, ``"comment"`` or ``"clutter"``.
    lead, body : str or None
        The standfirst, or else the first paragraph; the kept text beside headline, lead, captions and comments.
    captions, comments : tuple of str
        Captions inside the text, and what readers wrote, whether they are part of ``text`` or not.
    links : tuple of TextLink
        Links of the text with absolute addresses, at most 200.
    fingerprint : str or None
        By which copies of the text are found (`blockfeat.extraction.fingerprint`); None without a text.
    metadata : Metadata
        Title, authors, dates and what else the page says of itself, read when first asked for.
    source : PageAnalysis, callable or None
        The page as it was measured, from which the blocks and the rest are made, or what measures it when first asked
        for; None where only values are known.
    known_blocks, known_facts : tuple of Block, Facts
        The blocks, and what is known of the page, where ``source`` is None.
    """

    text: str
    lang: str | None = None
    url: str | None = None
    id: str | None = None
    title: str | None = None
    headline: str | None = None
    status: str = "ok"
    warnings: tuple[str, ...] = ()
    error: str | None = None
    model: str = ""
    encoding: str | None = None
    source: PageAnalysis | Callable[[], PageAnalysis | None] | None = field(default=None, repr=False, compare=False)
    known_blocks: tuple[Block, ...] = field(default=(), repr=False, compare=False)
    known_facts: Facts = field(default_factory=Facts, repr=False, compare=False)

    @cached_property
    def analysis(self) -> PageAnalysis | None:
        """The page as it was measured; None where only values are known."""
        return self.source() if callable(self.source) else self.source

    @property
    def metadata(self) -> Metadata:
        """What the page says of itself, each value with its source; empty where the extractor leaves it out."""
        return self._metadata or Metadata()

    @property
    def _metadata(self) -> Metadata | None:
        return None if self.analysis is None else self.analysis.metadata

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of the page, in order, with the reason why it was kept or dropped."""
        return self.known_blocks if self.analysis is None else self.analysis.blocks

    def what_would_change(self, block: int) -> Counterfactual | None:
        """Return the smallest change of features that turns the decision about a block around.

        None where none does, where a rule has decided, or for an extraction without its analysis.
        """
        return None if self.analysis is None else self.analysis.what_would_change(block)

    @property
    def facts(self) -> Facts:
        """What is known of the page beside the text."""
        return self.known_facts if self.analysis is None else self.analysis.facts

    @property
    def kind(self) -> str:
        """What the page is."""
        return (self.analysis or self.known_facts).kind

    @property
    def confidence(self) -> float | None:
        """The word F1 that is to be expected of the text."""
        return self.facts.confidence

    @property
    def lang_confidence(self) -> float | None:
        """How sure it is that the text is in the page's language."""
        return self.facts.lang_confidence

    @property
    def roles(self) -> tuple[str, ...]:
        """The part of each block."""
        return (self.analysis or self.known_facts).roles or tuple(
            "body" if block.kept else "clutter" for block in self.blocks
        )

    @property
    def lead(self) -> str | None:
        """The standfirst, or else the first paragraph."""
        return self.facts.lead

    @property
    def body(self) -> str | None:
        """The kept text beside headline, lead, captions and comments."""
        return self.facts.body

    @property
    def captions(self) -> tuple[str, ...]:
        """Captions inside the text."""
        return self.facts.captions

    @property
    def comments(self) -> tuple[str, ...]:
        """What readers wrote."""
        return self.facts.comments

    @property
    def links(self) -> tuple[TextLink, ...]:
        """Links of the text."""
        return self.facts.links

    @cached_property
    def fingerprint(self) -> str | None:
        """By which copies of the text are found."""
        from blockfeat.extraction.fingerprint import fingerprint

        return fingerprint(self.text)

    def content(self, *, images: bool = False) -> Content:
        """Return the main text as a tree of headings, paragraphs, lists, tables …; with its images or without."""
        nodes = () if self.analysis is None else self.analysis.nodes(images=images)
        return Content(nodes, self.title, self.lang, self.url, self.id, self.model)

    def to_text(self) -> str:
        """Return the main text free of control characters."""
        return clean_characters(self.text)

    def to_markdown(self, *, links: bool = False, images: bool = False) -> str:
        """Return the main text as Markdown: CommonMark, and pipe tables for tables.

        Parameters
        ----------
        links, images : bool
            Write links and images, with absolute addresses as far as the page's own is known.
        """
        # Imported here as in the other formats: most extractions are asked for their text alone.
        from blockfeat.content.markdown import to_markdown

        return to_markdown(self.content(images=images), links=links)

    def to_html(self, *, images: bool = False) -> str:
        """Return the main text as a small, complete HTML document, sanitised; links are absolute, images on request."""
        from blockfeat.content.html import to_html

        return to_html(self.content(images=images))

    def to_page(self, *, absolute: bool = True, styles: bool = True) -> str:
        """Return the page itself with everything but the kept blocks taken out, sanitised.

        Parameters
        ----------
        absolute : bool
            Make addresses absolute as far as the page's own is known; otherwise they stay as they are written.
        styles : bool
            Keep the page's style elements and the links to its style sheets.
        """
        return _EMPTY_PAGE if self.analysis is None else self.analysis.markup(absolute=absolute, styles=styles)

    def to_xml(self, *, images: bool = False) -> str:
        """Return the main text as a TEI P5 document; images on request."""
        from blockfeat.content.tei import to_xml

        return to_xml(self.content(images=images))

    def to_dict(self, *, evidence: bool = False) -> dict[str, Any]:
        """Return the page's record as plain values that JSON can hold (docs/record.md).

        With ``evidence``, the record has the blocks too, each with its role.
        """
        document: dict[str, Any] = {
            "schema": RECORD_SCHEMA,
            "id": self.id,
            "url": self.url,
            "status": self.status,
            "kind": self.kind,
            "lang": self.lang,
            "lang_confidence": self.lang_confidence,
            "title": self.title,
            "headline": self.headline,
            "lead": self.lead,
            "body": self.body,
            "captions": list(self.captions),
            "comments": list(self.comments),
            "text": self.text,
            "confidence": self.confidence,
            "metadata": None if self._metadata is None else self._metadata.to_dict(),
            "links": [{"text": link.text, "url": link.url} for link in self.links],
            "fingerprint": self.fingerprint,
            "warnings": list(self.warnings),
            "error": self.error,
            "model": self.model,
            "version": blockfeat.__version__,
        }
        if evidence:
            both = zip(self.blocks, self.roles, strict=True)
            document["blocks"] = [{**block.to_dict(), "role": role} for block, role in both]
        return document

    def without_evidence(self) -> Extraction:
        """Return it without its analysis, to be sent to another process: `blocks` and the like are empty there."""
        return replace(self, source=None)
