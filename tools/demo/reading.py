"""Read the content of the demo: one file of articles and one of everything around them, a language."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.article import Article, Part, parse_body
from demo.markup import smarten

__all__ = ["LANGUAGES", "Language", "Site", "Teaser", "read_languages"]

LANGUAGES = ("en", "de", "fr", "es", "it", "pl", "ja")
_FOLDER = Path(__file__).parent
# Editors of the old table layouts and of technical guides type straight quotation marks.
_STRAIGHT_QUOTES = frozenset({"table", "howto"})


@dataclass(frozen=True)
class Site:
    """A fictional site: host, name, layout, how its classes are named, and which variant of the layout."""

    host: str
    name: str
    layout: str
    naming: str
    colour: str
    variant: int


@dataclass(frozen=True)
class Teaser:
    """A pointer to another story, about another brand."""

    brand: str
    title: str
    text: str


@dataclass(frozen=True)
class Language:
    """All content in one language; ``chrome`` holds what is not articles, sites or teasers."""

    code: str
    sites: dict[str, Site]
    teasers: tuple[Teaser, ...]
    articles: tuple[Article, ...]
    chrome: dict[str, Any]

    def date(self, iso: str) -> str:
        """Write an ISO date as readers of the language do."""
        year, month, day = (int(number) for number in iso.split("-"))
        months: list[str] = self.chrome["months"]
        pattern: str = self.chrome["date_pattern"]
        return pattern.format(day=day, month=months[month - 1], year=year)


def read_languages() -> list[Language]:
    """Read all data files, in the order of `LANGUAGES`."""
    seen: Counter[str] = Counter()
    return [_read_language(code, seen) for code in LANGUAGES]


def _read_language(code: str, seen: Counter[str]) -> Language:
    chrome = _load("chrome", code)
    sites = {}
    for row in chrome.pop("sites"):
        sites[row["host"]] = Site(**row, variant=seen[row["layout"]])
        seen[row["layout"]] += 1
    teasers = tuple(Teaser(**row) for row in chrome.pop("teasers"))
    articles = tuple(
        _read_article(row, code, straight=sites[row["site"]].layout in _STRAIGHT_QUOTES)
        for row in _load("articles", code)["articles"]
    )
    return Language(code=code, sites=sites, teasers=teasers, articles=articles, chrome=chrome)


def _load(folder: str, code: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / folder / f"{code}.toml").read_text(encoding="utf-8"))


def _read_article(row: dict[str, Any], lang: str, *, straight: bool) -> Article:
    def typeset(text: str) -> str:
        return text if straight else smarten(text, lang=lang)

    parts = tuple(
        part if part.kind == "code" else Part(part.kind, tuple(typeset(line) for line in part.lines))
        for part in parse_body(row.pop("body"))
    )
    title, standfirst = typeset(row.pop("title")), typeset(row.pop("standfirst"))
    return Article(**{**row, "tags": tuple(row["tags"])}, title=title, standfirst=standfirst, parts=parts)
