"""``blockfeat.extract``: one page, the default model, one call."""

from __future__ import annotations

from functools import cache
from typing import Any

from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor

__all__ = ["extract"]


@cache
def _default_extractor() -> Extractor:
    """Load the bundled default model, a constant, at its first use."""
    return Extractor.load("default")


def extract(html: str | bytes | bytearray | memoryview, **options: Any) -> Extraction:
    """Extract the main text of one page with the bundled default model.

    Parameters
    ----------
    html : str or bytes-like
        The page.
    **options
        ``url``, ``lang``, ``charset``, ``id``, as `Extractor.extract` takes them.

    Returns
    -------
    Extraction
        ``.text`` is the main text, ``""`` where the page has none.
    """
    return _default_extractor().extract(html, **options)
