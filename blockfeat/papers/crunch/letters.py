"""The letters of a text, of which the paper makes words."""

from __future__ import annotations

import re

_OTHER = re.compile(r"[\W_]+")


def letters(text: str | None) -> int:
    """Return the number of letters and digits."""
    return len(_OTHER.sub("", text)) if text and not text.isspace() else 0
