"""How sure a value is, by its source and by what the others of the page say; the order in which sources are asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from blockfeat.metadata.claims import Claims

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
