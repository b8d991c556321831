"""Output: an extraction as text, Markdown, JSON, HTML or TEI, and as an explanation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from blockfeat.content.links import clean_characters
from blockfeat.extraction.extraction import Extraction
from blockfeat.io.outputs.explanation import explanation_page, explanation_table
from blockfeat.io.outputs.records import record_schema, to_json_line

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
    "written",
]

to_text = Extraction.to_text
to_markdown = Extraction.to_markdown
to_html = Extraction.to_html
to_xml = Extraction.to_xml
to_page = Extraction.to_page

FORMATS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {"text": to_text, "markdown": to_markdown, "json": to_json_line, "html": to_html, "xml": to_xml, "page": to_page}
)
"""The writers of one extraction, by the name of their format."""


def written(extraction: Extraction, format: str, **options: Any) -> str:
    """Return an extraction in a format of `FORMATS`; of the options those count that the format has."""
    write = FORMATS[format]
    known = inspect.signature(write).parameters
    return write(extraction, **{name: value for name, value in options.items() if name in known})
