"""Pages of every kind, made from labelled articles: the main text gives way to a text written for this project."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.data import LabelledPage
from blockfeat.errors import BlockfeatError
from blockfeat.training.examples import LabelOptions, PageLabeller, context_measurer

__all__ = ["MADE", "MadePage", "PageMaker", "bare_page", "held_out_pages"]

_TEMPLATES = Path(__file__).with_name("page_templates.toml")
_HELD_OUT = Path(__file__).with_name("held_out_pages.toml")
MADE = ("article", "article with banner", "front page", "consent wall", "paywall stub", "error page", "bare error page")
"""What is made of an article."""
_TEASERS = 14
_OPENING = 2
_WITHIN = ("paywall stub", "error page")
_EMPTY = "<html><head><title>{title}</title></head><body>{body}</body></html>"


@dataclass(frozen=True)
class MadePage:
    """A page and what it was made to be, one of `MADE`."""

    kind: str
    html: str
    url: str | None
    source: LabelledPage


@dataclass(frozen=True)
class PageMaker:
    """Makes pages of labelled articles.

    Attributes
    ----------
    labeller : PageLabeller
        Finds the blocks of the main text.
    others : sequence of LabelledPage
        Articles whose beginnings are the teasers of front pages.
    """

    labeller: PageLabeller
    others: Sequence[LabelledPage]

    @classmethod
    def of(cls, others: Sequence[LabelledPage]) -> PageMaker:
        """Return a maker of pages with teasers of these articles."""
        return cls(PageLabeller(context_measurer("html5"), LabelOptions()), others)

    def make(self, page: LabelledPage, *, seed: int) -> Iterator[MadePage]:
        """Yield a page of every kind; only the article itself where the main text is not found on it."""
        yield MadePage("article", page.html, page.url, page)
        try:
            _, blocks, share = self.labeller.label(page)
        except BlockfeatError:
            return
        content = (share >= 0.5).nonzero()[0]
        if content.size < 2 * _OPENING:
            return
        random = Random(seed)
        at = content
        error, consent = (_template(kind, page.lang, random) for kind in ("error", "consent"))
        paywall = _template("paywall", page.lang, random)
        home = None if page.url is None else "/".join(page.url.split("/")[:3]) + "/"
        yield MadePage("article with banner", _with_banner(page.html, consent[1]), page.url, page)
        yield MadePage("front page", _replaced(blocks, at, self._teasers(random)), home, page)
        wall = _EMPTY.format(title=escape(consent[0]), body=f"<div id=choice>{_paragraphs(consent[1])}</div>")
        yield MadePage("consent wall", wall, page.url, page)
        stub = _replaced(blocks, at[_OPENING:], f"<section>{_paragraphs(paywall[1])}</section>")
        yield MadePage("paywall stub", stub, page.url, page)
        lost = _replaced(blocks, at, f"<h1>{escape(error[1][0])}</h1>{_paragraphs(error[1][1:])}", title=error[0])
        yield MadePage("error page", lost, page.url, page)
        bare = _EMPTY.format(title=escape(error[0]), body=_paragraphs(error[1]))
        yield MadePage("bare error page", bare, page.url, page)

    def held_out(self, page: LabelledPage, *, seed: int) -> Iterator[MadePage]:
        """Yield a page that has what one of `held_out_pages` says in the place of its main text, if it can stand there.

        Each page gets one of its language, or any where there is none.
        """
        known = [one for one in held_out_pages() if one.get("within") or one["kind"] in _WITHIN]
        chosen = Random(seed).choice([one for one in known if one["lang"] == page.lang] or known)
        try:
            _, blocks, share = self.labeller.label(page)
        except BlockfeatError:
            return
        content = (share >= 0.5).nonzero()[0]
        if content.size < 2 * _OPENING:
            return
        at = content[_OPENING:] if chosen["kind"] == "paywall stub" else content
        html = _replaced(blocks, at, f"<section>{chosen['body']}</section>", title=chosen.get("title"))
        yield MadePage(f"held out {chosen['kind']}", html, page.url, page)

    def _teasers(self, random: Random) -> str:
        """Return a list of teasers: a linked headline and the begin of a text each."""
        made = []
        others = list(self.others) * (1 + _TEASERS // len(self.others))
        for number, other in enumerate(random.sample(others, _TEASERS)):
            lines = [line for line in (other.text or "").splitlines() if line.strip()] or [""]
            words = " ".join(lines).split()
            headline, begin = " ".join(words[:9]), " ".join(words[9 : 9 + random.randint(0, 30)])
            made.append(f'<article><h3><a href="/{number}">{escape(headline)}</a></h3><p>{escape(begin)}</p></article>')
        return "".join(made)


def held_out_pages() -> list[dict[str, Any]]:
    """Return what pages of vendors and languages say that the phrases were written without."""
    found: list[dict[str, Any]] = tomllib.loads(_HELD_OUT.read_text(encoding="utf-8"))["page"]
    return found


def bare_page(held_out: dict[str, Any]) -> str:
    """Return one of `held_out_pages` as a page of its own."""
    title = escape(held_out.get("title", ""))
    return f'<html lang="{held_out["lang"]}"><head><title>{title}</title></head><body>{held_out["body"]}</body></html>'


def _template(kind: str, lang: str | None, random: Random) -> tuple[str, list[str]]:
    """Return title and paragraphs of a kind in a language, or in any where there is none."""
    templates = tomllib.loads(_TEMPLATES.read_text(encoding="utf-8"))[kind]
    found = templates.get(lang) or templates[random.choice(sorted(templates))]
    return found.get("title", ""), found["text"]


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def _with_banner(html: str, texts: Sequence[str]) -> str:
    """Return a page with a consent banner as the first thing in its body."""
    place = html.lower().find("<body")
    place = html.find(">", place) + 1 if place >= 0 else 0
    return f'{html[:place]}<div class="banner">{_paragraphs(texts)}</div>{html[place:]}'


def _replaced(blocks: Blocks, chosen: NDArray[np.int64], markup: str, *, title: str | None = None) -> str:
    """Return the page with some markup in place of the first of some blocks, and nothing in place of the others."""
    source, parts, place = blocks.tags.source, [], 0
    for number, block in enumerate(chosen.tolist()):
        first, end = int(blocks.first_byte[block]), int(blocks.end_byte[block])
        if first < place:
            continue
        parts += [source[place:first], markup.encode() if number == 0 else b""]
        place = end
    html = b"".join([*parts, source[place:]]).decode("utf-8", "replace")
    if title is not None:
        begin, end = html.find("<title>"), html.find("</title>")
        html = html[:begin] + f"<title>{escape(title)}" + html[end:] if 0 <= begin < end else html
    return html
