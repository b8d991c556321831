"""Titles and summaries of feeds as plain text."""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[!/?]?[A-Za-z][^<>]*>", re.S)
_HIDDEN = re.compile(r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.S | re.I)
_LONGEST_MARKUP = 100_000


def plain_text(value: object, *, html: bool = True, longest: int = 2_000) -> str | None:
    """Return a text of a feed without markup, its spaces collapsed; None where nothing is left.

    Parameters
    ----------
    value : object
        What the feed has; anything but a string gives None.
    html : bool
        Whether tags and character references are markup, or stand for themselves.
    longest : int
        Most characters; more are cut off.
    """
    if not isinstance(value, str):
        return None
    text = value[:_LONGEST_MARKUP]
    if html:
        text = unescape(_TAG.sub(_space, _HIDDEN.sub(" ", text)))
    return " ".join(text.split())[:longest].rstrip() or None


def _space(tag: re.Match[str]) -> str:
    """Return what a tag leaves: nothing where it stands within a word, as <em> may."""
    return (
        "" if re.match(r"</?(?:a|abbr|b|bdi|em|font|i|mark|q|small|span|strong|sub|sup|u|wbr)\b", tag[0], re.I) else " "
    )
