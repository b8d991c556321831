"""Articles of the demo: the light markup of the data files, and the gold text.

Chunks of a body are separated by blank lines. What a chunk is shows in how it begins: ``## `` a subheading,
``> `` a quote, ``- `` and ``1. `` lists, ``| `` a table, three backquotes a listing, ``! `` a caption,
``@12:30 `` an entry of a live ticker (clock, title, then a paragraph a line), anything else a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from demo.markup import plain

__all__ = ["Article", "Part", "gold_paragraphs", "gold_text", "parse_body", "second_labeller_text"]

_STEP = re.compile(r"\d+\. ")
_NOT_CONTENT = frozenset({"caption", "time"})


@dataclass(frozen=True)
class Part:
    """One piece of an article: its kind, and its lines in light markup (items, rows, or one line)."""

    kind: str
    lines: tuple[str, ...]

    @property
    def line(self) -> str:
        """The only line of a part that has one."""
        return self.lines[0]


@dataclass(frozen=True)
class Article:
    """An article as written in the data files."""

    site: str
    slug: str
    title: str
    standfirst: str
    author: str
    bio: str
    date: str
    brand: str
    tags: tuple[str, ...]
    parts: tuple[Part, ...]


def parse_body(body: str) -> tuple[Part, ...]:
    """Cut a body in light markup into parts."""
    chunks = re.split(r"\n\s*\n", body.strip())
    return tuple(part for chunk in chunks for part in _parse_chunk(chunk.strip()))


def _parse_chunk(chunk: str) -> Iterator[Part]:
    lines = tuple(chunk.split("\n"))
    first = lines[0]
    if first.startswith("```"):
        yield Part("code", lines[1:-1])
    elif first.startswith("@"):
        yield from _parse_entry(lines)
    elif first.startswith("- "):
        yield Part("list", tuple(line.removeprefix("- ") for line in lines))
    elif _STEP.match(first):
        yield Part("steps", tuple(_STEP.sub("", line, count=1) for line in lines))
    elif first.startswith("| "):
        yield Part("table", tuple(line.strip("| ") for line in lines))
    else:
        yield _parse_line(chunk)


def _parse_entry(lines: tuple[str, ...]) -> Iterator[Part]:
    clock, _, title = lines[0].removeprefix("@").partition(" ")
    yield Part("time", (clock,))
    if title:
        yield Part("heading", (title,))
    for line in lines[1:]:
        yield Part("paragraph", (line,))


def _parse_line(chunk: str) -> Part:
    for sign, kind in (("## ", "heading"), ("> ", "quote"), ("! ", "caption")):
        if chunk.startswith(sign):
            return Part(kind, (chunk.removeprefix(sign),))
    return Part("paragraph", (chunk,))


def gold_paragraphs(article: Article) -> list[str]:
    """Paragraphs of the main text: headline, standfirst, body; no byline, date, clock or caption."""
    standfirst = [plain(article.standfirst)] if article.standfirst else []
    return [plain(article.title), *standfirst, *_body_paragraphs(article, without=_NOT_CONTENT)]


def _body_paragraphs(article: Article, *, without: Set[str]) -> list[str]:
    """Paragraphs of the body but for some kinds of parts."""
    paragraphs: list[str] = []
    for part in article.parts:
        if part.kind in without:
            continue
        if part.kind == "code":
            paragraphs.append("\n".join(part.lines))
        elif part.kind == "table":
            paragraphs.append("\n".join("\t".join(plain(line).split(" | ")) for line in part.lines))
        else:
            paragraphs.extend(plain(line) for line in part.lines)
    return paragraphs


def gold_text(article: Article) -> str:
    """Join the main text, paragraphs separated by a blank line."""
    return "\n\n".join(gold_paragraphs(article))


def second_labeller_text(article: Article, date: str) -> str:
    """Return what a second labeller copied: as `gold_text`, but with byline, captions and clocks, without standfirst.

    These are what labellers disagree on most (Ziegler & Skubacz 2007, 3.5.1, name the date).
    """
    return "\n\n".join(
        [plain(article.title), f"{article.author}, {date}", *_body_paragraphs(article, without=frozenset())]
    )
