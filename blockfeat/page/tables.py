"""Tables of the scanner: elements (``elements.toml``), replacements for bytes, and character references."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from html.entities import html5
from itertools import accumulate

from blockfeat._files import bundled_table

_TABLES = bundled_table("blockfeat.page", "elements.toml")


def _names(table: str) -> frozenset[str]:
    return frozenset(_TABLES[table].split())


VOID = _names("void")
RAW_TEXT = _names("raw_text")
REFERENCES = _names("references")
NEEDS_END_TAG = _names("needs_end_tag")
HEAD_CONTENT = _names("head_content")
OUTSIDE_BODY = _names("outside_body")
PHRASING = _names("phrasing")
PRIORITY = tuple(frozenset(names.split()) for names in _TABLES["priority"])
ENDED_BY = {name: frozenset(by.split()) for names, by in _TABLES["ended_by"].items() for name in names.split()}

NAMES: tuple[str, ...] = tuple(
    sorted(
        {"article", "body", "div", "frameset", "head", "html", "noscript", "optgroup", "option", "p", "section", "svg"}
        | VOID
        | RAW_TEXT
        | NEEDS_END_TAG
        | OUTSIDE_BODY
        | PHRASING
        | frozenset().union(*PRIORITY)
        | ENDED_BY.keys()
        | frozenset().union(*ENDED_BY.values())
    )
)
"""Every name that the tables mention."""

SLOTS = 8192
FNV_START, FNV_PRIME, MASK = 2166136261, 16777619, 0xFFFFFFFF


def _joined(pieces: Iterable[bytes]) -> tuple[bytes, array[int]]:
    """Concatenate pieces; return them with the offset of each and the end of the last."""
    found = list(pieces)
    return b"".join(found), array("i", accumulate(map(len, found), initial=0))


# What stands for a byte in text, and in an attribute value; control characters become spaces.
_SPECIAL = {
    **dict.fromkeys(range(0x20), b" "),
    0x00: "\ufffd".encode(),
    0x7F: b" ",
    ord("&"): b"&amp;",
    ord("<"): b"&lt;",
    ord(">"): b"&gt;",
}
_SPECIAL_IN = (
    {code: text for code, text in _SPECIAL.items() if code not in b"\t\n"} | {0x0D: b"\n"},
    _SPECIAL | {0x09: b"&#9;", 0x0A: b"&#10;", 0x0D: b"&#10;", ord('"'): b"&quot;"},
)
IS_PLAIN = bytes(code not in special for special in _SPECIAL_IN for code in range(256))
ESCAPES, ESCAPE_AT = _joined(special.get(code, b"") for special in _SPECIAL_IN for code in range(256))
# Names in lower case, without what would end a tag or an attribute.
NAME_BYTE = bytes(b"_"[0] if code <= 0x20 or code in b"\"&'<=>\x7f" else code for code in range(256)).lower()
# Numbers from 128 to 159 mean the characters of windows-1252 where it has one.
C1 = array("i", (ord(bytes([code]).decode("windows-1252", "ignore") or chr(code)) for code in range(0x80, 0xA0)))


def _reference_slots(names: Iterable[str]) -> array[int]:
    """Return a hash table with open addresses: the numbers of the names, -1 for free slots."""
    slots = array("i", [-1]) * SLOTS
    for number, name in enumerate(names):
        # Only the lowest bits of a hash count here.
        slot = FNV_START % SLOTS
        for code in name.encode():
            slot = (slot ^ code) * FNV_PRIME % SLOTS
        while slots[slot] >= 0:
            slot = (slot + 1) % SLOTS
        slots[slot] = number
    return slots


REFERENCE_NAMES, REFERENCE_NAME_AT = _joined(map(str.encode, html5))
REFERENCE_TEXTS, REFERENCE_TEXT_AT = _joined(map(str.encode, html5.values()))
REFERENCE_SLOTS = _reference_slots(html5)
