"""The tasks of the worker processes: each is called with the extractors that its process has loaded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from blockfeat.content import Base, Sanitiser, clean_characters
from blockfeat.extraction import Extraction
from blockfeat.io.outputs import explanation_table, plain, record_of, written
from blockfeat.page import Page
from blockfeat.papers.crunch.clean import Cleaned, Cleaner
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.web.coloured import extraction_and_coloured_page, head_styles, safe_page
from blockfeat.web.reader.cache import ExtractionChoices, LoadedExtractors, PageSource
from blockfeat.web.reader.serialise import (
    described_features,
    described_model,
    described_thresholds,
    differing_blocks,
    features_by_name,
    usual_values,
)


def _extracted(source: PageSource, choices: ExtractionChoices, loaded: LoadedExtractors) -> Extraction:
    return loaded.of(choices).extract(source.html, url=source.url, lang=choices.lang, charset=source.charset)


def extract(
    loaded: LoadedExtractors,
    *,
    source: PageSource,
    choices: ExtractionChoices,
    formats: Sequence[str],
    links: bool = False,
    images: bool = False,
    evidence: bool = False,
) -> dict[str, Any]:
    """Return the ``record`` of a page, with its blocks for ``evidence``, and ``outputs``, its main text by format."""
    extraction = _extracted(source, choices, loaded)
    outputs = {name: written(extraction, name, links=links, images=images, evidence=evidence) for name in formats}
    return {"record": record_of(extraction, evidence=evidence), "outputs": outputs}


def explain(
    loaded: LoadedExtractors,
    *,
    source: PageSource,
    choices: ExtractionChoices,
    features: bool = True,
    blocks: Collection[int] | None = None,
) -> dict[str, Any]:
    """Return ``record``, ``thresholds``, and ``blocks`` with the decision about each block and its reason.

    Parameters
    ----------
    features : bool
        Add the features of the blocks.
    blocks : collection of int, optional
        Only these blocks; all without it.
    """
    extraction = _extracted(source, choices, loaded)
    thresholds = described_thresholds(loaded.of(choices).model, extraction.lang)
    known = features_by_name() if features else {}
    usual = usual_values(extraction.blocks) if features else {}
    wanted = None if blocks is None else set(blocks)
    rows = []
    for row, block in zip(explanation_table(extraction), extraction.blocks, strict=True):
        if wanted is None or block.index in wanted:
            row["features"] = described_features(block, thresholds, known, usual) if features else []
            rows.append({**row, "level": block.level, "links": len(block.links)})
    return {"record": record_of(extraction), "thresholds": plain(thresholds), "blocks": plain(rows)}


def compare(
    loaded: LoadedExtractors, *, source: PageSource, first: ExtractionChoices, second: ExtractionChoices
) -> dict[str, Any]:
    """Return what each of two extractions keeps, where they decide differently, and how far their texts agree."""
    return differing_blocks(_extracted(source, first, loaded), _extracted(source, second, loaded))


def colour(loaded: LoadedExtractors, *, source: PageSource, choices: ExtractionChoices, look: str = "page") -> str:
    """Return a page with its blocks coloured."""
    _, coloured = extraction_and_coloured_page(
        source.html, loaded.of(choices), url=source.url, lang=choices.lang, charset=source.charset, look=look
    )
    return coloured


def describe_models(loaded: LoadedExtractors, *, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a description of each of the models that are offered."""
    return [described_model(name, loaded.of_model(name).model) for name in names]


def _cleaned(source: PageSource, settings: CleanSettings, loaded: LoadedExtractors) -> Cleaned:
    return Cleaner.of(settings).clean(source.html, charset=source.charset, max_bytes=loaded.max_bytes)


@dataclass(frozen=True)
class LinksOn:
    """Maps the target of a link to its address in the reader: web pages open in the reader, fragments of the page stay.

    Attributes
    ----------
    page : str
        Address of the page that is read.
    query : str
        Further parameters of the query string, beginning with ``&``; empty for none.
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


def clean(
    loaded: LoadedExtractors,
    *,
    source: PageSource,
    settings: CleanSettings,
    format: str = "html",
    sanitise: bool = True,
) -> dict[str, Any]:
    """Return a cleaned page, as HTML or plain text: ``output``, ``encoding`` and ``warnings``."""
    cleaned = _cleaned(source, settings, loaded)
    html = cleaned.sanitised() if sanitise else cleaned.html
    output = clean_characters(cleaned.text() if format == "text" else html)
    return {"output": output, "encoding": cleaned.encoding, "warnings": list(cleaned.warnings)}


def cleaned_page(
    loaded: LoadedExtractors,
    *,
    source: PageSource,
    settings: CleanSettings,
    look: str = "page",
    links: LinksOn | None = None,
    head: str = "",
) -> str:
    """Return a cleaned page as a safe document for a sandboxed frame.

    Parameters
    ----------
    settings : CleanSettings
        What is removed.
    look : str
        One of `blockfeat.web.coloured.LOOKS`.
    links : LinksOn, optional
        Where links lead; nowhere without it.
    head : str
        Safe markup for the end of the head.
    """
    html = _cleaned(source, settings, loaded).html
    styles = head_styles(html, url=source.url, look=look)
    return safe_page(Page.parse(html, url=source.url), styles=styles, head=head, look=look, link=links)


def read_article(
    loaded: LoadedExtractors, *, source: PageSource, choices: ExtractionChoices, links: LinksOn, images: bool = False
) -> dict[str, Any]:
    """Return the ``record`` of a page, and ``body``, its main text as safe markup whose links open in the reader."""
    extraction = _extracted(source, choices, loaded)
    return {"record": record_of(extraction), "body": _body(extraction.to_html(images=images), links)}


def _body(document: str, links: LinksOn) -> str:
    """Return the body of an article, sanitised once more with its links changed."""
    body = document.partition("<body>")[2].rpartition("</body>")[0]
    return Sanitiser(Base(None), link=links, added={"a": {"rel": "noreferrer"}}).markup(body)
