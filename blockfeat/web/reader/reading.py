"""Pages for reading: the article alone, or the page cleaned with its markup kept; links lead on through the reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from blockfeat.content.characters import clean_characters
from blockfeat.content.links import safe_target
from blockfeat.page.page import Page
from blockfeat.papers.crunch.clean import Cleaned, Cleaner
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.web.reader.choices import ExtractionChoices
from blockfeat.web.reader.kept import PageSource
from blockfeat.web.reader.loaded import LoadedExtractors
from blockfeat.web.reader.plain import plain
from blockfeat.web.safe.page import head_styles, safe_page


def _cleaned(source: PageSource, settings: CleanSettings, loaded: LoadedExtractors) -> Cleaned:
    return Cleaner.of(settings).clean(source.html, charset=source.charset, max_bytes=loaded.max_bytes)


@dataclass(frozen=True)
class LinksOn:
    """Makes the address of a link in the reader: links to the web lead on through it, places in the page stay.

    Attributes
    ----------
    page : str
        Address of the page that is read.
    query : str
        What is appended, beginning with ``&``; empty for nothing.
    """

    page: str
    query: str = ""

    def __call__(self, target: str) -> str:
        """Return the address for a safe, absolute target."""
        # Not urldefrag: it refuses some addresses that pages have.
        address, _, fragment = target.partition("#")
        if fragment and address == self.page.partition("#")[0]:
            return f"#{fragment}"
        if not target.lower().startswith(("http://", "https://")):
            return target
        return f"/read?url={quote(target, safe='')}{self.query}"


@dataclass(frozen=True)
class Clean:
    """Cleans a page; returns it as HTML, sanitised unless told otherwise, or as plain text."""

    source: PageSource
    settings: CleanSettings
    format: str = "html"
    sanitise: bool = True

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return ``output``, ``encoding`` and ``warnings``."""
        cleaned = _cleaned(self.source, self.settings, loaded)
        html = cleaned.sanitised() if self.sanitise else cleaned.html
        output = clean_characters(cleaned.text() if self.format == "text" else html)
        return {"output": output, "encoding": cleaned.encoding, "warnings": list(cleaned.warnings)}


@dataclass(frozen=True)
class CleanedPage:
    """Cleans a page; returns it as a safe document for a sandboxed frame.

    Attributes
    ----------
    source : PageSource
        The page.
    settings : CleanSettings
        What is removed.
    look : str
        One of `blockfeat.web.safe.markup.LOOKS`.
    links : LinksOn or None
        Where links lead; nowhere without it.
    head : str
        Safe markup for the end of the head.
    """

    source: PageSource
    settings: CleanSettings
    look: str = "page"
    links: LinksOn | None = None
    head: str = ""

    def __call__(self, loaded: LoadedExtractors) -> str:
        """Return the document."""
        url = self.source.url
        html = _cleaned(self.source, self.settings, loaded).html
        link: Callable[[str], str] | None = self.links
        styles = head_styles(html, url=url, look=self.look)
        return safe_page(Page.parse(html, url=url), styles=styles, head=self.head, look=self.look, link=link)


@dataclass(frozen=True)
class ReadArticle:
    """Extracts a page; returns its record, and its main text as safe markup whose links lead on."""

    source: PageSource
    choices: ExtractionChoices
    links: LinksOn
    images: bool = False

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return ``record`` and ``body``."""
        extraction = loaded.of(self.choices).extract(
            self.source.html, url=self.source.url, lang=self.choices.lang, charset=self.source.charset
        )
        body = _body(extraction.to_html(images=self.images), self.links)
        return {"record": plain(extraction.to_dict()), "body": body}


def _body(document: str, links: LinksOn) -> str:
    """Return the body of an article, sanitised once more with its links changed."""
    import nh3

    def changed(tag: str, attribute: str, value: str) -> str | None:
        if (tag, attribute) != ("a", "href"):
            return value
        target = safe_target(value)
        return None if target is None else links(target)

    body = document.partition("<body>")[2].rpartition("</body>")[0]
    attributes = {"a": {"href"}, "img": {"alt", "src"}, "ol": {"start"}}
    return nh3.clean(
        body,
        attributes=attributes,
        url_schemes={"http", "https", "mailto"},
        attribute_filter=changed,
        link_rel="noreferrer",
    )
