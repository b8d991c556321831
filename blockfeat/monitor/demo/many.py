"""Many sites with many pages, made from the sentences of the demo articles: for tests under load."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from blockfeat.data.corpus import demo_pages
from blockfeat.monitor.demo.sites import (
    DOMAIN,
    Chrome,
    DemoPage,
    DemoSite,
    article_page,
    quiet_sites,
    site_records,
    written_chrome,
)

_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s*")
_SHORTEST = 12
_UNSPACED = frozenset({"ja", "zh"})
_EXCHANGED = 0.3
_SENTENCES = (12, 20)
_PARAGRAPH = 4
_TEASERS = 3
_KINDS = ("rss", "atom", "json", "rdf", "sitemap")
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
