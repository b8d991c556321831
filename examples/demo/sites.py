"""The sites of the demo server: those of the demo corpus, those written by hand, and generated ones."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
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
    corrected : DemoPage or None
        What the server has in its place once it was sent.
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
    corrected: DemoPage | None = None


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
    text = files("examples.demo").joinpath("articles.toml").read_text(encoding="utf-8")
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


_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s*")
_SHORTEST = 12
_UNSPACED = frozenset({"ja", "zh"})
_EXCHANGED = 0.3
_SENTENCES = (12, 20)
_PARAGRAPH = 4
_TEASERS = 3
_START = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Language:
    """What pages in one language are made of."""

    chrome: Chrome
    sentences: tuple[str, ...]
    brands: tuple[str, ...]
    word: re.Pattern[str]
    vocabulary: tuple[str, ...]


def many_sites(feeds: int, pages: int) -> tuple[DemoSite, ...]:
    """Return sites ``many-0`` … with a feed and some pages each; the same numbers give the same pages.

    The last page of every other site is a copy of the last page of the site before, in other surroundings.
    """
    languages = _languages()
    return tuple(_site(number, languages[number // 2 % len(languages)], pages) for number in range(feeds))


def _site(number: int, language: _Language, pages: int) -> DemoSite:
    name = f"many-{number}"
    last = pages - 1
    sources = [number - 1 if place == last and number % 2 else number for place in range(pages)]
    return DemoSite(
        name=name,
        title=f"{language.chrome.title} {number}",
        lang=language.chrome.lang,
        feed_kind=_KINDS[number % len(_KINDS)],
        pages=tuple(_page(name, number, source, place, language) for place, source in enumerate(sources)),
    )


def _page(name: str, number: int, source: int, place: int, language: _Language) -> DemoPage:
    """Return page ``place`` of a site with the text that site ``source`` has there."""
    drawn = random.Random(f"text {source} {place}")
    count = min(drawn.randint(*_SENTENCES), max(len(language.sentences) // 2, 2))
    title, *sentences = (_varied(sentence, language, drawn) for sentence in drawn.sample(language.sentences, count))
    gap = "" if language.chrome.lang in _UNSPACED else " "
    paragraphs = [gap.join(sentences[at : at + _PARAGRAPH]) for at in range(0, len(sentences), _PARAGRAPH)]
    text = "\n".join((title, *paragraphs))
    around = random.Random(f"around {number} {place}").sample(language.brands, min(_TEASERS, len(language.brands)))
    date = _START + timedelta(minutes=7 * (source * 50 + place))
    path = f"/{date:%Y/%m}/{place}"
    chrome = _with_teasers(language.chrome, around)
    return DemoPage(
        path=path,
        lang=chrome.lang,
        title=title,
        summary=paragraphs[0] if paragraphs else "",
        date=date,
        html=article_page(
            chrome,
            title=title,
            paragraphs=paragraphs,
            date=date.isoformat(),
            url=f"http://{name}.{DOMAIN}{{port}}{path}",
            charset="utf-8",
        ),
        brands=tuple(brand for brand in language.brands if brand in text),
        around=tuple(brand for brand in around if brand not in text),
    )


def _varied(sentence: str, language: _Language, drawn: random.Random) -> str:
    """Return a sentence with some of its words exchanged, so that few stories never make two pages alike."""
    pieces = language.word.split(sentence)
    return "".join(
        drawn.choice(language.vocabulary) if place % 2 and piece not in language.brands and drawn.random() < _EXCHANGED
        else piece
        for place, piece in enumerate(pieces)
    )  # fmt: skip


def _with_teasers(chrome: Chrome, teasers: Sequence[str]) -> Chrome:
    return replace(chrome, teasers=tuple(teasers))


def _languages() -> list[_Language]:
    """Return the languages of the demo sites, each with its sentences, its brands and a site's surroundings."""
    brands: dict[str, dict[str, None]] = {}
    sentences: dict[str, dict[str, None]] = {}
    for site in quiet_sites():
        for page in site.pages:
            brands.setdefault(site.lang, {}).update(dict.fromkeys((*page.brands, *page.around)))
    for lang, paragraph in _paragraphs():
        sentences.setdefault(lang, {}).update(dict.fromkeys(_sentences(paragraph)))
    chromes = {record["lang"]: written_chrome(record) for record in site_records()}
    default = next(iter(chromes.values()))
    return [
        _language(chromes.get(lang) or _plain_chrome(default, lang), tuple(sentences[lang]), tuple(brands[lang]))
        for lang in sorted(sentences)
    ]


def _language(chrome: Chrome, sentences: tuple[str, ...], brands: tuple[str, ...]) -> _Language:
    names = "|".join(re.escape(brand) for brand in sorted(brands, key=len, reverse=True))
    # Without spaces between words, characters are exchanged.
    letters = r"[^\W_]" if chrome.lang in _UNSPACED else r"[^\W_]+"
    word = re.compile(f"({names}|{letters})")
    words = (piece for sentence in sentences for piece in word.findall(sentence))
    return _Language(chrome, sentences, brands, word, tuple(piece for piece in words if piece not in brands))


def _paragraphs() -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of all demo articles, each with its language."""
    for page in demo_pages():
        for paragraph in (page.text or "").split("\n\n")[1:]:
            yield page.lang or "", paragraph
    for record in site_records():
        for article in record["article"]:
            for paragraph in article["text"]:
                yield record["lang"], paragraph


def _sentences(paragraph: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(paragraph) if len(sentence) >= _SHORTEST]


def _plain_chrome(like: Chrome, lang: str) -> Chrome:
    return replace(
        like,
        title=f"Demo {lang}",
        lang=lang,
        menu=("A–Z", "Index", "RSS"),
        related="+ + +",
        comments="#",
        comment="…",
        footer=f"© Demo {lang}",
        consent="Cookies",
        accept="OK",
    )
