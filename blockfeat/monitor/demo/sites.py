"""The well-behaved sites: the pages of the demo corpus, and articles in languages that it does not have."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from blockfeat.data.corpus import LabelledPage, demo_pages
from blockfeat.monitor.demo.layout import Chrome, article_page
from blockfeat.monitor.demo.site import DOMAIN, DemoPage, DemoSite

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
