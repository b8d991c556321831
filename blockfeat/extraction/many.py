"""Many pages, in processes and by site; evidence of pages that another process extracted is made anew on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from blockfeat._pool import in_order
from blockfeat.blocks.block import Block
from blockfeat.content.nodes import Node
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.facts import Facts
from blockfeat.metadata.metadata import Metadata
from blockfeat.page.document import Document

if TYPE_CHECKING:
    from blockfeat.extraction.by_site import Look, Touched
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.extraction.site_page import SitePage


def extract_each(
    extractor: Extractor, pages: Iterable[object], *, jobs: int, deadline: float | None
) -> Iterator[Extraction]:
    """Yield the extractions of many pages; see `blockfeat.Extractor.extract_many`."""
    documents = _documents(pages)
    if jobs <= 1 and deadline is None:
        yield from map(extractor.extract_document, documents)
        return
    work = WithoutEvidence(extractor)
    for document, found in in_order(work, documents, jobs=jobs, failure=extractor.failed, deadline=deadline):
        yield _with_evidence(found, extractor, document)


def extract_each_by_site(
    extractor: Extractor, pages: Iterable[object], *, jobs: int, deadline: float | None
) -> Iterator[Extraction]:
    """Yield the extractions of many pages, each with the profile of its site."""
    from blockfeat.extraction.by_site import SiteProfiles, by_site
    from blockfeat.extraction.site_profile import SiteProfile

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
        yield _with_evidence(found.extraction, found.extractor, document)


@dataclass(frozen=True)
class WithoutEvidence:
    """Extracts a document in a worker process; its evidence is made again where it is asked for."""

    extractor: Extractor

    def __call__(self, document: Document) -> Extraction:
        """Extract a document, and leave out what its process would not pass on."""
        return self.extractor.extract_document(document).without_evidence()


@dataclass(frozen=True)
class _Found:
    """An extraction without its evidence, and the extractor that makes it again."""

    extraction: Extraction
    extractor: Extractor


@dataclass(frozen=True)
class _BySite:
    """Extracts documents without the profiles of their sites, and with them."""

    extractor: Extractor

    def look(self, document: Document) -> Look[_Found]:
        from blockfeat.extraction.by_site import Look, site_of

        found = self.extractor.extract_document(document)
        return Look(_Found(found.without_evidence(), self.extractor), site_of(document), found.site_page)

    def again(self, touched: Touched[_Found]) -> _Found:
        extractor = self.extractor.with_site(touched.profile)
        return _Found(WithoutEvidence(extractor)(touched.document), extractor)

    def failed(self, document: Document, reason: str) -> Look[_Found]:
        from blockfeat.extraction.by_site import Look

        return Look(_Found(self.extractor.failed(document, reason), self.extractor))


def _with_evidence(found: Extraction, extractor: Extractor, document: Document) -> Extraction:
    if found.error is not None:
        # What ended a process or passed the deadline is not tried in this one.
        return found
    again = _Again(extractor, document)
    return replace(
        found,
        evidence=again.blocks,
        fact_finder=again.facts,
        nodes=again.nodes,
        markup=again.markup,
        describe=again.metadata if extractor.metadata else None,
        find_site_page=again.site_page,
    )


@dataclass(frozen=True)
class _Again:
    """Extracts a page once more, where what another process did not pass on is asked for."""

    extractor: Extractor
    document: Document

    @cached_property
    def extraction(self) -> Extraction:
        """The page, extracted in this process."""
        return self.extractor.extract_document(self.document)

    def blocks(self) -> tuple[Block, ...]:
        return self.extraction.blocks

    def metadata(self) -> Metadata:
        return self.extraction.metadata

    def facts(self) -> Facts:
        return self.extraction.facts

    def nodes(self, images: bool) -> tuple[Node, ...]:
        return self.extraction.nodes(images)

    def markup(self, absolute: bool, styles: bool) -> str:
        return self.extraction.markup(absolute, styles)

    def site_page(self) -> SitePage | None:
        return self.extraction.site_page


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
