"""Values as plain text: markup, references and invisible characters out, white space folded."""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(r"<[/!a-zA-Z][^<>]*+>")
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F)])
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_BETWEEN = re.compile(r"[\W_]+")
_LONGEST = 5_000


def plain(text: str) -> str:
    """Return text without markup, character references (also doubled ones) and control characters."""
    text = text[:_LONGEST]
    if "&" in text:
        text = unescape(unescape(text))
    if "<" in text:
        text = _TAG.sub(" ", text)
    if not text.isprintable():
        text = _CONTROL.sub(" ", text if text.isascii() else text.translate(_INVISIBLE))
    return " ".join(text.split())


def folded(text: str | None) -> str:
    """Return the letters and digits of a text in one case, for comparison."""
    return _BETWEEN.sub("", text.casefold()) if text else ""


def alike(one: str | None, other: str | None) -> bool:
    """Return whether one of two texts begins or ends with the other, whatever the punctuation."""
    first, second = folded(one), folded(other)
    if not first or not second:
        return False
    short, long = sorted((first, second), key=len)
    return len(short) > 5 and (long.startswith(short) or long.endswith(short))


def words(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())
