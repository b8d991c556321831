"""Many pages, in processes and by site; analyses of pages that another process extracted are made anew on demand.

By site, each document is compared with other documents of its site, in windows of the input. The result depends on the
order of the documents alone, not on processes: a window of 64 documents is read, the profiles of its sites take its
pages in order, and only then what these profiles repeat is dropped from its documents. So a document knows those behind
it in its window too. Each is extracted once, and once more where something goes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Generic, Protocol, Self, TypeVar

from blockfeat._pool import in_order
from blockfeat.blocks.block import Block
from blockfeat.content.nodes import Node
from blockfeat.extraction.analysis import Analysis, Facts
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.site_profile import SitePage, SiteProfile
from blockfeat.metadata.metadata import Metadata
from blockfeat.page.document import Document
from blockfeat.page.urls import guess_host, host_of

Result = TypeVar("Result")

WINDOW = 64
"""Documents of a window of `by_site`."""

_MOST_SITES = 1000
_HEAD = 200_000


class PageExtractor(Protocol):
    """What extracts one document: `blockfeat.Extractor`."""

    def extract_document(self, document: Document) -> Extraction:
        """Extract a document; whatever is wrong with it becomes an extraction with an error."""
        ...

    def failed(self, document: Document, reason: str) -> Extraction:
        """Return the extraction that stands for a document that could not be extracted."""
        ...

    def with_site(self, profile: SiteProfile | None) -> Self:
        """Return a copy that drops what a profile repeats."""
        ...


def extract_each(
    extractor: PageExtractor, pages: Iterable[object], *, jobs: int, deadline: float | None
) -> Iterator[Extraction]:
    """Yield the extractions of many pages; see `blockfeat.Extractor.extract_many`."""
    documents = _documents(pages)
    if jobs <= 1 and deadline is None:
        yield from map(extractor.extract_document, documents)
        return
    work = WithoutEvidence(extractor)
    for document, found in in_order(work, documents, jobs=jobs, failure=extractor.failed, deadline=deadline):
        yield _with_analysis(found, extractor, document)


def extract_each_by_site(
    extractor: PageExtractor, pages: Iterable[object], *, jobs: int, deadline: float | None
) -> Iterator[Extraction]:
    """Yield the extractions of many pages, each with the profile of its site."""
    # An empty profile: extractions say that profiles are used.
    work = _BySite(extractor.with_site(SiteProfile()))
    done = by_site(
        _documents(pages),
        look=work.look,
        again=work.again,
        failure=work.failed,
        profiles=SiteProfiles(),
        jobs=jobs,
        deadline=deadline,
    )
    for document, found in done:
        yield _with_analysis(found.extraction, found.extractor, document)


@dataclass(frozen=True)
class WithoutEvidence:
    """Extracts a document in a worker process; its evidence is made again where it is asked for."""

    extractor: PageExtractor

    def __call__(self, document: Document) -> Extraction:
        """Extract a document, and leave out what its process would not pass on."""
        return self.extractor.extract_document(document).without_evidence()


@dataclass(frozen=True)
class _Found:
    """An extraction without its evidence, and the extractor that makes it again."""

    extraction: Extraction
    extractor: PageExtractor


@dataclass(frozen=True)
class _BySite:
    """Extracts documents without the profiles of their sites, and with them."""

    extractor: PageExtractor

    def look(self, document: Document) -> Look[_Found]:
        found = self.extractor.extract_document(document)
        return Look(_Found(found.without_evidence(), self.extractor), site_of(document), found.site_page)

    def again(self, touched: Touched[_Found]) -> _Found:
        extractor = self.extractor.with_site(touched.profile)
        return _Found(WithoutEvidence(extractor)(touched.document), extractor)

    def failed(self, document: Document, reason: str) -> Look[_Found]:
        return Look(_Found(self.extractor.failed(document, reason), self.extractor))


def _with_analysis(found: Extraction, extractor: PageExtractor, document: Document) -> Extraction:
    if found.error is not None:
        # What ended a process or passed the deadline is not tried in this one.
        return found
    return replace(found, analysis=_AnalysisOnDemand(extractor, document))


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
    def metadata(self) -> Metadata | None:
        return self._analysis.metadata

    @property
    def site_page(self) -> SitePage | None:
        return self._analysis.site_page

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
    return Document(id=str(number), data=None, error=f"a page must be str or bytes, not {type(page).__name__}")


def _noted(site: str, page: SitePage) -> None:
    return None


def _ended() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Look(Generic[Result]):
    """A document extracted without a profile: the result, its site, and what a profile takes of it."""

    result: Result
    site: str | None = None
    page: SitePage | None = None


@dataclass(frozen=True, slots=True)
class Touched(Generic[Result]):
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

    def add_window(self, looks: Iterable[Look[Result]]) -> None:
        """Add the pages of a window."""
        for look in looks:
            if look.site is not None and look.page is not None and len(look.page):
                self.add(look.site, look.page)
                self.on_page(look.site, look.page)
        self.on_window()

    def repeating(self, look: Look[Result]) -> SiteProfile | None:
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


def by_site(
    documents: Iterable[Document],
    *,
    look: Callable[[Document], Look[Result]],
    again: Callable[[Touched[Result]], Result],
    failure: Callable[[Document, str], Look[Result]],
    profiles: SiteProfiles,
    jobs: int = 1,
    deadline: float | None = None,
) -> Iterator[tuple[Document, Result]]:
    """Yield each document with its result, in order; a window is read before its first document is yielded.

    Parameters
    ----------
    documents : iterable of Document
        Taken a window at a time.
    look, again : callable
        Extract a document without a profile, and with one. Called in any process.
    failure, jobs, deadline
        As `blockfeat._pool.in_order` takes them. A document that fails the second time keeps its first result.
    profiles : SiteProfiles
        What is known of the sites; grows.
    """
    iterator = iter(documents)
    while window := list(islice(iterator, WINDOW)):
        looks = [found for _, found in in_order(look, window, jobs=jobs, failure=failure, deadline=deadline)]
        profiles.add_window(looks)
        results = [found.result for found in looks]
        touched = [
            Touched(document, profile, found.result, place)
            for place, (document, found) in enumerate(zip(window, looks, strict=True))
            if (profile := profiles.repeating(found)) is not None
        ]
        processes = min(jobs, len(touched))
        done: Iterator[tuple[Touched[Result], Result]]
        done = in_order(again, touched, jobs=processes, failure=_as_before, deadline=deadline)
        for one, result in done:
            results[one.place] = result
        yield from zip(window, results, strict=True)


def _as_before(touched: Touched[Result], reason: str) -> Result:
    return touched.before
