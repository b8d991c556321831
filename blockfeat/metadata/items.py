"""Microdata and RDFa as nodes of the form that JSON-LD has.

Own code in place of extruct: it reads the columns of tags that the extraction has anyway, where extruct parses the page
two more times with html5lib and lxml.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from blockfeat.metadata.claims import LONGEST_ATTRIBUTE, words
from blockfeat.page.json_ld import Node
from blockfeat.page.tags import Tags

# Without the quote behind: looking for a rare last byte is several times as fast.
_MICRODATA = (b" itemprop", b" itemscope")
_RDFA = (b" typeof", b" property")
_ADDRESSES = frozenset(("url", "image", "logo", "mainEntityOfPage", "license", "thumbnailUrl", "contentUrl", "sameAs"))
_DATES = frozenset(("datePublished", "dateModified", "dateCreated", "uploadDate"))
_NAMES = {
    name.lower(): name
    for name in words(
        """
        datePublished dateModified dateCreated uploadDate articleSection inLanguage isAccessibleForFree mainEntityOfPage
        thumbnailUrl alternativeHeadline givenName familyName contentUrl headline name author creator publisher
        description keywords image url license hasPart isPartOf about video comment itemListElement acceptedAnswer
        suggestedAnswer blogPost review mentions itemReviewed logo text
        """
    )
}
_VOCABULARIES = {
    "dc:title": "headline",
    "dc:creator": "author",
    "dc:date": "datePublished",
    "dc:created": "datePublished",
    "dc:issued": "datePublished",
    "dc:modified": "dateModified",
    "dcterms:created": "datePublished",
    "dcterms:issued": "datePublished",
    "dcterms:modified": "dateModified",
    "dcterms:creator": "author",
    "dct:created": "datePublished",
    "dct:modified": "dateModified",
    "rnews:headline": "headline",
    "rnews:datepublished": "datePublished",
    "foaf:name": "name",
}
_FOREIGN = re.compile(r"(?:og|fb|article|twitter|al|product|video|music|book|profile|place|ia)\b.*:|v:")
_ARTICLE_MEMBERS = ("headline", "datePublished", "author", "dateModified")
_LONGEST = 4_000
_MOST = 200


@dataclass
class _Items:
    """Nodes that grow while elements are read in order; those without an item around them go to ``loose``."""

    found: list[Node] = field(default_factory=list)
    loose: Node = field(default_factory=dict)
    open: list[tuple[int, Node]] = field(default_factory=list)

    def close_to(self, tag: int) -> None:
        while self.open and self.open[-1][0] < tag:
            self.open.pop()

    def put(self, names: list[str], value: Any) -> None:
        owner = self.open[-1][1] if self.open else self.loose
        for name in names:
            owner.setdefault(name, []).append(value)

    def begin(self, names: list[str], types: str, end: int) -> None:
        node: Node = {"@type": types.split()}
        if names and self.open:
            self.put(names, node)
        else:
            self.found.append(node)
        self.open.append((end, node))

    def all(self) -> list[Node]:
        """Return the items, with one of what stands in none."""
        if not self.loose:
            return self.found
        is_article = any(name in self.loose for name in _ARTICLE_MEMBERS)
        return [*self.found, {**self.loose, "@type": "Article" if is_article else "WebPage"}]


def read_microdata(tags: Tags) -> list[Node]:
    """Return the items that ``itemscope`` and ``itemprop`` describe."""
    items = _Items()
    for element in _elements(tags, *_MICRODATA):
        attributes = tags.attributes(element, most=LONGEST_ATTRIBUTE)
        items.close_to(int(tags.opened[element]))
        names = [_NAMES[name] for name in attributes.get("itemprop", "").lower().split() if name in _NAMES]
        if "itemscope" in attributes:
            items.begin(names, attributes.get("itemtype", ""), int(tags.closed[element]))
            if {"author", "creator"} & set(names):
                items.put(["text"], _value(tags, element, {}, "name"))
        elif names:
            items.put(names, _value(tags, element, attributes, names[0]))
    return items.all()


def read_rdfa(tags: Tags) -> list[Node]:
    """Return the items that ``typeof`` and ``property`` describe, of schema.org and Dublin Core."""
    items = _Items()
    for element in _elements(tags, *_RDFA):
        attributes = tags.attributes(element, most=LONGEST_ATTRIBUTE)
        items.close_to(int(tags.opened[element]))
        names = [name for each in attributes.get("property", "").split() if (name := _rdfa_name(each))]
        if attributes.get("typeof") and not _FOREIGN.match(attributes["typeof"]):
            # Drupal 7 wrote no type of schema.org.
            types = attributes["typeof"].replace("sioc:Item", "Article")
            items.begin(names, types, int(tags.closed[element]))
        elif names and (tags.name(element) != "meta" or items.open):
            items.put(names, _value(tags, element, attributes, names[0]))
    return items.all()


def _rdfa_name(name: str) -> str:
    """Return the member of schema.org that a property means, or nothing."""
    lower = name.lower()
    if lower in _VOCABULARIES:
        return _VOCABULARIES[lower]
    return "" if _FOREIGN.match(lower) else _NAMES.get(lower.removeprefix("schema:").rsplit("/", 1)[-1], "")


def _elements(tags: Tags, needed: bytes, other: bytes) -> list[int]:
    """Return the elements whose start tags hold one of two attributes, in order; none on pages without the first."""
    place = tags.source.find(needed)
    if place < 0:
        return []
    places = _places(tags.source, needed, place) + _places(tags.source, other, 0)
    return tags.elements_at(sorted(places)[:_MOST])


def _places(source: bytes, mark: bytes, first: int) -> list[int]:
    """Return where a mark stands, at most so many times as elements are read."""
    places: list[int] = []
    place = source.find(mark, first)
    while place >= 0 and len(places) < _MOST:
        places.append(place)
        place = source.find(mark, place + 1)
    return places


def _value(tags: Tags, element: int, attributes: dict[str, str], name: str) -> str:
    """Return the value of a property: an attribute where the element has the one that fits, else its text."""
    keys = ["content"]
    if name in _ADDRESSES:
        keys += ["href", "src", "data-src", "itemid", "resource"]
    elif name in _DATES:
        keys += ["datetime", "title"]
    for key in keys:
        if attributes.get(key, "").strip():
            return attributes[key].strip()
    first, last = int(tags.stop[tags.opened[element]]), int(tags.start[tags.closed[element]])
    return " ".join(tags.text(element).split()) if 0 < last - first < _LONGEST else ""
