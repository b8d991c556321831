"""The well-behaved sites: the pages of the demo corpus, and articles in languages that it does not have."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from blockfeat.data.corpus import LabelledPage, demo_pages

# Names under it stand for this machine (RFC 6761), in browsers too.
DOMAIN = "localhost"


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page of a demo site.

    Attributes
    ----------
    path : str
        Begins with ``/``.
    html : str
        Absolute links to demo sites are written as ``http://NAME.localhost{port}/…``.
    charset : str
        Encoding in which the server sends the page.
    brands : tuple of str
        Names that stand in the article.
    around : tuple of str
        Names that stand only in teasers, advertisements and lists around it.
    declared : bool
        Whether the header names the charset.
    """

    path: str
    lang: str
    title: str
    summary: str
    date: datetime
    html: str
    brands: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    charset: str = "utf-8"
    declared: bool = True


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A site: its host is ``NAME.localhost``, its feed of one kind at ``feed_path``."""

    name: str
    title: str
    lang: str
    feed_kind: str
    pages: tuple[DemoPage, ...]

    @property
    def feed_path(self) -> str:
        """Where the feed is."""
        names = {"rss": "/feed.xml", "atom": "/atom.xml", "json": "/feed.json", "rdf": "/index.rdf"}
        return names.get(self.feed_kind, "/sitemap-news.xml")


@dataclass(frozen=True, slots=True)
class Chrome:
    """What a site puts around each article, in its language."""

    title: str
    lang: str
    menu: tuple[str, ...]
    related: str
    comments: str
    comment: str
    footer: str
    consent: str
    accept: str
    teasers: tuple[str, ...]


def article_page(
    chrome: Chrome, *, title: str, paragraphs: Sequence[str], date: str, url: str, wall: bool = False, charset: str = ""
) -> str:
    """Return the HTML of an article.

    Parameters
    ----------
    url : str
        The address that the page names as its canonical one.
    wall : bool
        Put the consent dialog before everything else.
    charset : str
        What ``<meta charset>`` declares; "" for none.
    """
    direction = ' dir="rtl"' if chrome.lang == "ar" else ""
    meta = f'<meta charset="{charset}">' if charset else ""
    dialog = f"<p>{escape(chrome.consent)}</p><button>{escape(chrome.accept)}</button>"
    consent = f'<div class="consent" role="dialog">{dialog}</div>'
    menu = "".join(f'<li><a href="/{number}">{escape(word)}</a></li>' for number, word in enumerate(chrome.menu))
    text = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in paragraphs)
    teasers = "".join(
        f'<li><a href="/t/{number}">{escape(word)}</a></li>' for number, word in enumerate(chrome.teasers)
    )
    return f"""<!DOCTYPE html>
<html lang="{chrome.lang}"{direction}><head>{meta}<title>{escape(title)} | {escape(chrome.title)}</title>
<link rel="canonical" href="{escape(url)}"><meta property="article:published_time" content="{date}"></head>
<body>{consent if wall else ""}
<header><a href="/">{escape(chrome.title)}</a><nav><ul>{menu}</ul></nav></header>
<main><article><h1>{escape(title)}</h1>
{text}</article>
<section class="comments"><h2>{escape(chrome.comments)}</h2><p>{escape(chrome.comment)}</p></section></main>
<aside class="related"><h2>{escape(chrome.related)}</h2><ul>{teasers}</ul></aside>
<footer><p>{escape(chrome.footer)}</p></footer>
{"" if wall else consent}</body></html>
"""


_KINDS = ("rss", "atom", "json", "rdf", "sitemap")
# Snippets of the corpus are names of brands or pieces of sentences; pieces are longer.
_BRAND_WORDS = 4
_BRAND_CHARACTERS = 30


def quiet_sites() -> tuple[DemoSite, ...]:
    """Return all well-behaved sites, in eleven languages and five kinds of feeds."""
    return (*corpus_sites(), *written_sites())


def corpus_sites() -> tuple[DemoSite, ...]:
    """Return the sites of the bundled corpus, each host ``NAME.example`` as ``NAME.localhost``."""
    by_name: dict[str, list[LabelledPage]] = {}
    for page in demo_pages():
        by_name.setdefault(_name(page.url or ""), []).append(page)
    return tuple(
        DemoSite(
            name=name,
            title=pages[0].publisher or name,
            lang=pages[0].lang or "",
            feed_kind=_KINDS[number % len(_KINDS)],
            pages=tuple(_corpus_page(name, page) for page in pages),
        )
        for number, (name, pages) in enumerate(by_name.items())
    )


def _name(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.").removesuffix(".example")


def _corpus_page(name: str, page: LabelledPage) -> DemoPage:
    parts = urlsplit(page.url or "")
    html = page.html.replace(f"{parts.scheme}://{parts.netloc}", f"http://{name}.{DOMAIN}{{port}}")
    paragraphs = (page.text or "").split("\n\n")
    return DemoPage(
        path=parts.path,
        lang=page.lang or "",
        title=page.title or "",
        summary=paragraphs[min(1, len(paragraphs) - 1)],
        date=datetime.fromisoformat(f"{page.date}T06:00:00+00:00"),
        html=html,
        brands=page.present[:1],
        around=tuple(_brands(page.absent)),
    )


def _brands(snippets: Iterable[str]) -> Iterator[str]:
    return (name for name in snippets if len(name.split()) <= _BRAND_WORDS and len(name) <= _BRAND_CHARACTERS)


def site_records() -> list[dict[str, Any]]:
    """Return the sites of ``articles.toml``."""
    text = files("blockfeat.monitor.demo").joinpath("articles.toml").read_text(encoding="utf-8")
    sites: list[dict[str, Any]] = tomllib.loads(text)["site"]
    return sites


def written_chrome(record: dict[str, Any]) -> Chrome:
    """Return what a site of ``articles.toml`` puts around its articles."""
    fields = ("title", "lang", "related", "comments", "comment", "footer", "consent", "accept")
    values = {name: record[name] for name in fields}
    return Chrome(menu=tuple(record["menu"]), teasers=tuple(record["teasers"]), **values)


def written_sites() -> tuple[DemoSite, ...]:
    """Return the sites whose articles were written in ``articles.toml``."""
    return tuple(
        DemoSite(
            name=record["name"],
            title=record["title"],
            lang=record["lang"],
            feed_kind=_KINDS[number % len(_KINDS)],
            pages=tuple(_written_page(record, article) for article in record["article"]),
        )
        for number, record in enumerate(site_records())
    )


def _written_page(record: dict[str, Any], article: dict[str, Any]) -> DemoPage:
    date = datetime.fromisoformat(article["date"]).astimezone(UTC)
    path = f"/{article['path']}"
    html = article_page(
        written_chrome(record),
        title=article["title"],
        paragraphs=article["text"],
        date=date.isoformat(),
        url=f"http://{record['name']}.{DOMAIN}{{port}}{path}",
        charset="utf-8",
    )
    return DemoPage(
        path=path,
        lang=record["lang"],
        title=article["title"],
        summary=article["text"][0],
        date=date,
        html=html,
        brands=tuple(article["brands"]),
        around=tuple(record["around"]),
    )
