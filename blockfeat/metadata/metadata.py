"""``Metadata``: the metadata of a page with sources; ``Candidates``: the values of one source, before a choice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from html import unescape
from typing import TYPE_CHECKING, Any, TypeVar

from blockfeat._files import bundled_json, bundled_table
from blockfeat.page.tags import Tags
from blockfeat.page.utf_8 import Marks

if TYPE_CHECKING:
    from blockfeat.metadata.dates import Moment

LONGEST_ATTRIBUTE = 2_000
"""Longer attributes hold data for scripts and are ignored."""
_TAG = re.compile(r"<[/!a-zA-Z][^<>]*+>")
_INVISIBLE = re.compile("[\xad\u200b\u200e\u200f\u2060\ufeff\u202a-\u202e]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_BETWEEN = re.compile(r"[\W_]+")
_LOWER_CASE, _NO_LETTERS = bytes(range(256)).lower(), bytes(code for code in range(128) if not chr(code).isalnum())
_LONGEST, _SHORT = 5_000, 500


@dataclass(frozen=True)
class Candidates:
    """Values by field, the most telling first.

    Attributes
    ----------
    source : str
        One of `blockfeat.metadata.metadata.SOURCES`.
    values : dict of list of str
        What the source says, unchecked; by the fields of ``meta_names.toml``, and ``organisation``, an author that is
        declared to be one.
    """

    source: str
    values: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, *values: str) -> None:
        """Append values that are not empty."""
        if given := [value for value in values if value]:
            self.values.setdefault(name, []).extend(given)

    def __getitem__(self, name: str) -> list[str]:
        """Return the values of one field."""
        return self.values.get(name, [])


def plain(text: str) -> str:
    """Return text without markup, character references (also doubled ones) and control characters."""
    text = text[:_LONGEST]
    if "&" in text:
        text = unescape(unescape(text))
    if "<" in text:
        text = _TAG.sub(" ", text)
    if not text.isprintable():
        text = _CONTROL.sub(" ", text if text.isascii() else _INVISIBLE.sub("", text))
    return " ".join(text.split())


def folded(text: str | None) -> str:
    """Return the letters and digits of a text in one case, for comparison."""
    # Pages say the same in several places.
    return _folded(text) if len(text or "") <= _SHORT else _folded.__wrapped__(text)


@lru_cache(maxsize=64)
def _folded(text: str | None) -> str:
    if text and text.isascii():
        return text.encode().translate(_LOWER_CASE, _NO_LETTERS).decode()
    return _BETWEEN.sub("", text.casefold()) if text else ""


def alike(one: str | None, other: str | None) -> bool:
    """Return whether one of two texts begins or ends with the other, whatever the punctuation."""
    short, long = sorted((folded(one), folded(other)), key=len)
    return len(short) > 5 and (long.startswith(short) or long.endswith(short))


@cache
def tables() -> dict[str, dict[str, Any]]:
    """Return ``words.toml``: words of many languages and of standards, a constant that is read at its first use."""
    return bundled_table("blockfeat.metadata", "words.toml")


def listed(name: str) -> tuple[str, ...]:
    """Return a bundled list of words, in its order."""
    return tuple(tables()["words"][name].split())


def words(name: str) -> frozenset[str]:
    """Return a bundled list of words."""
    return frozenset(listed(name))


def pattern(name: str) -> str:
    """Return a bundled regular expression."""
    return "".join(tables()["patterns"][name].splitlines())


_OTHER_DATE = "other:date"
_LIKE_PUBLISHED = re.compile(pattern("like_published"))
_LABEL_OF_AUTHOR = re.compile(pattern("author_label"), re.IGNORECASE)
_PAID = re.compile(r"locked|metered|premium|paid|plus|subscri|registered|true|yes|^1$", re.IGNORECASE)
_FREE = re.compile(r"free|open|public|false|^no|^0$", re.IGNORECASE)
# The only name whose "true" means that nothing has to be paid.
_ACCESSIBLE = "isaccessibleforfree"
_IRRELEVANT = listed("irrelevant")
_LONGEST_JSON = 20_000
_MANY = 300
_END, _PARSELY = "<meta", {"author": "author", "authors": "author", "pub_date": "published", "title": "title"}
# All alternatives behind one set, for which the search is fast; most elements have a name and a content alone.
_ATTRIBUTE = re.compile(pattern("meta_attribute"))


@cache
def _meta_names() -> dict[str, dict[str, tuple[str, int]]]:
    """Return the field of each name and its place in its list, by source: a constant that is read at its first use."""
    return {
        source: {name: (field, place) for field, names in table.items() for place, name in enumerate(names.split())}
        for source, table in bundled_table("blockfeat.metadata", "meta_names.toml").items()
    }


@cache
def _known_names() -> frozenset[str]:
    """Return all names that are read."""
    labelled = (f"twitter:{part}{number}" for part in ("label", "data") for number in "123")
    return frozenset().union(*_meta_names().values(), ("parsely-page",), labelled)


def claims_of_head(tags: Tags) -> list[Candidates]:
    """Return what Open Graph, other ``<meta>`` elements and ``<link>`` say, in this order."""
    given = _contents(tags)
    open_graph, meta = Candidates("open-graph"), Candidates("meta")
    for claims in (open_graph, meta):
        known = _meta_names()[claims.source]
        for name in sorted(given.keys() & known.keys(), key=lambda each: known[each][1]):
            field = known[name][0]
            claims.add(field, *(_tiers(name, given[name]) if field == "paywall" else given[name]))
    _read_labels(given, meta)
    _read_parsely(given, meta)
    return [open_graph, meta, _links(tags)]


def _contents(tags: Tags) -> dict[str, list[str]]:
    """Return the contents of the known ``<meta>`` elements by name, in lower case."""
    given: dict[str, list[str]] = {}
    # All at once: an element ends where the next one begins.
    starts = b"".join(tags.start_tags(tags.named("meta")[:_MANY])).decode("utf-8", "replace")
    names, content, is_read = list[str](), "", True
    for name, text, attribute, value in _ATTRIBUTE.findall(starts + _END):
        if not attribute:
            if content and is_read:
                _give(names, content, given)
            names, content, is_read = name.lower().split(), text, not name.startswith(_IRRELEVANT)
        elif attribute in ("content", "value"):
            content = content or value
        else:
            is_read = is_read and not value.startswith(_IRRELEVANT)
            names += value.lower().split()
    return given


def _give(names: list[str], content: str, given: dict[str, list[str]]) -> None:
    """File the content of one element under its known names."""
    text, known = "", _known_names()
    for name in dict.fromkeys(names):
        if name not in known:
            # One of the three is in each of these; far cheaper than the pattern.
            if not ("date" in name or "pub" in name or "creat" in name) or not _LIKE_PUBLISHED.search(name):
                continue
            name = _OTHER_DATE
        if text := text or plain(content):
            given.setdefault(name, []).append(text)


def _tiers(name: str, values: list[str]) -> list[str]:
    """Return for each value whether the page has to be paid for, as text; "" where it does not say."""
    paid, free = ("false", "true") if name == _ACCESSIBLE else ("true", "false")
    return [paid if _PAID.search(value) else free if _FREE.search(value) else "" for value in values]


def _read_labels(given: dict[str, list[str]], meta: Candidates) -> None:
    """Read ``twitter:data1`` where its label says that it is the author."""
    for number in ("1", "2", "3"):
        labels, values = given.get(f"twitter:label{number}", []), given.get(f"twitter:data{number}", [])
        if labels and values and _LABEL_OF_AUTHOR.search(labels[0]):
            meta.add("author", values[0])


def _read_parsely(given: dict[str, list[str]], meta: Candidates) -> None:
    """Read the object that ``parsely-page`` holds."""
    for text in given.get("parsely-page", [])[:1]:
        try:
            page = json.loads(text[:_LONGEST_JSON])
        except (ValueError, RecursionError):
            return
        if isinstance(page, dict):
            for key, field in _PARSELY.items():
                value = page.get(key)
                meta.add(field, *(str(item) for item in (value if isinstance(value, list) else [value]) if item))


_FIELDS_OF_LINKS = {"canonical": "url", "license": "licence", "image_src": "image"}
_LINKS = Marks.of(map(str.encode, _FIELDS_OF_LINKS))


def _links(tags: Tags) -> Candidates:
    """Return what ``<link>`` elements and ``rel="license"`` say."""
    claims = Candidates("link")
    elements = tags.named("link")
    for number in dict.fromkeys(tags.marked(elements, _LINKS)[1]):
        attributes = tags.attributes(int(elements[number]), most=LONGEST_ATTRIBUTE)
        for rel in attributes.get("rel", "").lower().split():
            if field := _FIELDS_OF_LINKS.get(rel):
                claims.add(field, attributes.get("href", "").strip())
    return claims


SOURCES = listed("sources")
"""Sources of values, in their default order of priority."""


@dataclass(frozen=True)
class Metadata:
    """Metadata of a page; missing values are None or empty.

    Attributes
    ----------
    title : str or None
        The title of the page, without the name of its site.
    headline : str or None
        The heading over the text as readers see it; the title where there is none.
    authors : tuple of str
        Names, without job titles; a team or the publisher only where the page names it as author and no person.
    agencies : tuple of str
        News agencies that the page names as author or source.
    published, modified : Moment or None
        Day, time and zone as far as the page gives them.
    site : str or None
        Name of the site or publisher.
    canonical_url : str or None
        The address that the page gives as its own, absolute where that can be known.
    description : str or None
        Summary for search engines and social networks.
    image : str or None
        Address of the lead image, absolute where that can be known.
    language : str or None
        Declared language as a tag of BCP 47, such as ``"de"`` or ``"pt-BR"``.
    section : str or None
        Section of the site.
    tags : tuple of str
        Keywords.
    paywall : bool or None
        Whether the text is only for subscribers; None where the page does not say.
    licence : str or None
        Address or name of the licence.
    sources : mapping of str to str
        Where each value that is given was found, by its field: one of `SOURCES`.
    support : mapping of str to str
        What the other sources of the page say of title, authors, day of publication, description and tags:
        ``"agreed"`` (one has the same), ``"alone"`` (none has any), ``"contradicted"``.
    confidences : mapping of str to float
        How likely these are right, from 0 to 1: how often such a source with such support was, on pages with gold
        (`blockfeat.metadata.metadata`).
    """

    title: str | None = None
    headline: str | None = None
    authors: tuple[str, ...] = ()
    agencies: tuple[str, ...] = ()
    published: Moment | None = None
    modified: Moment | None = None
    site: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    image: str | None = None
    language: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    paywall: bool | None = None
    licence: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    support: Mapping[str, str] = field(default_factory=dict)
    confidences: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; moments in ISO 8601, each followed by its day on the page."""
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name in ("published", "modified"):
                found |= {name: value and value.isoformat(), f"{name}_day": value and value.day.isoformat()}
            else:
                found[name] = [*value] if type(value) is tuple else {**value} if type(value) is dict else value
        return found


SUPPORTS = ("agreed", "alone", "contradicted")
"""What other sources say of a value: one has the same, none has any, all that have one have another."""

# So many pages of the field's average count with those of a source.
_PRIOR = 10

_Value = TypeVar("_Value")


def support_of(value: _Value, others: Iterable[_Value], same: Callable[[_Value, _Value], bool]) -> str:
    """Return what the values of other sources say of one, of `SUPPORTS`."""
    support = "alone"
    for other in others:
        if same(value, other):
            return "agreed"
        support = "contradicted"
    return support


@dataclass(frozen=True, eq=False)
class SourceRecords:
    """How often sources were right on annotated pages, and their order of priority.

    Attributes
    ----------
    counts : mapping
        Right values and all by field of `Metadata`, source and support.
    order : mapping
        Sources by field, the first the one that counts; others follow as they come.
    """

    counts: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]
    order: Mapping[str, Sequence[str]]

    @cache  # noqa: B019 (the records are a constant, and few)
    def confidence(self, name: str, source: str, support: str) -> float | None:
        """Return the probability that a value is right, from 0 to 1; None for a field without records.

        Right values over all of this source and support, with ten pages of the average of the support (Laplace's rule
        with the field's average in place of one half).
        """
        by_source = self.counts.get(name)
        if by_source is None:
            return None
        right, count = by_source.get(source, {}).get(support, (0.0, 0))
        found = [counts[support] for counts in by_source.values() if support in counts]
        # One right value of two where there are none.
        average = (sum(right for right, _ in found) + 1) / (sum(count for _, count in found) + 2)
        return round((right + _PRIOR * average) / (count + _PRIOR), 3)

    def ordered(self, name: str, claims: list[Candidates]) -> list[Candidates]:
        """Return claims in the order of priority of their sources for a field."""
        order = self.order.get(name, ())
        return sorted(claims, key=lambda each: order.index(each.source) if each.source in order else len(order))


@cache
def source_records() -> SourceRecords:
    """Return the bundled records, a constant that is read at its first use.

    Written by ``python -m experiments.metadata_sources`` from the development gold.
    """
    document = bundled_json("blockfeat.metadata", "source_records.json")
    return SourceRecords(document["counts"], document["order"])
