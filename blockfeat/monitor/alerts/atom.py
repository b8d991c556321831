"""Mentions as an Atom feed (RFC 4287), written and read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree import ElementTree

from lxml import etree

from blockfeat.content.links import xml_characters

_ATOM = "http://www.w3.org/2005/Atom"
_URN = "urn:blockfeat:mention:"


def moment_of(row: Mapping[str, Any]) -> str:
    """Return when a page was fetched, in RFC 3339."""
    return str(row["fetched_at"] or f"{row['day']}T00:00:00Z")


def atom(rows: Iterable[Mapping[str, Any]], *, title: str, home: str | None, address: str, updated: str) -> bytes:
    """Return mentions as an Atom feed.

    Parameters
    ----------
    rows : iterable of mapping
        ``id``, ``brand``, ``title``, ``url``, ``host``, ``sentence`` and ``fetched_at`` (or ``day``) of each.
    title, home, address : str
        Name of the feed, address of its page, address of the feed, which is its id.
    updated : str
        When it was updated where it has no entries, in RFC 3339.
    """
    found = list(rows)
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    _add(feed, "title", title)
    _add(feed, "id", address)
    _add(feed, "updated", max(map(moment_of, found), default=updated))
    ElementTree.SubElement(feed, "link", rel="self", href=address)
    if home is not None:
        ElementTree.SubElement(feed, "link", rel="alternate", href=home)
    for row in found:
        entry = ElementTree.SubElement(feed, "entry")
        _add(entry, "title", f"{row['brand']}: {row['title'] or row['url']}")
        _add(entry, "id", f"{_URN}{row['id']}")
        _add(entry, "updated", moment_of(row))
        if row["url"]:
            ElementTree.SubElement(entry, "link", rel="alternate", href=xml_characters(row["url"]))
        _add(ElementTree.SubElement(entry, "author"), "name", row["host"] or "unknown")
        ElementTree.SubElement(entry, "category", term=xml_characters(row["brand"]))
        _add(entry, "content", row["sentence"] or "")
    written: bytes = ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)
    return written


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, name).text = xml_characters(text)


def entries_of(data: bytes) -> list[dict[str, Any]]:
    """Return the mentions of a feed that `atom` has written; none of a file that is damaged or something else."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        feed = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return []
    space = {"a": _ATOM}
    rows = []
    for entry in feed.findall("a:entry", space):
        brand = next((category.get("term", "") for category in entry.findall("a:category", space)), "")
        names = ("a:id", "a:title", "a:updated", "a:content", "a:author/a:name")
        number, title, updated, sentence, host = (entry.findtext(name, "", space) for name in names)
        url = next((link.get("href", "") for link in entry.findall("a:link", space)), "")
        rows.append(
            {
                "id": number.removeprefix(_URN),
                "brand": brand,
                "title": title.removeprefix(f"{brand}: "),
                "url": url,
                "host": host,
                "sentence": sentence,
                "fetched_at": updated,
            }
        )
    return rows
