"""Values made fit for JSON: clean strings, no numbers that JSON does not have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from blockfeat.content.characters import clean_characters


def plain(value: Any) -> Any:
    """Return a value with clean strings, numpy numbers as Python's, and None for NaN and infinity."""
    if isinstance(value, str):
        return clean_characters(value)
    if isinstance(value, Mapping):
        return {clean_characters(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
