"""Spikes: hours with more articles that name a brand than are to be expected of the hour and the weekday."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text

from blockfeat.monitor.store.engine import insert_or
from blockfeat.monitor.store.records import iso
from blockfeat.monitor.store.schema import outbox, page, told

_HOUR, _WEEK = 3600.0, 7 * 86_400.0
_WEEKS, _FEWEST_WEEKS = 4, 2
_FEWEST_ARTICLES = 5
_LEAST_SURPRISE = 0.001
_TITLES = 5
# When an article appeared: its moment where it names one, not a day alone.
_MOMENT = "CASE WHEN length(p.published) > 10 THEN p.published ELSE p.first_seen END"
_FROM = (
    "FROM mention m JOIN page p ON p.id = m.page_id AND p.version = m.version WHERE m.counted AND m.copied IS NOT TRUE"
)
_COUNTS = text(
    f"SELECT m.brand || '' AS brand, substr({_MOMENT}, 1, 13) AS hour, count(DISTINCT p.id) AS n {_FROM} "
    f"AND {_MOMENT} >= :since GROUP BY 1, 2"
)
_ARTICLES = text(
    f"SELECT DISTINCT p.id, p.title {_FROM} AND m.brand = :brand AND substr({_MOMENT}, 1, 13) = :hour "
    "ORDER BY p.id LIMIT :most"
)


def surprise(number: int, expected: float) -> float:
    """Return the probability of so many events or more where so many are expected (Poisson)."""
    below = sum(math.exp(k * math.log(expected) - expected - math.lgamma(k + 1)) for k in range(number))
    return max(0.0, 1.0 - below)


def expected_articles(hours: Mapping[str, int], begin: float, *, weeks: int) -> float:
    """Return how many articles an hour usually has.

    The mean of the same hour of the same weekday in the weeks before, and of an hour in general, which counts as one
    week more: a few weeks say little of one hour.

    Parameters
    ----------
    hours : mapping
        Articles by hour (``"2026-11-22T14"``, UTC).
    begin : float
        When the hour begins, in seconds since 1970.
    weeks : int
        How many weeks before it are known.
    """
    same = sum(hours.get(iso(begin - week * _WEEK)[:13], 0) for week in range(1, weeks + 1))
    first, last = iso(begin - weeks * _WEEK)[:13], iso(begin)[:13]
    general = sum(count for hour, count in hours.items() if first <= hour < last) / (weeks * _WEEK / _HOUR)
    return (same + general) / (weeks + 1)


def note_spikes(connection: Connection, *, now: float) -> int:
    """Put the spikes of this hour and the one before into the outbox, each once; return how many are new.

    A spike has five articles or more, without copies, and so many would come by chance less than once in a thousand
    hours. Stores of less than two weeks have none: nothing is known to be usual.
    """
    first = connection.scalar(select(func.min(page.c.first_seen)).where(page.c.version > 0))
    current = now - now % _HOUR
    weeks = next((n for n in range(_WEEKS, _FEWEST_WEEKS - 1, -1) if first and iso(current - n * _WEEK) >= first), 0)
    if not weeks:
        return 0
    hours: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for brand, hour, count in connection.execute(_COUNTS, {"since": iso(current - (weeks + 1) * _WEEK)}):
        hours[brand][hour] = count
    found = 0
    for brand, counts in hours.items():
        for begin in (current - _HOUR, current):
            number = counts.get(iso(begin)[:13], 0)
            expected = expected_articles(counts, begin, weeks=weeks)
            if number >= _FEWEST_ARTICLES and surprise(number, max(expected, 0.01)) < _LEAST_SURPRISE:
                found += _note(connection, brand, begin, number, expected, now=now)
    connection.execute(delete(told).where(told.c.hour < iso(now - _WEEK)[:13]))
    return found


def _note(connection: Connection, brand: str, begin: float, number: int, expected: float, *, now: float) -> bool:
    """Put one spike into the outbox, unless it is there or was."""
    hour = iso(begin)[:13]
    added = insert_or(connection.dialect.name, told).values(brand=brand, hour=hour).on_conflict_do_nothing()
    if connection.execute(added.returning(told.c.hour)).scalar() is None:
        return False
    rows = connection.execute(_ARTICLES, {"brand": brand, "hour": hour, "most": _TITLES})
    event: dict[str, Any] = {
        "id": hashlib.sha256(f"{brand}\0{hour}".encode()).hexdigest()[:24],
        "event": "spike",
        "brand": brand,
        "counted": True,
        "hour": begin,
        "articles": number,
        "expected": round(expected, 2),
        "titles": [row.title for row in rows if row.title],
        "found_at": iso(now),
    }
    connection.execute(insert(outbox).values(event=json.dumps(event, ensure_ascii=False)))
    return True
