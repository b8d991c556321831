"""What a run writes of a document: extracted and rendered, in any process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.io.outputs import FORMATS, to_html, to_json_line, to_markdown, to_page, to_xml
from blockfeat.io.outputs.columns import plain_record
from blockfeat.page.document import Document


@dataclass(frozen=True, slots=True)
class Rendered:
    """One document's output: identifier, what to write (a text, or a record for a table), error, address, status."""

    id: str
    text: str
    error: str | None
    url: str | None = None
    status: str = "ok"
    record: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Renderer:
    """Extracts a document and renders it, in any process.

    Attributes
    ----------
    extractor : Extractor
        The extractor.
    format : str
        A key of `blockfeat.io.outputs.FORMATS`, or ``"csv"`` or ``"parquet"``: records for a table.
    links, images, evidence : bool
        Whether Markdown holds links; Markdown, HTML and TEI images; JSON the blocks.
    absolute, styles : bool
        Whether the addresses of a page are made absolute; whether it has its styles.
    lang : str or None
        Language of all documents, where it is known.
    """

    extractor: Extractor
    format: str = "text"
    links: bool = False
    evidence: bool = False
    lang: str | None = None
    images: bool = False
    absolute: bool = True
    styles: bool = True

    def __call__(self, document: Document) -> Rendered:
        """Extract and render one document."""
        return self.rendered(document, self.extraction(document))

    def extraction(self, document: Document) -> Extraction:
        """Extract one document."""
        if self.lang is not None:
            document = replace(document, lang=self.lang)
        return self.extractor.extract_document(document)

    def failed(self, document: Document, reason: str) -> Rendered:
        """Render a document whose worker died or passed its deadline."""
        return self.rendered(document, self.extractor.failed(document, reason))

    def rendered(self, document: Document, extraction: Extraction) -> Rendered:
        """Render one extraction."""
        if self.format in ("csv", "parquet"):
            record = plain_record(extraction, evidence=self.evidence)
            return Rendered(document.id, "", extraction.error, status=extraction.status, record=record)
        if self.format == "json":
            text = to_json_line(extraction, evidence=self.evidence) + "\n"
        elif extraction.error is not None:
            text = ""
        elif self.format == "markdown":
            text = to_markdown(extraction, links=self.links, images=self.images)
        elif self.format in ("html", "xml"):
            text = (to_html if self.format == "html" else to_xml)(extraction, images=self.images)
        elif self.format == "page":
            text = to_page(extraction, absolute=self.absolute, styles=self.styles)
        else:
            text = FORMATS[self.format](extraction)
        return Rendered(document.id, text, extraction.error, document.url, extraction.status)
