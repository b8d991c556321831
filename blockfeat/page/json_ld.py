"""The JSON-LD (schema.org) of a page: its values, the text that it declares, and whether that is free.

Texts and access are read from the bytes of the scripts without a full parse; only metadata parse all values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from blockfeat.page.encoding import unescape
from blockfeat.page.utf_8 import places_of

_BODY = b"articleBody"
_QUOTED_NAMES = (b'"articleBody"', b'"text"')
# One member of an object with its string; possessive, so that every byte is looked at once.
_TEXT_MEMBER = re.compile(rb'"(articleBody|text)"\s*+:\s*+("(?:[^"\\]++|\\.)*+")', re.DOTALL)
_TAG = re.compile(r"<[/!a-zA-Z][^<>]*+>")
_SOFT_HYPHEN = "\u00ad"

Node = dict[str, Any]
_WRAPPING = r"\A(?:\s|\ufeff|<!--|-->|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[|//\s*<!--)+"
_TRAILING = r"(?:\s|;|-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>|//|\*/)+\Z"
# Strings as a whole, so that what stands inside them stays. Possessive, and one that is not closed reaches to the end:
# every character is looked at once.
_STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_MISTAKES = rf"(?s)({_STRING})|,(?=\s*+[}}\]])|/\*.{{0,300}}?\*/|(?<![:\w])//[^\n]*+"
_BAD_ESCAPE = r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})'
_MEMBER = (
    r'"(@type|headline|name|description|datePublished|dateModified|dateCreated|uploadDate|inLanguage|articleSection|'
    rf'isAccessibleForFree|author|publisher|creator)"\s*+:\s*+(?:({_STRING})|(true|false)|[\[{{\s]++)'
)
_DECODER, _LARGEST, _LARGEST_MENDED, _MARKS = json.JSONDecoder(strict=False), 2_000_000, 300_000, 100
_FREE = b"isAccessibleForFree"
_TRUTH = re.compile(rb'["\s:\[]*+(?:https?://schema\.org/)?(true|false|yes|no|[01])\b', re.IGNORECASE)
_LONGEST_TRUTH = 100


def declared_texts(data: bytes, scripts: Iterable[tuple[int, int]]) -> tuple[str, str]:
    """Return all ``articleBody`` that the JSON-LD of a page declares, and all ``text``, a line each.

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
        behind = start
        # Most declare neither, and of the others most of the bytes: searching for the names is far cheaper.
        for place in sorted([place for name in _QUOTED_NAMES for place in places_of(name, data, start, end)]):
            member = _TEXT_MEMBER.match(data, place, end) if place >= behind else None
            if member is not None:
                behind = member.end()
                text = _plain(member[2])
                if text:
                    (bodies if member[1] == _BODY else others)[text] = None
    return "\n".join(bodies), "\n".join(others)


def _plain(string: bytes) -> str:
    """Return a JSON string without markup; empty where it is broken."""
    text: str = _string(string.decode("utf-8", "replace"))
    # Many put markup into the string; soft hyphens go, as they do from the text of the page.
    if "&" in text:
        text = unescape(text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    return " ".join(text.replace(_SOFT_HYPHEN, "").split())


def read_linked_data(scripts: Iterable[bytes]) -> list[Any]:
    """Return the values of JSON-LD scripts, in order.

    Trailing commas, comments, CDATA marks, control characters, bad escapes, escaped markup and several values in one
    script are mended. Of a script that still cannot be parsed, the well-known members are read one by one.
    """
    found: list[Any] = []
    for script in scripts:
        if len(script) <= _LARGEST:
            found += _values(script.decode("utf-8", "replace"))
    return found


def _values(text: str) -> list[Any]:
    """Return the values in one script."""
    text = text.strip().lstrip("\ufeff")
    if text[:1] not in ("{", "["):
        text = re.sub(_WRAPPING, "", text)
    if text[-1:] not in ("}", "]"):
        # The marks stand at the very end: looking for them in all of the text would take longer than parsing it.
        text = text[:-_MARKS] + re.sub(_TRAILING, "", text[-_MARKS:])
    if not text:
        return []
    if text[:12].find("&quot;") >= 0:
        text = unescape(text)
    values = _parsed(text)
    if values is None and len(text) < _LARGEST_MENDED:
        # Without trailing commas, comments and escapes that JSON does not have.
        values = _parsed(re.sub(_MISTAKES, lambda found: found[1] or "", re.sub(_BAD_ESCAPE, "", text)))
    if values is not None:
        return values
    node = _members(text)
    return [node] if node else []


def _parsed(text: str) -> list[Any] | None:
    """Return one value or several that follow each other; None where the text is no JSON."""
    values, place = [], 0
    try:
        while place < len(text):
            value, place = _DECODER.raw_decode(text, place)
            values.append(value)
            while place < len(text) and text[place] in " \t\r\n,;":
                place += 1
    except (ValueError, RecursionError):
        return None
    return values


def _members(text: str) -> Node:
    """Return an object of the first of each well-known member, the author and the publisher by name."""
    node: Node = {}
    owner = ""
    for found in re.finditer(_MEMBER, text):
        key, string, truth = found.groups()
        if truth:
            node.setdefault(key, truth == "true")
        elif not string:
            owner = key
        else:
            value = _string(string)
            if key == "name" and owner:
                key, value, owner = owner, {"name": value}, ""
            elif key == "@type" and owner:
                continue
            node.setdefault(key, value)
    if "headline" not in node:
        node.pop("name", None)
    return node if len(node) > 1 else {}


def _string(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return ""


def declared_free(scripts: Iterable[bytes]) -> bool | None:
    """Return the value of ``isAccessibleForFree`` in JSON-LD scripts; None if it does not occur.

    False where anything is not free, as a page names the part of its text that is for subscribers only.
    """
    found: bool | None = None
    for script in scripts:
        for place in places_of(_FREE, script):
            behind = place + len(_FREE)
            value = _TRUTH.match(script, behind, behind + _LONGEST_TRUTH)
            if value:
                if value[1].lower() in (b"false", b"no", b"0"):
                    return False
                found = True
    return found
