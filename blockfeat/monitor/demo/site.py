"""The sites of the demo server, and what is known about each of their pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

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
