"""An extractor for NeMo-Curator, in the place of jusText, resiliparse or trafilatura.

``CommonCrawlDownloadExtractStage(..., html_extraction=MainText())``
"""

from __future__ import annotations

from nemo_curator.stages.text.download.html_extractors.base import HTMLExtractorAlgorithm

from blockfeat import BlockfeatError, Extractor


class MainText(HTMLExtractorAlgorithm):
    """Returns the paragraphs of a page's main text; code, tables and formulas are whole in Markdown."""

    def __init__(self, *, is_markdown: bool = False) -> None:
        self.extractor = Extractor.load()
        self.is_markdown = is_markdown

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        """Return the paragraphs, None where there is no main text; the language is found by the page itself."""
        try:
            doc = self.extractor.extract(html)
        except BlockfeatError:
            return None
        text = doc.to_markdown() if self.is_markdown else doc.text
        return text.split("\n\n") if doc.status == "ok" else None
