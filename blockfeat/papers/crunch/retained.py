"""The removed-link retainer: links of text that were removed, listed at the end of the page."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from blockfeat.papers.crunch.decision import Decision
from blockfeat.papers.crunch.hosts import HostList
from blockfeat.papers.crunch.letters import letters
from blockfeat.papers.crunch.settings import RemovedLinks

_PLACE = "crunch-removed-links"
_DROPPED = "dropped"

Links = dict[tuple[str, str], None]
"""Address and text of links, in order, each once."""


def take_earlier_links(root: etree._Element, hosts: HostList | None) -> Links:
    """Take the list that an earlier cleaning made out of a page; return its links."""
    found: Links = {}
    body = root.find("body")
    sections = [] if body is None else list(body.iterchildren("section"))
    for section in [section for section in sections if section.get("id") == _PLACE]:
        for link in section.iter("a"):
            _add(found, link, hosts)
        # So that what stands behind it stays.
        section.tag, section.text, section[:] = _DROPPED, None, []
        section.tail = (section.tail or "").rstrip()
    etree.strip_tags(root, _DROPPED)
    return found


def removed_links(decision: Decision, hosts: HostList | None) -> Links:
    """Return the links with text that go, those to advertisements apart."""
    found: Links = {}
    walked, gone = decision.walked, decision.gone()
    advertisement = bytearray(len(walked))
    for index, parent in enumerate(walked.parent):
        advertisement[index] = decision.is_advertisement[index] or (parent >= 0 and advertisement[parent])
        if gone[index] and not advertisement[index] and walked.is_link(index):
            _add(found, walked.elements[index], hosts)
    return found


def append_links(body: etree._Element, links: Iterable[tuple[str, str]], settings: RemovedLinks) -> None:
    """Write a list of links at the end of a page."""
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
