"""Choose the snippets of a page: what an extraction must hold, and what it must not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from demo.article import Article, gold_text
from demo.markup import plain
from demo.page import Page

__all__ = ["absent_snippets", "present_snippets"]

# Signs that a page may write otherwise than the gold text: markup, spaces that do not break, soft hyphens.
_RISKY = re.compile(r"[\[\]()*~¬«»:;!?\"'\u2019“”„<>&]")
_WINDOW = 6
_WINDOW_CHARACTERS = 12


def present_snippets(article: Article, *, lang: str) -> list[str]:
    """Take the article's brand, and some words from its first, middle and last paragraphs."""
    paragraphs = [part.line for part in article.parts if part.kind == "paragraph"]
    chosen = [article.brand]
    gold = gold_text(article)
    for index in sorted({0, len(paragraphs) // 2, len(paragraphs) - 1}):
        window = next((w for w in _windows(paragraphs[index], lang) if w in gold), None)
        if window and window not in chosen:
            chosen.append(window)
    return chosen


def absent_snippets(page: Page, html: str) -> list[str]:
    """Take brands of teasers and advertisements, and some words of each kind of boilerplate on the page."""
    gold = gold_text(page.article)
    visible = [teaser for teaser in page.teasers if teaser.brand in html]
    brands = [teaser.brand for teaser in visible[:3]] + [page.advertisement["brand"]]
    chosen = [brand for brand in brands if brand in html and brand not in gold]
    for text in _boilerplate(page):
        windows = _windows(text, page.language.code)
        window = next((w for w in windows if w in html and w not in gold), None)
        if window and window not in chosen:
            chosen.append(window)
    return chosen


def _boilerplate(page: Page) -> Iterator[str]:
    chrome = page.language.chrome
    yield from (teaser.text for teaser in page.teasers[:2])
    yield from (comment["text"] for comment in page.comments[:2])
    yield page.cookie["text"][0]
    yield chrome["purposes"][-1]["text"]
    yield chrome["newsletter"]["text"]
    yield page.footer
    yield page.article.bio
    yield from (plain(part.line) for part in page.article.parts if part.kind == "caption")


def _windows(text: str, lang: str) -> Iterator[str]:
    """Yield runs of a few words of a text that every page would write alike, the first ones first."""
    if lang == "ja":
        pieces = re.split(r"[、。「」]", text)
        yield from (p[:_WINDOW_CHARACTERS] for p in pieces if len(p) >= _WINDOW and not _RISKY.search(p))
        return
    words = text.split()
    for start in range(max(1, len(words) - _WINDOW + 1)):
        window = " ".join(words[start : start + _WINDOW]).strip(",.")
        if len(window) >= 12 and not _RISKY.search(window):
            yield window
