"""Mentions in pages that something else has fetched: a crawler, an archive, a list in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.matcher import BrandMatcher
from blockfeat.monitor.mentions.mention import Mention, mentions_of
from blockfeat.page.document import Document


@dataclass(frozen=True, slots=True)
class PageMentions:
    """The mentions on one page.

    Attributes
    ----------
    url : str
        Its address, as it was given.
    extraction : Extraction
        What was read; its ``error`` says why nothing was.
    mentions : tuple of Mention
        All of them; those with ``counted`` stand in the article.
    """

    url: str
    extraction: Extraction
    mentions: tuple[Mention, ...] = ()

    @property
    def brands(self) -> tuple[str, ...]:
        """The brands that the article names, in order of their first mention."""
        return tuple(dict.fromkeys(mention.brand for mention in self.mentions if mention.counted))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "url": self.url,
            "status": self.extraction.status,
            "error": self.extraction.error,
            "lang": self.extraction.lang,
            "title": self.extraction.title,
            "brands": list(self.brands),
            "mentions": [asdict(mention) for mention in self.mentions],
        }


def mentions_in(
    pages: Iterable[tuple[str, str | bytes]],
    brands: Iterable[Brand | str] | BrandMatcher,
    *,
    extractor: Extractor | None = None,
    jobs: int = 1,
    deadline: float | None = None,
) -> Iterator[PageMentions]:
    """Yield the mentions in each page, in order; nothing is stored.

    Parameters
    ----------
    pages : iterable of (str, str or bytes)
        Address and HTML of each page; taken lazily.
    brands : iterable of Brand or str, or BrandMatcher
        What is looked for; a plain name is a brand without aliases.
    extractor : Extractor, optional
        The default model by default.
    jobs : int
        Number of processes.
    deadline : float, optional
        Most seconds for one page.

    Examples
    --------
    >>> pages = [("https://example.org/1", "<p>The Corvane ferry leaves at nine and returns before dark.")]
    >>> [found.brands for found in mentions_in(pages, ["Corvane"])]
    [('Corvane',)]
    """
    from blockfeat._pool import in_order

    matcher = brands if isinstance(brands, BrandMatcher) else BrandMatcher.of(map(_brand, brands))
    work = _Work(extractor or Extractor.load(), matcher)
    documents = (Document(id=url, data=html, url=url) for url, html in pages)
    for document, found in in_order(work, documents, jobs=jobs, failure=work.failed, deadline=deadline):
        yield PageMentions(document.id, *found)


def _brand(brand: Brand | str) -> Brand:
    return Brand(brand) if isinstance(brand, str) else brand


@dataclass(frozen=True)
class _Work:
    """Extracts a page and finds its mentions, in any process."""

    extractor: Extractor
    matcher: BrandMatcher

    def __call__(self, document: Document) -> tuple[Extraction, tuple[Mention, ...]]:
        extraction = self.extractor.extract_document(document)
        return extraction, mentions_of(extraction, self.matcher)

    def failed(self, document: Document, reason: str) -> tuple[Extraction, tuple[Mention, ...]]:
        return self.extractor.failed(document, reason), ()
