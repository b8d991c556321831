"""Light markup of the data files to plain text and to HTML.

``[text](address)`` is a link, ``*text*`` emphasis, ``**text**`` strong emphasis, ``~`` a space that does not
break, ``¬`` a soft hyphen (in the page, not in the gold text).
"""

from __future__ import annotations

import html
import re
from html.entities import codepoint2name

__all__ = ["escape", "escape_to_entities", "plain", "rich", "smarten"]

_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_EMPHASIS = re.compile(r"\*([^*]+)\*")
# French sets a space that does not break before these signs and inside its quotation marks.
_FRENCH_SPACE = re.compile(r" (?=[:;!?»])|(?<=«) ")
_QUOTED = re.compile(r'"([^"]*)"')
_QUOTATION_MARKS = {"en": ("“", "”"), "de": ("„", "“")}


def plain(text: str) -> str:
    """Text without markup: what a reader of the page reads."""
    text = _LINK.sub(r"\1", text)
    return text.replace("*", "").replace("~", " ").replace("¬", "")


def smarten(text: str, *, lang: str) -> str:
    """Typographer's quotation marks and apostrophes instead of the typewriter's."""
    if lang in _QUOTATION_MARKS:
        opening, closing = _QUOTATION_MARKS[lang]
        text = _QUOTED.sub(rf"{opening}\1{closing}", text)
    return text.replace("'", "\u2019")


def escape(text: str) -> str:
    """Escape plain text for HTML, spaces and hyphens as the data files ask."""
    text = html.escape(text, quote=False)
    text = _FRENCH_SPACE.sub("&nbsp;", text)
    return text.replace("~", "&nbsp;").replace("¬", "&shy;")


def escape_to_entities(text: str) -> str:
    """Escape as the editors of 2007 did: a named or numbered entity for whatever is not ASCII."""

    def entity(character: str) -> str:
        code = ord(character)
        return character if code < 128 else f"&{codepoint2name.get(code, f'#{code}')};"

    return "".join(entity(character) for character in escape(text))


def rich(escaped: str, *, link: str, strong: str, emphasis: str) -> str:
    """Turn the markup of an escaped text into HTML by three templates with ``{text}`` and ``{href}``."""
    escaped = _LINK.sub(lambda m: link.format(text=m[1], href=m[2]), escaped)
    escaped = _STRONG.sub(lambda m: strong.format(text=m[1]), escaped)
    return _EMPHASIS.sub(lambda m: emphasis.format(text=m[1]), escaped)
