"""``Metadata``: the values that were found on a page, each with its source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from blockfeat.metadata.claims import Claims

SOURCES = (
    "json-ld",
    "microdata",
    "rdfa",
    "open-graph",
    "meta",
    "link",
    "html",
    "byline",
    "time",
    "heading",
    "title",
    "url",
    "htmldate",
)
"""Where values come from, in the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, with the time and the zone where the page gives them.

    Attributes
    ----------
    day : date
        In the zone of the page.
    time : datetime.time or None
        Time of the day, with ``tzinfo`` where the zone is known.
    ahead : int
        Days by which the date of a time in UTC is ahead of `day`, where the page shows its day and declares the instant
        in UTC: -1, 0 or 1.
    """

    day: date
    time: time | None = None
    ahead: int = 0

    @property
    def instant(self) -> datetime | None:
        """The point in time; None without a time or without a zone."""
        return None if self.time is None or self.time.tzinfo is None else _stamp(self, self.time)

    @property
    def precision(self) -> int:
        """0 for a day, 1 with a time that is midnight (often filled in), 2 with a time, 3 with its zone too."""
        if self.time is None:
            return 0
        if not (self.time.hour or self.time.minute or self.time.second):
            return 1
        return 2 if self.time.tzinfo is None else 3

    def isoformat(self) -> str:
        """Return ISO 8601: ``2023-04-28``, ``2023-04-28T18:03:46`` or ``2023-04-28T18:03:46+02:00``."""
        return self.day.isoformat() if self.time is None else _stamp(self, self.time).isoformat()

    def __str__(self) -> str:
        """Return ISO 8601."""
        return self.isoformat()


def _stamp(moment: Moment, clock: time) -> datetime:
    """Return the date and time as they are declared."""
    return datetime.combine(moment.day + timedelta(days=moment.ahead), clock)


@dataclass(frozen=True)
class Metadata:
    """What a page says of itself; a value that it does not give is None or empty.

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
        plain: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("published", "modified"):
                plain[each.name] = None if value is None else value.isoformat()
                plain[f"{each.name}_day"] = None if value is None else value.day.isoformat()
                continue
            if isinstance(value, tuple):
                value = list(value)
            elif isinstance(value, Mapping):
                value = dict(value)
            plain[each.name] = value
        return plain


SUPPORTS = ("agreed", "alone", "contradicted")
"""What other sources say of a value: one has the same, none has any, all that have one have another."""

# So many pages of the field's average count with those of a source.
_PRIOR = 10
_SCHEMA = 1

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
    """How often sources were right on pages with gold, and the order in which they are asked.

    Attributes
    ----------
    counts : mapping
        Right values and all by field of `Metadata`, source and support.
    order : mapping
        Sources by field, the first the one that counts; others follow as they come.
    """

    counts: Mapping[str, Mapping[str, Mapping[str, tuple[float, int]]]]
    order: Mapping[str, tuple[str, ...]]

    def confidence(self, name: str, source: str, support: str) -> float | None:
        """Return the probability that a value is right, from 0 to 1; None for a field without records.

        Right values over all of this source and support, with ten pages of the average of the support (Laplace's rule
        with the field's average in place of one half).
        """
        by_source = self.counts.get(name)
        if by_source is None:
            return None
        right, count = by_source.get(source, {}).get(support, (0.0, 0))
        average = self._average(by_source.values(), support)
        return round((right + _PRIOR * average) / (count + _PRIOR), 3)

    def _average(self, sources: Iterable[Mapping[str, tuple[float, int]]], support: str) -> float:
        """Return how often values of a field with some support are right, whatever their source."""
        found = [counts for source in sources for name, counts in source.items() if name == support]
        # One right value of two where there are none.
        return (sum(right for right, _ in found) + 1) / (sum(count for _, count in found) + 2)

    def ordered(self, name: str, claims: list[Claims]) -> list[Claims]:
        """Return claims in the order in which their sources are asked for a field."""
        order = self.order.get(name)
        if order is None:
            return claims
        return sorted(claims, key=lambda each: order.index(each.source) if each.source in order else len(order))

    def to_document(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        counts = {
            name: {
                source: {support: [round(right, 2), count] for support, (right, count) in sorted(by_support.items())}
                for source, by_support in sorted(by_source.items())
            }
            for name, by_source in sorted(self.counts.items())
        }
        return {
            "schema_version": _SCHEMA,
            "order": {name: list(sources) for name, sources in self.order.items()},
            "counts": counts,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> SourceRecords:
        """Make records from what `to_document` returned."""
        counts = {
            name: {
                source: {support: (float(right), int(count)) for support, (right, count) in by_support.items()}
                for source, by_support in by_source.items()
            }
            for name, by_source in document["counts"].items()
        }
        return cls(counts, {name: tuple(sources) for name, sources in document["order"].items()})


@cache
def source_records() -> SourceRecords:
    """Return the bundled records, a constant that is read at its first use.

    Written by ``python -m experiments.metadata_sources`` from the development gold.
    """
    text = files("blockfeat.metadata").joinpath("source_records.json").read_text(encoding="utf-8")
    return SourceRecords.from_document(json.loads(text))
