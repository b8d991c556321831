"""What a page declares to be its text in JSON-LD (schema.org), read out of the bytes of its scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from blockfeat.page.html_entities import unescape

_BODY = b"articleBody"
_QUOTED_NAMES = (b'"articleBody"', b'"text"')
# One member of an object with its string; possessive, so that every byte is looked at once.
_MEMBER = re.compile(rb'"(articleBody|text)"\s*+:\s*+("(?:[^"\\]++|\\.)*+")', re.DOTALL)
_TAG = re.compile(r"<[/!a-zA-Z][^<>]*+>")
_SOFT_HYPHEN = "\u00ad"


@dataclass(frozen=True, slots=True)
class DeclaredText:
    """Texts that the page's JSON-LD declares, plain.

    Attributes
    ----------
    body : str
        All ``articleBody``, a line each; empty where there is none.
    other : str
        All ``text``: of answers, posts, comments, a line each.
    """

    body: str = ""
    other: str = ""

    def __bool__(self) -> bool:
        """Return whether anything is declared."""
        return bool(self.body or self.other)


NOTHING_DECLARED = DeclaredText()
"""What most pages declare."""


def declared_text(data: bytes, scripts: Iterable[tuple[int, int]]) -> DeclaredText:
    """Return the texts that the JSON-LD of a page declares.

    Only strings are parsed, not the whole of the JSON: members behind a syntax error are found too, and nothing
    is nested. Linear in the size of the page.

    Parameters
    ----------
    data : bytes
        Markup in UTF-8, with its scripts.
    scripts : iterable of (int, int)
        Where the JSON-LD scripts begin and end.
    """
    bodies: dict[str, None] = {}
    others: dict[str, None] = {}
    for start, end in scripts:
        # Most declare neither; finding that out is far cheaper than the pattern.
        has_any = any(data.find(name, start, end) >= 0 for name in _QUOTED_NAMES)
        for member in _MEMBER.finditer(data, start, end) if has_any else ():
            text = _plain(member[2])
            if text:
                (bodies if member[1] == _BODY else others)[text] = None
    return DeclaredText("\n".join(bodies), "\n".join(others)) if bodies or others else NOTHING_DECLARED


def _plain(string: bytes) -> str:
    """Return a JSON string without markup; empty where it is broken."""
    try:
        text = json.loads(string.decode("utf-8", "replace"), strict=False)
    except ValueError:
        return ""
    # Many put markup into the string; soft hyphens go, as they do from the text of the page.
    text = _TAG.sub(" ", unescape(text)).replace(_SOFT_HYPHEN, "")
    return " ".join(text.split())
