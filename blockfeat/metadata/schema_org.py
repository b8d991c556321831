"""Metadata from schema.org nodes in JSON-LD, microdata and RDFa: the article's first, then page and site.

Microdata are read by own code in place of extruct: from the columns of tags that the extraction has anyway, where
extruct parses the page two more times with html5lib and lxml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from blockfeat.metadata.metadata import LONGEST_ATTRIBUTE, Candidates, alike, plain, tables, words
from blockfeat.page.json_ld import Node
from blockfeat.page.tags import Tags
from blockfeat.page.utf_8 import places_of

ARTICLE_TYPES = words("article_types")
"""Types of what a page is about, in lower case."""
PAGE_TYPES = words("page_types")
"""Types of pages; less specific than the article's own node."""
_MEDIA = frozenset({"videoobject"})
_WEAK = words("weak_types")
_ORGANISATIONS = ("organization", "corporation", "newsmediaorganization", "brand", "localbusiness")
# Members whose nodes are about something else than the page.
_ELSEWHERE = words("elsewhere")
_MOST_NODES = 20_000
_PEOPLE, _MOST_VALUES = 60, 200
# Fields, and the members that hold them as text.
_STRINGS = {field: names.split() for field, names in tables()["texts"].items()}


def claims_of_nodes(values: Iterable[Any], *, source: str, url: str | None, title: str | None) -> list[Candidates]:
    """Return the values that nodes give for the page, the most relevant node first.

    Parameters
    ----------
    values : iterable
        Parsed JSON-LD, or items of microdata in the same form.
    source : str
        What the claims name as their source.
    url, title : str or None
        Of the page: of several articles the one with this address or title is meant; a page with several and
        none of them is a list, and no article is taken.
    """
    nodes, by_id = _all_nodes(values)
    articles = [node for node, types in nodes if types & ARTICLE_TYPES]
    pages = [node for node, types in nodes if types & PAGE_TYPES - _MEDIA]
    media = [node for node, types in nodes if types & _MEDIA and node.get("uploadDate")] if not articles else []
    chosen = _meant(articles, url, title)
    found = [_claims(node, by_id, source) for node in (*chosen[:1], *pages[:1], *media[:1])]
    for node in chosen[1:4]:
        # A page may say the same of its article twice, with other members.
        if alike(_first(node, "headline", "name"), _first(chosen[0], "headline", "name")):
            found.insert(1, _claims(node, by_id, source))
    sites = [plain(_text(node.get("name"))) for node, types in nodes if "website" in types]
    if any(sites):
        found.append(Candidates(source, {"site": [name for name in sites if name]}))
    return found


def types_of(node: Node) -> frozenset[str]:
    """Return the types of a node in lower case, without the vocabulary's address."""
    kinds = node.get("@type")
    listed = kinds if isinstance(kinds, list) else [kinds]
    return frozenset(kind.rsplit("/", 1)[-1].rsplit(":", 1)[-1].lower() for kind in listed if isinstance(kind, str))


def _all_nodes(values: Iterable[Any]) -> tuple[list[tuple[Node, frozenset[str]]], dict[str, Node]]:
    """Return the nodes that are about the page, outermost first, and those that have an identifier by it."""
    nodes: list[tuple[Node, frozenset[str]]] = []
    by_id: dict[str, Node] = {}
    queue = list(values)
    for value in queue:
        if len(queue) > _MOST_NODES:
            break
        if isinstance(value, list):
            queue += value
        elif isinstance(value, dict):
            identifier = value.get("@id")
            if isinstance(identifier, str) and len(value) > len(by_id.get(identifier, ())):
                by_id[identifier] = value
            if "@type" in value and len(value) > 1:
                nodes.append((value, types_of(value)))
            queue += [
                item for key, item in value.items() if isinstance(item, (dict, list)) and key.lower() not in _ELSEWHERE
            ]
    return nodes, by_id


def _meant(articles: list[Node], url: str | None, title: str | None) -> list[Node]:
    """Return the nodes of the page's own article, the best first."""
    if len(articles) < 2:
        return articles
    ranked = sorted(articles, key=lambda node: -_rank(node, url, title))
    if _rank(ranked[0], url, title) < 2 and len({_first(node, "headline", "name") for node in ranked}) > 2:
        return []
    return ranked


def _rank(node: Node, url: str | None, title: str | None) -> float:
    """Return a score of how likely a node is about the page."""
    rank = float(not types_of(node) & ARTICLE_TYPES <= _WEAK)
    if url and any(_bare(address) == _bare(url) for address in _addresses(node)):
        rank += 2
    if alike(_first(node, "headline", "name"), title):
        rank += 2
    return rank + 0.1 * bool(node.get("datePublished")) + 0.1 * bool(node.get("author"))


def _addresses(node: Node) -> Iterator[str]:
    for key in ("url", "mainEntityOfPage", "@id"):
        value = node.get(key)
        if isinstance(value, dict):
            value = value.get("@id") or value.get("url")
        if isinstance(value, str):
            yield value


def _bare(address: str) -> str:
    bare = address.split("#")[0].split("?")[0].split("//", 1)[-1].rstrip("/").lower()
    return bare.removeprefix("www.")


def _claims(node: Node, by_id: dict[str, Node], source: str) -> Candidates:
    """Return the values of one node."""
    claims = Candidates(source)
    add = claims.add
    for name, keys in _STRINGS.items():
        for key in keys:
            if key in node:
                add(name, *map(plain, _texts(node[key])))
    for key in ("author", "creator"):
        for name, is_organisation in _people(node.get(key), by_id):
            add("organisation" if is_organisation else "author", name)
        if claims.values.get("author") or claims.values.get("organisation"):
            break
    for key in ("publisher", "sourceOrganization", "isPartOf"):
        for name, _ in _people(node.get(key), by_id):
            add("site", name)
    for key in ("image", "thumbnailUrl", "thumbnail", "primaryImageOfPage"):
        add("image", *_links(node.get(key), by_id))
    add("url", *_links(node.get("mainEntityOfPage"), {}), *_links(node.get("url"), {}))
    add("licence", *_links(node.get("license"), {}))
    add("paywall", *_paywalls(node))
    return claims


def _first(node: Node, *keys: str) -> str:
    return next((plain(text) for key in keys for text in _texts(node.get(key))), "")


def _text(value: Any) -> str:
    return next(iter(_texts(value)), "")


def _texts(value: Any) -> list[str]:
    """Return the strings that a member holds: itself, those of a list, or the name of a node."""
    found: list[str] = []
    for item in value[:_MOST_VALUES] if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            item = item.get("@value") or item.get("name") or item.get("alternateName")
            item = item[0] if isinstance(item, list) and item else item
        if isinstance(item, (int, float)) and not isinstance(item, bool):
            item = str(item)
        if isinstance(item, str):
            found.append(item)
    return found


def _people(value: Any, by_id: dict[str, Node]) -> list[tuple[str, bool]]:
    """Return the names that a member holds, and whether each is the name of an organisation."""
    found: list[tuple[str, bool]] = []
    for item in (value if isinstance(value, list) else [value])[:_PEOPLE]:
        if isinstance(item, str):
            names, is_organisation = [_text(by_id[item].get("name")) if item in by_id else item], False
        elif isinstance(item, dict):
            if "name" not in item and isinstance(item.get("@id"), str):
                item = by_id.get(item["@id"], item)
            names = _texts(item.get("name")) or [
                " ".join(_text(item.get(key)) for key in ("givenName", "familyName")).strip()
                or _text(item.get("@value"))
            ]
            is_organisation = any(kind.endswith(_ORGANISATIONS) for kind in types_of(item))
        else:
            continue
        found += [(plain(name), is_organisation) for name in (*names[1:], names[0])]
    return [(name, kind) for name, kind in found if name]


def _links(value: Any, by_id: dict[str, Node]) -> list[str]:
    """Return the addresses that a member holds."""
    found: list[str] = []
    for item in value[:_MOST_VALUES] if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            if "url" not in item and "contentUrl" not in item and isinstance(item.get("@id"), str):
                item = by_id.get(item["@id"], item)
            item = item.get("url") or item.get("contentUrl") or item.get("@id")
            item = item[0] if isinstance(item, list) and item else item
        if isinstance(item, str) and item.strip():
            found.append(item.strip())
    return found


def _paywalls(node: Node) -> list[str]:
    """Return whether the node is free, as text."""
    parts = node.get("hasPart")
    nodes = (each for each in (node, *(parts if isinstance(parts, list) else [parts])) if isinstance(each, dict))
    value = next((given for each in nodes if (given := each.get("isAccessibleForFree")) is not None), None)
    value = value[0] if isinstance(value, list) and value else value
    text = str(value).strip().lower().rsplit("/", 1)[-1]
    return ["false"] if text in ("true", "1", "yes") else ["true"] if text in ("false", "0", "no") else []


# Without the quote behind: looking for a rare last byte is several times as fast.
_MICRODATA = (b" itemprop", b" itemscope")
_RDFA = (b" typeof", b" property")
_ADDRESSES = frozenset(("url", "image", "logo", "mainEntityOfPage", "license", "thumbnailUrl", "contentUrl", "sameAs"))
_DATES = frozenset(("datePublished", "dateModified", "dateCreated", "uploadDate"))
_NAMES = {name.lower(): name for name in words("members")}
_VOCABULARIES = {name: member for member, names in tables()["vocabularies"].items() for name in names.split()}
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

    def elements(self, tags: Tags, needed: bytes, other: bytes) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the elements whose start tags hold one of two attributes, in order; none on pages without the first.

        The items that have ended before each are closed.
        """
        places = places_of(needed, tags.source, most=_MOST)
        places += places_of(other, tags.source, most=_MOST) if places else []
        for element in tags.elements_at(sorted(places)[:_MOST]):
            while self.open and self.open[-1][0] < tags.opened[element]:
                self.open.pop()
            yield element, tags.attributes(element, most=LONGEST_ATTRIBUTE)

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
    for element, attributes in items.elements(tags, *_MICRODATA):
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
    for element, attributes in items.elements(tags, *_RDFA):
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
