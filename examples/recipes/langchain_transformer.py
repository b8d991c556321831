"""A transformer for LangChain: documents whose ``page_content`` is HTML that is there already become main texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

from blockfeat import Extractor


class MainText(BaseDocumentTransformer):
    """Returns the main text of each document as Markdown; documents without one are left out."""

    def __init__(self, extractor: Extractor | None = None) -> None:
        self.extractor = extractor or Extractor.load()

    def transform_documents(self, documents: Sequence[Document], **_options: Any) -> Sequence[Document]:
        """Return documents with their metadata, and title, language and likely quality of the page."""
        pages = [{"html": document.page_content, "url": document.metadata.get("source")} for document in documents]
        found = zip(documents, self.extractor.extract_many(pages), strict=True)
        return [
            Document(
                doc.to_markdown(),
                metadata={
                    **document.metadata,
                    "title": doc.metadata.title or doc.title,
                    "language": doc.lang,
                    "confidence": doc.confidence,
                },
            )
            for document, doc in found
            if doc.status == "ok"
        ]
