"""What a page declares to be its text in JSON-LD (schema.org), read out of the bytes before scripts are cut away."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from blockfeat.page.html_entities import unescape

__all__ = ["NOTHING_DECLARED", "DeclaredText", "declared_text"]

_MARK = b"ld+json"
_LONGEST_TAG = 1_000
_BODY = b"articleBody"
_QUOTED_NAMES = (b'"articleBody"', b'"text"')
# One member of an object with its string; possessive, so that every byte is looked at once.
_MEMBER = re.compile(rb'"(articleBody|text)"\s*+:\s*+("(?:[^"\\]++|\\.)*+")', re.DOTALL)
_START, _END = b"<script", b"</script"
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
        """Tell whether anything is declared."""
        return bool(self.body or self.other)


NOTHING_DECLARED = DeclaredText()
"""What most pages declare."""


def declared_text(data: bytes) -> DeclaredText:
    """Return the texts that the JSON-LD of a page declares.

    Only strings are parsed, not the whole of the JSON: members behind a syntax error are found too, and nothing
    is nested. The type of the script is known in lower case, as nearly all write it. Linear in the size of the page.

    Parameters
    ----------
    data : bytes
        Markup in UTF-8, with its scripts.
    """
    bodies: dict[str, None] = {}
    others: dict[str, None] = {}
    found = data.find(_MARK)
    while found >= 0:
        opened = data.rfind(b"<", max(found - _LONGEST_TAG, 0), found)
        end = found + len(_MARK)
        is_type = opened >= 0 and data.find(b">", opened, found) < 0
        if is_type and data[opened : opened + len(_START)].lower() == _START:
            start, end = end, _end_of_script(data, end)
            # Most declare neither; finding that out is far cheaper than the pattern.
            has_any = any(data.find(name, start, end) >= 0 for name in _QUOTED_NAMES)
            for member in _MEMBER.finditer(data, start, end) if has_any else ():
                text = _plain(member[2])
                if text:
                    (bodies if member[1] == _BODY else others)[text] = None
        found = data.find(_MARK, end)
    return DeclaredText("\n".join(bodies), "\n".join(others)) if bodies or others else NOTHING_DECLARED


def _end_of_script(data: bytes, start: int) -> int:
    """Position of the next end tag of a script, or the end of the page."""
    end = data.find(b"</", start)
    while end >= 0 and data[end : end + len(_END)].lower() != _END:
        end = data.find(b"</", end + 2)
    return end if end >= 0 else len(data)


def _plain(string: bytes) -> str:
    """Return a JSON string without markup; empty where it is broken."""
    try:
        text = json.loads(string.decode("utf-8", "replace"), strict=False)
    except ValueError:
        return ""
    # Many put markup into the string; soft hyphens go, as they do from the text of the page.
    text = _TAG.sub(" ", unescape(text)).replace(_SOFT_HYPHEN, "")
    return " ".join(text.split())
