"""What worker processes do for the service: each task a value that is called with what the process has loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from blockfeat.content.links import clean_characters, safe_target
from blockfeat.extraction.extraction import Extraction
from blockfeat.io.outputs import explanation_table, written
from blockfeat.io.outputs.records import plain, record_of
from blockfeat.page.page import Page
from blockfeat.papers.crunch.clean import Cleaned, Cleaner
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.web.reader.choices import ExtractionChoices
from blockfeat.web.reader.described import (
    described_features,
    described_model,
    described_thresholds,
    differing_blocks,
    features_by_name,
    usual_values,
)
from blockfeat.web.reader.kept import PageSource
from blockfeat.web.reader.loaded import LoadedExtractors
from blockfeat.web.safe.page import extraction_and_coloured_page, head_styles, safe_page


def _extracted(source: PageSource, choices: ExtractionChoices, loaded: LoadedExtractors) -> Extraction:
    return loaded.of(choices).extract(source.html, url=source.url, lang=choices.lang, charset=source.charset)


@dataclass(frozen=True)
class Extract:
    """Extracts a page; returns its record, and the main text in some formats.

    Attributes
    ----------
    source : PageSource
        The page.
    choices : ExtractionChoices
        Model and options.
    formats : tuple of str
        Names of formats.
    links, images : bool
        Write links in Markdown, and images, where the format can.
    evidence : bool
        Add the blocks to the record.
    """

    source: PageSource
    choices: ExtractionChoices
    formats: tuple[str, ...] = ()
    links: bool = False
    images: bool = False
    evidence: bool = False

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return ``record`` and ``outputs``."""
        extraction = _extracted(self.source, self.choices, loaded)
        options = {"links": self.links, "images": self.images, "evidence": self.evidence}
        outputs = {name: written(extraction, name, **options) for name in self.formats}
        return {"record": record_of(extraction, evidence=self.evidence), "outputs": outputs}


@dataclass(frozen=True)
class Explain:
    """Extracts a page; returns its blocks with what was decided about each, and why.

    Attributes
    ----------
    source : PageSource
        The page.
    choices : ExtractionChoices
        Model and options.
    features : bool
        Add the features of the blocks.
    blocks : tuple of int or None
        Only these blocks; all without it.
    """

    source: PageSource
    choices: ExtractionChoices
    features: bool = True
    blocks: tuple[int, ...] | None = None

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return ``record``, ``thresholds`` and ``blocks``."""
        extraction = _extracted(self.source, self.choices, loaded)
        model = loaded.of(self.choices).model
        thresholds = described_thresholds(model, extraction.lang)
        known = features_by_name() if self.features else {}
        usual = usual_values(extraction.blocks) if self.features else {}
        wanted = None if self.blocks is None else set(self.blocks)
        rows = []
        for row, block in zip(explanation_table(extraction), extraction.blocks, strict=True):
            if wanted is None or block.index in wanted:
                row["features"] = described_features(block, thresholds, known, usual) if self.features else []
                rows.append({**row, "level": block.level, "links": len(block.links)})
        return {"record": record_of(extraction), "thresholds": plain(thresholds), "blocks": plain(rows)}


@dataclass(frozen=True)
class Compare:
    """Extracts a page in two ways; returns the blocks about which the two differ."""

    source: PageSource
    first: ExtractionChoices
    second: ExtractionChoices

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return what each keeps, the blocks of each about which the other decides otherwise, and their agreement."""
        pair = [_extracted(self.source, choices, loaded) for choices in (self.first, self.second)]
        return differing_blocks(*pair)


@dataclass(frozen=True)
class Colour:
    """Returns the page with its blocks coloured."""

    source: PageSource
    choices: ExtractionChoices
    look: str = "page"

    def __call__(self, loaded: LoadedExtractors) -> str:
        """Return the coloured page."""
        _, coloured = extraction_and_coloured_page(
            self.source.html,
            loaded.of(self.choices),
            url=self.source.url,
            lang=self.choices.lang,
            charset=self.source.charset,
            look=self.look,
        )
        return coloured


@dataclass(frozen=True)
class DescribeModels:
    """Describes the models that are offered."""

    names: Sequence[str]

    def __call__(self, loaded: LoadedExtractors) -> list[dict[str, Any]]:
        """Return a description of each."""
        return [described_model(name, loaded.of_model(name).model) for name in self.names]


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
        extraction = _extracted(self.source, self.choices, loaded)
        body = _body(extraction.to_html(images=self.images), self.links)
        return {"record": record_of(extraction), "body": body}


def _body(document: str, links: LinksOn) -> str:
    """Return the body of an article, sanitised once more with its links changed."""
    import nh3

    def changed(tag: str, attribute: str, value: str) -> str | None:
        if (tag, attribute) != ("a", "href"):
            return value
        target = safe_target(value)
        return None if target is None else links(target)

    body = document.partition("<body>")[2].rpartition("</body>")[0]
    attributes = {"*": {"dir"}, "a": {"href"}, "img": {"alt", "src"}, "ol": {"start"}}
    return nh3.clean(
        body,
        attributes=attributes,
        url_schemes={"http", "https", "mailto"},
        attribute_filter=changed,
        link_rel="noreferrer",
    )
