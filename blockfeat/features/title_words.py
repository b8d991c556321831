"""The words of a page's title and of its descriptions."""

from __future__ import annotations

import re
from html import unescape

from blockfeat.features.cues import WordCues
from blockfeat.lang.words import keys_of_text
from blockfeat.page.tags import Tags

TITLE, DESCRIPTION = "title", "description"
"""Kinds of the words of `title_words`."""

_LONGEST = 600
_MOST_DESCRIPTIONS = 4
_NAME = b'escription"'
_CONTENT = re.compile(rb'\scontent="([^"]*)"')


def title_words(tags: Tags) -> WordCues:
    """Return the words of a page's title and of its descriptions (plain, og, twitter)."""
    title = " ".join(tags.text(element)[:_LONGEST] for element in tags.named("title")[:1].tolist())
    keys, starts = keys_of_text(f"{title}\n{_descriptions(tags.source)}")
    in_title = int(starts.searchsorted(len(title)))
    return WordCues.of({TITLE: keys[:in_title], DESCRIPTION: keys[in_title:]})


def _descriptions(source: bytes) -> str:
    """Return the page's descriptions, one a line."""
    head = source.find(b"<body")
    head = head if head >= 0 else len(source)
    found: list[str] = []
    at = source.find(_NAME, 0, head)
    while at >= 0 and len(found) < _MOST_DESCRIPTIONS:
        stop = source.find(b">", at)
        tag = source[source.rfind(b"<", 0, at) : stop]
        content = _CONTENT.search(tag) if tag.startswith(b"<meta ") else None
        if content:
            found.append(unescape(content[1][:_LONGEST].decode("utf-8", "replace")))
        at = source.find(_NAME, stop, head)
    return "\n".join(dict.fromkeys(found))
