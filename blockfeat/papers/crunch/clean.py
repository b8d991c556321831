"""Cleaning of pages: all filters in the order of 4.2, a list of the removed links, the result as HTML or as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from lxml import etree

from blockfeat._extras import require_extra
from blockfeat.content.links import Base, clean_characters
from blockfeat.content.sanitise import Sanitiser
from blockfeat.page.page import Page, check_tree
from blockfeat.page.tags import FLATTENED
from blockfeat.papers.crunch.decision import Decision, HostList, Walked, host_list, letters, take_out
from blockfeat.papers.crunch.filters import decide_first_set, decide_second_set, edit_elements
from blockfeat.papers.crunch.settings import CleanSettings, RemovedLinks

_PLACE = "crunch-removed-links"
_DROPPED = "dropped"

Links = dict[tuple[str, str], None]
"""Address and text of links, in order, without duplicates."""


_OPTIONS = {"optgroup", "option", "script"}
# Broken markup may be parsed into another tree after it was written: a page is cleaned again until it does not change,
# mostly once.
_ROUNDS = 8


def take_earlier_links(root: etree._Element, hosts: HostList | None) -> Links:
    """Remove the list of links that an earlier cleaning appended to a page; return its links."""
    found: Links = {}
    body = root.find("body")
    sections = [] if body is None else list(body.iterchildren("section"))
    for section in [section for section in sections if section.get("id") == _PLACE]:
        for link in section.iter("a"):
            _add(found, link, hosts)
        # Only its tags are stripped below, so that the text after it stays.
        section.tag, section.text, section[:] = _DROPPED, None, []
        section.tail = (section.tail or "").rstrip()
    etree.strip_tags(root, _DROPPED)
    return found


def removed_links(decision: Decision, hosts: HostList | None) -> Links:
    """Return the removed links that have text, other than those to advertisements or inside of them."""
    found: Links = {}
    walked, gone = decision.walked, decision.gone()
    advertisement = walked.innermost(decision.is_advertisement)
    for index, element in enumerate(walked.elements):
        if gone[index] and advertisement[index] < 0 and walked.is_link(index):
            _add(found, element, hosts)
    return found


def append_links(root: etree._Element, links: Iterable[tuple[str, str]], settings: RemovedLinks) -> None:
    """Append a list of links to a page."""
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    section = etree.SubElement(body, "section", id=_PLACE)
    if settings.heading:
        etree.SubElement(section, "h2").text = settings.heading
    lines = etree.SubElement(section, "ul")
    for address, text in links:
        etree.SubElement(etree.SubElement(lines, "li"), "a", href=address).text = text


def _add(found: Links, link: etree._Element, hosts: HostList | None) -> None:
    address = (link.get("href") or "").strip()
    text = " ".join("".join(str(piece) for piece in link.itertext(etree.Element)).split())
    if letters(text) and address and not address.startswith("#") and not (hosts and hosts.lists(address)):
        found[address, text] = None


def html_of(root: etree._Element) -> str:
    """Return a tree as HTML5, as a browser would write it: elements that must not be nested become siblings."""
    require_extra("clean", "selectolax", what="cleaning a page")
    from selectolax.lexbor import LexborHTMLParser

    head = root.find("head")
    if head is None:
        head = etree.Element("head")
        root.insert(0, head)
    for meta in head.findall("meta"):
        if meta.get("charset") is not None or (meta.get("http-equiv") or "").lower() == "content-type":
            head.remove(meta)
    head.insert(0, etree.Element("meta", charset="utf-8"))
    # Of noscript, the parser has moved the content to the end of the page.
    for element in root.iter("base", "noscript"):
        if not len(element) and not (element.text or "").strip() and not (element.tag == "base" and element.attrib):
            element.tag, element.text = _DROPPED, None
    etree.strip_tags(root, _DROPPED)
    # In drop-down lists, elements that are no options leave their text: parsers differ in what they allow there.
    for select in root.iter("select"):
        for child in select.iterdescendants(etree.Element):
            if child.tag not in _OPTIONS:
                child.tag, child.text, child.tail = _DROPPED, f" {child.text or ''}", f" {child.tail or ''}"
        etree.strip_tags(select, _DROPPED)
    _strip_end(root)
    markup = etree.tostring(root, method="html", encoding="unicode", doctype="<!DOCTYPE html>", with_tail=False)
    written = LexborHTMLParser(markup).html or markup
    return f"<!DOCTYPE html>\n{written.removeprefix('<!DOCTYPE html>').lstrip()}\n"


def _strip_end(root: etree._Element) -> None:
    """Strip white space at the end of the body, to which parsers add that after the page."""
    body = root.find("body")
    if body is None:
        return
    for last in body.iterchildren(etree.Element, reversed=True):
        last.tail = (last.tail or "").rstrip()
        if last.tail or last.tag != "noscript":
            return
    body.text = (body.text or "").rstrip()


@dataclass(frozen=True)
class Cleaned:
    """A page after cleaning.

    Attributes
    ----------
    html : str
        The page, with its doctype and encoding declared; not safe to serve from one's own site.
    encoding : str
        The encoding that the bytes were decoded with.
    warnings : tuple of str
        What was limited or repaired by the parser.
    """

    html: str
    encoding: str = "utf-8"
    warnings: tuple[str, ...] = ()

    def sanitised(self) -> str:
        """Return title, language and body of the page, without styles or anything that could run."""
        page = Page.parse(self.html)
        head = f'<meta charset="utf-8">\n<title>{escape(page.title or "")}</title>'
        root = etree.Element("html") if page.tree is None else page.tree
        etree.strip_elements(root, "title", with_tail=False)
        return f"<!DOCTYPE html>\n{Sanitiser(Base(None), styles=False).document(root, head)}"

    def text(self) -> str:
        """Return the text of the page: its blocks separated by blank lines, the rows of data tables as lines."""
        import numpy as np

        from blockfeat.blocks.blockify import cut_into_blocks
        from blockfeat.blocks.tagtable import load_table
        from blockfeat.content.plain import data_tables, plain_text

        blocks = cut_into_blocks(Page.parse(self.html), load_table("html5"))
        kept = np.ones(len(blocks), dtype=np.bool_)
        return clean_characters(plain_text(blocks, kept, data_tables(blocks, kept)))


@dataclass(frozen=True)
class Cleaner:
    """Cleans any number of pages by the same settings, whose host lists are read once.

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
        """Create a cleaner: read the host lists of its settings.

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
            again = Page.parse(cleaned, keep_raw_text=True)
            before, cleaned = cleaned, self._cleaned(again)
            # Where the parser flattens too deeply nested elements, the page may change every time.
            if cleaned == before or (again.tags is not None and again.tags.depth >= FLATTENED):
                break
        return Cleaned(cleaned, page.encoding, page.warnings)

    def _cleaned(self, page: Page) -> str:
        if page.tags is not None:
            check_tree(len(page.data), page.tags)
        root = page.tree
        if root is None:
            return ""
        listing = self.settings.removed_links
        links = take_earlier_links(root, self.hosts) if listing.list else {}
        decision = decide(root, self.settings, self.hosts)
        if listing.list:
            links = removed_links(decision, self.hosts) | links
        take_out(decision)
        if links:
            append_links(root, links, listing)
        return html_of(root)


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
        What is removed; by default the filters are those of the paper, their ratios and containers are not.
    charset : str, optional
        Encoding from the HTTP header.
    max_bytes : int, optional
        Size limit of a page in bytes.

    Raises
    ------
    InputError
        The page or a host list cannot be used.
    """
    return Cleaner.of(settings).clean(html, charset=charset, max_bytes=max_bytes)


def decide(root: etree._Element, settings: CleanSettings, hosts: HostList | None) -> Decision:
    """Edit the elements of a tree in place, and return which are to be removed; linear in the size of the tree."""
    walked = Walked.of(root)
    edit_elements(walked, settings.filters)
    return decide_on(walked, settings, hosts)


def decide_on(walked: Walked, settings: CleanSettings, hosts: HostList | None) -> Decision:
    """Return which elements of a tree are to be removed; leave the tree as it is; linear in its size."""
    decision = Decision.none(walked)
    decide_first_set(decision, settings.filters, hosts)
    decide_second_set(decision, settings.link_lists, settings.empty_tables)
    return decision
