"""Output: an extraction as text, Markdown, JSON, HTML or TEI, and as an explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from blockfeat.content.links import clean_characters
from blockfeat.io.outputs.explained import explanation_page, explanation_table
from blockfeat.io.outputs.formats import record_schema, to_html, to_json_line, to_markdown, to_page, to_text, to_xml

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction

__all__ = [
    "FORMATS",
    "clean_characters",
    "explanation_page",
    "explanation_table",
    "record_schema",
    "to_html",
    "to_json_line",
    "to_markdown",
    "to_page",
    "to_text",
    "to_xml",
]

FORMATS: Mapping[str, Callable[[Extraction], str]] = MappingProxyType(
    {"text": to_text, "markdown": to_markdown, "json": to_json_line, "html": to_html, "xml": to_xml, "page": to_page}
)
"""The writers of one extraction, by the name of their format."""
