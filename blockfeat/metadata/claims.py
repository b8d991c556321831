"""``Claims``: what one source says of a page, before anything is chosen, and values as plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

FIELDS = (
    "title",
    "author",
    "organisation",
    "published",
    "modified",
    "site",
    "url",
    "description",
    "image",
    "language",
    "section",
    "tag",
    "paywall",
    "licence",
)
"""What can be claimed; ``organisation`` is an author that is declared to be one."""

LONGEST_ATTRIBUTE = 2_000
"""Longer attributes hold data for scripts, which no source is."""
_TAG = re.compile(r"<[/!a-zA-Z][^<>]*+>")
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F)])
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_BETWEEN = re.compile(r"[\W_]+")
_LONGEST = 5_000


@dataclass(frozen=True)
class Claims:
    """Values by field, the most telling first.

    Attributes
    ----------
    source : str
        One of `blockfeat.metadata.metadata.SOURCES`.
    values : dict of list of str
        What the source says, unchecked.
    """

    source: str
    values: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, *values: str) -> None:
        """Append values that are not empty."""
        given = [value for value in values if value]
        if given:
            self.values.setdefault(name, []).extend(given)

    def __getitem__(self, name: str) -> list[str]:
        """Return the values of one field."""
        return self.values.get(name, [])


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
