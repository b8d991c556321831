"""Documents grouped by site within a run: each is compared with other documents of its site, in windows of the input.

The result depends on the order of the documents alone, not on processes: a window of 64 documents is read, the profiles
of its sites take its pages in order, and only then what these profiles repeat is dropped from its documents. So a
document knows those behind it in its window too. Each is extracted once, and once more where something goes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from blockfeat._pool import in_order
from blockfeat.extraction.site_page import SitePage
from blockfeat.extraction.site_profile import SiteProfile
from blockfeat.page.document import Document
from blockfeat.page.urls import guess_host

Result = TypeVar("Result")

WINDOW = 64
"""Documents of a window."""

_MOST_SITES = 1000
_HEAD = 200_000


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
        try:
            host = urlsplit(document.url).hostname
        except ValueError:
            host = None
        return host.removeprefix("www.") if host else None
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
