"""Integrations with pandas, Spark, datatrove and LangChain, and the reading of pages that the last two share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import blockfeat
from blockfeat.extraction import Extraction, PageWork
from blockfeat.io.outputs import Rendered, written
from blockfeat.page import Document


def described(extraction: Extraction) -> dict[str, Any]:
    """Return metadata of a page for filtering and deduplicating a corpus; missing values are left out.

    ``url``; ``language`` and ``language_score``; ``status`` and ``kind`` (docs/status.md); ``confidence``, the expected
    word F1 of the text, from 0 to 1; ``fingerprint``, a MinHash signature, mostly equal for near-duplicate texts;
    ``title``, ``published``, ``site`` and ``authors``; ``model`` and ``version``.
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


@dataclass(frozen=True)
class Describer(PageWork[Rendered]):
    """Extracts the text of a document, with the values of `described` as record; both only for status ``"ok"``.

    Attributes
    ----------
    extractor : Extractor
        The extractor.
    format : str
        A key of `blockfeat.io.outputs.FORMATS`.
    """

    format: str = "text"

    def result(self, document: Document, extraction: Extraction) -> Rendered:
        """Return the text of an extraction, with the values of `described` as record."""
        if extraction.status != "ok":
            return Rendered(document.id, "", extraction.error, document.url, extraction.status)
        text = written(extraction, self.format)
        return Rendered(document.id, text, None, document.url, "ok", described(extraction))
