"""The formats that an extraction can be written in, with what a browser has to know of each."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from blockfeat.io.outputs import FORMATS

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction


_MEDIA = {
    "text": ("Text", "text/plain", "txt"),
    "markdown": ("Markdown", "text/markdown", "md"),
    "json": ("JSON", "application/json", "json"),
    "html": ("HTML", "text/html", "html"),
    "xml": ("XML (TEI)", "application/tei+xml", "xml"),
    "page": ("Page", "text/html", "html"),
}


def format_names() -> tuple[str, ...]:
    """Return the names of the formats."""
    return tuple(FORMATS)


def media_of(name: str) -> dict[str, str]:
    """Return title, media type and file suffix of a format."""
    title, media_type, suffix = _MEDIA.get(name, (name, "text/plain", "txt"))
    return {"name": name, "title": title, "media_type": media_type, "suffix": suffix}


def written(extraction: Extraction, name: str, **options: Any) -> str:
    """Return an extraction in a format; of the options those count that the format has."""
    write = FORMATS[name]
    known = inspect.signature(write).parameters
    return write(extraction, **{option: value for option, value in options.items() if option in known})
