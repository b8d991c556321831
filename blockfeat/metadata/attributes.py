"""Attributes of start tags, read fast: references are resolved only where there are any."""

from __future__ import annotations

import re
from html import unescape

from blockfeat.page.tags import Tags

# Longer values hold data for scripts; references in them take longer to resolve than all else on a page.
_LONGEST = 2_000
_ATTRIBUTE = re.compile(r"\s([^\s=]+)=\"([^\"]*)\"")


def attributes_of(tags: Tags, element: int) -> dict[str, str]:
    """Return the attributes of an element as `Tags.attributes` does."""
    tag = int(tags.opened[element])
    start = tags.source[int(tags.start[tag]) : int(tags.stop[tag])].decode("utf-8", "replace")
    pairs = _ATTRIBUTE.findall(start)
    # Of two with one name the first counts.
    pairs.reverse()
    if "&" in start:
        return {name: unescape(value) if "&" in value and len(value) < _LONGEST else value for name, value in pairs}
    return dict(pairs)


def elements_at(tags: Tags, places: list[int]) -> list[int]:
    """Return the elements whose start tags hold one of the bytes at these places, in order."""
    if not places:
        return []
    owners = tags.start.searchsorted(places, side="right") - 1
    is_inside = tags.stop[owners] > places
    elements = tags.opened.searchsorted(owners)
    is_start = tags.opened[elements.clip(max=len(tags) - 1)] == owners
    return list(dict.fromkeys(elements[is_inside & is_start].tolist()))
