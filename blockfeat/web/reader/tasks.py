"""The tasks of the worker processes, and what they work with: a page, and the extractors that a process has loaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from blockfeat.content import Base, Sanitiser, clean_characters
from blockfeat.errors import ModelError
from blockfeat.extraction import DEFAULT_OPTIONS, Extraction, ExtractionOptions, Extractor
from blockfeat.io.outputs import explanation_table, plain, record_of, written
from blockfeat.models import DEFAULT_MODEL, bundled_models
from blockfeat.page import Page
from blockfeat.papers.crunch.clean import Cleaned, Cleaner
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.web.coloured import coloured_extraction, head_styles, safe_page
from blockfeat.web.reader import serialise


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page as it was sent or fetched.

    Attributes
    ----------
    html : str or bytes
        The page.
    url : str or None
        Its address, after redirects.
    charset : str or None
        Charset from the HTTP header.
    name : str or None
        Name of the file that it was sent as.
    """

    html: str | bytes
    url: str | None = None
    charset: str | None = None
    name: str | None = None

    @property
    def size(self) -> int:
        """Size in bytes."""
        return len(self.html) if isinstance(self.html, bytes) else len(self.html.encode("utf-8", "surrogatepass"))


def model_names(files: tuple[str, ...]) -> dict[str, str]:
    """Return the bundled name or the file of each offered model, by its name; the default model is the first.

    Raises
    ------
    ModelError
        Two models have one name.
    """
    bundled = bundled_models()
    names = {name: name for name in (DEFAULT_MODEL, *bundled)}
    for file in files:
        name = Path(file).stem
        if name in names:
            raise ModelError(f"{file}: there is a model named {name!r} already")
        names[name] = file
    return names


@dataclass(frozen=True)
class ExtractionChoices:
    """A model, and the options of an extraction.

    Attributes
    ----------
    model : str
        Name of a bundled model, or of one that the service was started with.
    lang : str or None
        ISO 639-1 code of the page's language.
    options : ExtractionOptions
        The options.
    """

    model: str = "default"
    lang: str | None = None
    options: ExtractionOptions = DEFAULT_OPTIONS


@dataclass(frozen=True)
class LoadedExtractors:
    """Extractors, each loaded at its first use.

    Attributes
    ----------
    sources : mapping
        The bundled name or the file of each model, by its name.
    max_bytes : int
        Largest page.
    """

    sources: Mapping[str, str]
    max_bytes: int
    _extractors: dict[str, Extractor] = field(default_factory=dict, repr=False)

    def of_model(self, name: str) -> Extractor:
        """Return the extractor of a model without further options.

        Raises
        ------
        ModelError
            No model of this name is offered.
        """
        if name not in self.sources:
            raise ModelError(f"there is no model {name[:100]!r}; known are {', '.join(self.sources)}")
        if name not in self._extractors:
            self._extractors[name] = Extractor.load(self.sources[name]).with_options(max_bytes=self.max_bytes)
        return self._extractors[name]

    def of(self, choices: ExtractionChoices) -> Extractor:
        """Return an extractor with options.

        Raises
        ------
        ModelError
            No such model is offered, or an option does not suit it.
        """
        return self.of_model(choices.model).with_options(**choices.options.given())


def load_extractors(sources: Mapping[str, str], max_bytes: int) -> LoadedExtractors:
    """Return extractors with the default model already loaded, so that the first page does not wait for it."""
    loaded = LoadedExtractors(sources, max_bytes)
    loaded.of_model(DEFAULT_MODEL)
    return loaded


def _extracted(source: PageSource, choices: ExtractionChoices, loaded: LoadedExtractors) -> Extraction:
    return loaded.of(choices).extract(source.html, url=source.url, lang=choices.lang, charset=source.charset)


def extract(
    loaded: LoadedExtractors, *, source: PageSource, choices: ExtractionChoices, formats: Sequence[str], **options: bool
) -> dict[str, Any]:
    """Return the ``record`` of a page, with its blocks for ``evidence``, and ``outputs``, its main text by format."""
    extraction = _extracted(source, choices, loaded)
    outputs = {name: written(extraction, name, **options) for name in formats}
    return {"record": record_of(extraction, evidence=options.get("evidence", False)), "outputs": outputs}


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
    thresholds = serialise.described_thresholds(loaded.of(choices).model, extraction.lang)
    known = serialise.features_by_name() if features else {}
    usual = serialise.usual_values(extraction.blocks) if features else {}
    wanted = None if blocks is None else set(blocks)
    rows = []
    for row, block in zip(explanation_table(extraction), extraction.blocks, strict=True):
        if wanted is None or block.index in wanted:
            row["features"] = serialise.described_features(block, thresholds, known, usual) if features else []
            rows.append({**row, "level": block.level, "links": len(block.links)})
    return {"record": record_of(extraction), "thresholds": plain(thresholds), "blocks": plain(rows)}


def compare(
    loaded: LoadedExtractors, *, source: PageSource, first: ExtractionChoices, second: ExtractionChoices
) -> dict[str, Any]:
    """Return what each of two extractions keeps, where they decide differently, and how far their texts agree."""
    return serialise.differing_blocks(_extracted(source, first, loaded), _extracted(source, second, loaded))


def colour(loaded: LoadedExtractors, *, source: PageSource, choices: ExtractionChoices, look: str = "page") -> str:
    """Return a page with its blocks coloured."""
    return coloured_extraction(_extracted(source, choices, loaded), source.html, charset=source.charset, look=look)


def describe_models(loaded: LoadedExtractors) -> list[dict[str, Any]]:
    """Return a description of each of the models that are offered."""
    return [serialise.described_model(name, loaded.of_model(name).model) for name in loaded.sources]


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
    loaded: LoadedExtractors, *, source: PageSource, settings: CleanSettings, format: str, sanitise: bool
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
    return safe_page(Page.parse(html, url=source.url), head=styles + head, look=look, link=links)


def read_article(
    loaded: LoadedExtractors, *, source: PageSource, choices: ExtractionChoices, links: LinksOn, images: bool = False
) -> dict[str, Any]:
    """Return the ``record`` of a page, and ``body``, its main text as safe markup whose links open in the reader."""
    extraction = _extracted(source, choices, loaded)
    body = extraction.to_html(images=images).partition("<body>")[2].rpartition("</body>")[0]
    # Sanitised once more, with its links changed.
    sanitiser = Sanitiser(Base(None), link=links, added={"a": {"rel": "noreferrer"}})
    return {"record": record_of(extraction), "body": sanitiser.markup(body)}
