"""A page's text, and what is said of it beside the text, as plain values for other tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import blockfeat
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.document import Document

_FIRST = Document(id="", data="<p>The ferry leaves at nine and returns before dark.")


def described(extraction: Extraction) -> dict[str, Any]:
    """Return the values by which a corpus is filtered and deduplicated; those that are missing are left out.

    ``url``; ``language`` and ``language_score``; ``status`` and ``kind`` (docs/status.md); ``confidence``, the word F1
    to be expected of the text, from 0 to 1; ``fingerprint``, a MinHash signature that copies of a text share for the
    most part; ``title``, ``published``, ``site`` and ``authors``; ``model`` and ``version``.
    """
    page = extraction.metadata.to_dict()
    values = {
        "url": extraction.url,
        "language": extraction.lang,
        "language_score": extraction.lang_confidence,
        "status": extraction.status,
        "kind": extraction.kind,
        "confidence": extraction.confidence,
        "fingerprint": extraction.fingerprint,
        "title": page.get("title") or extraction.title,
        **{name: page.get(name) for name in ("published", "site", "authors")},
        "model": extraction.model,
        "version": blockfeat.__version__,
    }
    return {name: value for name, value in values.items() if value not in (None, [], "")}


@dataclass(frozen=True, slots=True)
class DescribedText:
    """The text of a page with its values, or why there is none."""

    text: str
    status: str
    error: str | None = None
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Describer:
    """Extracts a document to a text with its values, in any process.

    Attributes
    ----------
    extractor : Extractor
        The extractor.
    markdown : bool
        Whether the text is Markdown.
    """

    extractor: Extractor
    markdown: bool = False

    def __call__(self, document: Document) -> DescribedText:
        """Extract one document."""
        found = self.extractor.extract_document(document)
        if found.status != "ok":
            return DescribedText("", found.status, found.error)
        text = found.to_markdown() if self.markdown else found.to_text()
        return DescribedText(text, found.status, values=described(found))

    def warmed(self) -> Describer:
        """Extract a page, so that what is loaded on the first one is there for all processes that this one forks."""
        self(_FIRST)
        return self

    def failed(self, document: Document, reason: str) -> DescribedText:
        """Return what stands for a document whose process died or passed its deadline."""
        return DescribedText("", "error", reason)
