"""Counts of mentions by brand, day, language, source, place; with and without clutter and copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from blockfeat.errors import ConfigError
from blockfeat.extraction.block_classes import CLASSES
from blockfeat.extraction.reasons import part_in

if TYPE_CHECKING:
    from blockfeat.monitor.store.store import Store


# The class of a dropped block stands in its reason.
_CLASSES = " ".join(
    "WHEN not_counted_because LIKE 'dropped: looks like {}:%' THEN '{}'".format(
        part_in(name, kept=False).replace("'", "''"), name
    )
    for name in CLASSES[:-1]
)
_NOT_COUNTED = (
    "CASE WHEN counted = 1 THEN 'counted' WHEN rule IS NOT NULL THEN 'rule' "
    f"WHEN not_counted_because LIKE 'kind of page: %' THEN kind {_CLASSES} "
    "WHEN in_article = 0 THEN place ELSE 'copy' END"
)
DIMENSIONS: Mapping[str, str] = {
    "brand": "brand",
    "day": "day",
    "lang": "lang",
    "source": "coalesce(source, host)",
    "host": "host",
    "place": "place",
    "kind": "kind",
    "because": _NOT_COUNTED,
}
"""What can be counted by, each with its SQL; ``because`` says why mentions are not counted."""


@dataclass(frozen=True, slots=True)
class Count:
    """How often brands are mentioned, for one combination of values.

    Attributes
    ----------
    values : tuple of str or None
        The values of the dimensions.
    mentions : int
        In articles, without copies: what counts.
    with_copies : int
        In articles, copies too.
    with_clutter : int
        Anywhere on the page, without copies.
    everything : int
        Anywhere on the page, copies too.
    articles, articles_with_copies : int
        Pages with such a mention in the article.
    ruled_out : int
        What a rule of the brand took away, anywhere; none of the other numbers has it.
    """

    values: tuple[str | None, ...]
    mentions: int
    with_copies: int
    with_clutter: int
    everything: int
    articles: int
    articles_with_copies: int
    ruled_out: int = 0


MEASURES = tuple(field.name for field in fields(Count) if field.name != "values")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which mentions are counted: first and last day (``2026-11-22``), brands, languages; None or empty for all."""

    since: str | None = None
    until: str | None = None
    brands: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()

    def condition(self) -> tuple[str, dict[str, object]]:
        """Return an SQL condition over the view ``mentions``, and its values."""
        parts, values = ["1 = 1"], dict[str, object]()
        for name, comparison in (("since", "day >= :since"), ("until", "day <= :until")):
            if (day := getattr(self, name)) is not None:
                parts.append(comparison)
                values[name] = day
        for column, wanted in (("brand", self.brands), ("lang", self.langs)):
            names = [f"{column}{number}" for number in range(len(wanted))]
            if names:
                parts.append(f"{column} IN ({', '.join(f':{name}' for name in names)})")
                values |= dict(zip(names, wanted, strict=True))
        return " AND ".join(parts), values


def check_dimensions(names: Sequence[str]) -> None:
    """Raise ConfigError for a name that is no key of `DIMENSIONS`."""
    unknown = [name for name in names if name not in DIMENSIONS]
    if unknown:
        raise ConfigError(f"cannot count by {unknown[0]!r}; known are {', '.join(DIMENSIONS)}")


def counts(store: Store, by: Sequence[str], selection: Selection = Selection()) -> list[Count]:
    """Count mentions by some dimensions.

    Parameters
    ----------
    by : sequence of str
        Keys of `DIMENSIONS`; the rows are in their order.

    Raises
    ------
    ConfigError
        There is no such dimension.
    """
    check_dimensions(by)
    condition, values = selection.condition()
    columns = "".join(f"{DIMENSIONS[name]} AS d{number}, " for number, name in enumerate(by))
    keys = ", ".join(str(number) for number in range(1, len(by) + 1))
    grouped = f" GROUP BY {keys} ORDER BY {keys}" if by else ""
    rows = store.query(
        f"SELECT {columns}"
        "coalesce(sum(counted), 0) AS mentions, coalesce(sum(in_article), 0) AS with_copies, "
        "coalesce(sum(CASE WHEN rule IS NULL THEN 1 - in_copy ELSE 0 END), 0) AS with_clutter, "
        "coalesce(sum(CASE WHEN rule IS NULL THEN 1 ELSE 0 END), 0) AS everything, "
        "count(DISTINCT CASE WHEN counted = 1 THEN url END) AS articles, "
        "count(DISTINCT CASE WHEN in_article = 1 THEN url END) AS articles_with_copies, "
        "coalesce(sum(CASE WHEN rule IS NULL THEN 0 ELSE 1 END), 0) AS ruled_out "
        f"FROM mentions WHERE {condition}{grouped}",
        values,
    )
    return [
        Count(tuple(row[f"d{number}"] for number in range(len(by))), *(int(row[name]) for name in MEASURES))
        for row in rows
    ]
