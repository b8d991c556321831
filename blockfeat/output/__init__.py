"""Output: an extraction as text, Markdown, JSON, HTML or TEI, and as an explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from blockfeat.output.characters import clean_characters
from blockfeat.output.explain import explanation_page, explanation_table
from blockfeat.output.html import to_html
from blockfeat.output.jsonlines import to_json_line
from blockfeat.output.markdown import to_markdown
from blockfeat.output.text import to_text
from blockfeat.output.xml import to_xml

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction

__all__ = [
    "FORMATS",
    "clean_characters",
    "explanation_page",
    "explanation_table",
    "to_html",
    "to_json_line",
    "to_markdown",
    "to_text",
    "to_xml",
]

FORMATS: Mapping[str, Callable[[Extraction], str]] = MappingProxyType(
    {"text": to_text, "markdown": to_markdown, "json": to_json_line, "html": to_html, "xml": to_xml}
)
