"""An extraction in each format: its methods as functions, for those who choose a format by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction


def to_text(extraction: Extraction) -> str:
    """Return `Extraction.to_text`."""
    return extraction.to_text()


def to_markdown(extraction: Extraction, *, links: bool = False, images: bool = False) -> str:
    """Return `Extraction.to_markdown`."""
    return extraction.to_markdown(links=links, images=images)


def to_html(extraction: Extraction, *, images: bool = False) -> str:
    """Return `Extraction.to_html`."""
    return extraction.to_html(images=images)


def to_page(extraction: Extraction, *, absolute: bool = True, styles: bool = True) -> str:
    """Return `Extraction.to_page`."""
    return extraction.to_page(absolute=absolute, styles=styles)


def to_xml(extraction: Extraction, *, images: bool = False) -> str:
    """Return `Extraction.to_xml`."""
    return extraction.to_xml(images=images)
