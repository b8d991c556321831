"""Many pages, in processes; analyses of pages that another process extracted are made anew on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Protocol, Self, TypeVar

from blockfeat._pool import in_order
from blockfeat.errors import failure_reason
from blockfeat.extraction.analysis import PageAnalysis
from blockfeat.extraction.extraction import Extraction
from blockfeat.models.model import Model
from blockfeat.page.document import Document, wrong_type

Result = TypeVar("Result")

_FIRST = Document(id="", data="<p>The ferry leaves at nine and returns before dark.")


class PageExtractor(Protocol):
    """What extracts one document: `blockfeat.Extractor`."""

    @property
    def model(self) -> Model:
        """What predicts."""
        ...

    def extract_document(self, document: Document) -> Extraction:
        """Extract a document; whatever is wrong with it becomes an extraction with an error."""
        ...

    def failed(self, document: Document, reason: str) -> Extraction:
        """Return the extraction that stands for a document that could not be extracted."""
        ...


@dataclass(frozen=True)
class PageWork(ABC, Generic[Result]):
    """Extracts a document and makes something of it, in any process; errors become results too.

    Attributes
    ----------
    extractor : PageExtractor
        The extractor.
    """

    extractor: PageExtractor

    @abstractmethod
    def result(self, document: Document, extraction: Extraction) -> Result:
        """Return what is made of an extraction, also of one with an error."""

    def __call__(self, document: Document) -> Result:
        """Extract one document and return its result."""
        return self.result_or_error(document, self.extraction(document))

    def extraction(self, document: Document) -> Extraction:
        """Extract one document."""
        return self.extractor.extract_document(document)

    def result_or_error(self, document: Document, extraction: Extraction) -> Result:
        """Return what is made of an extraction; where that fails, the result of a failed extraction."""
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
    work: PageWork[Result],
    documents: Iterable[Document],
    *,
    jobs: int = 1,
    deadline: float | None = None,
) -> Iterator[tuple[Document, Result]]:
    """Yield each document with its result, in order: the way of a page in batches, tables, Spark and pipelines.

    Parameters
    ----------
    work : PageWork
        What is done with each document, in any process.
    documents : iterable of Document
        Taken lazily.
    jobs, deadline
        As `blockfeat._pool.in_order` takes them.
    """
    return in_order(work, documents, jobs=jobs, failure=work.failed, deadline=deadline)


def extract_each(
    extractor: PageExtractor, pages: Iterable[object], *, jobs: int, deadline: float | None
) -> Iterator[Extraction]:
    """Yield the extractions of many pages; see `blockfeat.Extractor.extract_many`."""
    documents = _documents(pages)
    if jobs <= 1 and deadline is None:
        yield from map(extractor.extract_document, documents)
        return
    for document, extraction in read_pages(WithoutEvidence(extractor), documents, jobs=jobs, deadline=deadline):
        if extraction.error is None:
            # What ended a process or passed the deadline is not tried in this one.
            extraction = replace(extraction, source=partial(_analysis_of, extractor, document))
        yield extraction


class WithoutEvidence(PageWork[Extraction]):
    """Leaves out what a process does not pass on; it is made again where it is wanted."""

    def result(self, document: Document, extraction: Extraction) -> Extraction:
        """Return the extraction alone."""
        return extraction.without_evidence()


def _analysis_of(extractor: PageExtractor, document: Document) -> PageAnalysis | None:
    """Extract a page of another process in this one, and return what was measured."""
    return extractor.extract_document(document).analysis


def _documents(pages: Iterable[object]) -> Iterator[Document]:
    return (_as_document(number, page) for number, page in enumerate(pages, start=1))


def _as_document(number: int, page: object) -> Document:
    if isinstance(page, Document):
        return page
    if isinstance(page, (str, bytes)):
        return Document(id=str(number), data=page)
    if isinstance(page, (bytearray, memoryview)):
        return Document(id=str(number), data=bytes(page))
    return Document(id=str(number), data=None, error=str(wrong_type(page)))
