"""``Extractor``: the chain page → blocks → features → scores → labels → extraction as one object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content.page_content import PageNodes
from blockfeat.content.page_markup import PageMarkup
from blockfeat.content.plain import normalised, plain_text
from blockfeat.content.tables import DataTable, completed, data_tables
from blockfeat.errors import BlockfeatError, LanguageError, ModelError
from blockfeat.extraction.clutter import pointers
from blockfeat.extraction.content_options import ContentOptions, find_headline
from blockfeat.extraction.error_page import is_error_page
from blockfeat.extraction.explain import Evidence
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.facts import FactFinder
from blockfeat.extraction.site_page import KeptTexts, SitePage
from blockfeat.features.measuring import MeasuredPage
from blockfeat.lang.identify import Identifier, normalise_code
from blockfeat.lang.stopwords import StopWordIndex
from blockfeat.metadata.reader import MetadataReader
from blockfeat.models.decoder import Decoder
from blockfeat.models.model import Model, PageMeasurer, Prediction
from blockfeat.models.store import load_model
from blockfeat.models.threshold import ThresholdModel
from blockfeat.page.document import Document
from blockfeat.page.page import Page

if TYPE_CHECKING:
    from blockfeat.extraction.site_profile import SiteProfile


_SIDES = ("precision", "recall")
# Models after a paper keep what the paper's rule keeps.
_WITHOUT_POINTERS = ("margin", "sequence")
_COMPLETED = "kept: most of the table, list or preformatted text around it is"
_ASKED_FOR = "kept: the options ask for it"
_LEFT_OUT = "dropped: the options leave it out"
_POINTER = "dropped: it points at another text, by its first words and its link"
_REPEATED = "dropped: repeated on {pages} other {noun} of the site"
_ERROR_PAGE = "the page says that what was asked for is not there"


def _repeated(pages: int) -> str:
    return _REPEATED.format(pages=pages, noun="page" if pages == 1 else "pages")


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
    content : ContentOptions
        Whether headline, captions, tables and comments belong to the text.
    max_bytes : int or None
        Largest page that is taken.
    normalise : bool
        Whether text is brought into Unicode's normal form C, without marks that have no width; see
        `blockfeat.content.plain.normalised`.
    metadata : bool
        Whether extractions have metadata.
    site : SiteProfile or None
        Other pages of the site; text that they repeat is dropped.
    """

    model: Model
    measurer: PageMeasurer
    content: ContentOptions = field(default_factory=ContentOptions)
    max_bytes: int | None = None
    normalise: bool = True
    metadata: bool = True
    site: SiteProfile | None = None

    def __repr__(self) -> str:
        """Return name and kind of the model, and the options that were given."""
        shown = {"model": self.model.name, "kind": self.model.kind, **asdict(self.content), "max_bytes": self.max_bytes}
        shown["normalise"] = None if self.normalise else False
        shown["site"] = self.site
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

    def with_options(
        self,
        *,
        decoder: str | None = None,
        runs: int | None = None,
        favour: str | None = None,
        headline: bool | None = None,
        captions: bool | None = None,
        tables: bool | None = None,
        comments: bool | None = None,
        metadata: bool | None = None,
        max_bytes: int | None = None,
        normalise: bool | None = None,
    ) -> Extractor:
        """Return a changed copy; what is not given stays.

        Parameters
        ----------
        decoder : str, optional
            ``"conjunction"`` or ``"mss"``, for threshold models.
        runs : int, optional
            Number of contiguous runs that ``"mss"`` may keep.
        favour : str, optional
            ``"precision"`` or ``"recall"``: moves the model's decision.
        headline, captions, tables, comments : bool, optional
            Whether these parts belong to the text; see `ContentOptions`. By default the model decides.
        metadata : bool, optional
            Whether extractions have metadata, which are read when they are asked for.
        max_bytes : int, optional
            Largest page that is taken; a larger one raises `LimitExceeded`.
        normalise : bool, optional
            Whether text is brought into Unicode's normal form C, without marks that have no width.

        Raises
        ------
        ModelError
            The model has no decoder to choose, or ``favour`` is neither of the two.
        """
        model = self.model
        if decoder is not None or runs is not None:
            if not isinstance(model, ThresholdModel):
                raise ModelError(f"model {model.name!r} has no decoder to choose")
            model = model.with_decoder(
                Decoder(decoder or model.decoder.name, model.decoder.runs if runs is None else runs)
            )
        if favour is not None:
            if favour not in _SIDES:
                raise ModelError(f"cannot favour {favour!r}; known are {', '.join(_SIDES)}")
            model = model.favouring(favour)
        given = {"headline": headline, "captions": captions, "tables": tables, "comments": comments}
        return replace(
            self,
            model=model,
            content=replace(self.content, **{part: wanted for part, wanted in given.items() if wanted is not None}),
            metadata=self.metadata if metadata is None else metadata,
            max_bytes=self.max_bytes if max_bytes is None else max_bytes,
            normalise=self.normalise if normalise is None else normalise,
        )

    def with_site(self, profile: SiteProfile | None) -> Extractor:
        """Return a copy that drops text which other pages of the site repeat; None for one that does not.

        The scores of blocks stay as they are. See docs/site-profile.md for the rule and what it gains.

        Raises
        ------
        ModelError
            The profile holds the probabilities of another model.
        """
        if profile is not None and profile.model not in (None, self.model.name):
            raise ModelError(f"the site profile is of model {profile.model!r}, not of {self.model.name!r}")
        return replace(self, site=profile)

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
            The page cannot be taken.
        LanguageError
            ``lang`` is no language code.
        """
        if lang is not None and normalise_code(lang) is None:
            raise LanguageError(f"{lang!r} is no language code; give an ISO 639-1 code such as 'de'")
        page = Page.parse(
            html,
            url=url,
            charset=charset,
            max_bytes=self.max_bytes,
            keep_drawings=self.model.table.reads_drawings,
        )
        measured = self.measurer.measure(page, lang=lang)
        return self.assemble(page, measured, self.model.predict(measured), id=id)

    def assemble(
        self, page: Page, measured: MeasuredPage, prediction: Prediction, *, id: str | None = None
    ) -> Extraction:
        """Put together what is kept of a page that was measured and predicted: the last stage of `extract`."""
        title = page.title
        title = title and self._normalised(title)
        headline = find_headline(measured.blocks, prediction.kept, title)
        kept, overruled, tables, repeated = self._chosen(measured.blocks, prediction.kept, headline)
        prediction = replace(prediction, kept=kept)
        is_error = is_error_page(measured.blocks, kept, title)
        text = plain_text(measured.blocks, kept, tables, normalise=self.normalise)
        return Extraction(
            text=text,
            lang=measured.lang,
            url=page.url,
            id=id,
            title=title,
            headline=None if headline is None else self._normalised(measured.blocks.text(headline)),
            status="ok" if text and not is_error else "no content" if len(measured.blocks) else "empty",
            warnings=(*page.warnings, *self._foreign(measured.lang), *([_ERROR_PAGE] if is_error else [])),
            model=self.model.name,
            encoding=page.encoding,
            site_repeated=None if self.site is None else repeated,
            find_site_page=partial(SitePage.of, measured, prediction, model=self.model.name, kind=self.model.kind),
            evidence=Evidence(measured, self.model, prediction, overruled),
            fact_finder=FactFinder(
                measured,
                prediction,
                self.model.kind,
                headline,
                title,
                page.url,
                self.measurer.identifier,
                self.normalise,
                page.linked_data,
            ),
            nodes=PageNodes(measured.blocks, kept, page.url, self.normalise),
            markup=PageMarkup(measured.blocks, kept, page.url, title, page.data),
            describe=MetadataReader(page, measured.blocks, prediction.kept, headline) if self.metadata else None,
        )

    def _chosen(
        self, blocks: Blocks, predicted: NDArray[np.bool_], headline: int | None
    ) -> tuple[NDArray[np.bool_], dict[int, str], list[DataTable], int]:
        """Return what is kept of what the model keeps, why that differs, the data tables, what the site repeats.

        What the site repeats goes first, unless nothing would be left of the text.
        """
        if self.site is not None and (repeated := self.site.repeated(KeptTexts.of(blocks.measures, predicted))):
            without = predicted.copy()
            without[list(repeated)] = False
            chosen, overruled, tables = self._met(blocks, without, headline)
            if chosen.any():
                dropped = {block: _repeated(pages) for block, pages in repeated.items() if not chosen[block]}
                return chosen, dropped | overruled, tables, len(dropped)
        return *self._met(blocks, predicted, headline), 0

    def _met(
        self, blocks: Blocks, predicted: NDArray[np.bool_], headline: int | None
    ) -> tuple[NDArray[np.bool_], dict[int, str], list[DataTable]]:
        """Return what is kept once the options are met, why that differs, and the data tables of the page.

        Tables and lists that are kept for the most part are kept whole, the content options are met, and lines that
        point at other texts go.
        """
        tables = data_tables(blocks, predicted)
        whole = completed(blocks, predicted, tables)
        chosen = self.content.choose(blocks, whole, headline)
        overruled: dict[int, str] = {}
        if whole is not predicted:
            overruled = dict.fromkeys((whole & ~predicted).nonzero()[0].tolist(), _COMPLETED)
        if chosen is not whole:
            changed = (chosen != whole).nonzero()[0].tolist()
            overruled.update({block: _ASKED_FOR if chosen[block] else _LEFT_OUT for block in changed})
            tables = data_tables(blocks, chosen)
        found = pointers(blocks, chosen) if self.model.kind in _WITHOUT_POINTERS else []
        if found:
            chosen = chosen.copy()
            chosen[found] = False
            overruled.update(dict.fromkeys(found, _POINTER))
        return chosen, overruled, tables

    def _normalised(self, text: str) -> str:
        return normalised(text) if self.normalise else text

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
        except BlockfeatError as error:
            return self.failed(document, str(error))
        except Exception as error:
            return self.failed(document, f"unexpected {type(error).__name__}: {error}")

    def extract_many(
        self,
        pages: Iterable[str | bytes | bytearray | memoryview | Document],
        *,
        jobs: int = 1,
        deadline: float | None = None,
        by_site: bool = False,
    ) -> Iterator[Extraction]:
        """Extract many pages, in order; a page that fails yields an extraction with its ``error`` set.

        Parameters
        ----------
        pages : iterable of str, bytes-like or Document
            Taken lazily; a window of 64 at a time with ``by_site``.
        jobs : int
            Number of processes.
        deadline : float, optional
            Seconds that one page may take before its worker process is killed and the page fails.
        by_site : bool
            Drop what other pages of the same host repeat, of the same window and before: a `SiteProfile` for each host
            of the documents' addresses, in place of the extractor's own. The result does not depend on ``jobs``.
        """
        from blockfeat.extraction.many import extract_each, extract_each_by_site

        each = extract_each_by_site if by_site else extract_each
        return each(self, pages, jobs=jobs, deadline=deadline)

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
            site_repeated=None if self.site is None else 0,
        )
