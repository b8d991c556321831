"""Clean a page: every filter in the order of 4.2, and the result as HTML or as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blockfeat.page.page import Page
from blockfeat.papers.crunch.attributes import edit_elements
from blockfeat.papers.crunch.decision import Decision
from blockfeat.papers.crunch.first_set import decide_first_set
from blockfeat.papers.crunch.hosts import HostList, host_list
from blockfeat.papers.crunch.removal import take_out
from blockfeat.papers.crunch.retained import append_links, removed_links, take_earlier_links
from blockfeat.papers.crunch.second_set import decide_second_set
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.papers.crunch.walked import Walked
from blockfeat.papers.crunch.written import html_of, sanitised_html, text_of

if TYPE_CHECKING:
    from lxml import etree


# Where markup is broken the page that is written reads otherwise than the one that was read: it is cleaned again until
# it does not change, mostly once.
_ROUNDS = 8


@dataclass(frozen=True)
class Cleaned:
    """A page after cleaning.

    Attributes
    ----------
    html : str
        The page, its doctype and encoding declared; not safe to show as one's own.
    encoding : str
        What the bytes were decoded as.
    warnings : tuple of str
        What was capped or repaired in reading.
    """

    html: str
    encoding: str = "utf-8"
    warnings: tuple[str, ...] = ()

    def sanitised(self) -> str:
        """Return the page without anything that could run: elements, attributes and schemes of an allow list."""
        return sanitised_html(self.html)

    def text(self) -> str:
        """Return the text of the page, its blocks parted by blank lines."""
        return text_of(self.html)


@dataclass(frozen=True)
class Cleaner:
    """Settings with their host lists read, for many pages.

    Attributes
    ----------
    settings : CleanSettings
        What is removed.
    hosts : HostList or None
        Hosts of advertisements.
    """

    settings: CleanSettings
    hosts: HostList | None

    @classmethod
    def of(cls, settings: CleanSettings | None = None) -> Cleaner:
        """Read the host lists of settings.

        Raises
        ------
        InputError
            A list cannot be read.
        """
        settings = settings or CleanSettings()
        advertisements = settings.advertisements
        return cls(settings, host_list(advertisements) if advertisements.remove else None)

    def clean(self, html: str | bytes, *, charset: str | None = None, max_bytes: int | None = None) -> Cleaned:
        """Clean a page; see `clean`."""
        page = Page.parse(html, charset=charset, max_bytes=max_bytes, keep_raw_text=True)
        cleaned = self._cleaned(page)
        for _ in range(_ROUNDS):
            before, cleaned = cleaned, self._cleaned(Page.parse(cleaned, keep_raw_text=True))
            if cleaned == before:
                break
        return Cleaned(cleaned, page.encoding, page.warnings)

    def _cleaned(self, page: Page) -> str:
        root = page.tree
        if root is None:
            return ""
        self.clean_tree(root)
        return html_of(root)

    def clean_tree(self, root: etree._Element) -> None:
        """Clean a tree in place."""
        listing = self.settings.removed_links
        links = take_earlier_links(root, self.hosts) if listing.list else {}
        decision = decide(root, self.settings, self.hosts)
        if listing.list:
            links = removed_links(decision, self.hosts) | links
        take_out(decision)
        if links:
            _append(root, links, self.settings)


def clean(
    html: str | bytes,
    settings: CleanSettings | None = None,
    *,
    charset: str | None = None,
    max_bytes: int | None = None,
) -> Cleaned:
    """Clean a page and keep its markup.

    Parameters
    ----------
    html : str or bytes
        The page.
    settings : CleanSettings, optional
        What is removed; the defaults are those of the paper.
    charset : str, optional
        Encoding from the HTTP header.
    max_bytes : int, optional
        Largest page that is taken.

    Raises
    ------
    InputError
        The page or a host list cannot be used.
    """
    return Cleaner.of(settings).clean(html, charset=charset, max_bytes=max_bytes)


def decide(root: etree._Element, settings: CleanSettings, hosts: HostList | None) -> Decision:
    """Edit the elements of a tree, and decide which go; linear in the size of the tree."""
    walked = Walked.of(root)
    edit_elements(walked, settings.filters)
    return decide_on(walked, settings, hosts)


def decide_on(walked: Walked, settings: CleanSettings, hosts: HostList | None) -> Decision:
    """Decide which elements of a tree go, and leave it as it is; linear in its size."""
    decision = Decision.none(walked)
    decide_first_set(decision, settings.filters, hosts)
    decide_second_set(decision, settings.link_lists, settings.empty_tables)
    return decision


def _append(root: etree._Element, links: Iterable[tuple[str, str]], settings: CleanSettings) -> None:
    from lxml import etree

    body = root.find("body")
    append_links(etree.SubElement(root, "body") if body is None else body, links, settings.removed_links)
