"""Integrations with pandas, Spark, datatrove and LangChain, and what the last two are given of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import blockfeat
from blockfeat.extraction import Extraction, PageWork
from blockfeat.io.outputs import Rendered, written
from blockfeat.page import Document


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


@dataclass(frozen=True)
class Describer(PageWork[Rendered]):
    """Extracts a document to a text, with the values of `described` as its record; only status ``"ok"`` has them.

    Attributes
    ----------
    extractor : Extractor
        The extractor.
    format : str
        A key of `blockfeat.io.outputs.FORMATS`.
    """

    format: str = "text"

    def result(self, document: Document, extraction: Extraction) -> Rendered:
        """Return the text of an extraction with its values."""
        if extraction.status != "ok":
            return Rendered(document.id, "", extraction.error, document.url, extraction.status)
        text = written(extraction, self.format)
        return Rendered(document.id, text, None, document.url, "ok", described(extraction))
