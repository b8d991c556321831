"""``Extractor``: the pipeline page → blocks → features → scores → labels → extraction."""

from __future__ import annotations

import re
import zlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar, Unpack
from weakref import ref

from blockfeat.content.plain import normalised, plain_text, without_permalinks
from blockfeat.errors import InputError, InputTypeError, LanguageError, ModelError, failure_reason
from blockfeat.extraction.analysis import PageAnalysis
from blockfeat.extraction.extraction import Extraction, values_of
from blockfeat.extraction.options import ExtractionOptions, GivenOptions
from blockfeat.extraction.postprocess import postprocess
from blockfeat.features.measuring import PageFeatures
from blockfeat.lang.identify import Identifier, normalise_code
from blockfeat.models.decoding import Decoder
from blockfeat.models.model import Model, PageMeasurer, Prediction
from blockfeat.models.site import SiteModel, SiteRule
from blockfeat.models.store import DEFAULT_MODEL, bundled_models, load_model
from blockfeat.models.threshold import ThresholdModel
from blockfeat.page.document import Document, PageInput, as_document, guess_host, registered_domain
from blockfeat.page.encoding import source_of_utf_8
from blockfeat.page.page import Page
from blockfeat.page.tags import with_blanks


def measurer_for(model: Model) -> PageMeasurer:
    """Return the measuring stage that a model was trained with, over the stop lists of all languages."""
    return model.measurer(Identifier.build())


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
    _even: Model | None = field(default=None, repr=False, compare=False)  # The model before it favoured a side.

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
        """Make an extractor of a model, for instance one just trained; raise InputTypeError if it is not a model."""
        if not hasattr(model, "measurer"):
            raise InputTypeError(f"a model must be a name, a path, a Model or an Extractor, not {type(model).__name__}")
        return cls(model, measurer_for(model))

    def with_options(self, **given: Unpack[GivenOptions]) -> Extractor:
        """Return a changed copy; what is not given, or None, stays.

        Parameters
        ----------
        **given
            Options by name, which `ExtractionOptions` describes: ``decoder``, ``runs``, ``favour``, ``headline``,
            ``captions``, ``tables``, ``comments``, ``drop``, ``keep``, ``rules``, ``metadata``, ``max_bytes``,
            ``normalise``, ``lang_ui``.

        Raises
        ------
        InputTypeError
            There is no such option, or its value is of another type.
        QueryError
            ``drop`` or ``keep`` is no CSS selector.
        ModelError
            The model has no decoder to choose, or ``decoder`` or ``favour`` is none of its two values.
        """
        options = self.options.changed(given)
        decoder, runs = given.get("decoder"), given.get("runs")
        even = self.model if self.options.favour is None else self._even or self.model
        if decoder is not None or runs is not None:
            if not isinstance(even, ThresholdModel):
                raise ModelError(f"model {even.name!r} has no decoder to choose")
            chosen = Decoder(decoder or even.decoder.name, even.decoder.runs if runs is None else runs)
            even = replace(even, decoder=chosen)
        model = even if options.favour is None else even.favouring(options.favour)
        return replace(self, model=model, options=options, _even=even)

    def extract(
        self,
        html: PageInput,
        *,
        url: str | None = None,
        lang: str | None = None,
        charset: str | None = None,
        id: str | None = None,
    ) -> Extraction:
        """Extract the main text of one page.

        Parameters
        ----------
        html : str, bytes-like, mapping, lxml tree or Document
            The page; a mapping has it as ``"html"``, and may have the other parameters, too.
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
        if not isinstance(html, (str, bytes)):
            given = as_document(html)
            if given.data is None:
                raise InputError(given.error or "the document has no data")
            html, url, lang = given.data, url or given.url, lang or given.lang
            charset, id = charset or given.charset, id or given.id or None
        for name, value in {"url": url, "lang": lang, "charset": charset, "id": id}.items():
            if value is not None and not isinstance(value, str):
                raise InputTypeError(f"{name} must be str, not {type(value).__name__}")
        if lang is not None and normalise_code(lang) is None:
            raise LanguageError(f"{lang!r} is no language code; give an ISO 639-1 code such as 'de'")
        source = PageSource(Document(id or "", html, url, lang, charset), lambda: self)
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
        prediction = self.model.predict(measured)
        if measured.blocks.columns.shape[1] > _MANY_BLOCKS:
            measured = measured.released()
        return self.assemble(page, measured, prediction, id=id, source=source)

    def assemble(
        self,
        page: Page,
        measured: PageFeatures,
        prediction: Prediction,
        *,
        id: str | None = None,
        source: PageSource | None = None,
    ) -> Extraction:
        """Make the extraction of a page that was measured and predicted: the last stage of `extract`."""
        options, model = self.options, self.model
        warnings = (*page.warnings, *self._foreign(measured.lang))
        blocks = without_permalinks(measured.blocks)
        measured = measured if blocks is measured.blocks else replace(measured, blocks=blocks)
        title = normalised(page.title) if page.title and options.normalise else page.title
        choice, evidence = postprocess(
            blocks,
            prediction,
            page,
            title=title,
            options=options,
            model_kind=model.kind,
            site=self._rules_of_site(page),
        )
        prediction = Prediction(prediction.scores, choice.kept, log_odds=prediction.log_odds)
        analysis = PageAnalysis(
            measured=measured,
            prediction=prediction,
            model=model,
            identifier=self.measurer.identifier,
            evidence=evidence,
            choice=choice,
        )
        if source is not None:
            source.hold(analysis)
        text = plain_text(blocks, choice.kept, choice.kept_tables(), normalise=options.normalise)
        if source is not None:
            source.text = text
        return Extraction(
            text=text,
            lang=measured.lang,
            url=page.url,
            id=id,
            title=title,
            status="ok" if text and evidence.notice is None else "no content" if len(blocks) else "empty",
            warnings=warnings if choice.warning is None else (*warnings, choice.warning),
            model=model.name,
            encoding=page.encoding,
            source=source or analysis,
        )

    def _rules_of_site(self, page: Page) -> tuple[SiteRule, ...]:
        """Return the rules of the page's site; most models have none."""
        if not isinstance(self.model, SiteModel):
            return ()
        host = registered_domain(page.url) if page.url else guess_host(page.data.decode("utf-8", "replace"))
        return self.model.rules(host)

    def _foreign(self, lang: str | None) -> tuple[str, ...]:
        """Return a warning for a page in a language that the model was not trained on."""
        languages = self.model.languages
        if not languages or lang in languages:
            return ()
        return (f"the page's language ({lang or 'unknown'}) is none of the model's ({', '.join(languages)})",)

    def extract_document(self, document: Document) -> Extraction:
        """Extract one document of a batch; if anything is wrong with it, return an extraction with an error."""
        if document.data is None:
            return self.failed(document, document.error or "the document has no data")
        try:
            return self.extract(
                document.data, url=document.url, lang=document.lang, charset=document.charset, id=document.id
            )
        except Exception as error:
            return self.failed(document, failure_reason(error))

    def extract_many(
        self, pages: Iterable[PageInput], *, jobs: int = 1, deadline: float | None = None
    ) -> Generator[Extraction]:
        """Extract many pages, in order; a page that fails yields an extraction with its ``error`` set.

        Parameters
        ----------
        pages : iterable of str, bytes-like, mapping, lxml tree or Document
            Taken lazily; each as `extract` takes it.
        jobs : int
            Number of processes, up to 256.
        deadline : float, optional
            Seconds that one page may take before its worker process is killed and the page fails.

        Raises
        ------
        InputTypeError
            Pages, jobs or deadline are something else, such as a single page.
        """
        _check_many(pages, jobs, deadline)
        return self._extractions(pages, jobs, deadline)

    def _extractions(self, pages: Iterable[PageInput], jobs: int, deadline: float | None) -> Generator[Extraction]:
        documents = (_document_or_error(number, page) for number, page in enumerate(pages, start=1))
        if jobs <= 1 and deadline is None:
            yield from map(self.extract_document, documents)
            return
        for document, values in read_pages(WithoutEvidence(self), documents, jobs=jobs, deadline=deadline):
            if values["error"] is None:
                # A page that ended its process or passed the deadline is not tried again in this one.
                values["source"] = source = PageSource(document, lambda: self, values["text"])
                source.hold(None)
            yield Extraction(**values)

    async def aextract_many(
        self, pages: Iterable[PageInput], *, jobs: int = 1, deadline: float | None = None
    ) -> AsyncIterator[Extraction]:
        """Extract many pages as `extract_many` does, in a thread: the event loop goes on meanwhile.

        Where it is cancelled or closed, the page in hand is finished first, and the processes are ended.

        Parameters
        ----------
        pages, jobs, deadline
            As for `extract_many`.
        """
        import asyncio

        found = self.extract_many(pages, jobs=jobs, deadline=deadline)
        step: asyncio.Future[Extraction | None] | None = None
        try:
            while True:
                step = asyncio.ensure_future(asyncio.to_thread(next, found, None))
                if (extraction := await asyncio.shield(step)) is None:
                    return
                yield extraction
        finally:
            if step is not None:
                await asyncio.wait([step])
            await asyncio.to_thread(found.close)

    def failed(self, document: Document, reason: str) -> Extraction:
        """Return the extraction that stands for a document that could not be extracted."""
        model = self.model.name
        return Extraction("", document.lang, document.url, document.id, status="error", error=reason, model=model)


_MOST_MEASURED, _MANY_BLOCKS, _LEVEL = 4, 50_000, 7
# Runs of spaces, such as those in the place of scripts, are told by their length: what is packed looks 32 KB back.
_SPACES, _LENGTH = re.compile(rb" {16,}|\0"), re.compile(rb"\0([0-9]*) ")


class PackedPage(NamedTuple):
    """A page to be extracted again.

    Attributes
    ----------
    document : Document
        The page, without its data.
    data : bytes
        The data, compressed, without scripts and drawings that nothing reads.
    is_text : bool
        Whether they were no bytes.
    model, options : str, mapping
        Name of the model, and the options that were given.
    """

    document: Document
    data: bytes
    is_text: bool
    model: str
    options: dict[str, Any]

    @classmethod
    def of(cls, document: Document, extractor: Extractor) -> PackedPage:
        """Pack a document."""
        data, is_text = document.data or b"", isinstance(document.data, str)
        encoded = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        # Bytes of another charset are not what the scanner reads.
        if source_of_utf_8(encoded):
            encoded = with_blanks(encoded, keeps_drawings=extractor.model.table.reads_drawings)
        told = _SPACES.sub(lambda run: b"\0 " if run[0] == b"\0" else b"\0%d " % len(run[0]), encoded)
        packed = zlib.compress(told, _LEVEL)
        return cls(replace(document, data=None), packed, is_text, extractor.model.name, extractor.options.given())

    def unpacked(self) -> Document:
        """Return the document."""
        told = zlib.decompress(self.data)
        data = _LENGTH.sub(lambda run: b" " * int(run[1]) if run[1] else b"\0", told)
        return replace(self.document, data=data.decode("utf-8", "surrogatepass") if self.is_text else data)

    def extractor(self) -> Extractor:
        """Return an extractor as that of the page; raise ModelError where its model is not a bundled one."""
        if (extractor := bundled_extractor(self.model)) is None:
            raise ModelError(f"no bundled model is called {self.model!r}: extract the page again with its file")
        return extractor.with_options(**self.options)


class PageSource:
    """A page that was extracted: as it was measured while it is one of the last, else packed, and measured on demand.

    Parameters
    ----------
    page : Document or PackedPage
        The page as it was given.
    extractor : callable
        Returns what it was extracted with.
    text : str
        The text that this gave.

    Attributes
    ----------
    analysis : PageAnalysis or None
        The page as it was measured.
    """

    def __init__(self, page: Document | PackedPage, extractor: Callable[[], Extractor], text: str = "") -> None:
        self.page, self.extractor, self.text = page, extractor, text
        self.analysis: PageAnalysis | None = None

    def __call__(self) -> PageAnalysis | None:
        """Return the page as it was measured, or measure it.

        Raises
        ------
        ModelError
            It came with a pickled result, and no bundled model has that name, or it gives another text by now.
        """
        if (analysis := self.analysis) is None:
            page = self.page
            found = self.extractor().extract_document(page.unpacked() if isinstance(page, PackedPage) else page)
            if self.text != found.text:
                raise ModelError(f"model {found.model!r} gives another text by now: extract the page again")
            analysis = found.analysis
            self.hold(analysis)
        return analysis

    def hold(self, analysis: PageAnalysis | None) -> None:
        """Take the page as measured, the last that is, and pack the page that is none of the last any more."""
        self.analysis = analysis
        earliest = _MEASURED.popleft()() if len(_MEASURED) >= _MOST_MEASURED else None
        _MEASURED.append(ref(self))
        if earliest is not None:
            earliest.page, earliest.analysis = earliest.packed(), None

    def packed(self) -> PackedPage:
        """Return the page, packed."""
        return self.page if isinstance(self.page, PackedPage) else PackedPage.of(self.page, self.extractor())

    @property
    def keeps_page(self) -> bool:
        """Whether a pickled result takes it along."""
        page = self.page
        options = page.options if isinstance(page, PackedPage) else self.extractor().options.given()
        return options.get("keep") == "page"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it as the packed page."""
        page = self.packed()
        return PageSource, (page, page.extractor, self.text)


# A measured page takes a megabyte, so that a list of results holds few: weakly, as those that are gone are freed.
_MEASURED: deque[ref[PageSource]] = deque()


def extract(
    html: PageInput,
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
    html : str, bytes-like, mapping, lxml tree or Document
        The page; without any markup it is plain text, all of which is kept. A mapping has it as ``"html"``, and
        may have ``"url"``, ``"lang"``, ``"charset"`` and ``"id"``.
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
        default the model decides), ``drop`` and ``keep`` (CSS selectors), ``rules``, ``metadata``, ``decoder``,
        ``runs``, ``max_bytes``, ``normalise``, ``lang_ui``; see
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
        return bundled_extractor(model) or Extractor.load(model)
    return Extractor.load(model) if isinstance(model, Path) else Extractor.of(model)


# Loading takes some fifteen times as long as a page. Bundled models are constants of the package, so nothing that is
# kept here can become stale; files are read at every call.
@lru_cache(maxsize=4)
def bundled_extractor(name: str) -> Extractor | None:
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


class WithoutEvidence(PageWork[dict[str, Any]]):
    """Leaves out the analysis, too large to send to another process; it is computed again where it is used."""

    def result(self, document: Document, extraction: Extraction) -> dict[str, Any]:
        """Return the values of the extraction, which cost less to send than itself."""
        return values_of(extraction)


def _check_many(pages: object, jobs: object, deadline: object) -> None:
    """Raise InputTypeError for what `Extractor.extract_many` cannot take, before the first page is read."""
    if isinstance(pages, (str, bytes, bytearray, memoryview, Document, Mapping)) or not isinstance(pages, Iterable):
        raise InputTypeError(f"pages must be several pages, such as a list, not {type(pages).__name__}")
    if type(jobs) is not int or not 1 <= jobs <= 256:
        raise InputTypeError(f"jobs must be a number of processes from 1 to 256, not {jobs!r}")
    if deadline is not None and (not isinstance(deadline, (int, float)) or not deadline > 0):
        raise InputTypeError(f"deadline must be a number of seconds above 0, not {deadline!r}")


def _document_or_error(number: int, page: PageInput) -> Document:
    try:
        return as_document(page, str(number))
    except InputError as error:
        return Document(id=str(number), data=None, error=str(error))
