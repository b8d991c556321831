"""What the scanner knows about elements, read from ``elements.toml``, where each table is described."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TABLES = tomllib.loads(files("blockfeat.page").joinpath("elements.toml").read_text(encoding="utf-8"))


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
