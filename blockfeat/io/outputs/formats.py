"""An extraction in each format, as functions for those who choose one by name; JSON on one line, and its schema."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from blockfeat.content.links import clean_characters

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


# Valid inside JSON strings, but line ends for many readers.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def to_json_line(extraction: Extraction, *, evidence: bool = False) -> str:
    """Return the extraction as JSON on exactly one line, without a line end.

    Parameters
    ----------
    extraction : Extraction
        The page's extraction, also one with an error.
    evidence : bool
        Add ``blocks``: every block with its text, label, role, score, features and XPath.

    Returns
    -------
    str
        The page's record, as the JSON Schema of `record_schema` describes it. Not ASCII only; numbers that JSON does
        not have (NaN, infinity) are null.
    """
    values = _plain(extraction.to_dict(evidence=evidence))
    return json.dumps(values, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a record."""
    text = files("blockfeat.io.outputs").joinpath("record.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _plain(value: Any) -> Any:
    """Return a value with clean strings and without numbers that JSON does not have; nesting is three deep."""
    if isinstance(value, str):
        return clean_characters(value)
    if isinstance(value, dict):
        return {clean_characters(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        # A numpy number.
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
