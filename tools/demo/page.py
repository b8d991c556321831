"""What a layout gets: one article, its site, its language, and what this page happens to show around it."""

from __future__ import annotations

import html
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from demo.article import Article
from demo.markup import escape, escape_to_entities, rich
from demo.reading import Language, Site, Teaser

__all__ = ["Page", "make_page"]

_PATHS = {
    "table": "http://{host}/{year}/{slug}.htm",
    "blog": "https://{host}/{year}/{month}/{slug}/",
    "howto": "https://{host}/guide/{slug}",
    "ticker": "https://{host}/live/{slug}-{number}.html",
}
_ELSEWHERE = "https://{host}/{year}/{month}/{day}/{slug}"


@dataclass(frozen=True)
class Page:
    """The values that a layout places; methods turn them into safe HTML."""

    language: Language
    site: Site
    article: Article
    number: int
    url: str
    teasers: tuple[Teaser, ...]
    comments: tuple[dict[str, str], ...]
    cookie: dict[str, Any]
    footer: str
    advertisement: dict[str, str]

    def text(self, value: str) -> str:
        """Escape a text of the data files."""
        return self._escape(value)

    def rich(self, value: str, *, link: str = '<a href="{href}">{text}</a>') -> str:
        """Turn a line in light markup into HTML."""
        if self.site.layout == "table":
            return rich(self._escape(value), link=link, strong="<B>{text}</B>", emphasis="<I>{text}</I>")
        return rich(self._escape(value), link=link, strong="<strong>{text}</strong>", emphasis="<em>{text}</em>")

    def attribute(self, value: str) -> str:
        """Escape a text for a quoted attribute."""
        return html.escape(value.replace("¬", "").replace("~", " "))

    def word(self, name: str) -> str:
        """Return a word of the interface, such as "reply", in the language of the page."""
        words: dict[str, str] = self.language.chrome["words"]
        return self._escape(words[name])

    def css(self, name: str) -> str:
        """Return a class attribute; every site has its own way to name classes."""
        return f'class="{self._class_name(name)}"'

    @property
    def date(self) -> str:
        """The date as readers write it."""
        return self._escape(self.language.date(self.article.date))

    @property
    def sections(self) -> list[str]:
        """Names of the sections of the site."""
        return [self._escape(section) for section in self.language.chrome["sections"]]

    def pick(self, *names: str) -> str:
        """Choose one of several element names, by the variant of the layout that the site uses."""
        return names[self.site.variant % len(names)]

    @property
    def _escape(self) -> Callable[[str], str]:
        return escape_to_entities if self.site.layout == "table" else escape

    def _class_name(self, name: str) -> str:
        if self.site.naming == "hashed":
            return f"css-{zlib.crc32(f'{self.site.host} {name}'.encode()):08x}"
        if self.site.naming == "bem":
            return f"o-{name} o-{name}--default"
        if self.site.naming == "prefix":
            return f"{self.site.host.removeprefix('www.')[:4]}-{name}"
        return name


def make_page(language: Language, article: Article, *, number: int, seed: int) -> Page:
    """Choose, by the seed and the article alone, what stands around an article."""
    site = language.sites[article.site]
    rng = random.Random(f"{seed} {site.host} {article.slug}")
    chrome = language.chrome
    year, month, day = article.date.split("-")
    url = _PATHS.get(site.layout, _ELSEWHERE).format(
        host=site.host, year=year, month=month, day=day, slug=article.slug, number=48_213 + 17 * number
    )
    return Page(
        language=language,
        site=site,
        article=article,
        number=number,
        url=url,
        teasers=tuple(rng.sample(language.teasers, len(language.teasers))),
        comments=tuple(rng.sample(chrome["comments"], len(chrome["comments"]))),
        cookie=chrome["cookies"][site.variant % len(chrome["cookies"])],
        footer=chrome["footers"][site.variant % len(chrome["footers"])]["text"],
        advertisement=rng.choice(chrome["advertisements"]),
    )
