"""Many pages, in processes and by site; analyses of pages that another process extracted are made anew on demand.

By site, each document is compared with other documents of its site, in windows of the input. The result depends on the
order of the documents alone, not on processes: a window of 64 documents is read, the profiles of its sites take its
pages in order, and only then what these profiles repeat is dropped from its documents. So a document knows those behind
it in its window too. Each is extracted once, and once more where something goes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from blockfeat._pool import in_order
from blockfeat.blocks.block import Block
from blockfeat.content.nodes import Node
from blockfeat.errors import failure_reason
from blockfeat.extraction.analysis import Analysis, Facts
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.site_profile import SitePage, SiteProfile
from blockfeat.metadata.metadata import Metadata
from blockfeat.models.model import Model
from blockfeat.page.document import Document, wrong_type
from blockfeat.page.urls import guess_host, host_of

if TYPE_CHECKING:
    from blockfeat.extraction.reasons.counterfactual import Counterfactual

Result = TypeVar("Result")

WINDOW = 64
"""Documents of a window of a run by site."""

_MOST_SITES = 1000
_HEAD = 200_000
_FIRST = Document(id="", data="<p>The ferry leaves at nine and returns before dark.")


class PageExtractor(Protocol):
    """What extracts one document: `blockfeat.Extractor`."""

    @property
    def model(self) -> Model:
        """What predicts."""
        ...

    @property
    def site(self) -> SiteProfile | None:
        """Other pages of the site."""
        ...

    def extract_document(self, document: Document) -> Extraction:
        """Extract a document; whatever is wrong with it becomes an extraction with an error."""
        ...

    def failed(self, document: Document, reason: str) -> Extraction:
        """Return the extraction that stands for a document that could not be extracted."""
        ...

    def with_site(self, profile: SiteProfile | None) -> Self:
        """Return a copy that drops what a profile repeats."""
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

    def with_site(self, profile: SiteProfile) -> Self:
        """Return a copy that drops what a profile repeats."""
        return replace(self, extractor=self.extractor.with_site(profile))


def read_pages(
    work: PageWork[Result],
    documents: Iterable[Document],
    *,
    jobs: int = 1,
    deadline: float | None = None,
    profiles: SiteProfiles | None = None,
) -> Iterator[tuple[Document, Result]]:
    """Yield each document with its result, in order: the way of a page in batches, tables, Spark and pipelines.

    Parameters
    ----------
    work : PageWork
        What is done with each document, in any process.
    documents : iterable of Document
        Taken lazily; a window at a time with ``profiles``.
    jobs, deadline
        As `blockfeat._pool.in_order` takes them.
    profiles : SiteProfiles, optional
        What is known of the sites, to compare each document with others of its site; grows.
    """
    if profiles is not None:
        return _read_by_site(work, documents, profiles, jobs, deadline)
    return in_order(work, documents, jobs=jobs, failure=work.failed, deadline=deadline)


def extract_each(
    extractor: PageExtractor, pages: Iterable[object], *, jobs: int, deadline: float | None, by_site: bool
) -> Iterator[Extraction]:
    """Yield the extractions of many pages; see `blockfeat.Extractor.extract_many`."""
    documents = _documents(pages)
    if jobs <= 1 and deadline is None and not by_site:
        yield from map(extractor.extract_document, documents)
        return
    profiles = SiteProfiles() if by_site else None
    for document, found in read_pages(
        WithoutEvidence(extractor), documents, jobs=jobs, deadline=deadline, profiles=profiles
    ):
        extraction, profile = found
        if extraction.error is None:
            # What ended a process or passed the deadline is not tried in this one.
            extraction = replace(extraction, analysis=_AnalysisOnDemand(extractor.with_site(profile), document))
        yield extraction


class WithoutEvidence(PageWork[tuple[Extraction, SiteProfile | None]]):
    """Leaves out what a process does not pass on; with the profile of the site, it is made again where it is wanted."""

    def result(self, document: Document, extraction: Extraction) -> tuple[Extraction, SiteProfile | None]:
        """Return the extraction and the profile with which it was made."""
        return extraction.without_evidence(), self.extractor.site


@dataclass(frozen=True)
class _AnalysisOnDemand:
    """Extracts a page of another process in this one, once, where its analysis is asked for."""

    extractor: PageExtractor
    document: Document

    @cached_property
    def _analysis(self) -> Analysis:
        return self.extractor.extract_document(self.document).analysis

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self._analysis.blocks

    @property
    def facts(self) -> Facts:
        return self._analysis.facts

    @property
    def kind(self) -> str:
        return self._analysis.kind

    @property
    def roles(self) -> tuple[str, ...]:
        return self._analysis.roles

    @property
    def metadata(self) -> Metadata | None:
        return self._analysis.metadata

    @property
    def site_page(self) -> SitePage | None:
        return self._analysis.site_page

    def what_would_change(self, block: int) -> Counterfactual | None:
        return self._analysis.what_would_change(block)

    def nodes(self, *, images: bool) -> tuple[Node, ...]:
        return self._analysis.nodes(images=images)

    def markup(self, *, absolute: bool, styles: bool) -> str:
        return self._analysis.markup(absolute=absolute, styles=styles)


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


def _noted(site: str, page: SitePage) -> None:
    return None


def _ended() -> None:
    return None


@dataclass(frozen=True, slots=True)
class _Look(Generic[Result]):
    """A document extracted without a profile: the result, its site, and what a profile takes of it."""

    result: Result
    site: str | None = None
    page: SitePage | None = None


@dataclass(frozen=True, slots=True)
class _Touched(Generic[Result]):
    """A document of which its site's profile repeats something, and its result without the profile."""

    document: Document
    profile: SiteProfile
    before: Result
    place: int


@dataclass
class SiteProfiles:
    """The profiles of a run by site: those of the thousand sites that were read last, at most 64 MB.

    Attributes
    ----------
    profiles : dict of SiteProfile
        By site, the site of the last document last.
    on_page : callable
        Called with each site and page that is added, for those who keep them beyond the run.
    on_window : callable
        Called when the profiles have taken all pages of a window.
    """

    profiles: OrderedDict[str, SiteProfile] = field(default_factory=OrderedDict)
    on_page: Callable[[str, SitePage], None] = _noted
    on_window: Callable[[], None] = _ended

    def add(self, site: str, page: SitePage) -> None:
        """Add a page to the profile of its site."""
        self.profiles[site] = self.profiles.get(site, SiteProfile()).add(page)
        self.profiles.move_to_end(site)
        if len(self.profiles) > _MOST_SITES:
            self.profiles.popitem(last=False)

    def add_window(self, looks: Iterable[_Look[Result]]) -> None:
        """Add the pages of a window."""
        for look in looks:
            if look.site is not None and look.page is not None and len(look.page):
                self.add(look.site, look.page)
                self.on_page(look.site, look.page)
        self.on_window()

    def repeating(self, look: _Look[Result]) -> SiteProfile | None:
        """Return the profile of a document's site if it repeats something of the document."""
        if look.site is None or look.page is None or look.page.kept is None:
            return None
        profile = self.profiles.get(look.site)
        return profile if profile is not None and profile.repeated(look.page.kept) else None


def site_of(document: Document) -> str | None:
    """Return the site of a document: the host of its address, without ``www.``; None where nothing tells it.

    A document without an address belongs to the site that its page names as its own. These are apart from the sites of
    addresses, for a page may name any.
    """
    if document.url is not None:
        return host_of(document.url).removeprefix("www.") or None
    if document.data is None:
        return None
    head = document.data[:_HEAD]
    named = guess_host(head if isinstance(head, str) else bytes(head).decode("utf-8", "replace"))
    return None if named is None else f"named {named}"


@dataclass(frozen=True)
class _BySite(Generic[Result]):
    """Does the work of documents without the profiles of their sites, and with them."""

    work: PageWork[Result]

    def look(self, document: Document) -> _Look[Result]:
        extraction = self.work.extraction(document)
        result = self.work.result_or_error(document, extraction)
        return _Look(result, site_of(document), extraction.site_page)

    def failed(self, document: Document, reason: str) -> _Look[Result]:
        return _Look(self.work.failed(document, reason))

    def again(self, touched: _Touched[Result]) -> Result:
        return self.work.with_site(touched.profile)(touched.document)


def _read_by_site(
    work: PageWork[Result],
    documents: Iterable[Document],
    profiles: SiteProfiles,
    jobs: int,
    deadline: float | None,
) -> Iterator[tuple[Document, Result]]:
    """Read a window before its first document is yielded; what fails the second time keeps its first result."""
    # An empty profile: extractions say that profiles are used.
    by_site = _BySite(work.with_site(SiteProfile()))
    iterator = iter(documents)
    while window := list(islice(iterator, WINDOW)):
        done = in_order(by_site.look, window, jobs=jobs, failure=by_site.failed, deadline=deadline)
        looks = [found for _, found in done]
        profiles.add_window(looks)
        results = [found.result for found in looks]
        touched = [
            _Touched(document, profile, found.result, place)
            for place, (document, found) in enumerate(zip(window, looks, strict=True))
            if (profile := profiles.repeating(found)) is not None
        ]
        processes = min(jobs, len(touched))
        again: Iterator[tuple[_Touched[Result], Result]]
        again = in_order(by_site.again, touched, jobs=processes, failure=_as_before, deadline=deadline)
        for one, result in again:
            results[one.place] = result
        yield from zip(window, results, strict=True)


def _as_before(touched: _Touched[Result], reason: str) -> Result:
    return touched.before
