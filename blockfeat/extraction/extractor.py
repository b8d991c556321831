"""``Extractor``: the pipeline page → blocks → features → scores → labels → extraction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Generic, Self, TypeVar, Unpack

from blockfeat.content.plain import normalised, plain_text, without_permalinks
from blockfeat.errors import LanguageError, ModelError, failure_reason
from blockfeat.extraction.analysis import PageAnalysis
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.options import ExtractionOptions, GivenOptions
from blockfeat.extraction.postprocess import postprocess
from blockfeat.features.measuring import PageFeatures
from blockfeat.lang.identify import Identifier, normalise_code
from blockfeat.lang.stopwords import StopWordIndex
from blockfeat.models.decoding import Decoder
from blockfeat.models.model import Model, PageMeasurer, Prediction
from blockfeat.models.store import DEFAULT_MODEL, bundled_models, load_model
from blockfeat.models.threshold import ThresholdModel
from blockfeat.page.document import Document, wrong_type
from blockfeat.page.page import Page


def measurer_for(model: Model) -> PageMeasurer:
    """Return the measuring stage that a model was trained with, over the stop lists of all languages."""
    return model.measurer(Identifier.build(StopWordIndex.build()))


@dataclass(frozen=True)
class Extractor:
    """Extracts the main text of pages with one model; make one with `Extractor.load` and use it for many pages.

    Attributes
    ----------
    model : Model
        What labels the blocks.
    measurer : PageMeasurer
        The model's measuring stage.
    options : ExtractionOptions
        The options; see `with_options`.
    """

    model: Model
    measurer: PageMeasurer
    options: ExtractionOptions = field(default_factory=ExtractionOptions)

    def __repr__(self) -> str:
        """Return name and kind of the model, and the options that were given."""
        shown = {"model": self.model.name, "kind": self.model.kind, **self.options.given()}
        return f"Extractor({', '.join(f'{name}={value!r}' for name, value in shown.items() if value is not None)})"

    @classmethod
    def load(cls, name: str | Path = "default") -> Extractor:
        """Load a bundled model by name, or a model file by path.

        Raises
        ------
        ModelError
            There is no such model, or its file is bad.
        """
        return cls.of(load_model(name))

    @classmethod
    def of(cls, model: Model) -> Extractor:
        """Make an extractor of a model, for instance one just trained."""
        return cls(model, measurer_for(model))

    def with_options(self, **given: Unpack[GivenOptions]) -> Extractor:
        """Return a changed copy; what is not given, or None, stays.

        Parameters
        ----------
        **given
            Options by name, which `ExtractionOptions` describes: ``decoder``, ``runs``, ``favour``, ``headline``,
            ``captions``, ``tables``, ``comments``, ``rules``, ``metadata``, ``max_bytes``, ``normalise``,
            ``lang_ui``.

        Raises
        ------
        ModelError
            The model has no decoder to choose, or ``favour`` is neither of the two.
        """
        decoder, runs, favour = given.get("decoder"), given.get("runs"), given.get("favour")
        options = self.options.changed(given)
        model = self.model
        if decoder is not None or runs is not None:
            if not isinstance(model, ThresholdModel):
                raise ModelError(f"model {model.name!r} has no decoder to choose")
            chosen = Decoder(decoder or model.decoder.name, model.decoder.runs if runs is None else runs)
            model = replace(model, decoder=chosen)
        if favour is not None:
            model = model.favouring(favour)
        return replace(self, model=model, options=options)

    def extract(
        self,
        html: str | bytes | bytearray | memoryview,
        *,
        url: str | None = None,
        lang: str | None = None,
        charset: str | None = None,
        id: str | None = None,
    ) -> Extraction:
        """Extract the main text of one page.

        Parameters
        ----------
        html : str or bytes-like
            The page.
        url : str, optional
            Its address, kept in the result.
        lang : str, optional
            Its language where known (ISO 639-1); identified otherwise.
        charset : str, optional
            Charset from the HTTP header, for bytes.
        id : str, optional
            Identifier, kept in the result.

        Raises
        ------
        InputTypeError, NotHTML, LimitExceeded
            The input is no page: of another type or format, too large, or a str that is a URL or a path.
        LanguageError
            ``lang`` is no language code.
        """
        if lang is not None and normalise_code(lang) is None:
            raise LanguageError(f"{lang!r} is no language code; give an ISO 639-1 code such as 'de'")
        page = Page.parse(
            html,
            url=url,
            charset=charset,
            max_bytes=self.options.max_bytes,
            keep_drawings=self.model.table.reads_drawings,
        )
        measured = self.measurer.measure(page, lang=lang)
        if not measured.blocks.columns.size and (found := page.with_hidden_text()):
            page, measured = found, self.measurer.measure(found, lang=lang)
        return self.assemble(page, measured, self.model.predict(measured), id=id)

    def assemble(
        self, page: Page, measured: PageFeatures, prediction: Prediction, *, id: str | None = None
    ) -> Extraction:
        """Put together what is kept of a page that was measured and predicted: the last stage of `extract`."""
        options, model = self.options, self.model
        warnings = (*page.warnings, *self._foreign(measured.lang))
        blocks = without_permalinks(measured.blocks)
        measured = measured if blocks is measured.blocks else replace(measured, blocks=blocks)
        title = normalised(page.title) if page.title and options.normalise else page.title
        choice, evidence = postprocess(blocks, prediction, page, title=title, options=options, model_kind=model.kind)
        prediction = Prediction(prediction.scores, choice.kept, log_odds=prediction.log_odds)
        headline = choice.headline_text
        if headline and options.normalise:
            headline = normalised(headline)
        text = plain_text(blocks, choice.kept, choice.tables, normalise=options.normalise)
        return Extraction(
            text=text,
            lang=measured.lang,
            url=page.url,
            id=id,
            title=title,
            headline=headline,
            status="ok" if text and evidence.notice is None else "no content" if len(blocks) else "empty",
            warnings=warnings if choice.warning is None else (*warnings, choice.warning),
            model=model.name,
            encoding=page.encoding,
            source=PageAnalysis(
                measured=measured,
                prediction=prediction,
                model=model,
                identifier=self.measurer.identifier,
                evidence=evidence,
                choice=choice,
            ),
        )

    def _foreign(self, lang: str | None) -> tuple[str, ...]:
        """Return a warning for a page in a language that the model was not trained on."""
        languages = self.model.languages
        if not languages or lang in languages:
            return ()
        return (f"the page's language ({lang or 'unknown'}) is none of the model's ({', '.join(languages)})",)

    def extract_document(self, document: Document) -> Extraction:
        """Extract one document of a batch: whatever is wrong with it becomes an extraction with an error."""
        if document.data is None:
            return self.failed(document, document.error or "the document has no data")
        try:
            return self.extract(
                document.data, url=document.url, lang=document.lang, charset=document.charset, id=document.id
            )
        except Exception as error:
            return self.failed(document, failure_reason(error))

    def extract_many(
        self,
        pages: Iterable[str | bytes | bytearray | memoryview | Document],
        *,
        jobs: int = 1,
        deadline: float | None = None,
    ) -> Iterator[Extraction]:
        """Extract many pages, in order; a page that fails yields an extraction with its ``error`` set.

        Parameters
        ----------
        pages : iterable of str, bytes-like or Document
            Taken lazily.
        jobs : int
            Number of processes.
        deadline : float, optional
            Seconds that one page may take before its worker process is killed and the page fails.
        """
        documents = (_as_document(number, page) for number, page in enumerate(pages, start=1))
        if jobs <= 1 and deadline is None:
            yield from map(self.extract_document, documents)
            return
        for document, extraction in read_pages(WithoutEvidence(self), documents, jobs=jobs, deadline=deadline):
            if extraction.error is None:
                # A page that ended its process or passed the deadline is not tried again in this one.
                extraction = replace(extraction, source=partial(_analysis_of, self, document))
            yield extraction

    def failed(self, document: Document, reason: str) -> Extraction:
        """Return the extraction that stands for a document that could not be extracted."""
        return Extraction(
            text="",
            lang=document.lang,
            url=document.url,
            id=document.id,
            status="error",
            error=reason,
            model=self.model.name,
        )


def extract(
    html: str | bytes | bytearray | memoryview,
    *,
    model: str | Path | Model | Extractor = DEFAULT_MODEL,
    url: str | None = None,
    lang: str | None = None,
    charset: str | None = None,
    id: str | None = None,
    **options: Unpack[GivenOptions],
) -> Extraction:
    """Extract the main text of one page.

    For many pages, or with a model file, make an `Extractor` once and call it for each page: a model given by path
    or as a `Model` is loaded, or set up, anew at every call.

    Parameters
    ----------
    html : str or bytes-like
        The page; without any markup it is plain text, all of which is kept.
    model : str, Path, Model or Extractor
        Name of a bundled model, path of a model file, a model, or an extractor with options of its own.
    url, id : str, optional
        Address and identifier of the page, kept in the result.
    lang : str, optional
        ISO 639-1 code of the page's language; identified by default.
    charset : str, optional
        Charset from the HTTP header, for bytes.
    **options
        What `Extractor.with_options` takes: ``favour`` (``"precision"`` for less clutter, ``"recall"`` for less text
        lost), ``headline``, ``captions``, ``tables`` and ``comments`` (whether these parts belong to the text; by
        default the model decides), ``rules``, ``metadata``, ``decoder``, ``runs``, ``max_bytes``, ``normalise``; see
        `blockfeat.extraction.options.ExtractionOptions`.

    Returns
    -------
    Extraction
        ``.text`` is the main text, ``""`` where the page has none.

    Raises
    ------
    InputTypeError, NotHTML, LimitExceeded
        The page is of a wrong type, an address (`blockfeat.fetch` takes it) or a path, of another format, or too large.
    LanguageError
        ``lang`` is no language code.
    ModelError
        There is no such model, or an option does not suit it.

    Examples
    --------
    >>> import blockfeat
    >>> blockfeat.extract("<p>The ferry leaves at nine and returns before dark.").text
    'The ferry leaves at nine and returns before dark.'
    """
    return extractor_of(model).with_options(**options).extract(html, url=url, lang=lang, charset=charset, id=id)


def extractor_of(model: str | Path | Model | Extractor) -> Extractor:
    """Return the given extractor, or make one from a model, its bundled name or its path."""
    if isinstance(model, Extractor):
        return model
    if isinstance(model, str):
        return _bundled_extractor(model) or Extractor.load(model)
    return Extractor.load(model) if isinstance(model, Path) else Extractor.of(model)


# Loading takes some fifteen times as long as a page. Bundled models are constants of the package, so nothing that is
# kept here can become stale; files are read at every call.
@lru_cache(maxsize=4)
def _bundled_extractor(name: str) -> Extractor | None:
    """Load a bundled model; None where there is none of this name."""
    return Extractor.load(name) if name in bundled_models() else None


Result = TypeVar("Result")

_FIRST = Document(id="", data="<p>The ferry leaves at nine and returns before dark.")


@dataclass(frozen=True)
class PageWork(ABC, Generic[Result]):
    """Extracts a document and computes a result from it, in any process; errors become results too.

    Attributes
    ----------
    extractor : Extractor
        The extractor.
    """

    extractor: Extractor

    @abstractmethod
    def result(self, document: Document, extraction: Extraction) -> Result:
        """Return the result for an extraction, which may be one with an error."""

    def __call__(self, document: Document) -> Result:
        """Extract one document and return its result."""
        return self.result_or_error(document, self.extraction(document))

    def extraction(self, document: Document) -> Extraction:
        """Extract one document."""
        return self.extractor.extract_document(document)

    def result_or_error(self, document: Document, extraction: Extraction) -> Result:
        """Return the result for an extraction; where that fails, the result of a failed extraction."""
        try:
            return self.result(document, extraction)
        except Exception as error:
            return self.failed(document, failure_reason(error))

    def failed(self, document: Document, reason: str) -> Result:
        """Return the result of a document that failed, whose process died, or that passed its deadline."""
        return self.result(document, self.extractor.failed(document, reason))

    def warmed(self) -> Self:
        """Extract a page, so that what is loaded on the first one is there for all processes that this one forks."""
        self(_FIRST)
        return self


def read_pages(
    work: PageWork[Result], documents: Iterable[Document], *, jobs: int = 1, deadline: float | None = None
) -> Iterator[tuple[Document, Result]]:
    """Yield each document with its result, in order; used for batches, tables, Spark and pipelines.

    Parameters
    ----------
    work : PageWork
        What is done with each document, in any process.
    documents : iterable of Document
        Taken lazily.
    jobs, deadline
        As `blockfeat._pool.in_order` takes them.
    """
    from blockfeat._pool import in_order

    return in_order(work, documents, jobs=jobs, failure=work.failed, deadline=deadline)


class WithoutEvidence(PageWork[Extraction]):
    """Leaves out the analysis, too large to send to another process; it is computed again where it is used."""

    def result(self, document: Document, extraction: Extraction) -> Extraction:
        """Return the extraction alone."""
        return extraction.without_evidence()


def _analysis_of(extractor: Extractor, document: Document) -> PageAnalysis | None:
    """Extract a page again in this process, and return its analysis."""
    return extractor.extract_document(document).analysis


def _as_document(number: int, page: object) -> Document:
    if isinstance(page, Document):
        return page
    if isinstance(page, (str, bytes, bytearray, memoryview)):
        return Document(id=str(number), data=page if isinstance(page, str) else bytes(page))
    return Document(id=str(number), data=None, error=str(wrong_type(page)))
