"""Plain text of an extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blockfeat.output.characters import clean_characters

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction

__all__ = ["to_text"]


def to_text(extraction: Extraction) -> str:
    """Return the content as plain text: blocks joined by blank lines, free of control characters."""
    return clean_characters(extraction.text)
